-- events of alerts
SELECT
	e.event, -- int: sequence number
	e.at, -- time: time of the evaluation
	e.rule, -- text: name of the rule
	e.subject, -- text: as in alerts
	e.kind, -- text: firing worse repeat resolved
	e.severity, -- text: info warning critical
	e.summary, -- text: summary at that time
	e.muted -- flag: 1: silenced at that time
FROM alert_event e

-- what happened to alerts
SELECT
	e.event, -- int: number, in order
	e.at, -- time: when it was judged so
	e.rule, -- text: name of the rule
	e.subject, -- text: as in alerts
	e.kind, -- text: firing worse repeat resolved
	e.severity, -- text: info warning critical
	e.summary, -- text: what was said
	e.muted -- flag: 1: silenced at that time
FROM alert_event e

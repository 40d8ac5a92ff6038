-- What happened to alerts: firing, worse, repeat, resolved.
SELECT e.event AS event, @RFC3339(e.at)@ AS at, e.rule AS rule, e.subject AS subject,
	e.kind AS kind, e.severity AS severity, e.summary AS summary, e.muted AS muted
FROM alert_event e

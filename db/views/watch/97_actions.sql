-- What is done to machines by rules with `then`, or would be: one row per rule, machine and start.
SELECT n.action AS id, n.rule AS rule, n.resource AS resource, n.uid AS uid,
	n.verb AS action, n.mode AS mode,
	CASE WHEN n.held <> '' AND n.ended IS NULL THEN 'held' ELSE n.state END AS state,
	@RFC3339(n.since)@ AS at, n.reason AS reason, n.state AS stage,
	NULLIF(n.held, '') AS held, n.severity AS severity, n.kind AS kind,
	n.project AS project, n.location AS location, n.name AS name,
	@RFC3339(n.started)@ AS started, @RFC3339(n.began)@ AS began,
	@RFC3339(n.warned)@ AS warned, @RFC3339(n.due)@ AS due,
	@RFC3339(n.approved)@ AS approved, @RFC3339(n.next_at)@ AS next_at,
	@RFC3339(n.sent)@ AS sent, @RFC3339(n.ended)@ AS ended,
	n.operation AS operation, n.request_id AS request_id, n.attempts AS attempts,
	n.saves / 1e9 AS saves_per_hour, n.residual / 1e9 AS residual_per_hour,
	n.currency AS currency, n.restart AS restart
FROM action n

-- what rules do to machines, or would do if they were armed
--
-- One row per rule, machine and start.
SELECT
	n.action AS id, -- int: number, for: tpucost enforce approve
	n.rule, -- text: name of the rule
	n.resource, -- text: id of the machine, as in resources
	n.uid, -- text: Google's numeric id; another uid is another machine
	n.verb AS action, -- text: stop delete
	n.mode, -- text: dry-run: nothing is done; armed
	CASE WHEN n.held <> '' AND n.ended IS NULL THEN 'held' ELSE n.state END AS state, -- text:
		-- pending warning grace recheck intent sent verify unknown done failed superseded
		-- cleared; held: a guard keeps it from going on
	n.since AS at, -- time: in that stage since then
	n.reason, -- text: why it is there, in a sentence
	n.state AS stage, -- text: the state, also of one that is held
	NULLIF(n.held, '') AS held, -- text: name of the guard that holds it
	n.severity, -- text: of the alert: info warning critical
	n.kind, -- text: vm tpu queued
	n.project, -- text: project id
	n.location, -- text: its zone
	n.name, -- text: short name
	n.started, -- time: its last start; another start is another action
	n.began, -- time: when the rule first held
	n.warned, -- time: when a channel took the warning
	n.due, -- time: end of the grace
	n.approved, -- time: when a person let it pass limits and back-off
	n.next_at, -- time: not tried again before
	n.sent, -- time: when Google had the request
	n.ended, -- time: when it was over
	n.operation, -- text: name of Google's operation
	n.request_id, -- text: of the request; repeats of it have the same
	n.attempts, -- int: how often it was sent
	n.saves AS saves_per_hour, -- money: net, what it costs no more when it is done; NULL when not known
	n.residual AS residual_per_hour, -- money: what its disks and addresses go on costing; NULL when not
		-- known
	n.currency, -- text: of the two amounts
	n.restart -- text: the command that brings it back
FROM action n

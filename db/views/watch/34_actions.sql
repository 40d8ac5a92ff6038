-- actions of rules on machines, including dry runs
--
-- One row per rule, machine and start.
SELECT
	n.action AS id, -- int: number, for: tpucost enforce approve
	n.rule, -- text: name of the rule
	n.resource, -- text: id of the machine, as in resources
	n.uid, -- text: Google's numeric id; another uid is another machine
	n.verb AS action, -- text: stop delete
	n.mode, -- text: dry-run: no action is taken; armed
	CASE WHEN n.held <> '' AND n.ended IS NULL THEN 'held' ELSE n.state END AS state, -- text:
		-- pending warning grace recheck intent sent verify unknown done failed superseded
		-- cleared; held: blocked by a guard
	n.since AS at, -- time: time of the last change of the stage
	n.reason, -- text: reason for the stage, as a sentence
	n.state AS stage, -- text: the state, also if it is held
	NULLIF(n.held, '') AS held, -- text: name of the guard that holds it
	n.severity, -- text: of the alert: info warning critical
	n.kind, -- text: vm tpu queued
	n.project, -- text: project id
	n.location, -- text: its zone
	n.name, -- text: short name
	n.started, -- time: its last start; each start has its own action
	n.began, -- time: when the rule first matched
	n.warned, -- time: when a channel accepted the warning
	n.due, -- time: end of the grace
	n.approved, -- time: when a user approved it regardless of limits and back-off
	n.next_at, -- time: next attempt not before
	n.sent, -- time: last request, possibly received
	n.ended, -- time: when it ended
	n.operation, -- text: name of Google's operation
	n.request_id, -- text: id of the request; retries have the same id
	n.attempts, -- int: number of attempts
	n.saves AS saves_per_hour, -- money: net cost per hour avoided; NULL when unknown
	n.residual AS residual_per_hour, -- money: cost of its disks and addresses; NULL when
		-- unknown or in another currency
	n.currency, -- text: currency of the two amounts
	n.restart, -- text: the command that restores it
	n.follows, -- int: of the second step of a rule: id of the action that stopped it
	n.frees -- text: chips of quota that a deletion frees; NULL: none, or unknown
FROM action n

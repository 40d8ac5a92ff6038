-- Decisions of users about actions.

-- name: decide_action
SELECT rule, resource, verb, mode, state, held, reason, due#?, ended#?, saves#?, residual#?,
	currency?, (SELECT z.text FROM residual z WHERE z.id = action.resource) AS remains?
FROM action WHERE action = $action#;

-- name: decide_approve
UPDATE action SET approved = $now# WHERE action = $action# AND ended IS NULL;

-- Actions that are recorded and may have been sent: of one machine, or of all ('').
-- name: decide_in_flight
SELECT action#, resource, verb, state FROM action
WHERE ended IS NULL AND state IN ('intent', 'sent', 'verify', 'unknown')
	AND ($resource = '' OR resource = $resource) ORDER BY action;

-- name: disarmed_list
SELECT DISTINCT rule, project, reason FROM disarmed ORDER BY rule, project, reason;

-- Decisions of users about actions.

-- name: decide_action
SELECT rule, resource, verb, mode, state, held, reason, due#?, ended#?, saves#?, residual#?,
	currency?, (SELECT z.text FROM residual z WHERE z.id = action.resource) AS remains?
FROM action WHERE action = $action#;

-- name: decide_approve
UPDATE action SET approved = $now# WHERE action = $action# AND ended IS NULL;

-- Actions that are recorded and may have been sent: those that end one machine, or all (''). Deleting a queued
-- resource ends its nodes, and scaling a node pool ends all of it.
-- name: decide_in_flight
SELECT action#, resource, verb, state FROM action
WHERE ended IS NULL AND state IN ('intent', 'sent', 'verify', 'unknown')
	AND ($resource IN ('', resource)
		OR EXISTS (SELECT 1 FROM resource n JOIN resource q ON q.id = action.resource
			WHERE n.id = $resource AND q.kind = 'queued' AND q.project = n.project
				AND q.location = n.location
				AND substr('/' || n.queued, -length(q.name) - 1) = '/' || q.name)
		OR EXISTS (SELECT 1 FROM pool_rows x JOIN pool_rows y USING (project, pool)
			WHERE x.id = $resource AND y.id = action.resource))
ORDER BY action;

-- name: disarmed_list
SELECT DISTINCT rule, project, reason FROM disarmed ORDER BY rule, project, reason;

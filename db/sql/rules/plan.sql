-- Armed actions whose grace has been running since then.
-- name: plan_warned
SELECT rule, resource, verb, due# FROM action
WHERE state = 'grace' AND mode = 'armed' AND due IS NOT NULL AND since >= $since# ORDER BY action;

-- The end of this episode, if it excludes a new one. A machine that was created after that is
-- another one, even without a uid to show it (queued resources). A failed action may be tried again
-- after "enforce resume".
-- name: plan_end
SELECT action#, state, reason, ended# FROM action
WHERE rule = $rule AND resource = $resource AND uid = $uid AND started IS $started#?
	AND policy = $policy AND ended IS NOT NULL AND state IN ('done', 'failed')
	AND ended >= COALESCE($created#?, ended) AND (state = 'done' OR NOT EXISTS (SELECT 1
		FROM audit_entry u WHERE u.event = 'resumed' AND u.at >= action.ended))
ORDER BY action DESC LIMIT 1;

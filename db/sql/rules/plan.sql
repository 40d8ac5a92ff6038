-- Armed actions whose grace has been running since then.
-- name: plan_warned
-- in: i64 since
-- out: text rule, text resource, text verb, i64 due
SELECT rule, resource, verb, due FROM action
WHERE state = 'grace' AND mode = 'armed' AND due IS NOT NULL AND since >= $1 ORDER BY action;

-- The end of this episode, if it excludes a new one. A machine that was created after that is
-- another one, even without a uid to show it (queued resources). A failed action may be tried again
-- after "enforce resume".
-- name: plan_end
-- in: text rule, text resource, text uid, i64? started, text policy, i64? created
-- out: i64 action, text state, text reason, i64 ended
SELECT action, state, reason, ended FROM action
WHERE rule = $1 AND resource = $2 AND uid = $3 AND started IS $4
	AND policy = $5 AND ended IS NOT NULL AND state IN ('done', 'failed')
	AND ended >= COALESCE($6, ended) AND (state = 'done' OR NOT EXISTS (SELECT 1
		FROM audit_entry u WHERE u.event = 'resumed' AND u.at >= action.ended))
ORDER BY action DESC LIMIT 1;

-- name: plan_alert
-- in: text rule, text subject
-- out: i64 since
SELECT since FROM alert WHERE rule = $1 AND subject = $2 AND resolved IS NULL;

-- What `why` shows of actions.

-- name: explain_action_numbers
-- out: i64 action
SELECT action FROM action ORDER BY action;

-- name: explain_action
-- in: i64 action
-- out: text rule, text resource, text uid, text verb, text mode, text severity, text state, text held, text reason, i64 since, i64? started, i64 began, i64? warned, i64? due, i64? approved, i64 attempts, i64? next_at, text? request_id, text? operation, i64? sent, text? restart, i64? saves, i64? residual, text? currency, i64? ended
SELECT rule, resource, uid, verb, mode, severity, state, held, reason, since, started, began,
	warned, due, approved, attempts, next_at, request_id, operation, sent, restart, saves,
	residual, currency, ended
FROM action WHERE action = $1;

-- name: explain_actions_of
-- in: text resource
-- out: i64 action, text rule, text verb, text mode, text state, text held, text reason, i64 since
SELECT action, rule, verb, mode, state, held, reason, since
FROM action WHERE resource = $1 ORDER BY action DESC;

-- name: explain_action_audit
-- in: i64 action
-- out: i64 seq, i64 at, text actor, text event, text detail
SELECT seq, at, actor, event, detail FROM audit_entry WHERE action = $1 ORDER BY seq DESC;

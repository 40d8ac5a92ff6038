-- Actions on machines.

-- Actions that have not ended, oldest first; or those that ended after a time, newest first; or one.
-- name: action_list
-- in: i64? ended_since, i64? action
-- out: i64 action, text rule, text resource, text uid, text source, text kind, text project, text location, text name, i64? started, text verb, text mode, text severity, text policy, text state, text held, text reason, i64 since, i64 began, i64? warned, i64? due, i64? approved, i64 attempts, i64? next_at, text? request_id, text? operation, i64? intent, i64? sent, text? record, text? restart, i64? saves, i64? residual, text? currency, i64? ended, text? group_path
SELECT action, rule, resource, uid, source, kind, project, location, name, started, verb, mode,
	severity, policy, state, held, reason, since, began, warned, due, approved, attempts,
	next_at, request_id, operation, intent, sent, record, restart, saves, residual, currency,
	ended, group_path
FROM action WHERE ($1 IS NULL AND $2 IS NULL AND ended IS NULL) OR ended > $1 OR action = $2
ORDER BY ended DESC, CASE WHEN ended IS NULL THEN action ELSE -action END;

-- name: action_begin
-- in: text rule, text resource, text uid, text source, text kind, text project, text location, text name, i64? started, text verb, text mode, text severity, text policy, text reason, i64 now, i64? saves, i64? residual, text? currency, text? group_path
-- out: i64 action
INSERT INTO action (rule, resource, uid, source, kind, project, location, name, started, verb,
	mode, severity, policy, state, held, reason, since, began, attempts, saves, residual,
	currency, group_path)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', '', $14, $15, $15, 0,
	$16, $17, $18, $19)
RETURNING action;

-- The whole state of an action.
-- name: action_move
-- in: i64 action, text state, text held, text reason, i64 since, i64? warned, i64? due, i64 attempts, i64? next_at, text? request_id, text? operation, i64? intent, i64? sent, i64? ended
UPDATE action SET state = $2, held = $3, reason = $4, since = $5, warned = $6, due = $7,
	attempts = $8, next_at = $9, request_id = $10, operation = $11, intent = $12,
	sent = $13, ended = $14
WHERE action = $1 AND ended IS NULL;

-- name: action_state
-- in: i64 action
-- out: text state
SELECT state FROM action WHERE action = $1 AND ended IS NULL;

-- name: action_record
-- in: i64 action, text? record, text? restart
UPDATE action SET record = $2, restart = $3 WHERE action = $1;

-- Its warning is sent again.
-- name: action_warn_again
-- in: i64 action
DELETE FROM action_notice WHERE action = $1 AND kind IN ('warning', 'held');

-- The saving changes with prices and coverage.
-- name: action_worth
-- in: i64 action, i64? saves, i64? residual, text? currency
UPDATE action SET saves = $2, residual = $3, currency = $4 WHERE action = $1;

-- name: action_alerts
-- in: text rule
-- out: text subject, text state, text data, text severity, i64 last_true
SELECT subject, state, data, severity, last_true FROM alert
WHERE rule = $1 AND state IN ('pending', 'firing') ORDER BY subject;

-- name: alert_get
-- in: text rule, text subject
-- out: text state, text data, text severity, text summary, i64 last_true
SELECT state, data, severity, summary, last_true FROM alert WHERE rule = $1 AND subject = $2;

-- One machine according to the last polls. Its last start is Google's, if Google reports it: a stop
-- and start between two polls is visible only there.
-- name: enforce_subject
-- in: text id
-- out: text id, text uid, text source, text kind, text project, text location, text name, text state, text raw_state, text? type, text? provisioning, text? queued, text labels, i64? started, i64? created, i64 last_seen, i64 complete, i64 exempt, i64? hosts, i64? net, text? currency, i64? residual, text? residual_currency, text? remains, text? group_path
SELECT r.id, r.uid, r.source, r.kind, r.project, r.location, r.name, r.state, r.raw_state, r.type,
	r.provisioning, r.queued, r.labels, CASE WHEN r.state = 'running'
		THEN COALESCE(r.state_since, v.running_since) END, r.created, r.last_seen, r.complete,
	CASE WHEN v.exempt IS NULL OR v.exempt = 1 OR EXISTS (SELECT 1 FROM hold h
		WHERE h.id = r.id AND h.until > a.now) THEN 1 ELSE 0 END,
	COALESCE(r.hosts, v.hosts), v.net, v.currency, z.gross, z.currency, z.text,
	CASE r.source WHEN 'slice' THEN r.attached_to END
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN residual z ON z.id = r.id
WHERE r.id = $1;

-- The number of a project, from Google: a list of projects, or the bill.
-- name: project_number
-- in: text project
-- out: text number
SELECT number FROM (SELECT number, 0 AS place, 0 AS ref FROM project WHERE project = $1
	UNION ALL SELECT number, 1, project_ref FROM billed_project WHERE project = $1) n
WHERE number <> '' ORDER BY place, ref DESC LIMIT 1;

-- name: lease_get
-- in: text name
-- out: text owner, i64 fence, i64 until
SELECT owner, fence, until FROM lease WHERE name = $1;

-- name: lease_put
-- in: text name, text owner, i64 fence, i64 until
INSERT INTO lease (name, owner, fence, until) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = excluded.fence,
	until = excluded.until;

-- name: disarm
-- in: text rule, text policy, text project, i64 at, text reason
INSERT INTO disarmed (rule, policy, project, at, reason) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (rule, policy, project) DO UPDATE SET at = excluded.at, reason = excluded.reason;

-- name: disarmed_get
-- in: text rule, text policy, text project
-- out: text reason
SELECT reason FROM disarmed WHERE rule = $1 AND policy = $2 AND project = $3;

-- name: rearm_all
DELETE FROM disarmed;

-- The audit log is never deleted.
-- name: action_forget
-- in: i64 before
DELETE FROM action_notice WHERE EXISTS (SELECT 1 FROM action a
	WHERE a.action = action_notice.action AND a.ended < $1);
DELETE FROM action WHERE ended < $1;

-- Earlier actions of the same episode that ended after a request. One that Google refused no longer
-- has an id.
-- name: action_tries
-- in: text rule, text resource, text uid, i64? started, i64 action
-- out: i64 n
SELECT COUNT(*) FROM action
WHERE rule = $1 AND resource = $2 AND uid = $3 AND started IS $4
	AND action < $5 AND ended IS NOT NULL AND (attempts > 0 OR request_id IS NOT NULL);

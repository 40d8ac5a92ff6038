-- name: alert_list
-- out: text rule, text subject, text state, text severity, i64 since, i64 last_true, i64? fired, i64? resolved, i64? said, i64 stage
SELECT rule, subject, state, severity, since, last_true, fired, resolved, said, stage
FROM alert ORDER BY rule, subject;

-- Alerts about resources whose owner is known, that fire, or whose action was announced to an owner
-- and its end was not.
-- name: alert_owners
-- out: text rule, text subject, text owner
SELECT rule, subject, owner FROM (SELECT l.rule, l.subject, @LATEST(owner, l.subject)@ AS owner
	FROM alert l LEFT JOIN resource r ON r.id = l.subject
	WHERE l.state = 'firing' OR (l.rule, l.subject) IN (SELECT a.rule, a.resource
		FROM action_notice n JOIN action a ON a.action = n.action
		WHERE n.channel LIKE '%/%' AND NOT EXISTS (SELECT 1 FROM action_notice x
			WHERE x.action = n.action AND x.channel = n.channel
				AND x.kind IN ('outcome', 'cancelled'))))
WHERE owner IS NOT NULL ORDER BY rule, subject;

-- Subject of an alert that is a resource, deleted or not; else NULLs.
-- name: alert_thing
-- in: text subject
-- out: text? owner, text? project, text? display_name
SELECT owner, project, @NAMED(t)@ FROM (SELECT @LATEST(owner, s.id)@ AS owner,
		@LATEST(project, s.id)@ AS project, @LATEST(name, s.id)@ AS name
	FROM (SELECT $1 AS id) s LEFT JOIN resource r ON r.id = s.id) t;

-- name: alert_put
-- in: text rule, text subject, text state, text data, text severity, i64 since, i64 last_true, i64? fired, i64? resolved, i64? said, i64 stage, text? value, text summary, text labels
INSERT INTO alert (rule, subject, state, data, severity, since, last_true, fired, resolved, said,
	stage, value, summary, labels)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (rule, subject) DO UPDATE SET state = excluded.state, data = excluded.data,
	severity = excluded.severity, since = excluded.since, last_true = excluded.last_true,
	fired = excluded.fired, resolved = excluded.resolved, said = excluded.said,
	stage = excluded.stage, value = excluded.value, summary = excluded.summary,
	labels = excluded.labels;

-- The summary stays that of the last evaluation that was true, until it resolves.
-- name: alert_move
-- in: text rule, text subject, text state, text data, i64? resolved, i64? said, text? summary
UPDATE alert SET state = $3, data = $4, resolved = $5, said = $6, summary = COALESCE($7, summary)
WHERE rule = $1 AND subject = $2;

-- State of a resource, since when it has it, and when tpucost stopped it since its last start. A
-- resource that was restarted immediately (its reason begins so) was not stopped by that action.
-- name: alert_ended
-- in: text id
-- out: text state, i64? since, i64? acted, i64? covered, text? grant_name
SELECT r.state, (SELECT MIN(i.starts) FROM resource_interval i
	WHERE i.id = r.id AND i.uid = r.uid AND i.starts > r.before), (SELECT MAX(n.ended)
		FROM action n WHERE n.resource = r.id AND n.uid = r.uid AND n.ended > r.before
		AND n.mode = 'armed' AND n.verb = 'stop' AND n.state = 'done'
		AND n.reason NOT LIKE 'it was stopped, and%'), v.covered, v.grant_name
FROM (SELECT id, uid, state, COALESCE((SELECT MAX(o.starts) FROM resource_interval o
		WHERE o.id = c.id AND o.uid = c.uid AND o.state <> c.state), -1) AS before
	FROM resource c WHERE id = $1) r LEFT JOIN verdict v ON v.id = r.id;

-- When tpucost deleted the last resource of that id. The lists that end its alert also confirm the
-- deletion, later in the same cycle.
-- A TPU is also deleted with the queued resource that made it: the record of that action names it.
-- name: alert_deleted
-- in: text id
-- out: i64 at, text? queued
SELECT COALESCE(n.ended, n.since), CASE WHEN n.resource <> $1 THEN n.name END FROM action n
WHERE n.mode = 'armed' AND n.verb = 'delete' AND n.state IN ('verify', 'done')
	AND (n.resource = $1 AND n.uid = (SELECT i.uid FROM resource_interval i WHERE i.id = $1
			ORDER BY i.starts DESC LIMIT 1)
		OR n.source = 'queued' AND COALESCE(n.ended, n.since) >= (SELECT MAX(i.starts)
				FROM resource_interval i WHERE i.id = $1)
			AND EXISTS (SELECT 1
				FROM json_tree(CASE WHEN json_valid(n.record) THEN n.record END) j
				WHERE j.key IN ('nodeId', 'nodeIdPrefix') AND j.atom IS NOT NULL
					AND $1 GLOB n.project || '/tpu/' || n.location || '/' || j.atom
						|| CASE j.key WHEN 'nodeId' THEN '' ELSE '-[0-9]*' END))
ORDER BY n.action DESC LIMIT 1;

-- Subjects of the alerts of a rule, or with `past` the ids of all resources that were ever observed.
-- name: alert_subjects
-- in: text rule, i64 past
-- out: text subject
SELECT subject FROM alert WHERE rule = $1 AND $2 = 0
UNION SELECT id FROM resource_interval WHERE $2 <> 0
ORDER BY subject;

-- name: alert_drop
-- in: text rule, text subject
DELETE FROM alert WHERE rule = $1 AND subject = $2;

-- name: alert_firing_of
-- in: text rule
-- out: text subject, text severity, i64 since, text summary
SELECT subject, severity, since, summary FROM alert
WHERE rule = $1 AND state = 'firing' ORDER BY subject;

-- name: alert_drop_pending
-- in: text rule
DELETE FROM alert WHERE rule = $1 AND state = 'pending';

-- name: judge_forget
-- in: i64 ended, i64 events
DELETE FROM alert WHERE state = 'resolved' AND resolved < $1;
DELETE FROM silence WHERE until < $1;
DELETE FROM hold WHERE until < $1;
DELETE FROM alert_event WHERE at < $2;

-- name: event_add
-- in: i64 at, text rule, text subject, text kind, text severity, text summary, i64 muted
INSERT INTO alert_event (at, rule, subject, kind, severity, summary, muted)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: rule_state_list
-- out: text rule, text text
SELECT rule, text FROM rule_state ORDER BY rule;

-- name: rule_state_put
-- in: text rule, text text, i64 judged, i64 hits, text? error
INSERT INTO rule_state (rule, text, judged, hits, error) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (rule) DO UPDATE SET text = excluded.text, judged = excluded.judged,
	hits = excluded.hits, error = excluded.error;

-- name: rule_drop
-- in: text rule
DELETE FROM alert WHERE rule = $1;
DELETE FROM rule_state WHERE rule = $1;

-- name: silence_add
-- in: text rule, text subject, i64 created, i64 until, text comment
INSERT INTO silence (rule, subject, created, until, comment) VALUES ($1, $2, $3, $4, $5);

-- name: silence_get
-- in: i64 silence
-- out: text rule, text subject, i64 created
SELECT rule, subject, created FROM silence WHERE silence = $1;

-- name: silence_drop
-- in: i64 silence
DELETE FROM silence WHERE silence = $1;

-- Alerts whose message waits: they are due again when the silence ends.
-- name: alert_unsent
-- in: text rule, text subject
UPDATE alert SET said = 0 WHERE rule = $1 AND ($2 = '' OR subject = $2) AND state = 'firing'
	AND EXISTS (SELECT 1 FROM outbox o WHERE o.state = 'waiting' AND o.rule = alert.rule
		AND o.subject = alert.subject);

-- Messages that a removed silence delayed are sent at once, not at its planned end.
-- name: alert_unmute
-- in: text rule, text subject, i64 created
UPDATE alert SET said = 0
WHERE rule = $1 AND ($2 = '' OR subject = $2) AND state = 'firing'
	AND EXISTS (SELECT 1 FROM alert_event v WHERE v.rule = alert.rule
		AND v.subject = alert.subject AND v.muted <> 0 AND v.at >= $3);

-- name: silenced
-- in: text rule, text subject, i64 now
-- out: i64 until
SELECT until FROM silence
WHERE rule = $1 AND (subject = '' OR subject = $2) AND created <= $3 AND until > $3
ORDER BY until DESC LIMIT 1;

-- name: hold_put
-- in: text id, i64 created, i64 until, text comment
INSERT INTO hold (id, created, until, comment) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE SET created = excluded.created, until = excluded.until,
	comment = excluded.comment;

-- name: hold_get
-- in: text id
-- out: i64 until
SELECT until FROM hold WHERE id = $1;

-- name: hold_drop
-- in: text id
DELETE FROM hold WHERE id = $1;

-- Ids with a hold; or of resources that can be stopped, and that of the given one.
-- name: hold_candidates
-- in: i64 held, text name
-- out: text id
SELECT id FROM hold WHERE $1 <> 0
UNION ALL SELECT id FROM resource WHERE $1 = 0 AND (id = $2 OR kind IN ('vm', 'tpu', 'queued'))
ORDER BY id;

-- name: resource_count
-- out: i64 n
SELECT COUNT(*) FROM resource;

-- name: alert_list
SELECT rule, subject, state, severity, since#, last_true#, ceased#?, fired#?, resolved#?, said#?,
	COALESCE(said_as, severity) AS said_as, stage#, value?, summary
FROM alert ORDER BY rule, subject;

-- Alerts about resources whose owner is known, that fire, or whose action was announced to an owner
-- and its end was not.
-- name: alert_owners
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
SELECT owner?, project?, @NAMED(t)@ AS display_name? FROM (SELECT @LATEST(owner, s.id)@ AS owner,
		@LATEST(project, s.id)@ AS project, @LATEST(name, s.id)@ AS name
	FROM (SELECT $subject AS id) s LEFT JOIN resource r ON r.id = s.id) t;

-- name: alert_put
PUT alert (rule, subject | state, data, severity, since#, last_true#, ceased#?, fired#?, resolved#?, said#?,
		said_as, stage#, value?, summary, labels);

-- The summary stays that of the last evaluation that was true, until it resolves.
-- name: alert_move
UPDATE alert SET state = $state, data = $data, ceased = $ceased#?, resolved = $resolved#?, said = $said#?,
	summary = COALESCE($summary?, summary)
WHERE rule = $rule AND subject = $subject;

-- State of a resource, since when it has it, and when tpucost stopped it since its last start. A
-- resource that was restarted immediately (its reason begins so) was not stopped by that action.
-- name: alert_ended
SELECT r.state, (SELECT MIN(i.starts) FROM resource_interval i
	WHERE i.id = r.id AND i.uid = r.uid AND i.starts > r.before) AS since#?, (SELECT MAX(n.ended)
		FROM action n WHERE n.resource = r.id AND n.uid = r.uid AND n.ended > r.before
		AND n.mode = 'armed' AND n.verb = 'stop' AND n.state = 'done'
		AND n.reason NOT LIKE 'it was stopped, and%') AS acted#?, v.covered#?, v.grant_name?
FROM (SELECT id, uid, state, COALESCE((SELECT MAX(o.starts) FROM resource_interval o
		WHERE o.id = c.id AND o.uid = c.uid AND o.state <> c.state), -1) AS before
	FROM resource c WHERE id = $id) r LEFT JOIN verdict v ON v.id = r.id;

-- Last start or creation of a resource, as far as it is known; unstated: it runs, and Google does not report
-- since when.
-- name: resource_began
SELECT MAX(r.first_seen, COALESCE(r.created, 0), CASE r.state WHEN 'running' THEN COALESCE(r.state_since,
	(SELECT MAX(i.starts) FROM resource_interval i WHERE i.id = r.id), 0) ELSE 0 END) AS began#,
	r.state = 'running' AND r.state_since IS NULL AS unstated#
FROM resource r WHERE r.id = $id;

-- When tpucost deleted the last resource of that id. The lists that end its alert also confirm the
-- deletion, later in the same cycle.
-- A TPU is also deleted with the queued resource that made it: the record of that action names it.
-- name: alert_deleted
SELECT COALESCE(n.ended, n.since) AS at#, CASE WHEN n.resource <> $id THEN n.name END AS queued? FROM action n
WHERE n.mode = 'armed' AND n.verb = 'delete' AND n.state IN ('verify', 'done')
	AND (n.resource = $id AND n.uid = (SELECT i.uid FROM resource_interval i WHERE i.id = $id
			ORDER BY i.starts DESC LIMIT 1)
		OR n.source = 'queued' AND COALESCE(n.ended, n.since) >= (SELECT MAX(i.starts)
				FROM resource_interval i WHERE i.id = $id)
			AND EXISTS (SELECT 1
				FROM json_tree(CASE WHEN json_valid(n.record) THEN n.record END) j
				WHERE j.key IN ('nodeId', 'nodeIdPrefix') AND j.atom IS NOT NULL
					AND $id GLOB n.project || '/tpu/' || n.location || '/' || j.atom
						|| CASE j.key WHEN 'nodeId' THEN '' ELSE '-[0-9]*' END))
ORDER BY n.action DESC LIMIT 1;

-- If the project of that resource is still polled, and if there ever was a resource with that id.
-- name: project_polled
SELECT EXISTS (SELECT 1 FROM source_status WHERE project = substr($id, 1, instr($id || '/', '/') - 1)
		AND poll_group = 'instances') AS polled#,
	EXISTS (SELECT 1 FROM resource_interval WHERE id = $id) AS ever#;

-- Subjects of the alerts of a rule, or with `past` the ids of all resources that were ever observed.
-- name: alert_subjects
SELECT subject FROM alert WHERE rule = $rule AND $past# = 0
UNION SELECT id FROM resource_interval WHERE $past <> 0
ORDER BY subject;

-- name: alert_drop
DELETE FROM alert WHERE rule = $rule AND (subject = $subject? OR state = $state?);

-- name: alert_firing_of
SELECT subject, severity, since#, summary FROM alert
WHERE rule = $rule AND state = 'firing' ORDER BY subject;

-- A poll succeeds only if Google's clock agrees with that of the machine.
-- name: polled_until
SELECT COUNT(*) AS polled#, COALESCE(MAX(last_success), 0) AS until# FROM source_status;

-- name: polled_projects
SELECT DISTINCT project FROM source_status WHERE poll_group = 'instances' AND project <> '';

-- name: judge_forget
DELETE FROM alert WHERE state = 'resolved' AND resolved < $ended#;
DELETE FROM silence WHERE until < $ended;
DELETE FROM hold WHERE until < $ended;
DELETE FROM alert_event WHERE at < $history#;

-- Resources of which nothing is known since then; by kind, as the index of intervals has them.
-- name: history_forget
WITH RECURSIVE k AS (SELECT MIN(kind) AS kind FROM resource_interval UNION ALL SELECT (SELECT MIN(i.kind)
	FROM resource_interval i WHERE i.kind > k.kind) FROM k WHERE k.kind > '') DELETE FROM resource_trait
WHERE starts < $before# AND (id, uid) IN (SELECT i.id, i.uid
	FROM k JOIN resource_interval i ON i.kind = k.kind AND i.ends < $before LIMIT 1000)
	AND NOT EXISTS (SELECT 1 FROM resource_interval o WHERE o.id = resource_trait.id
		AND o.uid = resource_trait.uid AND COALESCE(o.ends, $before) >= $before);
WITH RECURSIVE k AS (SELECT MIN(kind) AS kind FROM resource_interval UNION ALL SELECT (SELECT MIN(i.kind)
	FROM resource_interval i WHERE i.kind > k.kind) FROM k WHERE k.kind > '') DELETE FROM resource_interval
WHERE rowid IN (SELECT i.rowid FROM k JOIN resource_interval i ON i.kind = k.kind AND i.ends < $before LIMIT 1000);

-- name: event_add
PUT alert_event (at#, rule, subject, kind, severity, summary, muted#);

-- name: rule_state_list
SELECT rule, text FROM rule_state ORDER BY rule;

-- name: rule_state_put
PUT rule_state (rule | text, judged#, hits#, error?);

-- name: rule_drop
DELETE FROM alert WHERE rule = $rule;
DELETE FROM rule_state WHERE rule = $rule;

-- name: silence_add
PUT silence (rule, subject, created#, until#, comment);

-- name: silence_drop
DELETE FROM silence WHERE silence = $silence# RETURNING rule, subject, created#;

-- Alerts whose message waits: they are due again when the silence ends.
-- name: alert_unsent
UPDATE alert SET said = 0 WHERE rule = $rule AND ($subject = '' OR subject = $subject) AND state = 'firing'
	AND EXISTS (SELECT 1 FROM outbox o WHERE o.state = 'waiting' AND o.rule = alert.rule
		AND o.subject = alert.subject);

-- name: alert_again
UPDATE alert SET said = 0 WHERE rule = $rule AND subject = $subject;

-- Messages that a removed silence delayed are sent at once, not at its planned end.
-- name: alert_unmute
UPDATE alert SET said = 0
WHERE rule = $rule AND ($subject = '' OR subject = $subject) AND state = 'firing'
	AND EXISTS (SELECT 1 FROM alert_event v WHERE v.rule = alert.rule
		AND v.subject = alert.subject AND v.muted <> 0 AND v.at >= $created#);

-- name: silenced
SELECT until# FROM silence
WHERE rule = $rule AND (subject = '' OR subject = $subject) AND created <= $now# AND until > $now
ORDER BY until DESC LIMIT 1;

-- name: hold_put
PUT hold (id | created#, until#, comment);

-- name: hold_get
SELECT until#, comment FROM hold WHERE id = $id;

-- name: hold_drop
DELETE FROM hold WHERE id = $id;

-- Ids with a hold; or of resources that can be stopped, that of the given one, and hosts of slices.
-- name: hold_candidates
SELECT id, NULL AS slice? FROM hold WHERE $held# <> 0
UNION ALL SELECT id, NULL FROM resource
WHERE $held = 0 AND (id = $name OR kind IN ('vm', 'tpu', 'queued'))
UNION ALL SELECT id, slice FROM hosts
WHERE $held = 0 AND slice <> project || '/tpu/' || zone || '/' || name
ORDER BY 1;

-- name: resource_count
SELECT COUNT(*) AS n#, COUNT(CASE WHEN kind = 'tpu' AND state = 'running' THEN 1 END) AS tpus# FROM resource;

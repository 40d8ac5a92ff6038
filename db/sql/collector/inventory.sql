-- name: source_put
PUT source_status (source, project | state, last_attempt=$attempt#, last_success=$success#?, items#, error?,
		fix?, failures=$failed#, poll_group, watched_since=$success, asked=$attempt)
	SET watched_since = CASE WHEN excluded.last_success IS NULL THEN source_status.watched_since
		WHEN source_status.watched_since IS NULL
			OR excluded.last_success > source_status.last_success + 7200
			THEN excluded.last_success
		ELSE source_status.watched_since END,
		last_success = COALESCE(excluded.last_success, source_status.last_success),
		items = CASE WHEN excluded.state IN ('ok', 'partial') THEN excluded.items
		ELSE source_status.items END,
		failures = CASE WHEN excluded.failures > 0 THEN source_status.failures + 1 ELSE 0 END;

-- The last poll of the project itself, if nothing was wrong with it. The time at which Google said that the API is not
-- enabled counts as well: then nothing is there.
-- name: source_asked
SELECT asked# FROM source_status
WHERE source = $source AND project = $project AND state IN ('ok', 'disabled') AND asked IS NOT NULL;

-- The index shows nothing there, as the last poll did.
-- name: source_empty
UPDATE source_status SET last_attempt = $at#,
	watched_since = CASE WHEN state = 'ok' AND $at > last_success + 7200 THEN $at ELSE watched_since END,
	last_success = CASE WHEN state = 'ok' THEN $at ELSE last_success END
WHERE source = $source AND project = $project;

-- Projects that are asked whatever the index shows, and the source because of which; since: of what the index should
-- show, when it was first seen. Queued resources are not in the index: they may appear where the Cloud TPU API is enabled and has a limit
-- that is not 0, or where its limits are not known.
-- name: index_known
SELECT project, source, CASE WHEN source IN ('queued', 'resize') THEN 0 ELSE MIN(first_seen) END AS since#
FROM resource GROUP BY project, source
UNION ALL SELECT DISTINCT project, 'vm', 0 FROM host
UNION ALL SELECT DISTINCT project, 'slice', 0 FROM group_template WHERE type <> ''
UNION ALL SELECT DISTINCT project, 'reservation', 0 FROM commitment
UNION ALL SELECT DISTINCT project, source, 0 FROM action WHERE ended IS NULL
UNION ALL SELECT s.project, s.source, 0 FROM source_status s
WHERE s.source = 'queued' AND s.state <> 'disabled' AND (
	NOT EXISTS (SELECT 1 FROM source_status q WHERE q.source = 'tpu-quota' AND q.project = s.project
		AND (q.last_success IS NOT NULL OR q.state = 'disabled'))
	OR EXISTS (SELECT 1 FROM quota_list l JOIN quota_item i ON i.list = l.list
		JOIN quota_limit q ON q.limit_id = i.limit_id
		WHERE l.project = s.project AND q.service = 'tpu.googleapis.com' AND q.limit_value <> 0));

-- None was attempted: each is due as before.
-- name: source_fail_all
UPDATE source_status SET state = 'failed', error = $error, fix = $fix? WHERE state <> 'disabled';
UPDATE resource SET complete = 0;

-- A source was read: the clock is right. What failed because of it is only waiting for its turn.
-- name: source_clock_set
UPDATE source_status SET error = 'it was not read since the clock was set', fix = NULL
WHERE @CLOCK_WRONG(source_status)@;

-- name: source_list
SELECT source, project, state, error?, fix?, poll_group, last_attempt#, failures# FROM source_status
ORDER BY source, project;

-- name: source_state
SELECT state, last_attempt#, last_success#?, failures#, poll_group, error?, fix? FROM source_status
WHERE source = $source AND project = $project;

-- name: gap_clear
DELETE FROM source_gap WHERE source = $source AND project = $project;

-- name: gap_put
INSERT INTO source_gap (source, project, location, since) VALUES ($source, $project, $location, $since#)
ON CONFLICT (source, project, location) DO NOTHING;

-- name: gap_list
SELECT location FROM source_gap WHERE source = $source AND project = $project ORDER BY location;

-- name: resource_put
PUT resource (id | uid, source, kind, project, location, zone?, region?, name, state, raw_state, type?,
		provisioning?, hosts#?, size_gib#?, gpu_type?, gpu_count#?, attached_to?, queued?, labels,
		owner?, created#?, state_since#?, first_seen=$now#, last_seen=$now, complete=1, bytes#?,
		local_ssd_gib#?, ends#?, end_action?, end_disks?, run_limit#?, topology?, target_hosts#?,
		nodes#?, alone?, error?)
	SET first_seen = CASE WHEN resource.uid = excluded.uid THEN resource.first_seen
		ELSE excluded.first_seen END;

-- name: host_put
PUT host (id | uid, project, zone, name, state, raw_state, type, provisioning, labels, created#?,
		state_since#?, group_path, last_seen=$now#, complete=1, ends#?);

-- name: host_list
SELECT id, uid, zone, name, state, raw_state, type, provisioning, labels, created#?, state_since#?,
	group_path, last_seen#, complete#, ends#?, slice?
FROM host WHERE project = $project ORDER BY group_path, name;

-- Groups of a zone that have TPUs, or are to create some, and no workload policy.
-- name: resize_groups
SELECT g.group_path, g.zone, MIN(g.type) AS type FROM (
	SELECT h.group_path, h.zone, h.type FROM host h JOIN resource r ON r.id = h.slice
	WHERE h.project = $project AND r.topology IS NULL
	UNION ALL SELECT t.group_path, t.place, t.type FROM group_template t
	WHERE t.project = $project AND t.type <> '' AND NOT EXISTS (SELECT 1 FROM resource r
		WHERE r.project = $project AND r.source = 'slice' AND r.attached_to = t.group_path
			AND r.topology IS NOT NULL)) g
WHERE g.group_path LIKE 'zones/%' GROUP BY g.group_path, g.zone ORDER BY g.group_path LIMIT 200;

-- name: resize_known
SELECT id FROM resource WHERE source = 'resize' AND project = $project AND attached_to = $group_path ORDER BY id;

-- Can the project have TPUs of Compute Engine? Those without the Cloud TPU API and without TPUs are not
-- asked for groups.
-- name: tpu_project
SELECT EXISTS (SELECT 1 FROM host WHERE project = $project)
	OR EXISTS (SELECT 1 FROM group_template WHERE project = $project AND type <> '')
	OR NOT EXISTS (SELECT 1 FROM source_status
		WHERE source = 'tpu' AND project = $project AND state = 'disabled') AS may#;

-- Groups that are shown as one row.
-- name: slice_known
SELECT id, uid, topology?, hosts#, complete# FROM resource
WHERE source = 'slice' AND project = $project AND target_hosts IS NOT NULL ORDER BY id;

-- name: group_members
SELECT group_path FROM host WHERE project = $project
UNION SELECT attached_to FROM resource
WHERE project = $project AND source = 'vm' AND attached_to IS NOT NULL;

-- name: group_templates
SELECT group_path, template, type, provisioning, labels, read# FROM group_template WHERE project = $project
ORDER BY group_path;

-- name: group_template_put
PUT group_template (project, group_path | template, place, type, provisioning, labels, read=$now#);

-- name: group_template_drop
DELETE FROM group_template WHERE project = $project AND group_path = $group_path;

-- Groups of TPUs that have other machines, too.
-- name: group_others
SELECT DISTINCT attached_to AS group_path FROM resource
WHERE project = $project AND source = 'vm' AND kind = 'vm' AND attached_to IS NOT NULL;

-- name: host_slice
UPDATE host SET slice = $slice WHERE id = $id AND slice IS NOT $slice;

-- name: resource_get
SELECT source, provisioning?, ends#?, run_limit#?, local_ssd_gib#?, uid, created#? FROM resource WHERE id = $id;

-- name: resource_of_source
SELECT id, location FROM resource WHERE source = $source AND project = $project
UNION ALL SELECT id, zone FROM host WHERE $source = 'vm' AND project = $project ORDER BY 1;

-- name: resource_incomplete
UPDATE resource SET complete = 0 WHERE id = $id;
UPDATE host SET complete = 0 WHERE id = $id;

-- name: source_incomplete
UPDATE resource SET complete = 0 WHERE source = $source AND project = $project;
UPDATE host SET complete = 0 WHERE $source = 'vm' AND project = $project;

-- name: inventory_projects
SELECT project, MAX(last_seen) AS last_seen# FROM (SELECT project, last_seen FROM resource
	UNION ALL SELECT project, last_seen FROM commitment) GROUP BY project ORDER BY project;

-- Knowledge of the resources of a project ends where they were last seen.
-- name: project_drop
UPDATE resource_interval SET ends = MAX(r.last_seen, resource_interval.starts),
	labels = r.labels, owner = r.owner
FROM resource r
WHERE r.id > $project || '/' AND r.id < $project || '0' AND resource_interval.id = r.id
	AND resource_interval.ends IS NULL;
DELETE FROM resource WHERE id > $project || '/' AND id < $project || '0';
DELETE FROM host WHERE project = $project;
DELETE FROM group_template WHERE project = $project;
DELETE FROM commitment WHERE project = $project;
DELETE FROM reservation_use WHERE project = $project;
DELETE FROM tpu_disk WHERE id > $project || '/' AND id < $project || '0';
DELETE FROM quota_item WHERE list IN (SELECT l.list FROM quota_list l WHERE l.project = $project);
DELETE FROM quota_list WHERE project = $project;
DELETE FROM metric WHERE project = $project;

-- name: source_count
SELECT COUNT(*) AS n# FROM source_status;

-- name: source_drop
DELETE FROM source_gap WHERE source = $source AND project = $project;
DELETE FROM source_status WHERE source = $source AND project = $project;

-- name: project_sources_drop
DELETE FROM source_gap WHERE project = $project;
DELETE FROM source_status WHERE project = $project;

-- name: resource_gone
DELETE FROM resource WHERE id = $id;
DELETE FROM host WHERE id = $id;

-- The open interval, and when tpucost found the resource stopped after the last poll.
-- name: interval_open
SELECT uid, starts#, state, type?, provisioning?, size_gib#?, gpu_type?, gpu_count#?, bytes#?,
	local_ssd_gib#?, created#?,
	(SELECT MAX(n.ended) FROM action n WHERE n.resource = i.id AND n.uid = i.uid AND n.verb = 'stop'
		AND n.state = 'done' AND n.ended > i.starts) AS stopped#?,
	(SELECT r.last_seen FROM resource r WHERE r.id = $id) AS last_seen#?
FROM resource_interval i WHERE id = $id AND ends IS NULL;

-- name: interval_last_end
SELECT MAX(ends) AS ends#? FROM resource_interval WHERE id = $id;

-- It was absent and is unchanged: the interval continues.
-- name: interval_reopen
UPDATE resource_interval SET ends = NULL
WHERE id = $id AND uid = $uid AND state = $state AND type IS $type?
	AND provisioning IS $provisioning? AND size_gib IS $size_gib#?
	AND gpu_type IS $gpu_type? AND gpu_count IS $gpu_count#?
	AND bytes IS $bytes#? AND local_ssd_gib IS $local_ssd_gib#?
	AND (uid <> '' OR COALESCE(created = $created#?, 1))
	AND ends = (SELECT MAX(o.ends) FROM resource_interval o WHERE o.id = $id) AND ends >= $began#;

-- name: interval_class
UPDATE resource_interval SET provisioning = $provisioning
WHERE id = $id AND uid = $uid AND (uid <> '' OR COALESCE(created = $created#?, 1)) AND provisioning = 'unknown';

-- name: interval_close
UPDATE resource_interval SET ends = CASE WHEN starts > $at# THEN starts ELSE $at END,
	labels = (SELECT r.labels FROM resource r WHERE r.id = $id),
	owner = (SELECT r.owner FROM resource r WHERE r.id = $id)
WHERE id = $id AND ends IS NULL;

-- name: interval_put
PUT resource_interval (id, uid, starts# | ends=NULL, kind, project, location, name, state, type?,
		provisioning?, size_gib#?, created#?, gpu_type?, gpu_count#?, bytes#?, local_ssd_gib#?);

-- Outcome of a request, once.
-- name: interval_outcome
INSERT INTO resource_interval (id, uid, starts, ends, kind, project, location, name, state, type, provisioning,
	created)
SELECT $id, $uid, $now#, $now, $kind, $project, $location, $name, $state, $type?, $provisioning?, $created#?
WHERE NOT EXISTS (SELECT 1 FROM resource_interval i WHERE i.id = $id AND i.uid = $uid AND i.state = $state)
ON CONFLICT (id, uid, starts) DO NOTHING;

-- name: interval_tpus
SELECT i.id, i.uid, i.starts#, i.ends#?, i.location, i.name, i.type?, i.provisioning?, i.created#?,
	r.last_seen#?, s.poll_group?
FROM resource_interval i LEFT JOIN resource r ON i.ends IS NULL AND r.id = i.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
WHERE i.kind = 'tpu' AND i.state = 'running' AND i.starts < $until#
	AND (i.ends IS NULL OR i.ends > $since#) ORDER BY i.id, i.starts;

-- Resources that existed in a period: open intervals, and those that ended in it. Of open ones, the
-- time when they were last seen and the polling interval, if `seen` requests it.
-- name: interval_past
SELECT i.id, i.uid, i.starts#, i.ends#?, i.kind, i.project, i.location, i.name, i.state, i.type?,
	i.provisioning?, i.size_gib#?, i.gpu_type?, i.gpu_count#?, i.bytes#?, i.local_ssd_gib#?, i.labels?,
	i.owner?, m.vcpus#?, m.memory_mib#?, r.last_seen#?, s.poll_group?
FROM (SELECT * FROM resource_interval
		WHERE kind IN ('vm', 'tpu', 'disk', 'ip', 'snapshot') AND ends IS NULL
	UNION ALL SELECT * FROM resource_interval
		WHERE kind IN ('vm', 'tpu', 'disk', 'ip', 'snapshot') AND ends > $since#) i
	LEFT JOIN machine_type m ON i.kind = 'vm' AND m.name = i.type AND m.zone = i.location
	LEFT JOIN resource r ON $seen# = 1 AND i.ends IS NULL AND r.id = i.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
WHERE i.starts < $until# ORDER BY i.id, i.uid, i.starts;

-- name: resource_facts
SELECT r.id, r.uid, r.source, r.kind, r.project, r.location, r.zone?, r.region?, r.name, r.state, r.raw_state,
	r.type?, r.provisioning?, r.hosts#?, r.size_gib#?, r.bytes#?, r.gpu_type?,
	r.gpu_count#?, r.local_ssd_gib#?, COALESCE((SELECT s.name FROM host h
		JOIN resource s ON s.id = h.slice WHERE r.kind = 'disk' AND h.project = r.project
			AND h.zone = r.zone AND h.name = r.attached_to), r.attached_to) AS attached_to?,
			r.queued?,
	r.labels, r.created#?, CASE WHEN r.state IN ('running', 'attached') THEN i.starts
	END AS running_since#?, m.vcpus#?, m.memory_mib#?, r.ends#?, r.end_disks?, r.target_hosts#?,
	CASE r.source WHEN 'slice' THEN
		(SELECT COUNT(*) FROM host h WHERE h.slice = r.id AND h.state NOT IN
			('stopped', 'suspended') AND h.raw_state <> 'PENDING') END AS busy_hosts#?,
	CASE r.source WHEN 'slice' THEN (SELECT COUNT(*) FROM host h WHERE h.slice = r.id
		AND h.state = 'starting') END AS starting_hosts#?, r.complete#, r.nodes#?
FROM resource r LEFT JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
	LEFT JOIN machine_type m ON r.kind = 'vm' AND m.name = r.type AND m.zone = r.zone
ORDER BY r.id;

-- name: commitment_put
PUT commitment (id | project, kind, location, name, state, raw_state, type?, amount#?, used#?, gpu_type?,
		gpu_count#?, local_ssd_gib#?, starts#?, ends#?, fixed#?, last_seen=$now#);

-- name: commitment_known
SELECT id, kind, location, name, starts#?, ends#?, fixed#? FROM commitment WHERE project = $project ORDER BY id;

-- name: commitment_drop
DELETE FROM commitment WHERE id = $id;

-- name: reservation_use_drop
DELETE FROM reservation_use WHERE project = $project;

-- name: reservation_use_put
PUT reservation_use (project, zone, name | reservation);

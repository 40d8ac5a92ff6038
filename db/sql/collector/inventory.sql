-- name: source_put
-- in: text source, text project, text state, i64 attempt, i64? success, i64 items, text? error, text? fix, i64 failed, text poll_group
INSERT INTO source_status (source, project, state, last_attempt, last_success, items, error, fix,
	failures, poll_group, watched_since)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $5)
ON CONFLICT (source, project) DO UPDATE SET state = excluded.state,
	poll_group = excluded.poll_group,
	last_attempt = excluded.last_attempt,
	watched_since = CASE WHEN excluded.last_success IS NULL THEN source_status.watched_since
		WHEN source_status.watched_since IS NULL
			OR excluded.last_success > source_status.last_success + 7200
			THEN excluded.last_success
		ELSE source_status.watched_since END,
	last_success = COALESCE(excluded.last_success, source_status.last_success),
	items = CASE WHEN excluded.state IN ('ok', 'partial') THEN excluded.items
		ELSE source_status.items END,
	error = excluded.error, fix = excluded.fix,
	failures = CASE WHEN excluded.failures > 0 THEN source_status.failures + 1 ELSE 0 END;

-- None was attempted: each is due as before.
-- name: source_fail_all
-- in: text error, text? fix
UPDATE source_status SET state = 'failed', error = $1, fix = $2 WHERE state <> 'disabled';
UPDATE resource SET complete = 0;

-- A source was read: the clock is right. What failed because of it is only waiting for its turn.
-- name: source_clock_set
UPDATE source_status SET error = 'it was not read since the clock was set', fix = NULL
WHERE @CLOCK_WRONG(source_status)@;

-- name: source_list
-- out: text source, text project, i64 last_attempt
SELECT source, project, last_attempt FROM source_status ORDER BY source, project;

-- name: source_state
-- in: text source, text project
-- out: text state, i64 last_attempt, i64? last_success, i64 failures, text poll_group, text? error, text? fix
SELECT state, last_attempt, last_success, failures, poll_group, error, fix FROM source_status
WHERE source = $1 AND project = $2;

-- name: gap_clear
-- in: text source, text project
DELETE FROM source_gap WHERE source = $1 AND project = $2;

-- name: gap_put
-- in: text source, text project, text location, i64 since
INSERT INTO source_gap (source, project, location, since) VALUES ($1, $2, $3, $4)
ON CONFLICT (source, project, location) DO NOTHING;

-- name: resource_put
-- in: text id, text uid, text source, text kind, text project, text location, text? zone, text? region, text name, text state, text raw_state, text? type, text? provisioning, i64? hosts, i64? size_gib, text? gpu_type, i64? gpu_count, text? attached_to, text? queued, text labels, text? owner, i64? created, i64? state_since, i64 now, i64? bytes, i64? local_ssd_gib, i64? ends, text? end_action, text? end_disks, i64? run_limit, text? topology, i64? target_hosts, i64? nodes
INSERT INTO resource (id, uid, source, kind, project, location, zone, region, name, state,
	raw_state, type, provisioning, hosts, size_gib, gpu_type, gpu_count, attached_to,
	queued, labels, owner, created, state_since, first_seen, last_seen, complete, bytes,
	local_ssd_gib, ends, end_action, end_disks, run_limit, topology, target_hosts, nodes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
	$20, $21, $22, $23, $24, $24, 1, $25, $26, $27, $28, $29, $30, $31,
	$32, $33)
ON CONFLICT (id) DO UPDATE SET
	first_seen = CASE WHEN resource.uid = excluded.uid THEN resource.first_seen
		ELSE excluded.first_seen END,
	uid = excluded.uid, source = excluded.source, kind = excluded.kind,
	zone = excluded.zone, region = excluded.region, state = excluded.state,
	raw_state = excluded.raw_state, type = excluded.type,
	provisioning = excluded.provisioning, hosts = excluded.hosts,
	size_gib = excluded.size_gib, gpu_type = excluded.gpu_type,
	gpu_count = excluded.gpu_count, attached_to = excluded.attached_to,
	queued = excluded.queued, labels = excluded.labels, owner = excluded.owner,
	created = excluded.created, state_since = excluded.state_since,
	last_seen = excluded.last_seen, complete = 1, bytes = excluded.bytes,
	local_ssd_gib = excluded.local_ssd_gib, ends = excluded.ends,
	end_action = excluded.end_action, end_disks = excluded.end_disks,
	run_limit = excluded.run_limit, topology = excluded.topology,
	target_hosts = excluded.target_hosts, nodes = excluded.nodes;

-- name: host_put
-- in: text id, text uid, text project, text zone, text name, text state, text raw_state, text type, text provisioning, text labels, i64? created, i64? state_since, text group_path, i64 now, i64? ends
INSERT INTO host (id, uid, project, zone, name, state, raw_state, type, provisioning, labels,
	created, state_since, group_path, last_seen, complete, ends)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1, $15)
ON CONFLICT (id) DO UPDATE SET uid = excluded.uid, state = excluded.state,
	raw_state = excluded.raw_state, type = excluded.type,
	provisioning = excluded.provisioning, labels = excluded.labels,
	created = excluded.created, state_since = excluded.state_since,
	group_path = excluded.group_path, last_seen = excluded.last_seen, complete = 1,
	ends = excluded.ends;

-- name: host_list
-- in: text project
-- out: text id, text uid, text zone, text name, text state, text raw_state, text type, text provisioning, text labels, i64? created, i64? state_since, text group_path, i64 last_seen, i64 complete, i64? ends, text? slice
SELECT id, uid, zone, name, state, raw_state, type, provisioning, labels, created, state_since,
	group_path, last_seen, complete, ends, slice
FROM host WHERE project = $1 ORDER BY group_path, name;

-- Groups of a zone that have TPUs and no workload policy.
-- name: resize_groups
-- in: text project
-- out: text group_path, text zone, text type
SELECT h.group_path, h.zone, MIN(h.type) FROM host h JOIN resource r ON r.id = h.slice
WHERE h.project = $1 AND r.topology IS NULL AND h.group_path LIKE 'zones/%'
GROUP BY h.group_path, h.zone ORDER BY h.group_path LIMIT 200;

-- name: host_slice
-- in: text id, text slice
UPDATE host SET slice = $2 WHERE id = $1 AND slice IS NOT $2;

-- name: resource_queue
-- in: text id
-- out: text? provisioning, i64? ends, i64? run_limit
SELECT provisioning, ends, run_limit FROM resource WHERE id = $1;

-- name: resource_source
-- in: text id
-- out: text source
SELECT source FROM resource WHERE id = $1;

-- name: resource_of_source
-- in: text source, text project
-- out: text id, text location, i64 last_seen
SELECT id, location, last_seen FROM resource WHERE source = $1 AND project = $2
UNION ALL SELECT id, zone, last_seen FROM host WHERE $1 = 'vm' AND project = $2 ORDER BY 1;

-- name: resource_incomplete
-- in: text id
UPDATE resource SET complete = 0 WHERE id = $1;
UPDATE host SET complete = 0 WHERE id = $1;

-- name: source_incomplete
-- in: text source, text project
UPDATE resource SET complete = 0 WHERE source = $1 AND project = $2;

-- name: inventory_projects
-- out: text project, i64 last_seen
SELECT project, MAX(last_seen) FROM (SELECT project, last_seen FROM resource
	UNION ALL SELECT project, last_seen FROM commitment) GROUP BY project ORDER BY project;

-- Knowledge of the resources of a project ends where they were last seen.
-- name: project_drop
-- in: text project
UPDATE resource_interval SET ends = MAX(r.last_seen, resource_interval.starts),
	labels = r.labels, owner = r.owner
FROM resource r
WHERE r.project = $1 AND resource_interval.id = r.id AND resource_interval.ends IS NULL;
DELETE FROM resource WHERE project = $1;
DELETE FROM host WHERE project = $1;
DELETE FROM commitment WHERE project = $1;
DELETE FROM reservation_use WHERE project = $1;
DELETE FROM quota WHERE project = $1;
DELETE FROM metric WHERE project = $1;

-- name: source_drop
-- in: text source, text project
DELETE FROM source_gap WHERE source = $1 AND project = $2;
DELETE FROM source_status WHERE source = $1 AND project = $2;

-- name: resource_gone
-- in: text id
DELETE FROM resource WHERE id = $1;
DELETE FROM host WHERE id = $1;

-- name: interval_open
-- in: text id
-- out: text uid, i64 starts, text state, text? type, text? provisioning, i64? size_gib, text? gpu_type, i64? gpu_count, i64? bytes, i64? local_ssd_gib, i64? last_seen
SELECT uid, starts, state, type, provisioning, size_gib, gpu_type, gpu_count, bytes, local_ssd_gib,
	(SELECT r.last_seen FROM resource r WHERE r.id = $1)
FROM resource_interval WHERE id = $1 AND ends IS NULL;

-- name: interval_last_end
-- in: text id
-- out: i64? ends
SELECT MAX(ends) FROM resource_interval WHERE id = $1;

-- It was absent and is unchanged: the interval continues.
-- name: interval_reopen
-- in: text id, text uid, text state, text? type, text? provisioning, i64? size_gib, i64 began, text? gpu_type, i64? gpu_count, i64? bytes, i64? local_ssd_gib
UPDATE resource_interval SET ends = NULL
WHERE id = $1 AND uid = $2 AND state = $3 AND type IS $4
	AND provisioning IS $5 AND size_gib IS $6
	AND gpu_type IS $8 AND gpu_count IS $9
	AND bytes IS $10 AND local_ssd_gib IS $11
	AND ends = (SELECT MAX(o.ends) FROM resource_interval o WHERE o.id = $1) AND ends >= $7;

-- name: interval_close
-- in: text id, i64 at
UPDATE resource_interval SET ends = CASE WHEN starts > $2 THEN starts ELSE $2 END,
	labels = (SELECT r.labels FROM resource r WHERE r.id = $1),
	owner = (SELECT r.owner FROM resource r WHERE r.id = $1)
WHERE id = $1 AND ends IS NULL;

-- name: interval_put
-- in: text id, text uid, i64 starts, text kind, text project, text location, text name, text state, text? type, text? provisioning, i64? size_gib, i64? created, text? gpu_type, i64? gpu_count, i64? bytes, i64? local_ssd_gib
INSERT INTO resource_interval (id, uid, starts, ends, kind, project, location, name, state,
	type, provisioning, size_gib, created, gpu_type, gpu_count, bytes, local_ssd_gib)
VALUES ($1, $2, $3, NULL, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT (id, uid, starts) DO UPDATE SET ends = NULL, state = excluded.state,
	type = excluded.type, provisioning = excluded.provisioning,
	size_gib = excluded.size_gib, created = excluded.created, gpu_type = excluded.gpu_type,
	gpu_count = excluded.gpu_count, bytes = excluded.bytes,
	local_ssd_gib = excluded.local_ssd_gib;

-- name: interval_tpus
-- in: i64 since, i64 until
-- out: text id, text uid, i64 starts, i64? ends, text location, text name, text? type, text? provisioning, i64? created, i64? last_seen, text? poll_group
SELECT i.id, i.uid, i.starts, i.ends, i.location, i.name, i.type, i.provisioning, i.created,
	r.last_seen, s.poll_group
FROM resource_interval i LEFT JOIN resource r ON i.ends IS NULL AND r.id = i.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
WHERE i.kind = 'tpu' AND i.state = 'running' AND i.starts < $2
	AND (i.ends IS NULL OR i.ends > $1)
ORDER BY i.id, i.starts;

-- Resources that existed in a period: open intervals, and those that ended in it. Of open ones, the
-- time when they were last seen and the polling interval, if `seen` requests it.
-- name: interval_past
-- in: i64 since, i64 until, i64 seen
-- out: text id, text uid, i64 starts, i64? ends, text kind, text project, text location, text name, text state, text? type, text? provisioning, i64? size_gib, text? gpu_type, i64? gpu_count, i64? bytes, i64? local_ssd_gib, text? labels, text? owner, i64? vcpus, i64? memory_mib, i64? last_seen, text? poll_group
SELECT i.id, i.uid, i.starts, i.ends, i.kind, i.project, i.location, i.name, i.state, i.type,
	i.provisioning, i.size_gib, i.gpu_type, i.gpu_count, i.bytes, i.local_ssd_gib, i.labels,
	i.owner, m.vcpus, m.memory_mib, r.last_seen, s.poll_group
FROM (SELECT * FROM resource_interval
		WHERE kind IN ('vm', 'tpu', 'disk', 'ip', 'snapshot') AND ends IS NULL
	UNION ALL SELECT * FROM resource_interval
		WHERE kind IN ('vm', 'tpu', 'disk', 'ip', 'snapshot') AND ends > $1) i
	LEFT JOIN machine_type m ON i.kind = 'vm' AND m.name = i.type AND m.zone = i.location
	LEFT JOIN resource r ON $3 = 1 AND i.ends IS NULL AND r.id = i.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
WHERE i.starts < $2
ORDER BY i.id, i.uid, i.starts;

-- name: resource_facts
-- out: text id, text uid, text source, text kind, text project, text location, text? zone, text? region, text name, text state, text raw_state, text? type, text? provisioning, i64? hosts, i64? size_gib, i64? bytes, text? gpu_type, i64? gpu_count, i64? local_ssd_gib, text? attached_to, text? queued, text labels, i64? created, i64? running_since, i64? vcpus, i64? memory_mib, i64? ends, text? end_disks, i64? target_hosts, i64? busy_hosts, i64? starting_hosts, i64 complete, i64? nodes
SELECT r.id, r.uid, r.source, r.kind, r.project, r.location, r.zone, r.region, r.name, r.state,
	r.raw_state, r.type, r.provisioning, r.hosts, r.size_gib, r.bytes, r.gpu_type,
	r.gpu_count, r.local_ssd_gib, COALESCE((SELECT s.name FROM host h
		JOIN resource s ON s.id = h.slice WHERE r.kind = 'disk' AND h.project = r.project
			AND h.zone = r.zone AND h.name = r.attached_to), r.attached_to), r.queued,
	r.labels, r.created, CASE WHEN r.state IN ('running', 'attached') THEN i.starts END, m.vcpus,
	m.memory_mib, r.ends, r.end_disks, r.target_hosts, CASE r.source WHEN 'slice' THEN
		(SELECT COUNT(*) FROM host h WHERE h.slice = r.id AND h.state NOT IN
			('stopped', 'suspended') AND h.raw_state <> 'PENDING') END,
	CASE r.source WHEN 'slice' THEN (SELECT COUNT(*) FROM host h WHERE h.slice = r.id
		AND h.state = 'starting') END, r.complete, r.nodes
FROM resource r LEFT JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
	LEFT JOIN machine_type m ON r.kind = 'vm' AND m.name = r.type AND m.zone = r.zone
ORDER BY r.id;

-- name: commitment_put
-- in: text id, text project, text kind, text location, text name, text state, text raw_state, text? type, i64? amount, i64? used, text? gpu_type, i64? gpu_count, i64? local_ssd_gib, i64? starts, i64? ends, i64? fixed, i64 now
INSERT INTO commitment (id, project, kind, location, name, state, raw_state, type, amount, used,
	gpu_type, gpu_count, local_ssd_gib, starts, ends, fixed, last_seen)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, raw_state = excluded.raw_state,
	type = excluded.type, amount = excluded.amount, used = excluded.used,
	gpu_type = excluded.gpu_type, gpu_count = excluded.gpu_count,
	local_ssd_gib = excluded.local_ssd_gib, starts = excluded.starts, ends = excluded.ends,
	fixed = excluded.fixed, last_seen = excluded.last_seen;

-- name: commitment_known
-- in: text project
-- out: text id, text location
SELECT id, location FROM commitment WHERE project = $1 ORDER BY id;

-- name: commitment_drop
-- in: text id
DELETE FROM commitment WHERE id = $1;

-- name: reservation_use_drop
-- in: text project
DELETE FROM reservation_use WHERE project = $1;

-- name: reservation_use_put
-- in: text project, text zone, text name, text reservation
INSERT INTO reservation_use (project, zone, name, reservation) VALUES ($1, $2, $3, $4)
ON CONFLICT (project, zone, name) DO UPDATE SET reservation = excluded.reservation;

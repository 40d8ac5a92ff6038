-- name: project_billing_put
PUT project_billing (project | account, enabled#, seen#);

-- name: list_price_put
PUT list_price (sku_id, region, currency | service_id, description, resource_family, resource_group,
		usage_type, unit, price#, effective#?, seen#);

-- name: list_price_drop
DELETE FROM list_price WHERE service_id = $service_id AND currency = $currency AND seen < $seen#;

-- The sources of a project that is listed again have the reason of project_gone until their next poll.
-- name: project_put
UPDATE source_status SET error = NULL, fix = NULL
WHERE project = $project AND error = $origin || ' no longer lists the project'
	AND NOT EXISTS (SELECT 1 FROM project p WHERE p.project = $project);
INSERT INTO project (project, number, origin, first_seen, last_seen)
VALUES ($project, $number, $origin, $seen#, $seen)
ON CONFLICT (project) DO UPDATE SET number = excluded.number, origin = excluded.origin,
	last_seen = excluded.last_seen;

-- name: project_list
SELECT project FROM project WHERE origin = $origin ORDER BY project;

-- name: project_numbers
SELECT project, number FROM project;

-- Projects that are not in the newest list are no longer polled: their data becomes old.
-- name: project_gone
UPDATE resource SET complete = 0
WHERE project IN (SELECT p.project FROM project p WHERE p.origin = $origin AND p.last_seen < $seen#);
UPDATE source_status SET error = $origin || ' no longer lists the project', fix = 'if it was deleted, wait: its data '
	|| 'is dropped after a day; otherwise check the access of the account to it'
WHERE project IN (SELECT p.project FROM project p WHERE p.origin = $origin AND p.last_seen < $seen);
DELETE FROM project WHERE origin = $origin AND last_seen < $seen;

-- A quota as it is now, in place of one with another limit.
-- name: quota_put
INSERT INTO quota_list (project, source, seen) VALUES ($project, $source, $seen#)
	ON CONFLICT DO UPDATE SET seen = excluded.seen;
INSERT INTO quota_limit (service, metric, location, dimensions, quota_id, limit_value, is_default)
SELECT $service, $metric, $location, $dimensions, $quota_id, $limit_value#?, $is_default#?
WHERE NOT EXISTS (SELECT 1 FROM quota_limit q WHERE q.metric = $metric AND q.location = $location
	AND q.service = $service AND q.dimensions = $dimensions AND q.quota_id = $quota_id
	AND q.limit_value IS $limit_value AND q.is_default IS $is_default);
DELETE FROM quota_item WHERE list = (SELECT l.list FROM quota_list l WHERE l.project = $project AND l.source = $source)
	AND limit_id IN (SELECT q.limit_id FROM quota_limit q WHERE q.metric = $metric AND q.location = $location
		AND q.service = $service AND q.dimensions = $dimensions AND q.quota_id = $quota_id);
INSERT INTO quota_item (list, limit_id, used, seen)
SELECT l.list, q.limit_id, $used#?, NULL
FROM quota_list l JOIN quota_limit q ON q.metric = $metric AND q.location = $location
	AND q.service = $service AND q.dimensions = $dimensions AND q.quota_id = $quota_id
	AND q.limit_value IS $limit_value AND q.is_default IS $is_default
WHERE l.project = $project AND l.source = $source;

-- late: it was not in the newest list.
-- name: quota_stored
SELECT q.id#, q.service, q.metric, q.location, q.dimensions, q.quota_id, q.limit_value#?, q.is_default#?, q.used#?,
	q.seen <> l.seen AS late#
FROM quota_list l JOIN quota q ON q.project = l.project AND q.source = l.source
WHERE l.project = $project AND l.source = $source;

-- name: quota_list_seen
PUT quota_list (project, source | seen#);

-- name: quota_drop
DELETE FROM quota_item WHERE list = $id# >> 24 AND limit_id = $id & 16777215;

-- A list with gaps did not have it.
-- name: quota_late
UPDATE quota_item SET seen = COALESCE(seen, (SELECT l.seen FROM quota_list l WHERE l.list = quota_item.list))
WHERE list = $id# >> 24 AND limit_id = $id & 16777215;

-- name: machine_type_put
PUT machine_type (name, zone | vcpus#, memory_mib#, shared_cpu#, gpu_type?, gpu_count#?, seen#);

-- name: machine_types_missing
SELECT DISTINCT r.type, r.zone
FROM resource r LEFT JOIN machine_type m ON m.name = r.type AND m.zone = r.zone
WHERE r.project = $project AND r.source = 'vm' AND r.type IS NOT NULL AND r.zone IS NOT NULL
	AND (m.seen IS NULL OR m.seen < $since#) ORDER BY r.type, r.zone;

-- Reports whether there is anything to request. Also true if the inventory is unknown or old.
-- name: metric_wanted
SELECT CASE WHEN EXISTS (SELECT 1 FROM resource r WHERE r.project = $project AND r.source = 'vm')
		OR EXISTS (SELECT 1 FROM host h WHERE h.project = $project)
		OR NOT EXISTS (SELECT 1 FROM source_status s WHERE s.project = $project
			AND s.source = 'vm' AND s.last_success >= $since#) THEN 1 ELSE 0 END AS machines#,
	CASE WHEN EXISTS (SELECT 1 FROM resource r WHERE r.source IN ('tpu', 'vm', 'slice')
			AND r.project = $project AND r.kind = 'tpu')
		OR NOT EXISTS (SELECT 1 FROM source_status s WHERE s.project = $project
			AND s.source = 'tpu' AND s.last_success >= $since) THEN 1 ELSE 0 END AS tpus#,
	EXISTS (SELECT 1 FROM resource r WHERE r.source = 'bucket' AND r.project = $project) AS buckets#;

-- name: metric_starts
SELECT CASE r.source WHEN 'vm' THEN r.uid ELSE r.location || '/' || r.name END AS subject, CASE
	WHEN r.created > i.starts THEN r.created ELSE i.starts END AS since#
FROM resource r JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
WHERE r.project = $project AND r.source IN ('vm', 'tpu') AND r.state = 'running'
UNION ALL SELECT uid, MAX(created, state_since) FROM host
WHERE project = $project AND state = 'running' AND created IS NOT NULL AND state_since IS NOT NULL
ORDER BY 1;

-- name: metric_get
SELECT at#, idle_since#?, series#, at_least# FROM metric
WHERE project = $project AND metric = $metric AND subject = $subject;

-- name: metric_put
PUT metric (project, metric, subject | at#, value#, idle_since#?, series#, peak#?, bytes#?, seconds#?,
		at_least#);

-- name: metric_drop
DELETE FROM metric WHERE project = $project AND at < $before#;
DELETE FROM metric_past WHERE project = $project AND until < $past#;
DELETE FROM egress_day WHERE project = $project AND until < $past;

-- Was there a spot TPU that is a machine? Its id begins with its project: of many projects, only the history of
-- this one is read.
-- name: preemption_wanted
SELECT 1 AS any# FROM resource_interval i
WHERE i.id > $project || '/tpu/' AND i.id < $project || '/tpu0' AND +i.kind = 'tpu' AND i.provisioning = 'spot' AND (i.ends IS NULL OR i.ends >= $since#)
	AND EXISTS (SELECT 1 FROM resource_trait t WHERE t.id = i.id AND t.uid = i.uid AND t.source = 'vm') LIMIT 1;

-- Those of other machines are ignored.
-- name: preemption_put
INSERT INTO preemption (project, uid, at)
SELECT $project, $uid, $at# WHERE EXISTS (SELECT 1 FROM resource_interval i
	WHERE i.id > $project || '/tpu/' AND i.id < $project || '/tpu0' AND i.uid = $uid AND +i.kind = 'tpu')
ON CONFLICT DO NOTHING;

-- A list has those since $since: with a longer gap, another time begins.
-- name: preemption_read
UPDATE preemption_read SET ends = $now# WHERE project = $project AND ends >= $since# AND starts <= $now;
INSERT INTO preemption_read (project, starts, ends)
SELECT $project, $since, $now WHERE NOT EXISTS (SELECT 1 FROM preemption_read
	WHERE project = $project AND ends = $now);

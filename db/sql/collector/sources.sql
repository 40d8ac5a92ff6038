-- name: project_billing_put
PUT project_billing (project | account, enabled#, seen#);

-- name: list_price_put
PUT list_price (sku_id, region, currency | service_id, description, resource_family, resource_group,
		usage_type, unit, price#, effective#?, seen#);

-- name: list_price_drop
DELETE FROM list_price WHERE service_id = $service_id AND currency = $currency AND seen < $seen#;

-- name: project_put
INSERT INTO project (project, number, origin, first_seen, last_seen)
VALUES ($project, $number, $origin, $seen#, $seen)
ON CONFLICT (project) DO UPDATE SET number = excluded.number, origin = excluded.origin,
	last_seen = excluded.last_seen;

-- name: project_list
SELECT project FROM project WHERE origin = $origin ORDER BY project;

-- Projects that are not in the newest list are no longer polled: their data becomes old.
-- name: project_gone
UPDATE resource SET complete = 0
WHERE project IN (SELECT p.project FROM project p WHERE p.origin = $origin AND p.last_seen < $seen#);
DELETE FROM project WHERE origin = $origin AND last_seen < $seen;

-- name: quota_put
PUT quota (project, service, metric, location, dimensions, quota_id | source, limit_value#?, is_default#?,
		used#?, seen#);

-- name: quota_drop
DELETE FROM quota WHERE project = $project AND source = $source AND seen < $seen#;

-- Usage is reported by metric and place, and for TPU families by the family: if there are several
-- limits, it is unknown which one is used.
-- name: quota_used
UPDATE quota SET used = $used#
WHERE project = $project AND service = $service AND metric = $metric AND location = $location
	AND ($tpu_family? IS NULL OR lower(dimensions ->> 'tpu_family') = lower($tpu_family))
	AND (SELECT COUNT(*) FROM quota o WHERE o.project = $project AND o.service = $service
		AND o.metric = $metric
		AND o.location = $location
		AND ($tpu_family IS NULL OR lower(o.dimensions ->> 'tpu_family') = lower($tpu_family)))
		= 1;

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
	CASE WHEN EXISTS (SELECT 1 FROM resource r WHERE r.project = $project AND r.kind = 'tpu')
		OR NOT EXISTS (SELECT 1 FROM source_status s WHERE s.project = $project
			AND s.source = 'tpu' AND s.last_success >= $since) THEN 1 ELSE 0 END AS tpus#,
	EXISTS (SELECT 1 FROM resource r WHERE r.project = $project AND r.kind = 'bucket') AS buckets#;

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

-- Was there a spot TPU that is a machine?
-- name: preemption_wanted
SELECT 1 AS any# FROM resource_interval i
WHERE i.project = $project AND i.kind = 'tpu' AND i.provisioning = 'spot' AND (i.ends IS NULL OR i.ends >= $since#)
	AND EXISTS (SELECT 1 FROM resource_trait t WHERE t.id = i.id AND t.uid = i.uid AND t.source = 'vm') LIMIT 1;

-- Those of other machines are ignored.
-- name: preemption_put
INSERT INTO preemption (project, uid, at)
SELECT $project, $uid, $at# WHERE EXISTS (SELECT 1 FROM resource_interval i
	WHERE i.uid = $uid AND i.project = $project AND i.kind = 'tpu')
ON CONFLICT DO NOTHING;

-- A list has those since $since: with a longer gap, another time begins.
-- name: preemption_read
UPDATE preemption_read SET ends = $now# WHERE project = $project AND ends >= $since# AND starts <= $now;
INSERT INTO preemption_read (project, starts, ends)
SELECT $project, $since, $now WHERE NOT EXISTS (SELECT 1 FROM preemption_read
	WHERE project = $project AND ends = $now);

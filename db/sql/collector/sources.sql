-- name: project_billing_put
-- in: text project, text account, i64 enabled, i64 seen
INSERT INTO project_billing (project, account, enabled, seen) VALUES ($1, $2, $3, $4)
ON CONFLICT (project) DO UPDATE SET account = excluded.account, enabled = excluded.enabled,
	seen = excluded.seen;

-- name: list_price_put
-- in: text service_id, text sku_id, text region, text description, text resource_family, text resource_group, text usage_type, text unit, text currency, i64 price, i64? effective, i64 seen
INSERT INTO list_price (service_id, sku_id, region, description, resource_family,
	resource_group, usage_type, unit, currency, price, effective, seen)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (sku_id, region, currency) DO UPDATE SET service_id = excluded.service_id,
	description = excluded.description, resource_family = excluded.resource_family,
	resource_group = excluded.resource_group, usage_type = excluded.usage_type,
	unit = excluded.unit, price = excluded.price, effective = excluded.effective,
	seen = excluded.seen;

-- name: list_price_drop
-- in: text service_id, text currency, i64 seen
DELETE FROM list_price WHERE service_id = $1 AND currency = $2 AND seen < $3;

-- name: list_price_count
-- out: i64 n
SELECT COUNT(*) FROM list_price;

-- name: project_put
-- in: text project, text number, text origin, i64 seen
INSERT INTO project (project, number, origin, first_seen, last_seen)
VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (project) DO UPDATE SET number = excluded.number, origin = excluded.origin,
	last_seen = excluded.last_seen;

-- name: project_list
-- in: text origin
-- out: text project
SELECT project FROM project WHERE origin = $1 ORDER BY project;

-- Projects that are not in the newest list are no longer polled: their data becomes old.
-- name: project_gone
-- in: text origin, i64 seen
UPDATE resource SET complete = 0
WHERE project IN (SELECT p.project FROM project p WHERE p.origin = $1 AND p.last_seen < $2);
DELETE FROM project WHERE origin = $1 AND last_seen < $2;

-- name: quota_put
-- in: text project, text source, text service, text metric, text location, text dimensions, text quota_id, i64? limit_value, i64? is_default, i64? used, i64 seen
INSERT INTO quota (project, source, service, metric, location, dimensions, quota_id,
	limit_value, is_default, used, seen)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (project, service, metric, location, dimensions, quota_id) DO UPDATE SET
	source = excluded.source, limit_value = excluded.limit_value,
	is_default = excluded.is_default, used = excluded.used, seen = excluded.seen;

-- name: quota_drop
-- in: text project, text source, i64 seen
DELETE FROM quota WHERE project = $1 AND source = $2 AND seen < $3;

-- Usage is reported by metric and place, and for TPU families by the family: if there are several
-- limits, it is unknown which one is used.
-- name: quota_used
-- in: text project, text service, text metric, text location, text? tpu_family, i64 used
UPDATE quota SET used = $6
WHERE project = $1 AND service = $2 AND metric = $3 AND location = $4
	AND ($5 IS NULL OR lower(dimensions ->> 'tpu_family') = lower($5))
	AND (SELECT COUNT(*) FROM quota o WHERE o.project = $1 AND o.service = $2 AND o.metric = $3
		AND o.location = $4 AND ($5 IS NULL OR lower(o.dimensions ->> 'tpu_family') = lower($5)))
		= 1;

-- name: machine_type_put
-- in: text name, text zone, i64 vcpus, i64 memory_mib, i64 shared_cpu, text? gpu_type, i64? gpu_count, i64 seen
INSERT INTO machine_type (name, zone, vcpus, memory_mib, shared_cpu, gpu_type, gpu_count, seen)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (name, zone) DO UPDATE SET vcpus = excluded.vcpus,
	memory_mib = excluded.memory_mib, shared_cpu = excluded.shared_cpu,
	gpu_type = excluded.gpu_type, gpu_count = excluded.gpu_count, seen = excluded.seen;

-- name: machine_types_missing
-- in: text project, i64 since
-- out: text type, text zone
SELECT DISTINCT r.type, r.zone
FROM resource r LEFT JOIN machine_type m ON m.name = r.type AND m.zone = r.zone
WHERE r.project = $1 AND r.source = 'vm' AND r.type IS NOT NULL AND r.zone IS NOT NULL
	AND (m.seen IS NULL OR m.seen < $2)
ORDER BY r.type, r.zone;

-- Reports whether there is anything to request. Also true if the inventory is unknown or old.
-- name: metric_wanted
-- in: text project, i64 since
-- out: i64 machines, i64 tpus
SELECT CASE WHEN EXISTS (SELECT 1 FROM resource r WHERE r.project = $1 AND r.source = 'vm')
		OR EXISTS (SELECT 1 FROM host h WHERE h.project = $1)
		OR NOT EXISTS (SELECT 1 FROM source_status s WHERE s.project = $1
			AND s.source = 'vm' AND s.last_success >= $2) THEN 1 ELSE 0 END,
	CASE WHEN EXISTS (SELECT 1 FROM resource r WHERE r.project = $1 AND r.kind = 'tpu')
		OR NOT EXISTS (SELECT 1 FROM source_status s WHERE s.project = $1
			AND s.source = 'tpu' AND s.last_success >= $2) THEN 1 ELSE 0 END;

-- name: metric_starts
-- in: text project
-- out: text subject, i64 since
SELECT CASE r.source WHEN 'vm' THEN r.uid ELSE r.location || '/' || r.name END,
	CASE WHEN r.created > i.starts THEN r.created ELSE i.starts END
FROM resource r JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
WHERE r.project = $1 AND r.source IN ('vm', 'tpu') AND r.state = 'running'
UNION ALL SELECT uid, MAX(created, state_since) FROM host
WHERE project = $1 AND state = 'running' AND created IS NOT NULL AND state_since IS NOT NULL
ORDER BY 1;

-- name: metric_get
-- in: text project, text metric, text subject
-- out: i64 at, i64? idle_since, i64 series, i64 at_least
SELECT at, idle_since, series, at_least FROM metric
WHERE project = $1 AND metric = $2 AND subject = $3;

-- name: metric_put
-- in: text project, text metric, text subject, i64 at, i64 value, i64? idle_since, i64 series, i64? peak, i64? bytes, i64? seconds, i64 at_least
INSERT INTO metric (project, metric, subject, at, value, idle_since, series, peak, bytes,
	seconds, at_least)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (project, metric, subject) DO UPDATE SET at = excluded.at, value = excluded.value,
	idle_since = excluded.idle_since, series = excluded.series, peak = excluded.peak,
	bytes = excluded.bytes, seconds = excluded.seconds, at_least = excluded.at_least;

-- name: metric_drop
-- in: text project, i64 before
DELETE FROM metric WHERE project = $1 AND at < $2;

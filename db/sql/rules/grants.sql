-- Some are of other resources: see tpu_quota_read().
-- name: tpu_quotas
SELECT id AS quota#, project, service, metric, quota_id, location, dimensions, limit_value#? FROM quota
WHERE quota_id LIKE '%tpu%' OR metric LIKE '%tpu%'
ORDER BY project, service, metric, quota_id, location;

-- Projects, and what was read of them at least once or cannot be used: TPUs by service, and quotas of
-- the Cloud TPU API.
-- name: tpu_lists
SELECT project, SUM(source IN ('tpu', 'queued')) = 2 AS nodes#,
	SUM(source IN ('vm', 'slice')) = 2 AS machines#, SUM(source = 'tpu-quota') AS limits#
FROM source_status WHERE source IN ('tpu', 'queued', 'vm', 'slice', 'tpu-quota')
	AND ((last_success IS NOT NULL AND state <> 'failed') OR state = 'disabled')
GROUP BY project;

-- Places of them that were unreachable in the last poll: TPUs there may be unknown.
-- name: tpu_gaps
SELECT project, location, location = 'somewhere' AS everywhere#, source IN ('tpu', 'queued') AS nodes#
FROM source_gap
WHERE source IN ('tpu', 'queued', 'vm', 'slice');

-- Zones in which resources exist.
-- name: resource_zones
SELECT DISTINCT zone, CASE kind WHEN 'tpu' THEN type END AS tpu_type? FROM resource
WHERE zone IS NOT NULL ORDER BY 1, 2;

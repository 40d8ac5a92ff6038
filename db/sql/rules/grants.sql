-- name: tpu_quotas
-- out: text metric, text quota_id, text location, i64 limit_value
SELECT metric, quota_id, location, limit_value FROM quota
WHERE service = 'tpu.googleapis.com' AND limit_value IS NOT NULL
ORDER BY project, metric, quota_id, location;

-- Zones in which resources exist.
-- name: resource_zones
-- out: text zone, text? tpu_type
SELECT DISTINCT zone, CASE kind WHEN 'tpu' THEN type END FROM resource
WHERE zone IS NOT NULL ORDER BY 1, 2;

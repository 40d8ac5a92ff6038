-- name: tpu_quotas
-- out: text metric, text quota_id, text location, i64 limit_value
SELECT metric, quota_id, location, limit_value FROM quota
WHERE service = 'tpu.googleapis.com' AND limit_value IS NOT NULL
ORDER BY project, metric, quota_id, location;

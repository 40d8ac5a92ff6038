-- Limits of projects and how much of them is used. A limit of -1 is none.
SELECT project, service, metric, location, limit_value, used,
	CASE WHEN limit_value > 0 AND used IS NOT NULL
		THEN ROUND(100.0 * used / limit_value, 1) END AS percent,
	is_default, NULLIF(dimensions, '{}') AS dimensions, NULLIF(quota_id, '') AS quota_id,
	source, @RFC3339(seen)@ AS last_seen
FROM quota

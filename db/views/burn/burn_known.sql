-- internal: part of the last 7 days for which the inventory is known, by project and category: the
-- time since which its source has been polled without gaps, until its last poll if that is old.
SELECT k.project AS project, k.category AS category,
	CASE WHEN k.since IS NULL THEN NULL WHEN k.until <= k.since THEN 0.0
		ELSE ROUND((k.until - k.since) / 3600.0, 2) END AS known_hours
FROM (SELECT s.project, c.category, MAX(s.watched_since, a.now - 604800) AS since,
		CASE WHEN a.now - s.last_success > @STALE_AFTER@ THEN s.last_success ELSE a.now END AS until
	FROM source_status s CROSS JOIN as_of a
		JOIN (SELECT 'tpu' AS category, 'tpu' AS source UNION ALL SELECT 'cpu', 'vm'
			UNION ALL SELECT 'gpu', 'vm' UNION ALL SELECT 'disk', 'disk'
			UNION ALL SELECT 'snapshot', 'snapshot' UNION ALL SELECT 'ip', 'ip') c
			ON c.source = s.source
		LEFT JOIN poll_interval i ON i.poll_group = s.poll_group) k

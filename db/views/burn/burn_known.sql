-- internal: part of the last 7 days for which the inventory is known, by project and category: the
-- time since which its source has been polled without gaps.
SELECT s.project AS project, c.category AS category,
	ROUND(CASE WHEN a.now - s.watched_since > 604800 THEN 168.0
		WHEN s.watched_since > a.now THEN 0.0
		ELSE (a.now - s.watched_since) / 3600.0 END, 2) AS known_hours
FROM source_status s CROSS JOIN as_of a
	JOIN (SELECT 'tpu' AS category, 'tpu' AS source UNION ALL SELECT 'cpu', 'vm'
		UNION ALL SELECT 'gpu', 'vm' UNION ALL SELECT 'disk', 'disk'
		UNION ALL SELECT 'snapshot', 'snapshot' UNION ALL SELECT 'ip', 'ip') c
		ON c.source = s.source

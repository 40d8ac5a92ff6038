-- internal: part of the requested period for which the inventory is known, by project and source:
-- it was polled without gaps. NULL: it has not been read completely yet.
SELECT k.project AS project, k.source AS source,
	ROUND((k.ends - k.starts) / 3600.0, 2) AS hours,
	CASE WHEN k.since IS NULL THEN NULL WHEN k.until <= k.since THEN 0.0
		ELSE ROUND((k.until - k.since) / 3600.0, 2) END AS known_hours,
	CASE WHEN k.since = k.starts AND k.until = k.ends THEN 1 ELSE 0 END AS whole
FROM (SELECT s.project, s.source, w.starts, w.ends,
		CASE WHEN s.watched_since > w.starts THEN s.watched_since
			WHEN s.watched_since IS NOT NULL THEN w.starts END AS since,
		CASE WHEN a.now - s.last_success > @STALE_AFTER@
				AND s.last_success < w.ends THEN s.last_success ELSE w.ends END AS until
	FROM source_status s CROSS JOIN window_span w CROSS JOIN as_of a
		LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
	WHERE s.source IN ('tpu', 'vm', 'disk', 'ip', 'snapshot') AND s.state <> 'disabled') k

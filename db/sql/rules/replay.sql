-- Resources that existed before `until`.
-- name: replay_intervals
-- out: text id, text uid, i64 starts, i64? ends, text kind, text project, text location, text name, text state, text? type, text? provisioning, i64? size_gib, i64? created, text? gpu_type, i64? gpu_count, i64? bytes, i64? local_ssd_gib
SELECT id, uid, starts, ends, kind, project, location, name, state, type, provisioning, size_gib,
	created, gpu_type, gpu_count, bytes, local_ssd_gib
FROM resource_interval WHERE starts < $until# AND (ends IS NULL OR ends > starts)
ORDER BY starts, id LIMIT $most#;

-- name: replay_traits
-- out: text id, text uid, i64 starts, text source, text raw_state, i64? hosts, text? attached_to, text? queued, text labels, text? owner
SELECT id, uid, starts, source, raw_state, hosts, attached_to, queued, labels, owner
FROM resource_trait WHERE starts < $until# ORDER BY starts, id LIMIT $most#;

-- name: replay_metrics
-- out: text project, text metric, text subject, i64 starts, i64 until, i64? idle_since, i64 series
SELECT project, metric, subject, starts, until, idle_since, series FROM metric_past
WHERE until >= $since# AND starts < $until# ORDER BY starts, project, metric, subject
LIMIT $most#;

-- An interval in which the resource has its stored state.
-- name: interval_begin
INSERT OR REPLACE INTO resource_interval (id, uid, starts, ends, kind, project, location, name,
	state, type, provisioning, size_gib, created, gpu_type, gpu_count, bytes, local_ssd_gib)
SELECT id, uid, $starts#, NULL, kind, project, location, name, state, type, provisioning, size_gib,
	created, gpu_type, gpu_count, bytes, local_ssd_gib
FROM resource WHERE id = $id;

-- Beginning of the stored history.
-- name: replay_known
-- out: i64? recorded, i64? traits, i64? metrics
SELECT (SELECT MIN(m.at) FROM (SELECT MIN(first_seen) AS at FROM resource
		UNION ALL SELECT MIN(ends) FROM resource_interval
		UNION ALL SELECT MIN(starts) FROM resource_trait) m),
	(SELECT MIN(starts) FROM resource_trait), (SELECT MIN(starts) FROM metric_past);

-- All sources count as read at this time.
-- name: replay_read
UPDATE source_status SET state = 'ok', last_attempt = $now#, last_success = $now, error = NULL,
	failures = 0;
UPDATE resource SET last_seen = $now;

-- name: replay_rate
-- out: text state, i64? net, text? currency
SELECT r.state, v.net, v.currency FROM resource r LEFT JOIN verdict v ON v.id = r.id
WHERE r.id = $id;

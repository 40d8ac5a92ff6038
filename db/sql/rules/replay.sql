-- Resources that existed before `until`.
-- name: replay_intervals
SELECT id, uid, starts#, ends#?, kind, project, location, name, state, type?, provisioning?, size_gib#?,
	created#?, gpu_type?, gpu_count#?, bytes#?, local_ssd_gib#?
FROM resource_interval WHERE starts < $until# AND (ends IS NULL OR ends > starts)
ORDER BY starts, id LIMIT $most#;

-- name: replay_traits
SELECT id, uid, starts#, source, raw_state, hosts#?, attached_to?, queued?, labels, owner?
FROM resource_trait WHERE starts < $until# ORDER BY starts, id LIMIT $most#;

-- name: replay_metrics
SELECT project, metric, subject, starts#, until#, idle_since#?, series# FROM metric_past
WHERE until >= $since# AND starts < $until# ORDER BY starts, project, metric, subject
LIMIT $most#;

-- An interval in which the resource has its stored state.
-- name: interval_begin
INSERT OR REPLACE INTO resource_interval (id, uid, starts, ends, kind, project, location, name,
	state, type, provisioning, size_gib, created, gpu_type, gpu_count, bytes, local_ssd_gib)
SELECT id, uid, $starts#, NULL, kind, project, location, name, state, type, provisioning, size_gib, created,
	gpu_type, gpu_count, bytes, local_ssd_gib
FROM resource WHERE id = $id;

-- Beginning of the stored history.
-- name: replay_known
SELECT (SELECT MIN(m.at) FROM (SELECT MIN(first_seen) AS at FROM resource
		UNION ALL SELECT MIN(ends) FROM resource_interval
		UNION ALL SELECT MIN(starts) FROM resource_trait) m) AS recorded#?,
	(SELECT MIN(starts) FROM resource_trait) AS traits#?,
	(SELECT MIN(starts) FROM metric_past) AS metrics#?;

-- All sources count as read at this time.
-- name: replay_read
UPDATE source_status SET state = 'ok', last_attempt = $now#, last_success = $now, error = NULL,
	failures = 0;
UPDATE resource SET last_seen = $now;

-- name: replay_rate
SELECT r.state, v.net#?, v.currency? FROM resource r LEFT JOIN verdict v ON v.id = r.id
WHERE r.id = $id;

-- Resources that existed before `until`.
-- name: replay_intervals
-- in: i64 until, i64 most
-- out: text id, text uid, i64 starts, i64? ends, text kind, text project, text location, text name, text state, text? type, text? provisioning, i64? size_gib, i64? created, text? gpu_type, i64? gpu_count, i64? bytes, i64? local_ssd_gib
SELECT id, uid, starts, ends, kind, project, location, name, state, type, provisioning, size_gib,
	created, gpu_type, gpu_count, bytes, local_ssd_gib
FROM resource_interval WHERE starts < $1 AND (ends IS NULL OR ends > starts)
ORDER BY starts, id LIMIT $2;

-- name: replay_traits
-- in: i64 until, i64 most
-- out: text id, text uid, i64 starts, text source, text raw_state, i64? hosts, text? attached_to, text? queued, text labels, text? owner
SELECT id, uid, starts, source, raw_state, hosts, attached_to, queued, labels, owner
FROM resource_trait WHERE starts < $1 ORDER BY starts, id LIMIT $2;

-- name: replay_metrics
-- in: i64 since, i64 until, i64 most
-- out: text project, text metric, text subject, i64 starts, i64 until, i64? idle_since, i64 series
SELECT project, metric, subject, starts, until, idle_since, series FROM metric_past
WHERE until >= $1 AND starts < $2 ORDER BY starts, project, metric, subject
LIMIT $3;

-- An interval in which the resource has its stored state.
-- name: interval_begin
-- in: text id, i64 starts
INSERT OR REPLACE INTO resource_interval (id, uid, starts, ends, kind, project, location, name,
	state, type, provisioning, size_gib, created, gpu_type, gpu_count, bytes, local_ssd_gib)
SELECT id, uid, $2, NULL, kind, project, location, name, state, type, provisioning, size_gib,
	created, gpu_type, gpu_count, bytes, local_ssd_gib
FROM resource WHERE id = $1;

-- Beginning of the stored history.
-- name: replay_known
-- out: i64? recorded, i64? traits, i64? metrics
SELECT (SELECT MIN(m.at) FROM (SELECT MIN(first_seen) AS at FROM resource
		UNION ALL SELECT MIN(ends) FROM resource_interval
		UNION ALL SELECT MIN(starts) FROM resource_trait) m),
	(SELECT MIN(starts) FROM resource_trait), (SELECT MIN(starts) FROM metric_past);

-- All sources count as read at this time.
-- name: replay_read
-- in: i64 now
UPDATE source_status SET state = 'ok', last_attempt = $1, last_success = $1, error = NULL,
	failures = 0;
UPDATE resource SET last_seen = $1;

-- name: replay_rate
-- in: text id
-- out: text state, i64? net, text? currency
SELECT r.state, v.net, v.currency FROM resource r LEFT JOIN verdict v ON v.id = r.id
WHERE r.id = $1;

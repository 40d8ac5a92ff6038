-- A source was read completely, except for the unreachable locations.
-- name: world_seen
-- in: text source, text project, i64 now
UPDATE resource SET last_seen = $3, complete = 1
WHERE source = $1 AND project = $2 AND location NOT IN (
	SELECT g.location FROM source_gap g WHERE g.source = $1 AND g.project = $2);
UPDATE resource SET complete = 0
WHERE source = $1 AND project = $2 AND location IN (
	SELECT g.location FROM source_gap g WHERE g.source = $1 AND g.project = $2);

-- name: world_measured
-- in: text project, i64 now
UPDATE metric SET at = $2 WHERE project = $1;

-- name: world_metric_drop
-- in: text project, text subject
DELETE FROM metric WHERE project = $1 AND subject = $2;

-- name: world_alerts
-- out: text rule, text subject, text state, text severity, i64 since, i64? fired, i64? resolved, text? value, text summary
SELECT rule, subject, state, severity, since, fired, resolved, value, summary FROM alert
ORDER BY rule, subject;

-- Beginning of the interval of a resource whose last one does not continue: the creation of a new
-- resource, else now; not before the end of the previous interval.
-- name: world_begins
-- in: text id, i64 now
-- out: i64 starts
SELECT max(coalesce(max(i.starts, $2), min(r.created, $2), $2),
	coalesce((SELECT MAX(o.ends) FROM resource_interval o WHERE o.id = $1), 0))
FROM resource r LEFT JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
WHERE r.id = $1
	AND (i.uid, i.state, i.type, i.provisioning, i.size_gib, i.gpu_type, i.gpu_count, i.bytes)
		IS NOT (r.uid, r.state, r.type, r.provisioning, r.size_gib, r.gpu_type, r.gpu_count, r.bytes);

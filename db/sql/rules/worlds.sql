-- A source was read completely, except for the unreachable locations.
-- name: world_seen
UPDATE resource SET last_seen = $now#, complete = 1
WHERE source = $source AND project = $project AND location NOT IN (
	SELECT g.location FROM source_gap g WHERE g.source = $source AND g.project = $project);
UPDATE resource SET complete = 0
WHERE source = $source AND project = $project AND location IN (
	SELECT g.location FROM source_gap g WHERE g.source = $source AND g.project = $project);

-- name: world_measured
UPDATE metric SET at = $now# WHERE project = $project;

-- name: world_metric_drop
DELETE FROM metric WHERE project = $project AND subject = $subject;

-- Beginning of the interval of a resource whose last one does not continue: the creation of a new
-- resource, else now; not before the end of the previous interval.
-- name: world_begins
SELECT max(coalesce(max(i.starts, $now#), min(r.created, $now), $now),
	coalesce((SELECT MAX(o.ends) FROM resource_interval o WHERE o.id = $id), 0)) AS starts#
FROM resource r LEFT JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
WHERE r.id = $id
	AND (i.uid, i.state, i.type, i.provisioning, i.size_gib, i.gpu_type, i.gpu_count, i.bytes)
		IS NOT (r.uid, r.state, r.type, r.provisioning, r.size_gib, r.gpu_type, r.gpu_count, r.bytes);

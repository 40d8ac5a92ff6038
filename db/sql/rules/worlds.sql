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

-- A machine type that Google listed, or that a machine has.
-- name: estimate_type
-- in: text type, text kind
-- out: i64 n
SELECT 1 FROM machine_type WHERE name = $1 AND $2 = 'vm'
UNION SELECT 1 FROM resource_interval WHERE kind = $2 AND type = $1;

-- Time since which all data for the estimate has been read without gaps.
-- name: projects_watched
-- in: i64 never
-- out: text project, i64 since
SELECT project, MAX(COALESCE(watched_since, $1)) FROM source_status
WHERE source IN ('vm', 'slice', 'tpu', 'disk', 'ip', 'snapshot') AND state <> 'disabled'
GROUP BY project ORDER BY project;

-- A machine type that Google listed, or that a machine has.
-- name: estimate_type
-- out: i64 n
SELECT 1 FROM machine_type WHERE name = $type AND $kind = 'vm'
UNION SELECT 1 FROM resource_interval WHERE kind = $kind AND type = $type;

-- Time since which all data for the estimate has been read without gaps.
-- name: projects_watched
-- out: text project, i64 since
SELECT project, MAX(COALESCE(watched_since, $never#)) FROM source_status
WHERE source IN ('vm', 'slice', 'tpu', 'disk', 'ip', 'snapshot') AND state <> 'disabled'
GROUP BY project ORDER BY project;

-- A machine type that Google listed, or that a machine has.
-- name: estimate_type
SELECT 1 AS n# FROM machine_type WHERE name = $type AND $kind = 'vm'
UNION SELECT 1 FROM resource_interval WHERE kind = $kind AND type = $type;

-- Time since which all data for the estimate has been read without gaps.
-- name: projects_watched
SELECT project, MAX(COALESCE(watched_since, $never#)) AS since# FROM source_status
WHERE source IN ('vm', 'slice', 'tpu', 'disk', 'ip', 'snapshot') AND state <> 'disabled'
GROUP BY project ORDER BY project;

-- Levels of access.

-- name: access_levels
SELECT level#, name, have#, configured#, basis?, missing?, fix? FROM access ORDER BY level;

-- Levels of which each project was read.
-- name: access_projects
SELECT DISTINCT project, CASE poll_group WHEN 'metrics' THEN 2 ELSE 1 END AS level#
FROM source_status
WHERE poll_group IN ('instances', 'metrics') AND source <> 'index' AND last_success IS NOT NULL
	AND state <> 'disabled';

-- Only whether the levels are reached, for one sentence: the view takes eight times as long.
-- name: access_reached
SELECT CASE WHEN EXISTS (SELECT 1 FROM import_file) THEN 1 ELSE 0 END AS files#,
	COALESCE(MAX(CASE WHEN poll_group = 'instances' AND source <> 'index' AND last_success IS NOT NULL
		AND state <> 'disabled' THEN 1 END), 0) AS inventory#,
	COALESCE(MAX(CASE WHEN poll_group = 'metrics' AND last_success IS NOT NULL
		AND state <> 'disabled' THEN 1 END), 0) AS metrics#,
	COALESCE(MAX(CASE WHEN source = 'billing' AND last_success IS NOT NULL
		AND state <> 'disabled' THEN 1 END), 0) AS billing#,
	COALESCE(MAX(CASE WHEN source = 'billing' THEN 1 END), 0) AS billing_tried#
FROM source_status;

-- name: access_tables
SELECT tables# FROM access_wanted;

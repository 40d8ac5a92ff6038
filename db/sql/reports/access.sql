-- Levels of access.

-- name: access_levels
-- out: i64 level, text name, i64 have, i64 configured, text? basis, text? missing, text? fix
SELECT level, name, have, configured, basis, missing, fix FROM access ORDER BY level;

-- Only whether the levels are reached, for one sentence: the view takes eight times as long.
-- name: access_reached
-- out: i64 files, i64 inventory, i64 metrics, i64 billing, i64 billing_tried
SELECT CASE WHEN EXISTS (SELECT 1 FROM import_file) THEN 1 ELSE 0 END,
	COALESCE(MAX(CASE WHEN poll_group = 'instances' AND last_success IS NOT NULL
		AND state <> 'disabled' THEN 1 END), 0),
	COALESCE(MAX(CASE WHEN poll_group = 'metrics' AND last_success IS NOT NULL
		AND state <> 'disabled' THEN 1 END), 0),
	COALESCE(MAX(CASE WHEN source = 'billing' AND last_success IS NOT NULL
		AND state <> 'disabled' THEN 1 END), 0),
	COALESCE(MAX(CASE WHEN source = 'billing' THEN 1 END), 0)
FROM source_status;

-- name: access_tables
-- out: i64 tables
SELECT tables FROM access_wanted;

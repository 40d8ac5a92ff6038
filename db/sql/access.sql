-- Levels of access.

-- name: access_levels
-- out: i64 level, text name, i64 have, i64 configured, text? basis, text? missing, text? fix
SELECT level, name, have, configured, basis, missing, fix FROM access ORDER BY level;

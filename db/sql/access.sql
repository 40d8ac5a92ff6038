-- Levels of access.

-- name: access_levels
-- out: i64 level, text name, i64 have, text? missing, text? fix
SELECT level, name, have, missing, fix FROM access ORDER BY level;

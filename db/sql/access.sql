-- Levels of access.

-- name: access_levels
-- out: i64 level, text name, i64 have, text? basis, text? missing
SELECT level, name, have, basis, missing FROM access ORDER BY level;

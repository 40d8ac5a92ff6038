-- Since when all that is estimated has been watched without a pause.
-- name: projects_watched
-- in: i64 never
-- out: text project, i64 since
SELECT project, MAX(COALESCE(watched_since, $1)) FROM source_status
WHERE source IN ('vm', 'tpu', 'disk', 'ip', 'snapshot') AND state <> 'disabled'
GROUP BY project ORDER BY project;

-- name: error_clear
DELETE FROM estimate_error;

-- name: error_put
-- in: text day, i64 estimate, i64 billed, text currency, i64 converted, i64? rate, text? left_out
INSERT INTO estimate_error (day, estimate, billed, currency, converted, rate, left_out)
VALUES ($1, $2, $3, $4, $5, $6, $7);

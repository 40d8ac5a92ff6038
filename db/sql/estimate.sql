-- Since when all that is estimated has been watched without a pause.
-- name: projects_watched
-- in: i64 never
-- out: text project, i64 since
SELECT project, MAX(COALESCE(watched_since, $1)) FROM source_status
WHERE source IN ('vm', 'tpu', 'disk', 'ip', 'snapshot') AND state <> 'disabled'
GROUP BY project ORDER BY project;

-- name: billed_categories
-- in: i64 first, i64 last
-- out: i64 day, text project, text category, text currency, i64 rate, i64 cost, i64 credits, i64 promo
SELECT d.day, p.project, k.category, h.currency, h.rate, d.cost, d.credits, d.promo
FROM project_day d
	CROSS JOIN sku_category k
	CROSS JOIN billed_project p
	CROSS JOIN charge h
WHERE d.day >= $1 AND d.day <= $2 AND k.sku_ref = d.sku_ref
	AND k.category IN ('cpu', 'gpu', 'tpu', 'disk', 'ip', 'snapshot')
	AND p.project_ref = d.project_ref AND h.charge_ref = d.charge_ref
ORDER BY d.day;

-- name: error_clear
DELETE FROM estimate_error;

-- name: error_put
-- in: text day, i64 estimate, i64 billed, text currency, i64 converted, i64? rate, text? left_out
INSERT INTO estimate_error (day, estimate, billed, currency, converted, rate, left_out)
VALUES ($1, $2, $3, $4, $5, $6, $7);

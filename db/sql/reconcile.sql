-- The order of the tables is that of the search: few days, few SKUs, their rows. These are summed
-- up by number before the names of what is left are looked up, in which there may still be equal ones.
-- name: billed_tpus
-- in: i64 first, i64 last
-- out: i64 day, text project, text sku, text location, text region, text zone, text currency, text unit, i64? usage, i64 cost, i64 credits, i64 promo
SELECT d.day, p.project, s.sku, l.location, l.region, l.zone, h.currency, h.usage_unit,
	CASE WHEN SUM(d.missing) = 0 AND ABS(SUM(d.usage_high)) < 9000000000
		THEN SUM(d.usage_high) * 1000000000 + SUM(d.usage_low) END,
	CAST(SUM(d.cost) AS BIGINT), CAST(SUM(d.credits) AS BIGINT),
	CAST(SUM(d.promo) AS BIGINT)
FROM (SELECT c.day AS day, x.sku_ref, x.project_ref, x.place_ref, x.charge_ref,
		SUM(x.usage / 1000000000) AS usage_high, SUM(x.usage % 1000000000) AS usage_low,
		COUNT(*) - COUNT(x.usage) AS missing, SUM(x.cost) AS cost,
		SUM(x.credits) AS credits, SUM(x.promo) AS promo
	FROM calendar c
		CROSS JOIN sku_category k
		CROSS JOIN cost_day x
	WHERE c.day >= $1 AND c.day <= $2 AND k.category = 'tpu' AND x.day = c.day
		AND x.sku_ref = k.sku_ref
	GROUP BY c.day, x.sku_ref, x.project_ref, x.place_ref, x.charge_ref) d
	JOIN sku s ON s.sku_ref = d.sku_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN place l ON l.place_ref = d.place_ref
	JOIN charge h ON h.charge_ref = d.charge_ref
GROUP BY d.day, p.project, s.sku, l.location, l.region, l.zone, h.currency, h.usage_unit;

-- name: known_days
-- in: i64 first, i64 last
-- out: text account, i64 day, i64 until
SELECT account, day, until FROM account_known WHERE day >= $1 AND day <= $2
ORDER BY account, day;

-- An account without a table that is still polled has no row.
-- name: accounts_looked
-- out: text account, i64 looked
SELECT d.account, MAX(t.looked)
FROM (SELECT DISTINCT account, table_id FROM billing_day) d
	JOIN billing_table t ON t.table_id = d.table_id
WHERE t.kind = 'export' GROUP BY d.account ORDER BY d.account;

-- name: project_accounts
-- out: text project, text account
SELECT DISTINCT project, account FROM billed_project ORDER BY project, account;

-- name: reconcile_clear
DELETE FROM reconcile_part;

-- name: reconcile_put
-- in: text day, text? project, text? family, text? location, text? provisioning, i64? covered, i64? uncovered, text? why, i64? billed, text? sku, i64 skus, i64? cost, i64? credits, i64? promo, text? currency, text status, text verdict, text text
INSERT INTO reconcile_part (day, project, family, location, provisioning, covered, uncovered,
	why, billed, sku, skus, cost, credits, promo, currency, status, verdict, text)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18);

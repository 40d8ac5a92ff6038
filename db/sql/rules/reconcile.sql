-- The tables are in search order: few days, few SKUs, their rows.
-- name: billed_tpus
-- in: i64 first, i64 last
-- out: i64 day, i64 project_ref, i64 sku_ref, i64 place_ref, i64 charge_ref, i64? usage, i64 cost, i64 credits, i64 promo
SELECT c.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref, x.usage, x.cost, x.credits,
	x.promo
FROM calendar c
	CROSS JOIN sku_category k
	CROSS JOIN cost_day x
WHERE c.day >= $1 AND c.day <= $2 AND k.category = 'tpu' AND x.day = c.day
	AND x.sku_ref = k.sku_ref
ORDER BY c.day;

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

-- Reports whether there is any bill.
-- name: bill_any
-- out: i64 n
SELECT COUNT(*) FROM (SELECT 1 FROM usage LIMIT 1) u;

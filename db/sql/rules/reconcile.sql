-- TPUs on the bill, by names; sums as units and nanos: the sum of both may exceed 64 bits. A name is
-- NULL for a number that refers to nothing. The first tables are in search order: few days, few
-- SKUs, their rows.
-- name: billed_tpus
WITH s AS (SELECT x.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref,
	SUM(x.usage IS NULL) AS unknown, SUM(x.usage / 1000000000) AS usage_units,
	SUM(x.usage % 1000000000) AS usage_nanos, SUM(x.cost / 1000000000) AS cost_units,
	SUM(x.cost % 1000000000) AS cost_nanos, SUM(x.credits / 1000000000) AS credits_units,
	SUM(x.credits % 1000000000) AS credits_nanos, SUM(x.promo / 1000000000) AS promo_units,
	SUM(x.promo % 1000000000) AS promo_nanos, SUM(x.discount / 1000000000) AS discount_units,
	SUM(x.discount % 1000000000) AS discount_nanos
	FROM calendar c CROSS JOIN sku_category k CROSS JOIN cost_day x
	WHERE c.day >= $first# AND c.day <= $last# AND k.category = 'tpu' AND x.day = c.day
		AND x.sku_ref = k.sku_ref
	GROUP BY x.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref)
SELECT s.day#, p.project?, u.sku?, l.location?, l.region?, l.zone?, h.currency?, h.usage_unit AS unit?,
	SUM(s.unknown) AS unknown#, SUM(s.usage_units) AS usage_units#?, SUM(s.usage_nanos) AS usage_nanos#?,
	SUM(s.cost_units) AS cost_units#, SUM(s.cost_nanos) AS cost_nanos#,
	SUM(s.credits_units) AS credits_units#, SUM(s.credits_nanos) AS credits_nanos#,
	SUM(s.promo_units) AS promo_units#, SUM(s.promo_nanos) AS promo_nanos#,
	SUM(s.discount_units) AS discount_units#, SUM(s.discount_nanos) AS discount_nanos#
FROM s LEFT JOIN billed_project p ON p.project_ref = s.project_ref
	LEFT JOIN sku u ON u.sku_ref = s.sku_ref
	LEFT JOIN place l ON l.place_ref = s.place_ref
	LEFT JOIN charge h ON h.charge_ref = s.charge_ref
GROUP BY s.day, p.project, u.sku, l.location, l.region, l.zone, h.currency, h.usage_unit
ORDER BY s.day, p.project, u.sku, l.location, l.region, l.zone, h.currency, h.usage_unit;

-- Credits of the same lines by type, and what consumption models save on them, as Google names them.
-- name: billed_tpu_discounts
WITH d AS (
	SELECT x.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref, t.type AS name,
		SUM(x.credits / 1000000000) AS units, SUM(x.credits % 1000000000) AS nanos
	FROM calendar c CROSS JOIN sku_category k CROSS JOIN credit_day x
		JOIN credit_type t ON t.credit_ref = x.credit_ref
	WHERE c.day >= $first# AND c.day <= $last# AND k.category = 'tpu' AND x.day = c.day
		AND x.sku_ref = k.sku_ref
	GROUP BY x.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref, t.type
	UNION ALL
	SELECT x.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref, h.model_name,
		SUM(-x.committed / 1000000000), SUM(-x.committed % 1000000000)
	FROM calendar c CROSS JOIN sku_category k CROSS JOIN cost_day x
		JOIN charge h ON h.charge_ref = x.charge_ref
	WHERE c.day >= $first AND c.day <= $last AND k.category = 'tpu' AND x.day = c.day
		AND x.sku_ref = k.sku_ref AND x.committed <> 0
	GROUP BY x.day, x.project_ref, x.sku_ref, x.place_ref, x.charge_ref, h.model_name)
SELECT d.day#, p.project?, u.sku?, l.location?, l.region?, l.zone?, h.currency?, d.name,
	SUM(d.units) AS units#, SUM(d.nanos) AS nanos#
FROM d LEFT JOIN billed_project p ON p.project_ref = d.project_ref
	LEFT JOIN sku u ON u.sku_ref = d.sku_ref
	LEFT JOIN place l ON l.place_ref = d.place_ref
	LEFT JOIN charge h ON h.charge_ref = d.charge_ref
GROUP BY d.day, p.project, u.sku, l.location, l.region, l.zone, h.currency, d.name
ORDER BY d.day, p.project, u.sku, l.location, l.region, l.zone, h.currency, d.name;

-- An account without a table that is still polled has no row.
-- name: accounts_looked
SELECT d.account, MAX(t.looked) AS looked#
FROM (SELECT DISTINCT account, table_id FROM billing_day) d
	JOIN billing_table t ON t.table_id = d.table_id
WHERE t.kind = 'export' GROUP BY d.account ORDER BY d.account;

-- name: project_accounts
SELECT DISTINCT project, account FROM billed_project ORDER BY project, account;

-- The first day with an estimate of a bucket's traffic.
-- name: egress_first
SELECT MIN(day) AS day? FROM egress_day;

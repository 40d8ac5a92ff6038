-- Maintenance of the database.

-- Days of the bill whose rows differ from their stored sum.
-- name: upkeep_wrong
SELECT t.name, s.unit#, s.currency FROM (
	SELECT table_id, unit, currency, cost, credits FROM billing_unit_sum
	UNION ALL SELECT u.table_id, u.unit, c.currency, CAST(-SUM(u.cost) AS INTEGER),
		CAST(-SUM(u.credits) AS INTEGER)
	FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
	GROUP BY u.table_id, u.unit, c.currency
) s JOIN billing_table t ON t.table_id = s.table_id
GROUP BY t.name, s.table_id, s.unit, s.currency
HAVING SUM(s.cost) <> 0 OR SUM(s.credits) <> 0 ORDER BY t.name, s.unit, s.currency;

-- Days with stored sums.
-- name: upkeep_days
SELECT day# FROM calendar UNION SELECT day FROM cost_day UNION SELECT day FROM project_day
UNION SELECT day FROM account_day ORDER BY day;

-- Difference between the stored sums of a day and the sum of its facts, as units and nanos: the sum
-- of both may exceed 64 bits.
-- name: upkeep_day_wrong
WITH seen AS (
	SELECT u.project_ref, u.charge_ref, SUM(u.cost / 1000000000) AS cost,
		SUM(u.cost % 1000000000) AS cost_n, SUM(u.credits / 1000000000) AS credits,
		SUM(u.credits % 1000000000) AS credits_n,
		SUM(CASE WHEN u.credit_ref = 1 THEN u.credits / 1000000000 ELSE 0 END) AS promo,
		SUM(CASE WHEN u.credit_ref = 1 THEN u.credits % 1000000000 ELSE 0 END) AS promo_n
	FROM calendar c CROSS JOIN usage u
	WHERE c.day = $day# AND u.hour >= c.starts AND u.hour < c.ends
	GROUP BY u.project_ref, u.charge_ref) SELECT s.name FROM (
	SELECT 'cost_day' AS name, CAST(project_ref AS TEXT) AS who, charge_ref,
		cost / 1000000000 AS cost, cost % 1000000000 AS cost_n,
		credits / 1000000000 AS credits, credits % 1000000000 AS credits_n,
		promo / 1000000000 AS promo, promo % 1000000000 AS promo_n
	FROM cost_day WHERE day = $day
	UNION ALL SELECT 'project_day', CAST(project_ref AS TEXT), charge_ref,
		cost / 1000000000, cost % 1000000000, credits / 1000000000, credits % 1000000000,
		promo / 1000000000, promo % 1000000000
	FROM project_day WHERE day = $day
	UNION ALL SELECT 'account_day', account, charge_ref,
		cost / 1000000000, cost % 1000000000, credits / 1000000000, credits % 1000000000,
		promo / 1000000000, promo % 1000000000
	FROM account_day WHERE day = $day
	UNION ALL SELECT t.name, CASE t.name WHEN 'account_day' THEN p.account
			ELSE CAST(x.project_ref AS TEXT) END, x.charge_ref,
		-x.cost, -x.cost_n, -x.credits, -x.credits_n, -x.promo, -x.promo_n
	FROM (SELECT 'cost_day' AS name UNION ALL SELECT 'project_day'
			UNION ALL SELECT 'account_day') t
		CROSS JOIN seen x JOIN billed_project p ON p.project_ref = x.project_ref
) s
GROUP BY s.name, s.who, s.charge_ref
HAVING SUM(s.cost_n) % 1000000000 <> 0 OR SUM(s.cost) <> -SUM(s.cost_n) / 1000000000
	OR SUM(s.credits_n) % 1000000000 <> 0
	OR SUM(s.credits) <> -SUM(s.credits_n) / 1000000000
	OR SUM(s.promo_n) % 1000000000 <> 0 OR SUM(s.promo) <> -SUM(s.promo_n) / 1000000000
ORDER BY 1 LIMIT 1;

-- Lines of the bill: all of them; those that remain if hours of a day, resources and labels are added up; and of the
-- newest days. $offset: seconds east of UTC.
-- name: plan_lines
SELECT COUNT(*) AS lines#, COUNT(DISTINCT hour / 86400) AS days#, MIN(unit) AS first#?, MAX(hour) AS newest#?,
	(SELECT COUNT(*) FROM (SELECT DISTINCT table_id, unit, hour / 86400, (hour + $offset#) / 86400, sku_ref,
		project_ref, place_ref, charge_ref, credit_ref FROM usage)) AS sums#,
	EXISTS (SELECT 1 FROM billing_unit WHERE recipe & 128 <> 0) AS only_days#
FROM usage;

-- Bytes of the tables that hold them, in whole pages.
-- name: plan_bytes
SELECT COALESCE(SUM(pgsize), 0) AS bytes# FROM dbstat
WHERE name IN ('usage', 'cost_day', 'project_day', 'account_day', 'credit_day', 'billed_resource');

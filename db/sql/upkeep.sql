-- Looking after the database.

-- Days of the bill whose rows are not what was stored as their sum.
-- name: upkeep_wrong
-- out: text name, i64 unit, text currency
SELECT t.name, s.unit, s.currency FROM (
	SELECT table_id, unit, currency, cost, credits FROM billing_unit_sum
	UNION ALL SELECT u.table_id, u.unit, c.currency, CAST(-SUM(u.cost) AS BIGINT),
		CAST(-SUM(u.credits) AS BIGINT)
	FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
	GROUP BY u.table_id, u.unit, c.currency
) s JOIN billing_table t ON t.table_id = s.table_id
GROUP BY t.name, s.table_id, s.unit, s.currency
HAVING SUM(s.cost) <> 0 OR SUM(s.credits) <> 0
ORDER BY t.name, s.unit, s.currency;

-- name: upkeep_units
-- out: i64 n
SELECT COUNT(*) FROM billing_unit;

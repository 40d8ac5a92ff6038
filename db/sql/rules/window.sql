-- Promotions on the bill by project: of hours, of whole days of the configured zone, of hours.
-- name: promo_projects
-- in: i64 starts, i64 from, i64 first, i64 end, i64 until, i64 ends
-- out: text project, text currency, i64 rate, i64 promo
SELECT p.project, c.currency, c.rate, SUM(x.promo)
FROM (SELECT 1 AS part, project_ref, charge_ref, credits AS promo FROM usage
		WHERE credit_ref = 1 AND hour >= $1 AND hour < $2
	UNION ALL SELECT 2, project_ref, charge_ref, promo FROM project_day
		WHERE promo <> 0 AND day >= $3 AND day < $4
	UNION ALL SELECT 3, project_ref, charge_ref, credits FROM usage
		WHERE credit_ref = 1 AND hour >= $5 AND hour < $6) x
	JOIN charge c ON c.charge_ref = x.charge_ref
	JOIN billed_project p ON p.project_ref = x.project_ref
GROUP BY x.part, p.project, c.currency, c.rate
ORDER BY p.project, x.part, c.currency, c.rate;

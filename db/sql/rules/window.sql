-- Promotions on the bill by project.
-- name: promo_projects
-- in: i64 since, i64 until
-- out: text project, text currency, i64 rate, i64 promo
SELECT p.project, c.currency, c.rate, SUM(u.credits)
FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
	JOIN billed_project p ON p.project_ref = u.project_ref
WHERE u.credit_ref = 1 AND u.hour >= $1 AND u.hour < $2
GROUP BY p.project, c.currency, c.rate ORDER BY p.project, c.currency, c.rate;

-- The same of whole days of the configured zone.
-- name: promo_projects_days
-- in: i64 first, i64 end
-- out: text project, text currency, i64 rate, i64 promo
SELECT p.project, c.currency, c.rate, SUM(d.promo)
FROM project_day d JOIN charge c ON c.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
WHERE d.promo <> 0 AND d.day >= $1 AND d.day < $2
GROUP BY p.project, c.currency, c.rate ORDER BY p.project, c.currency, c.rate;

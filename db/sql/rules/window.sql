-- Promotions on the bill by project: of hours, of whole days of the configured zone, of hours.
-- name: promo_projects
SELECT p.project, c.currency, c.rate#, SUM(x.promo) AS promo#
FROM (SELECT 1 AS part, project_ref, charge_ref, credits AS promo FROM usage
		WHERE credit_ref = 1 AND hour >= $starts# AND hour < $from#
	UNION ALL SELECT 2, project_ref, charge_ref, promo FROM project_day
		WHERE promo <> 0 AND day >= $first# AND day < $end#
	UNION ALL SELECT 3, project_ref, charge_ref, credits FROM usage
		WHERE credit_ref = 1 AND hour >= $until# AND hour < $ends#) x
	JOIN charge c ON c.charge_ref = x.charge_ref
	JOIN billed_project p ON p.project_ref = x.project_ref
GROUP BY x.part, p.project, c.currency, c.rate
ORDER BY p.project, x.part, c.currency, c.rate;

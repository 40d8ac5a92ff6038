-- The head lines of `status` and `top`: grants and credits as numbers, as in the views. Preparing a
-- view for a few of its columns takes several times as long.

-- The most used first; those with unknown use last.
-- name: glance_budgets
SELECT b.name, b.currency, b.amount#, b.expected#?, b.runs_out#?, b.starts#, b.ends#,
	CAST(ROUND(@PERCENT_OF(b.expected, b.amount)@ * 100) AS INTEGER) AS percent_100#?
FROM budget_state b CROSS JOIN as_of a ORDER BY b.ends <= a.now, 8 DESC NULLS LAST, b.name;

-- By project, category and currency, the most expensive first; without an amount if a price is
-- unknown. Not from the view burn, which also reads the past. An id begins with its project.
-- name: glance_burn
SELECT currency?, CASE WHEN currency IS NOT NULL AND COUNT(net) = COUNT(*) THEN SUM(net) END AS net#?,
	COUNT(*) AS parts#
FROM (SELECT b.*, substr(id, 1, instr(id, '/') - 1) AS project, NULLIF(b.currency, a.currency) AS other
	FROM burn_part b CROSS JOIN as_of a)
WHERE $projects? IS NULL OR instr(',' || $projects || ',', ',' || project || ',') > 0
GROUP BY project, category, currency
ORDER BY 2 IS NULL, other, 2 DESC NULLS LAST, project, category, currency;

-- The class of lines that differ in nothing else.
-- name: glance_grants
SELECT g.name, CASE WHEN g.starts > a.now THEN g.starts END AS begins#?, CASE WHEN g.until <= a.now THEN 0
		ELSE CAST(ROUND(ROUND((g.until - a.now) / 86400.0, 2) * 100) AS INTEGER) END AS days_100#?,
	g.type?, u.used_chips AS used#?, g.granted_chips AS granted#, g.zone, g.family,
	g.project?, (SELECT g.provisioning FROM grant_state o WHERE o.name = g.name AND o.zone = g.zone
		AND o.family = g.family AND o.type IS g.type
		AND o.provisioning <> g.provisioning LIMIT 1) AS class?
FROM grant_state g CROSS JOIN as_of a LEFT JOIN grant_use u ON u.line = g.line
ORDER BY CASE WHEN g.until IS NULL THEN 1 ELSE 0 END, 3, g.name, g.zone, g.type;

-- name: glance_credits
SELECT name, amount - used AS rest#?, amount#, runs_out#?, starts#?, expires#?, billed_from#?, currency
FROM credit_state ORDER BY CASE WHEN expires IS NULL THEN 1 ELSE 0 END, expires, name;

-- Valid grants with TPUs that were never read: what they cover is not certain.
-- name: glance_grants_unread
SELECT COUNT(*) AS n# FROM grants_raw g CROSS JOIN as_of a
WHERE g.line NOT IN (SELECT u.line FROM grant_use u) AND COALESCE(g.starts, a.now) <= a.now AND COALESCE(g.until > a.now, 1);

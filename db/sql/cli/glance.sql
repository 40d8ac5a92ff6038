-- The head lines of `status` and `top`: grants and credits as numbers, as in the views. Preparing a
-- view for a few of its columns takes several times as long.

-- The most used first; those with unknown use last. Rounded as in the view budgets.
-- name: glance_budgets
-- out: text name, text currency, i64 amount, i64? expected, i64? runs_out, i64? percent_100
SELECT name, currency, amount, expected, runs_out,
	CAST(ROUND(ROUND(100.0 * expected / amount, 2) * 100) AS INTEGER)
FROM budget_state ORDER BY 6 DESC NULLS LAST, name;

-- By project, category and currency, the most expensive first; without an amount if a price is
-- unknown. Not from the view burn, which also reads the past. An id begins with its project.
-- name: glance_burn
-- out: text? currency, i64? net, i64 parts
SELECT currency, CASE WHEN currency IS NOT NULL AND COUNT(net) = COUNT(*) THEN SUM(net) END,
	COUNT(*)
FROM (SELECT *, substr(id, 1, instr(id, '/') - 1) AS project FROM burn_part)
WHERE $projects? IS NULL OR instr(',' || $projects || ',', ',' || project || ',') > 0
GROUP BY project, category, currency
ORDER BY 2 DESC NULLS LAST, project, category, currency;

-- The class of lines that differ in nothing else.
-- name: glance_grants
-- out: text name, i64? begins, i64? days_100, text? type, i64? used, i64 granted, text zone, text family, text? project, text? class
SELECT g.name, CASE WHEN g.starts > a.now THEN g.starts END, CASE WHEN g.until <= a.now THEN 0
		ELSE CAST(ROUND(ROUND((g.until - a.now) / 86400.0, 2) * 100) AS INTEGER) END,
	g.type, CASE WHEN k.known = 1 THEN g.used_chips END, g.granted_chips, g.zone, g.family,
	g.project, (SELECT g.provisioning FROM grant_state o WHERE o.name = g.name AND o.zone = g.zone
		AND o.family = g.family AND o.type IS g.type AND o.provisioning <> g.provisioning LIMIT 1)
FROM grant_state g CROSS JOIN as_of a CROSS JOIN tpus_known k
ORDER BY CASE WHEN g.until IS NULL THEN 1 ELSE 0 END, 3, g.name, g.zone, g.type;

-- name: glance_credits
-- out: text name, i64? rest, i64 amount, i64? runs_out, i64? expires, text currency
SELECT name, amount - used, amount, runs_out, expires, currency
FROM credit_state
ORDER BY CASE WHEN expires IS NULL THEN 1 ELSE 0 END, expires, name;

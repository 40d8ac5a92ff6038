-- name: held_list
SELECT id FROM hold WHERE until > $now# ORDER BY id;

-- Projects with usage on the bill, in days from that one on. Taxes and adjustments are billed
-- without usage, too.
-- name: billed_lately
SELECT p.project, COALESCE(k.category = 'tpu', 0) AS tpu#, MAX(d.day) AS day#
FROM (SELECT project_ref, sku_ref, charge_ref, MAX(day) AS day FROM project_day
		WHERE day >= $day# GROUP BY project_ref, sku_ref, charge_ref) d
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN charge c ON c.charge_ref = d.charge_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
WHERE c.cost_type IN ('regular', '') GROUP BY p.project, tpu ORDER BY 3 DESC;

-- name: usage_hour_before
SELECT MAX(hour) AS hour#? FROM usage WHERE hour < $before# AND hour >= $since#;

-- name: usage_hour_projects
SELECT DISTINCT p.project, COALESCE(k.category = 'tpu', 0) AS tpu#
FROM (SELECT DISTINCT project_ref, sku_ref, charge_ref FROM usage
		WHERE hour = $hour# AND credit_ref = 0) u
	JOIN billed_project p ON p.project_ref = u.project_ref
	JOIN charge c ON c.charge_ref = u.charge_ref
	LEFT JOIN sku_category k ON k.sku_ref = u.sku_ref
WHERE c.cost_type IN ('regular', '');

-- name: newest_rate
SELECT c.rate#, u.hour# FROM usage u CROSS JOIN charge c
WHERE c.charge_ref = u.charge_ref AND c.currency = $currency AND c.rate > 0
	AND EXISTS (SELECT 1 FROM charge x WHERE x.currency = $currency AND x.rate > 0)
ORDER BY u.hour DESC, c.invoice_month DESC, c.charge_ref DESC LIMIT 1;

-- name: bill_currencies
SELECT DISTINCT currency FROM charge ORDER BY currency;

-- Estimates in other currencies than the configured one, of which the bill has no rate; a currency of
-- which it has one.
-- name: rate_missing
SELECT (SELECT MIN(c.currency) FROM charge c WHERE c.rate > 0 AND c.currency <> 'USD') AS billed?
FROM as_of a WHERE NOT EXISTS (SELECT 1 FROM charge c WHERE c.currency = a.currency AND c.rate > 0)
	AND EXISTS (SELECT 1 FROM burn_part b WHERE b.currency <> a.currency);

-- name: billed_projects
SELECT DISTINCT project FROM billed_project ORDER BY project;

-- name: budget_get
SELECT starts#, ends#, amount#, currency, expected#?, forecast#?, forecast_low#?, forecast_high#?,
	forecast_if_stopped#?, runs_out#?, runs_out_if_stopped#?, safe_per_day#?, basis,
	CAST(ROUND(@PERCENT_OF(expected, amount)@ * 100) AS INTEGER) AS percent_100#?,
	CAST(ROUND(@PERCENT_OF(forecast, amount)@ * 100) AS INTEGER) AS forecast_100#?,
	CAST(ROUND(@PERCENT_OF(forecast_if_stopped, amount)@ * 100) AS INTEGER) AS stopped_100#?
FROM budget_state WHERE name = $name;

-- name: advised_list
SELECT id FROM advised_stop ORDER BY id;

-- Time range of all requested periods of a budget.
-- name: budget_past_span
SELECT MIN(starts) AS starts#, MAX(ends) AS ends# FROM budget_past WHERE name = $name GROUP BY name;

-- Time from which the costs of any billing account are known; and of all, with the account that begins then.
-- name: budget_bill_since
WITH b AS (SELECT MIN(day) * 86400 AS since, account FROM billing_day GROUP BY account)
SELECT MIN(since) AS first#?, MAX(since) AS since#?, COUNT(*) AS accounts#,
	(SELECT account FROM b ORDER BY since DESC LIMIT 1) AS account?
FROM b;

-- And the time up to which: by the reads of the days until the end of the period, not of later
-- ones.
-- name: budget_past_known
SELECT MIN(k.until) AS until#? FROM (SELECT MAX(n.until) AS until
	FROM account_known n JOIN calendar c ON c.day = n.day
	WHERE c.starts < $ends# GROUP BY n.account) k;

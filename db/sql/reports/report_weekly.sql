-- Days with billing data.
-- name: bill_span
SELECT (SELECT MIN(day) FROM account_day) AS first#?, (SELECT MAX(day) FROM account_day) AS last#?,
	(SELECT MIN(day) * 86400 FROM billing_day) AS since#?,
	(SELECT MIN(invoice_month) FROM charge WHERE invoice_month <> '') AS invoice?;

-- Days of the bill, and whether it has rows without an invoice month.
-- name: bill_months
SELECT COUNT(*) AS days#, COALESCE(MAX(c.invoice_month = ''), 0) AS unnamed#
FROM account_day a JOIN charge c ON c.charge_ref = a.charge_ref;

-- By number: this week and the previous week, from the bill, or of resources.
-- cells: week_rows
SELECT 0 AS resource_ref, project_ref, sku_ref, charge_ref, cost, credits, day < $first# AS earlier
FROM project_day WHERE $resources# = 0 AND day >= $from# AND day <= $last#
UNION ALL
SELECT resource_ref, project_ref, 0, charge_ref, cost, credits, day < $first
FROM cost_day WHERE $resources <> 0 AND day >= $from AND day <= $last;

-- The following queries use the sums of this week, with `before` as the net cost of the previous
-- week.

-- Only the detailed export names resources. Not grouped or ordered: there are many resources, and
-- sorting takes longer than the look-ups.
-- name: week_resources
SELECT r.resource, p.project, h.currency, d.cost#, d.credits#, d.before#
FROM ref_sum d JOIN billed_resource r ON r.resource_ref = d.resource_ref
	JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
WHERE r.resource <> '';

-- cells: week_errors
SELECT * FROM estimate_errors_raw WHERE day >= $first AND day <= $last ORDER BY day, currency;

-- cells: week_restatements
SELECT * FROM restatements_raw WHERE noticed >= $from# AND noticed < $to#
ORDER BY day, currency, noticed, invoice_month, source;

-- cells: week_alerts
SELECT rule, SUM(kind = 'firing') AS fired, SUM(kind = 'resolved') AS resolved,
	COUNT(DISTINCT subject) AS subjects, SUM(kind = 'firing' AND muted <> 0) AS muted,
	SUM(kind = 'firing' AND severity = 'critical') AS critical
FROM alert_event WHERE at >= $from# AND at < $to#
GROUP BY rule ORDER BY 2 DESC, rule;

-- cells: week_grants
SELECT g.*, COALESCE(g.type, g.family) AS family,
	CASE WHEN g.until > a.now THEN g.until - a.now END AS "left"
FROM grants_raw g CROSS JOIN as_of a ORDER BY g.line;

-- Days that the bill has.
-- name: bill_span
-- out: i64? first, i64? last
SELECT (SELECT MIN(day) FROM account_day), (SELECT MAX(day) FROM account_day);

-- name: week_days
-- in: i64 first, i64 last
-- out: i64 day, text currency, text account, i64 cost, i64 credits
SELECT d.day, h.currency, d.account, SUM(d.cost),
	SUM(d.credits)
FROM account_day d JOIN charge h ON h.charge_ref = d.charge_ref
WHERE d.day >= $1 AND d.day <= $2
GROUP BY d.day, h.currency, d.account ORDER BY d.day, h.currency, d.account;

-- name: week_resource_days
-- in: i64 first, i64 last
-- out: i64 day, i64 resource_ref, i64 project_ref, i64 charge_ref, i64 cost, i64 credits
SELECT day, resource_ref, project_ref, charge_ref, cost, credits FROM cost_day
WHERE day >= $1 AND day <= $2;

-- What follows is of what was added up of this week, with `before` as the net cost of the week before.

-- name: week_categories
-- out: text category, text currency, i64 cost, i64 credits, i64 before
SELECT COALESCE(k.category, 'other'), h.currency, SUM(d.cost),
	SUM(d.credits),
	SUM(d.before)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
GROUP BY COALESCE(k.category, 'other'), h.currency
ORDER BY h.currency, SUM(d.cost + d.credits) DESC, 1;

-- name: week_projects
-- out: text? project, text currency, i64 cost, i64 credits, i64 before
SELECT NULLIF(p.project, ''), h.currency, SUM(d.cost),
	SUM(d.credits),
	SUM(d.before)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
GROUP BY p.project, h.currency
ORDER BY h.currency, SUM(d.cost + d.credits) DESC, 1;

-- name: week_skus
-- out: text service, text sku_id, text sku, text currency, i64 cost, i64 credits, i64 before
SELECT s.service, s.sku_id, s.sku, h.currency, SUM(d.cost),
	SUM(d.credits),
	SUM(d.before)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
GROUP BY s.service, s.sku_id, s.sku, h.currency
ORDER BY h.currency, SUM(d.cost + d.credits) DESC, s.sku, s.sku_id, s.service;

-- Only the detailed export names resources.
-- Not grouped and in no order: resources are many, and a sorter takes longer than to look all of this up.
-- name: week_resources
-- out: text resource, text project, text currency, i64 cost, i64 credits, i64 before
SELECT r.resource, p.project, h.currency, d.cost, d.credits, d.before
FROM ref_sum d JOIN billed_resource r ON r.resource_ref = d.resource_ref
	JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
WHERE r.resource <> '';

-- name: week_errors
-- in: text first, text last
-- out: text day, i64 estimate, i64 billed, text currency, text? left_out
SELECT day, estimate, billed, currency, left_out FROM estimate_error
WHERE day >= $1 AND day <= $2 ORDER BY day, currency;

-- name: week_restatements
-- in: i64 from, i64 to
-- out: text day, text invoice_month, text currency, text source, i64 at, i64 old_cost, i64 old_credits, i64 new_cost, i64 new_credits
SELECT date, invoice_month, currency, source, at, old_cost, old_credits, new_cost, new_credits
FROM restatement WHERE at >= $1 AND at < $2
ORDER BY date, invoice_month, currency, source, at;

-- name: week_alerts
-- in: i64 from, i64 to
-- out: text rule, i64 fired, i64 resolved, i64 subjects, i64 muted, i64 critical
SELECT rule, SUM(CASE WHEN kind = 'firing' THEN 1 ELSE 0 END),
	SUM(CASE WHEN kind = 'resolved' THEN 1 ELSE 0 END), COUNT(DISTINCT subject),
	SUM(CASE WHEN kind = 'firing' AND muted <> 0 THEN 1 ELSE 0 END),
	SUM(CASE WHEN kind = 'firing' AND severity = 'critical' THEN 1 ELSE 0 END)
FROM alert_event WHERE at >= $1 AND at < $2
GROUP BY rule ORDER BY SUM(CASE WHEN kind = 'firing' THEN 1 ELSE 0 END) DESC, rule;

-- name: week_grants
-- out: text name, text zone, text? type, text family, text provisioning, i64 granted_chips, i64? used_chips, i64? until
SELECT g.name, g.zone, g.type, g.family, g.provisioning, g.granted_chips,
	CASE WHEN k.known = 1 THEN g.used_chips END, g.until
FROM grant_state g CROSS JOIN tpus_known k ORDER BY g.line;

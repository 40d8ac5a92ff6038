-- Sums of an invoice month, account by account. Google's own field says what is in it.

-- name: month_cost_types
-- in: text month
-- out: text account, text currency, text cost_type, i64 cost
SELECT d.account, h.currency, h.cost_type, SUM(d.cost)
FROM account_day d JOIN charge h ON h.charge_ref = d.charge_ref
WHERE h.invoice_month = $1
GROUP BY d.account, h.currency, h.cost_type ORDER BY d.account, h.currency, h.cost_type;

-- What has a charge of the invoice, and what is of the days first..last.
-- name: month_bill
-- in: text month, i64 first, i64 last
-- out: i64 day, i64 project_ref, i64 sku_ref, i64 charge_ref, i64 invoiced, i64 cost, i64 credits, i64 promo
SELECT day, project_ref, sku_ref, charge_ref,
	CASE WHEN charge_ref IN (SELECT charge_ref FROM charge WHERE invoice_month = $1)
		THEN 1 ELSE 0 END,
	cost, credits, promo
FROM project_day
WHERE day IN (SELECT a.day FROM account_day a JOIN charge i ON i.charge_ref = a.charge_ref
		WHERE i.invoice_month = $1
	UNION SELECT c.day FROM calendar c WHERE c.day >= $2 AND c.day <= $3);

-- name: month_credits
-- in: text month
-- out: i64 project_ref, i64 charge_ref, i64 credit_ref, i64 credits
SELECT project_ref, charge_ref, credit_ref, credits FROM credit_day
WHERE day IN (SELECT a.day FROM account_day a JOIN charge i ON i.charge_ref = a.charge_ref
		WHERE i.invoice_month = $1)
	AND charge_ref IN (SELECT charge_ref FROM charge WHERE invoice_month = $1);

-- What follows is of what was added up of these. Part is the type of credit here; then 1 is on the
-- invoice, 2 in the calendar month, 3 both.

-- name: month_credit_types
-- out: text account, text currency, text cost_type, text credit_type, i64 credits
SELECT p.account, h.currency, h.cost_type, t.type, SUM(d.credits)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN credit_type t ON t.credit_ref = d.part
	JOIN billed_project p ON p.project_ref = d.project_ref
GROUP BY p.account, h.currency, h.cost_type, t.type
ORDER BY p.account, h.currency, h.cost_type, t.type;

-- name: month_projects
-- out: text account, text currency, text? project, i64 cost, i64 credits, i64 promo
SELECT p.account, h.currency, NULLIF(p.project, ''), SUM(d.cost),
	SUM(d.credits), SUM(d.promo)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
WHERE d.part IN (1, 3)
GROUP BY p.account, h.currency, p.project
ORDER BY p.account, h.currency, SUM(d.cost + d.credits) DESC, p.project;

-- name: month_services
-- out: text account, text currency, text service, i64 cost, i64 credits, i64 promo
SELECT p.account, h.currency, s.service, SUM(d.cost),
	SUM(d.credits), SUM(d.promo)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
WHERE d.part IN (1, 3)
GROUP BY p.account, h.currency, s.service
ORDER BY p.account, h.currency, SUM(d.cost + d.credits) DESC, s.service;

-- name: month_skus
-- out: text account, text currency, text service, text sku_id, text sku, i64 cost, i64 credits, i64 promo
SELECT p.account, h.currency, s.service, s.sku_id, s.sku, SUM(d.cost),
	SUM(d.credits), SUM(d.promo)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
WHERE d.part IN (1, 3)
GROUP BY p.account, h.currency, s.service, s.sku_id, s.sku
ORDER BY p.account, h.currency, SUM(d.cost + d.credits) DESC, s.sku, s.sku_id, s.service;

-- Days of the configured zone.
-- name: month_days
-- in: i64 first, i64 last
-- out: i64 day, text date, i64 ends, text account, text currency, i64 cost, i64 credits
SELECT d.day, c.date, c.ends, d.account, h.currency, SUM(d.cost),
	SUM(d.credits)
FROM account_day d JOIN calendar c ON c.day = d.day
	JOIN charge h ON h.charge_ref = d.charge_ref
WHERE d.day >= $1 AND d.day <= $2
GROUP BY d.day, c.date, c.ends, d.account, h.currency
ORDER BY d.day, d.account, h.currency;

-- name: month_categories
-- out: text account, text currency, text category, i64 cost, i64 credits, i64 promo
SELECT p.account, h.currency, COALESCE(k.category, 'other'), SUM(d.cost),
	SUM(d.credits), SUM(d.promo)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
WHERE d.part IN (2, 3)
GROUP BY p.account, h.currency, COALESCE(k.category, 'other')
ORDER BY p.account, h.currency, SUM(d.cost + d.credits) DESC, 3;

-- What is on the invoice and outside of [from, to), or in it and on another invoice. Only days
-- that have such charges are read hour by hour, but for two that are read otherwise.
-- name: month_strays
-- in: text month, i64 from, i64 to, i64 but, i64 and_but
-- out: text account, text currency, text invoice_month, i64 hour, i64 cost, i64 credits
SELECT p.account, h.currency, h.invoice_month, u.hour, SUM(u.cost),
	SUM(u.credits)
FROM (SELECT DISTINCT d.day AS day, c.starts AS starts, c.ends AS ends
		FROM account_day d JOIN calendar c ON c.day = d.day
			JOIN charge i ON i.charge_ref = d.charge_ref
		WHERE d.day <> $4 AND d.day <> $5
			AND CASE WHEN i.invoice_month = $1 THEN c.starts < $2 OR c.ends > $3
				ELSE c.starts < $3 AND c.ends > $2 END) x
	CROSS JOIN usage u
	JOIN charge h ON h.charge_ref = u.charge_ref
	JOIN billed_project p ON p.project_ref = u.project_ref
WHERE u.hour >= x.starts AND u.hour < x.ends
	AND CASE WHEN h.invoice_month = $1 THEN u.hour < $2 OR u.hour >= $3
		ELSE u.hour >= $2 AND u.hour < $3 END
GROUP BY p.account, h.currency, h.invoice_month, u.hour
ORDER BY p.account, h.currency, u.hour, h.invoice_month;

-- name: month_hours
-- in: i64 from, i64 to
-- out: i64 project_ref, i64 charge_ref, i64 cost, i64 credits
SELECT project_ref, charge_ref, cost, credits FROM usage WHERE hour >= $1 AND hour < $2;

-- Of what was added up of these.
-- name: month_slice
-- out: text account, text currency, text invoice_month, i64 cost, i64 credits
SELECT p.account, h.currency, h.invoice_month, SUM(d.cost),
	SUM(d.credits)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
GROUP BY p.account, h.currency, h.invoice_month
ORDER BY p.account, h.currency, h.invoice_month;

-- name: month_day
-- in: i64 day
-- out: text account, text currency, text invoice_month, i64 cost, i64 credits
SELECT d.account, h.currency, h.invoice_month, SUM(d.cost),
	SUM(d.credits)
FROM account_day d JOIN charge h ON h.charge_ref = d.charge_ref
WHERE d.day = $1
GROUP BY d.account, h.currency, h.invoice_month
ORDER BY d.account, h.currency, h.invoice_month;

-- name: month_restatements
-- in: text month
-- out: text day, text currency, text source, i64 at, i64 old_cost, i64 old_credits, i64 new_cost, i64 new_credits
SELECT date, currency, source, at, old_cost, old_credits, new_cost, new_credits
FROM restatement WHERE invoice_month = $1 ORDER BY at DESC, date, currency, source;

-- name: period_coupons
-- out: text name, i64 amount, i64? used, text currency, i64? expires
SELECT name, amount, used, currency, expires FROM credit_state ORDER BY name;

-- name: invoice_span
-- out: text? first, text? last
SELECT MIN(invoice_month), MAX(invoice_month) FROM charge WHERE invoice_month <> '';

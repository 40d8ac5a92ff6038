-- Sums of an invoice month by account. Google's own field determines its lines.

-- By number: lines on the invoice (part 1), of the days first..last (2), or both (3).
-- cells: month_bill
SELECT project_ref, sku_ref, charge_ref,
	CASE WHEN charge_ref IN (SELECT charge_ref FROM charge WHERE invoice_month = $month)
		THEN 1 ELSE 0 END + CASE WHEN day >= $first# AND day <= $last# THEN 2 ELSE 0 END AS part,
	cost, credits, promo
FROM project_day
WHERE day IN (SELECT a.day FROM account_day a JOIN charge i ON i.charge_ref = a.charge_ref
		WHERE i.invoice_month = $month
	UNION SELECT c.day FROM calendar c WHERE c.day >= $first AND c.day <= $last);

-- By number and type of credit.
-- cells: month_credits
SELECT project_ref, charge_ref, credit_ref AS part, 0 AS cost, credits FROM credit_day
WHERE day IN (SELECT a.day FROM account_day a JOIN charge i ON i.charge_ref = a.charge_ref
		WHERE i.invoice_month = $month)
	AND charge_ref IN (SELECT charge_ref FROM charge WHERE invoice_month = $month);

-- Costs by type, then credits by type, of the sums above.
-- name: month_lines
SELECT d.account, h.currency, 0 AS credit#, h.cost_type, NULL AS credit_type?, SUM(d.cost) AS amount#
FROM account_day d JOIN charge h ON h.charge_ref = d.charge_ref
WHERE h.invoice_month = $month
GROUP BY d.account, h.currency, h.cost_type
UNION ALL
SELECT p.account, h.currency, 1, h.cost_type, t.type, SUM(d.credits)
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN credit_type t ON t.credit_ref = d.part
	JOIN billed_project p ON p.project_ref = d.project_ref
GROUP BY p.account, h.currency, h.cost_type, t.type
ORDER BY 1, 2, 3, 4, 5;

-- Days of the configured zone.
-- name: bill_account_days
SELECT d.day#, c.date, c.ends#, d.account, h.currency, SUM(d.cost) AS cost#, SUM(d.credits) AS credits#
FROM account_day d JOIN calendar c ON c.day = d.day
	JOIN charge h ON h.charge_ref = d.charge_ref
WHERE d.day >= $first# AND d.day <= $last#
GROUP BY d.day, c.date, c.ends, d.account, h.currency
ORDER BY d.day, CASE WHEN $by_currency# <> 0 THEN h.currency END, d.account, h.currency;

-- Lines on the invoice and outside of [from, to), or in it and on another invoice. Only days with
-- such charges are read by hour, except two that are read separately.
-- cells: month_strays
SELECT p.account, h.currency, h.invoice_month, u.hour, SUM(u.cost) AS cost,
	SUM(u.credits) AS credits
FROM (SELECT DISTINCT d.day AS day, c.starts AS starts, c.ends AS ends
		FROM account_day d JOIN calendar c ON c.day = d.day
			JOIN charge i ON i.charge_ref = d.charge_ref
		WHERE d.day <> $but# AND d.day <> $and_but#
			AND CASE WHEN i.invoice_month = $month THEN c.starts < $from# OR c.ends > $to#
				ELSE c.starts < $to AND c.ends > $from END) x
	CROSS JOIN usage u
	JOIN charge h ON h.charge_ref = u.charge_ref
	JOIN billed_project p ON p.project_ref = u.project_ref
WHERE u.hour >= x.starts AND u.hour < x.ends
	AND CASE WHEN h.invoice_month = $month THEN u.hour < $from OR u.hour >= $to
		ELSE u.hour >= $from AND u.hour < $to END
GROUP BY p.account, h.currency, h.invoice_month, u.hour
ORDER BY p.account, h.currency, u.hour, h.invoice_month;

-- cells: month_hours
SELECT project_ref, charge_ref, cost, credits FROM usage WHERE hour >= $from# AND hour < $to#;

-- Of those sums.
-- cells: month_slice
SELECT p.account, h.currency, h.invoice_month, 0 AS hour, SUM(d.cost) AS cost,
	SUM(d.credits) AS credits
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
GROUP BY p.account, h.currency, h.invoice_month
ORDER BY p.account, h.currency, h.invoice_month;

-- cells: month_day
SELECT d.account, h.currency, h.invoice_month, 0 AS hour, SUM(d.cost) AS cost,
	SUM(d.credits) AS credits
FROM account_day d JOIN charge h ON h.charge_ref = d.charge_ref
WHERE d.day = $day#
GROUP BY d.account, h.currency, h.invoice_month
ORDER BY d.account, h.currency, h.invoice_month;

-- cells: month_restatements
SELECT * FROM restatements_raw WHERE invoice_month = $month ORDER BY noticed DESC, day, currency, source;

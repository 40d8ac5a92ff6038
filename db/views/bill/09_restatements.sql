-- days whose net cost changed after it was reported
--
-- The net cost of the whole day: the present one without the later changes. Several changes of one moment, by
-- invoice month and source, follow one another. Unknown (NULL): it was noticed as a day of another time zone, or the bill
-- has to be read again.
SELECT
	x.day, -- text: calendar day in the configured time zone
	x.invoice_month, -- text: Google's invoice month of the changed lines, YYYYMM
	x.old_net, -- money: previously reported net cost of that day, on all invoices
	x.old_net + x.change AS new_net, -- money: net cost of that day after the change
	x.change, -- money: new minus old
	x.currency, -- text: currency of the billing account
	x.noticed, -- time: when the change was detected
	x.source -- text: table or file of the change
FROM (SELECT r.date AS day, r.invoice_month, r.currency, r.at AS noticed, r.source, r.change,
		CASE WHEN r.at >= CAST(COALESCE((SELECT value FROM meta WHERE key = 'days_since'), '0') AS INTEGER)
			AND EXISTS (SELECT 1 FROM account_day)
		THEN COALESCE((SELECT SUM(d.cost + d.credits) FROM calendar c JOIN account_day d ON d.day = c.day
				JOIN charge h ON h.charge_ref = d.charge_ref
			WHERE c.date = r.date AND h.currency = r.currency), 0) - SUM(r.change) OVER w END AS old_net
	FROM (SELECT date, invoice_month, currency, at, source,
			new_cost + new_credits - old_cost - old_credits AS change FROM restatement) r
	WHERE r.change <> 0
	WINDOW w AS (PARTITION BY r.date, r.currency ORDER BY r.at, r.invoice_month, r.source
		ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) x

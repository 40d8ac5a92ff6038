-- latest conversion rates of the bill
SELECT
	'USD' AS currency, -- text: ISO 4217
	1.0 AS per_usd -- decimal: units of the currency in one USD
UNION ALL
SELECT x.currency, (SELECT c.rate FROM usage u CROSS JOIN charge c
		WHERE c.charge_ref = u.charge_ref AND c.currency = x.currency AND c.rate > 0
		ORDER BY u.hour DESC, c.invoice_month DESC, c.charge_ref DESC LIMIT 1) / 1e9
FROM (SELECT DISTINCT currency FROM charge WHERE rate > 0 AND currency <> 'USD') x

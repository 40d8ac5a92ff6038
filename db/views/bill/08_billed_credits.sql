-- credits on the bill, by day and type
SELECT
	day, -- text: calendar day in the configured time zone
	invoice_month, -- text: Google's invoice month, YYYYMM
	project, -- text: NULL: credited to the account
	service, -- text: service, as Google names it
	sku, -- text: SKU, as Google names it
	category, -- text: tpu cpu gpu disk snapshot ip network storage other
	credit_type, -- text: PROMOTION, FREE_TIER, DISCOUNT, ... as Google names it
	SUM(credits_n) AS credits, -- money: zero or negative
	currency -- text: currency of the billing account
FROM cost_lines_exact
WHERE credit_type IS NOT NULL
GROUP BY day, invoice_month, project, service, sku, category, credit_type, currency

-- Credits on the bill by type: promotions, commitments, free tiers and the rest.
SELECT day, invoice_month, project, service, sku, category, credit_type,
	SUM(credits_n) / 1e9 AS credits, currency
FROM cost_lines_exact
WHERE credit_type IS NOT NULL
GROUP BY day, invoice_month, project, service, sku, category, credit_type, currency

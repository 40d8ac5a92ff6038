-- What Google billed, by day of the configured time zone. cost is before credits, net is
-- what is left to pay.
SELECT day, invoice_month, project, service, sku, category, location, zone, resource, cost,
	credits, net, promo, currency, usage, usage_unit, status, sku_id, service_id, region,
	cost_type
FROM costs_exact

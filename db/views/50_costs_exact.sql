-- internal: costs with its amounts also as integer nano-units, so that sums stay exact.
SELECT c.date AS day, h.invoice_month AS invoice_month, NULLIF(p.project, '') AS project,
	s.service AS service, s.sku AS sku, COALESCE(k.category, 'other') AS category,
	NULLIF(l.location, '') AS location, NULLIF(l.zone, '') AS zone,
	NULLIF(r.resource, '') AS resource, d.cost / 1e9 AS cost, d.credits / 1e9 AS credits,
	(d.cost + d.credits) / 1e9 AS net, d.promo / 1e9 AS promo, h.currency AS currency,
	d.usage / 1e9 AS usage, NULLIF(h.usage_unit, '') AS usage_unit,
	CASE WHEN a.now < c.ends + 86400 OR n.until < c.ends + 86400 THEN 'partial'
		WHEN a.now < c.ends + 259200 OR n.until < c.ends + 259200 THEN 'settling'
		ELSE 'settled' END AS status,
	s.sku_id AS sku_id, s.service_id AS service_id, NULLIF(l.region, '') AS region,
	h.cost_type AS cost_type, d.cost AS cost_n, d.credits AS credits_n,
	d.promo AS promo_n, d.usage AS usage_n, h.rate AS rate, d.day AS day_n
FROM cost_day d
	JOIN calendar c ON c.day = d.day
	JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN place l ON l.place_ref = d.place_ref
	JOIN billed_resource r ON r.resource_ref = d.resource_ref
	LEFT JOIN account_known n ON n.account = p.account AND n.day = d.day
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
	CROSS JOIN as_of a

-- internal: costs_exact with each type of credit in a row of its own. Usage has no credit type.
SELECT c.date AS day, h.invoice_month AS invoice_month, NULLIF(p.project, '') AS project,
	s.service AS service, s.sku AS sku, COALESCE(k.category, 'other') AS category,
	NULLIF(l.location, '') AS location, NULLIF(l.zone, '') AS zone,
	NULLIF(r.resource, '') AS resource, r.owner AS owner, NULLIF(r.labels, '') AS labels,
	h.currency AS currency, NULLIF(h.usage_unit, '') AS usage_unit,
	@STATUS(c.ends, n.until)@ AS status,
	s.sku_id AS sku_id, s.service_id AS service_id, NULLIF(l.region, '') AS region,
	h.cost_type AS cost_type, NULL AS credit_type, d.cost AS cost_n, 0 AS credits_n,
	0 AS promo_n, d.usage AS usage_n, d.cost / 1e9 AS cost, 0 AS credits,
	d.cost / 1e9 AS net, 0 AS promo, d.usage / 1e9 AS usage,
	(d.cost + d.discount) / 1e9 AS list_cost, d.discount / 1e9 AS savings,
	NULLIF(h.model_name, '') AS consumption_model, d.cost + d.discount AS list_cost_n,
	d.discount AS savings_n, p.account AS account
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
UNION ALL
SELECT c.date, h.invoice_month, NULLIF(p.project, ''), s.service, s.sku,
	COALESCE(k.category, 'other'), NULLIF(l.location, ''), NULLIF(l.zone, ''),
	NULLIF(r.resource, ''), r.owner, NULLIF(r.labels, ''), h.currency, NULLIF(h.usage_unit, ''),
	@STATUS(c.ends, n.until)@,
	s.sku_id, s.service_id, NULLIF(l.region, ''), h.cost_type, t.type, 0, d.credits,
	CASE WHEN d.credit_ref = 1 THEN d.credits ELSE 0 END, 0, 0, d.credits / 1e9,
	d.credits / 1e9, CASE WHEN d.credit_ref = 1 THEN d.credits ELSE 0 END / 1e9, 0,
	0, -d.credits / 1e9, NULLIF(h.model_name, ''), 0, -d.credits,
	p.account
FROM credit_day d
	JOIN calendar c ON c.day = d.day
	JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN credit_type t ON t.credit_ref = d.credit_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN place l ON l.place_ref = d.place_ref
	JOIN billed_resource r ON r.resource_ref = d.resource_ref
	LEFT JOIN account_known n ON n.account = p.account AND n.day = d.day
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
	CROSS JOIN as_of a

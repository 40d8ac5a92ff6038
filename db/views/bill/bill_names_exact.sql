-- internal: the names of costs that amounts can have, in every combination. Filter by the numbers.
SELECT h.invoice_month AS invoice_month, NULLIF(p.project, '') AS project, s.service AS service, s.sku AS sku,
	COALESCE((SELECT k.category FROM sku_category k WHERE k.sku_ref = s.sku_ref), 'other')
		AS category,
	NULLIF(l.location, '') AS location, NULLIF(l.zone, '') AS zone,
	NULLIF(r.resource, '') AS resource, r.owner AS owner, NULLIF(r.labels, '') AS labels,
	h.currency AS currency, NULLIF(h.usage_unit, '') AS usage_unit, s.sku_id AS sku_id,
	s.service_id AS service_id, NULLIF(l.region, '') AS region, h.cost_type AS cost_type,
	NULLIF(h.rate, 0) AS rate, NULLIF(h.model_name, '') AS consumption_model,
	p.account AS account, s.sku_ref, p.project_ref, l.place_ref, r.resource_ref, h.charge_ref
FROM charge h CROSS JOIN sku s CROSS JOIN billed_project p CROSS JOIN place l
	CROSS JOIN billed_resource r

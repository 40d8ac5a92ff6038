-- internal: costs_exact by hour of usage instead of by day, for periods that begin or end within a
-- day. Filter by a range of hour_n.
SELECT x.date AS day, h.invoice_month AS invoice_month, NULLIF(p.project, '') AS project,
	s.service AS service, s.sku AS sku, COALESCE(k.category, 'other') AS category,
	NULLIF(l.location, '') AS location, NULLIF(l.zone, '') AS zone,
	NULLIF(r.resource, '') AS resource, r.owner AS owner, NULLIF(r.labels, '') AS labels,
	u.cost / 1e9 AS cost, u.credits / 1e9 AS credits, (u.cost + u.credits) / 1e9 AS net,
	u.promo / 1e9 AS promo, h.currency AS currency, u.usage / 1e9 AS usage,
	NULLIF(h.usage_unit, '') AS usage_unit,
	@STATUS(x.ends, n.until)@ AS status,
	s.sku_id AS sku_id, s.service_id AS service_id, NULLIF(l.region, '') AS region,
	h.cost_type AS cost_type, u.cost AS cost_n, u.credits AS credits_n, NULLIF(h.rate, 0) AS rate,
	u.hour AS hour_n, u.project_ref, u.charge_ref,
	(u.cost + u.discount) / 1e9 AS list_cost,
	(u.discount - u.credits) / 1e9 AS savings,
	NULLIF(h.model_name, '') AS consumption_model, u.cost + u.discount AS list_cost_n,
	u.discount - u.credits AS savings_n, u.discount AS discount_n,
	u.committed AS committed_n, p.account AS account
FROM (SELECT hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
		SUM(CASE WHEN credit_ref = 0 THEN usage END) AS usage,
		SUM(cost) AS cost, SUM(credits) AS credits,
		SUM(discount) AS discount, SUM(committed) AS committed,
		SUM(CASE WHEN credit_ref = 1 THEN credits ELSE 0 END) AS promo
	FROM usage
	GROUP BY hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref) u
	JOIN calendar x ON x.day >= u.hour / 86400 - 1 AND x.day <= u.hour / 86400 + 1
		AND u.hour >= x.starts AND u.hour < x.ends
	JOIN charge h ON h.charge_ref = u.charge_ref
	JOIN sku s ON s.sku_ref = u.sku_ref
	JOIN billed_project p ON p.project_ref = u.project_ref
	JOIN place l ON l.place_ref = u.place_ref
	JOIN billed_resource r ON r.resource_ref = u.resource_ref
	LEFT JOIN account_known n ON n.account = p.account AND n.day = x.day
	LEFT JOIN sku_category k ON k.sku_ref = u.sku_ref
	CROSS JOIN as_of a

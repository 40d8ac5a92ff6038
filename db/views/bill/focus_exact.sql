-- internal: lines of the bill by hour of usage, for FOCUS: with the columns of costs, and the credits of
-- each line as JSON: [[type, nano-units as text], ...]. Filter by a range of hour_n.
SELECT x.date AS day, h.invoice_month AS invoice_month, NULLIF(p.project, '') AS project,
	s.service AS service, s.sku AS sku, COALESCE(k.category, 'other') AS category,
	NULLIF(l.location, '') AS location, NULLIF(l.zone, '') AS zone,
	NULLIF(r.resource, '') AS resource, r.owner AS owner, NULLIF(r.labels, '') AS labels,
	u.cost / 1e9 AS cost, u.credits / 1e9 AS credits, (u.cost + u.credits) / 1e9 AS net,
	u.promo / 1e9 AS promo, h.currency AS currency, u.usage / 1e9 AS usage,
	NULLIF(h.usage_unit, '') AS usage_unit,
	@STATUS(x.ends, n.until)@ AS status,
	s.sku_id AS sku_id, s.service_id AS service_id, NULLIF(l.region, '') AS region,
	h.cost_type AS cost_type, (u.cost + u.discount) / 1e9 AS list_cost,
	(u.discount - u.credits) / 1e9 AS savings, NULLIF(h.model_name, '') AS consumption_model,
	h.model AS model, NULLIF(h.rate, 0) AS rate, p.account AS account, p.number AS number,
	r.global_name AS global_name, u.hour AS hour_n, u.usage AS usage_n, u.cost AS cost_n,
	u.discount AS discount_n, u.committed AS committed_n, u.credit_list AS credit_list
FROM (SELECT b.hour, b.table_id, b.unit, b.sku_ref, b.project_ref, b.place_ref, b.resource_ref,
		b.charge_ref, SUM(CASE WHEN b.credit_ref = 0 THEN b.usage END) AS usage,
		SUM(b.cost) AS cost, SUM(b.credits) AS credits, SUM(b.discount) AS discount,
		SUM(b.committed) AS committed,
		SUM(CASE WHEN b.credit_ref = 1 THEN b.credits ELSE 0 END) AS promo,
		json_group_array(json_array(t.type, CAST(b.credits AS TEXT)))
			FILTER (WHERE b.credit_ref <> 0 AND b.credits <> 0) AS credit_list
	FROM usage b CROSS JOIN credit_type t ON t.credit_ref = b.credit_ref
	GROUP BY b.hour, b.table_id, b.unit, b.sku_ref, b.project_ref, b.place_ref,
		b.resource_ref, b.charge_ref) u
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

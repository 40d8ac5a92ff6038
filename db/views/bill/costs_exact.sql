-- internal: costs with its amounts also as integer nano-units, so that sums stay exact. Each name
-- is read by its own subquery, so that a sum reads only the names that it uses.
SELECT c.date AS day, h.invoice_month AS invoice_month,
	(SELECT NULLIF(p.project, '') FROM billed_project p
		WHERE p.project_ref = d.project_ref) AS project,
	(SELECT s.service FROM sku s WHERE s.sku_ref = d.sku_ref) AS service,
	(SELECT s.sku FROM sku s WHERE s.sku_ref = d.sku_ref) AS sku,
	COALESCE((SELECT k.category FROM sku_category k WHERE k.sku_ref = d.sku_ref), 'other')
		AS category,
	(SELECT NULLIF(l.location, '') FROM place l WHERE l.place_ref = d.place_ref) AS location,
	(SELECT NULLIF(l.zone, '') FROM place l WHERE l.place_ref = d.place_ref) AS zone,
	(SELECT NULLIF(r.resource, '') FROM billed_resource r
		WHERE r.resource_ref = d.resource_ref) AS resource,
	(SELECT r.owner FROM billed_resource r WHERE r.resource_ref = d.resource_ref) AS owner,
	(SELECT NULLIF(r.labels, '') FROM billed_resource r
		WHERE r.resource_ref = d.resource_ref) AS labels,
	d.cost / 1e9 AS cost, d.credits / 1e9 AS credits, (d.cost + d.credits) / 1e9 AS net,
	d.promo / 1e9 AS promo, h.currency AS currency, d.usage / 1e9 AS usage,
	NULLIF(h.usage_unit, '') AS usage_unit,
	(SELECT @STATUS(c.ends, n.until)@
		FROM as_of a CROSS JOIN billed_project p
			LEFT JOIN account_known n ON n.account = p.account AND n.day = d.day
		WHERE p.project_ref = d.project_ref) AS status,
	(SELECT s.sku_id FROM sku s WHERE s.sku_ref = d.sku_ref) AS sku_id,
	(SELECT s.service_id FROM sku s WHERE s.sku_ref = d.sku_ref) AS service_id,
	(SELECT NULLIF(l.region, '') FROM place l WHERE l.place_ref = d.place_ref) AS region,
	h.cost_type AS cost_type, d.cost AS cost_n, d.credits AS credits_n,
	d.promo AS promo_n, d.usage AS usage_n, NULLIF(h.rate, 0) AS rate, d.day AS day_n,
	d.project_ref, d.charge_ref,
	(d.cost + d.discount) / 1e9 AS list_cost,
	(d.discount - d.credits) / 1e9 AS savings,
	NULLIF(h.model_name, '') AS consumption_model, d.cost + d.discount AS list_cost_n,
	d.discount - d.credits AS savings_n, d.discount AS discount_n,
	d.committed AS committed_n,
	(SELECT p.account FROM billed_project p WHERE p.project_ref = d.project_ref) AS account
FROM cost_day d
	JOIN calendar c ON c.day = d.day
	JOIN charge h ON h.charge_ref = d.charge_ref

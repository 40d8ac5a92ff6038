-- internal: costs_exact without places, resources and amounts of usage: far fewer rows, for sums
-- that do not need them.
SELECT c.date AS day, h.invoice_month AS invoice_month,
	(SELECT NULLIF(p.project, '') FROM billed_project p
		WHERE p.project_ref = d.project_ref) AS project,
	(SELECT s.service FROM sku s WHERE s.sku_ref = d.sku_ref) AS service,
	(SELECT s.sku FROM sku s WHERE s.sku_ref = d.sku_ref) AS sku,
	COALESCE((SELECT k.category FROM sku_category k WHERE k.sku_ref = d.sku_ref), 'other')
		AS category,
	d.cost / 1e9 AS cost, d.credits / 1e9 AS credits, (d.cost + d.credits) / 1e9 AS net,
	d.promo / 1e9 AS promo, h.currency AS currency,
	NULLIF(h.usage_unit, '') AS usage_unit,
	(SELECT @STATUS(c.ends, n.until)@
		FROM as_of a CROSS JOIN billed_project p
			LEFT JOIN account_known n ON n.account = p.account AND n.day = d.day
		WHERE p.project_ref = d.project_ref) AS status,
	(SELECT s.sku_id FROM sku s WHERE s.sku_ref = d.sku_ref) AS sku_id,
	(SELECT s.service_id FROM sku s WHERE s.sku_ref = d.sku_ref) AS service_id,
	h.cost_type AS cost_type, d.cost AS cost_n, d.credits AS credits_n,
	d.promo AS promo_n, NULLIF(h.rate, 0) AS rate, d.day AS day_n,
	d.project_ref, d.charge_ref,
	(d.cost + d.discount) / 1e9 AS list_cost,
	(d.discount - d.credits) / 1e9 AS savings,
	NULLIF(h.model_name, '') AS consumption_model, d.cost + d.discount AS list_cost_n,
	d.discount - d.credits AS savings_n, d.discount AS discount_n,
	d.committed AS committed_n,
	(SELECT p.account FROM billed_project p WHERE p.project_ref = d.project_ref) AS account
FROM project_day d
	JOIN calendar c ON c.day = d.day
	JOIN charge h ON h.charge_ref = d.charge_ref

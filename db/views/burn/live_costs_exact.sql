-- internal: running resources with the columns of costs, for one hour, so that a condition over
-- costs can be applied to them. Columns that only a bill has are NULL.
SELECT m.today AS day, NULL AS invoice_month, r.project AS project,
	CASE r.kind WHEN 'tpu' THEN 'Cloud TPU' WHEN 'queued' THEN 'Cloud TPU'
		WHEN 'bucket' THEN 'Cloud Storage' ELSE 'Compute Engine' END AS service,
	NULL AS sku, b.category AS category, COALESCE(r.region, r.location) AS location,
	r.zone AS zone, r.name AS resource, b.gross / 1e9 AS cost,
	(b.net - b.gross) / 1e9 AS credits, b.net / 1e9 AS net, 0 AS promo,
	b.currency AS currency, NULL AS usage, NULL AS usage_unit, 'partial' AS status,
	NULL AS sku_id,
	CASE r.kind WHEN 'tpu' THEN 'E000-3F24-B8AA' WHEN 'queued' THEN 'E000-3F24-B8AA'
		WHEN 'bucket' THEN '95FF-2EF5-5EA1' ELSE '6F81-5844-456A' END AS service_id,
	r.region AS region, 'regular' AS cost_type, r.id AS id, b.gross AS gross_n,
	b.net AS net_n, COALESCE(v.running_since, r.created) AS since_n,
	CASE WHEN a.id IS NULL THEN 0 ELSE 1 END AS advised
FROM burn_part b JOIN resource r ON r.id = b.id CROSS JOIN as_of m
	LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN advised_stop a ON a.id = r.id

-- internal: costs of running resources, and of what ran recently, with the columns of costs, for one
-- hour, so that a condition over costs can be applied to them. Columns that only a bill has are NULL.
-- The account is that of the project now, or else that of its newest day on the bill.
SELECT m.today AS day, NULL AS invoice_month, c.project AS project,
	CASE c.kind WHEN 'tpu' THEN 'Cloud TPU' WHEN 'queued' THEN 'Cloud TPU'
		WHEN 'bucket' THEN 'Cloud Storage' ELSE 'Compute Engine' END AS service,
	NULL AS sku, c.category AS category, COALESCE(c.region, c.location) AS location,
	c.zone AS zone, c.name AS resource, c.gross / 1e9 AS cost,
	(c.net - c.gross) / 1e9 AS credits, c.net / 1e9 AS net, 0 AS promo,
	c.currency AS currency, NULL AS usage, NULL AS usage_unit, 'partial' AS status,
	NULL AS sku_id,
	CASE c.kind WHEN 'tpu' THEN 'E000-3F24-B8AA' WHEN 'queued' THEN 'E000-3F24-B8AA'
		WHEN 'bucket' THEN '95FF-2EF5-5EA1' ELSE '6F81-5844-456A' END AS service_id,
	c.region AS region, 'regular' AS cost_type, c.id AS id, c.kind AS kind,
	c.gross AS gross_n, c.net AS net_n, c.starts AS starts_n, c.ends AS ends_n, c.begins AS begins_n,
	c.billed AS billed_n,
	c.advised,
	@LATEST(owner, c.id)@ AS owner, @LATEST(labels, c.id)@ AS labels,
	c.gross / 1e9 AS list_cost, (c.gross - c.net) / 1e9 AS savings, 'Default' AS consumption_model,
	COALESCE((SELECT NULLIF(b.account, '') FROM project_billing b WHERE b.project = c.project),
		(SELECT p.account FROM billed_project p WHERE p.project = c.project AND p.account <> ''
			ORDER BY (SELECT MAX(d.day) FROM project_day d
				WHERE d.project_ref = p.project_ref) DESC LIMIT 1)) AS account
FROM charge_part c CROSS JOIN as_of m LEFT JOIN resource r ON r.id = c.id

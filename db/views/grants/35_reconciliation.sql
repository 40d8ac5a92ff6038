-- TPUs as seen against TPUs as billed.
SELECT r.day AS day, r.project AS project, r.family AS family, r.location AS location,
	r.provisioning AS provisioning, ROUND(r.covered / 3600.0, 4) AS covered_chip_hours,
	ROUND(r.uncovered / 3600.0, 4) AS uncovered_chip_hours, r.why AS why,
	ROUND(r.billed / 1e9, 4) AS billed_chip_hours, r.cost / 1e9 AS cost,
	r.credits / 1e9 AS credits, r.promo / 1e9 AS promo,
	(r.cost + r.credits) / 1e9 AS net, r.currency AS currency, r.status AS status,
	r.verdict AS verdict, r.text AS why_text, r.sku AS sku, r.skus AS skus
FROM reconcile_part r

-- What each resource has cost lately at today's list prices, whether it still exists or not; one
-- row per resource, category and currency.
SELECT h.id AS id, h.kind AS kind, h.project AS project, h.category AS category,
	CASE WHEN r.id IS NULL THEN h.owner ELSE r.owner END AS owner,
	CASE WHEN r.id IS NULL THEN h.labels ELSE r.labels END AS labels,
	CASE WHEN r.id IS NULL THEN 0 ELSE 1 END AS is_there,
	h.gross_24h / 1e9 AS gross_24h, h.net_24h / 1e9 AS net_24h,
	h.gross_7d / 1e9 AS gross_7d, h.net_7d / 1e9 AS net_7d, h.currency AS currency,
	ROUND(h.unpriced_7d / 3600.0, 2) AS unpriced_hours, k.known_hours AS known_hours
FROM burned_part h LEFT JOIN resource r ON r.id = h.id AND r.uid = h.uid
	LEFT JOIN burn_known k ON k.project = h.project AND k.category = h.category

-- internal: current burn and recent cost of each resource, with amounts as integer nano-units, so
-- that sums stay exact. It has current rows and past rows; is_there counts the current ones.
SELECT x.*, k.known_hours AS known_hours
FROM (SELECT b.id AS resource, r.kind AS kind, r.project AS project, b.category AS category,
		r.owner AS owner, r.labels AS labels, b.currency AS currency, 1 AS is_there,
		b.gross AS gross_n, b.net AS net_n, 0 AS gross_24h_n, 0 AS net_24h_n,
		0 AS gross_7d_n, 0 AS net_7d_n, 0 AS unpriced_24h, 0 AS unpriced_7d
	FROM burn_part b JOIN resource r ON r.id = b.id
	UNION ALL
	SELECT h.id, h.kind, h.project, h.category,
		CASE WHEN r.id IS NULL THEN h.owner ELSE r.owner END,
		CASE WHEN r.id IS NULL THEN h.labels ELSE r.labels END, h.currency, 0, 0, 0,
		h.gross_24h, h.net_24h, h.gross_7d, h.net_7d, h.unpriced_24h, h.unpriced_7d
	FROM burned_part h LEFT JOIN resource r ON r.id = h.id AND r.uid = h.uid) x
	LEFT JOIN burn_known k ON k.project = x.project AND k.category = x.category

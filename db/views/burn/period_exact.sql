-- internal: cost of all resources in the requested period, with amounts as integer nano-units, so
-- that sums stay exact.
SELECT p.id AS resource, p.uid AS uid, t.kind AS kind, t.project AS project,
	p.category AS category, CASE WHEN r.id IS NULL THEN t.owner ELSE r.owner END AS owner,
	CASE WHEN r.id IS NULL THEN t.labels ELSE r.labels END AS labels,
	p.currency AS currency, p.gross AS gross_n, p.net AS net_n, p.unpriced AS unpriced_n,
	k.known_hours AS known_hours
FROM window_part p JOIN window_thing t ON t.id = p.id AND t.uid = p.uid
	LEFT JOIN resource r ON r.id = p.id AND r.uid = p.uid
	LEFT JOIN period_known k ON k.project = t.project
		AND k.source = COALESCE(r.source, (SELECT MAX(s.source) FROM resource_trait s
			WHERE s.id = t.id AND s.uid = t.uid), t.kind)

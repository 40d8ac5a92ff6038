-- What there was at some time of the asked period, gone or not, and what it cost then at today's
-- list prices. Empty where no period is asked for.
SELECT t.id AS id, t.uid AS uid, t.kind AS kind, t.project AS project, t.location AS location,
	t.name AS name, t.state AS state, t.type AS type, t.family AS family,
	t.provisioning AS provisioning, t.chips AS chips, t.vcpus AS vcpus,
	t.size_gib AS size_gib, CASE WHEN r.id IS NULL THEN t.owner ELSE r.owner END AS owner,
	CASE WHEN r.id IS NULL THEN t.labels ELSE r.labels END AS labels,
	@RFC3339(t.starts)@ AS seen_from, @RFC3339(t.ends)@ AS seen_until,
	CASE WHEN r.id IS NULL THEN 0 ELSE 1 END AS is_there,
	ROUND(t.seconds / 3600.0, 2) AS hours, ROUND(t.running / 3600.0, 2) AS running_hours,
	CASE WHEN p.n IS NULL THEN 0.0 WHEN p.n = 1 AND p.unpriced = 0 AND p.lost = 0
		THEN p.gross / 1e9 END AS gross,
	CASE WHEN p.n IS NULL THEN 0.0 WHEN p.n = 1 AND p.unpriced = 0 AND p.lost = 0
		THEN p.net / 1e9 END AS net,
	CASE WHEN p.n IS NULL THEN COALESCE((SELECT MAX(x.currency) FROM window_part x),
			a.currency)
		WHEN p.n = 1 THEN p.currency END AS currency,
	ROUND(COALESCE(p.unpriced, 0) / 3600.0, 2) AS unpriced_hours,
	k.known_hours AS known_hours
FROM window_thing t CROSS JOIN as_of a LEFT JOIN resource r ON r.id = t.id AND r.uid = t.uid
	LEFT JOIN (SELECT id, uid, COUNT(DISTINCT currency) AS n, MAX(currency) AS currency,
			SUM(gross) AS gross, SUM(net) AS net,
			SUM(unpriced) AS unpriced,
			SUM(CASE WHEN currency IS NOT NULL AND (gross IS NULL OR net IS NULL)
				THEN 1 ELSE 0 END) AS lost
		FROM window_part GROUP BY id, uid) p ON p.id = t.id AND p.uid = t.uid
	LEFT JOIN period_known k ON k.project = t.project
		AND k.source = COALESCE(r.source, (SELECT MAX(s.source) FROM resource_trait s
			WHERE s.id = t.id AND s.uid = t.uid), t.kind)

-- What runs now, per hour and day, by project and category, and what that has cost lately. A
-- row without currency counts resources whose price is not known; of a machine each part
-- counts whose price is.
SELECT b.project AS project, b.category AS category, b.gross / 1e9 AS gross_per_hour,
	b.net / 1e9 AS net_per_hour,
	CASE WHEN b.gross < 384000000000000000 THEN b.gross * 24 / 1e9 END AS gross_per_day,
	CASE WHEN b.net < 384000000000000000 THEN b.net * 24 / 1e9 END AS net_per_day,
	b.resources AS resources, b.currency AS currency,
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_24h, 0) = 0
		THEN COALESCE(h.gross_24h, 0) / 1e9 END AS gross_24h,
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_24h, 0) = 0
		THEN COALESCE(h.net_24h, 0) / 1e9 END AS net_24h,
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_7d, 0) = 0
		THEN COALESCE(h.gross_7d, 0) / 1e9 END AS gross_7d,
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_7d, 0) = 0
		THEN COALESCE(h.net_7d, 0) / 1e9 END AS net_7d,
	k.known_hours AS known_hours
FROM (SELECT r.project AS project, p.category AS category, p.currency AS currency,
		SUM(p.gross) AS gross,
		CASE WHEN COUNT(p.net) = COUNT(*) THEN SUM(p.net) END AS net,
		COUNT(*) AS resources
	FROM burn_part p JOIN resource r ON r.id = p.id
	GROUP BY r.project, p.category, p.currency) b
	LEFT JOIN (SELECT project, category, currency,
			SUM(gross_24h) AS gross_24h,
			SUM(net_24h) AS net_24h,
			SUM(gross_7d) AS gross_7d,
			SUM(net_7d) AS net_7d
		FROM burned_part WHERE currency IS NOT NULL
		GROUP BY project, category, currency) h
		ON h.project = b.project AND h.category = b.category AND h.currency = b.currency
	LEFT JOIN (SELECT project, category, SUM(unpriced_24h) AS unpriced_24h,
			SUM(unpriced_7d) AS unpriced_7d
		FROM burned_part GROUP BY project, category) u
		ON u.project = b.project AND u.category = b.category
	LEFT JOIN burn_known k ON k.project = b.project AND k.category = b.category

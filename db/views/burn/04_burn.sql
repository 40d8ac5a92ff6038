-- current cost of the running resources, per hour and day, and recent cost
--
-- A row without currency counts resources with an unknown price; of a machine, each part with an
-- unknown price counts.
SELECT
	b.project, -- text: project id
	b.category, -- text: tpu cpu gpu disk snapshot ip network storage other
	b.gross AS gross_per_hour, -- money: list price of the running resources
	b.net AS net_per_hour, -- money: minus what grants cover
	CASE WHEN b.gross < 384000000000000000 THEN b.gross * 24 END AS gross_per_day, -- money: 24 times that
	CASE WHEN b.net < 384000000000000000 THEN b.net * 24 END AS net_per_day, -- money: 24 times that
	b.resources, -- int: number of resources
	b.currency, -- text: NULL: the price is unknown
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_24h, 0) = 0
		THEN COALESCE(h.gross_24h, 0) END AS gross_24h, -- money: list price of the
		-- resources that ran in the last 24 h, existing or deleted; NULL when a part is
		-- unknown
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_24h, 0) = 0
		THEN COALESCE(h.net_24h, 0) END AS net_24h, -- money: minus what grants covered
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_7d, 0) = 0
		THEN COALESCE(h.gross_7d, 0) END AS gross_7d, -- money: gross of the last 7 days
	CASE WHEN b.currency IS NOT NULL AND COALESCE(u.unpriced_7d, 0) = 0
		THEN COALESCE(h.net_7d, 0) END AS net_7d, -- money: net of the last 7 days
	k.known_hours -- decimal: hours of the last 168 for which the inventory is known; resources
		-- that were created and deleted outside them are in no figure
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
		FROM burned_part
		GROUP BY project, category, currency) h
		ON h.project = b.project AND h.category = b.category AND h.currency = b.currency
	LEFT JOIN (SELECT project, category, MAX(unpriced_24h) AS unpriced_24h,
			MAX(unpriced_7d) AS unpriced_7d
		FROM burned_part WHERE unpriced_24h <> 0 OR unpriced_7d <> 0
		GROUP BY project, category) u
		ON u.project = b.project AND u.category = b.category
	LEFT JOIN burn_known k ON k.project = b.project AND k.category = b.category

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
	b.resources, -- int: number of resources that exist now; 0: the row has only a recent cost
	b.currency, -- text: NULL: the price is unknown
	CASE WHEN b.currency IS NOT NULL AND b.unpriced_24h = 0 THEN b.gross_24h END AS gross_24h, -- money: list
		-- price of the resources that ran in the last 24 h, existing or deleted; NULL when a
		-- part is unknown
	CASE WHEN b.currency IS NOT NULL AND b.unpriced_24h = 0 THEN b.net_24h END AS net_24h, -- money: minus
		-- what grants covered
	CASE WHEN b.currency IS NOT NULL AND b.unpriced_7d = 0 THEN b.gross_7d END AS gross_7d, -- money: gross of
		-- the last 7 days
	CASE WHEN b.currency IS NOT NULL AND b.unpriced_7d = 0 THEN b.net_7d END AS net_7d, -- money: net of the
		-- last 7 days
	b.known_hours -- decimal: hours of the last 168 for which the inventory is known; resources
		-- that were created and deleted outside them are in no figure
FROM (SELECT project, category, currency,
		CASE WHEN currency IS NOT NULL THEN SUM(gross_n) END AS gross,
		CASE WHEN COUNT(net_n) = COUNT(*) AND (currency IS NOT NULL OR SUM(is_there) > 0)
			THEN SUM(net_n) END AS net,
		SUM(is_there) AS resources,
		SUM(gross_24h_n) AS gross_24h,
		SUM(net_24h_n) AS net_24h,
		SUM(gross_7d_n) AS gross_7d,
		SUM(net_7d_n) AS net_7d,
		SUM(SUM(unpriced_24h)) OVER (PARTITION BY project, category) AS unpriced_24h,
		SUM(SUM(unpriced_7d)) OVER (PARTITION BY project, category) AS unpriced_7d,
		MAX(known_hours) AS known_hours
	FROM burn_exact
	GROUP BY project, category, currency) b

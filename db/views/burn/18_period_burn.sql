-- cost of all resources in the requested period (--since, --until) at today's list prices; empty
-- without one
--
-- A row without currency has the hours without a known price.
SELECT
	x.project, -- text: project id
	x.category, -- text: tpu cpu gpu disk snapshot ip
	CASE WHEN COUNT(x.gross_n) = COUNT(*) THEN SUM(x.gross_n) END AS gross, -- money: resources
		-- of the period at today's list price (estimate)
	CASE WHEN COUNT(x.net_n) = COUNT(*) THEN SUM(x.net_n) END AS net, -- money: gross minus what grants cover
	COUNT(DISTINCT x.resource || ' ' || x.uid) AS resources, -- int: number of resources,
		-- existing or deleted
	x.currency, -- text: currency of the amounts; NULL: hours without a price
	ROUND(SUM(x.unpriced_n) / 3600.0, 2) AS unpriced_hours, -- decimal: hours of all those
		-- resources
	CASE WHEN COUNT(x.known_hours) = COUNT(*) THEN MIN(x.known_hours) END AS known_hours -- decimal:
		-- as in period_resources
FROM period_exact x
GROUP BY x.project, x.category, x.currency

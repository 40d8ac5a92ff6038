-- what everything cost in the asked period (--since, --until) at today's list prices; empty where
-- none is asked for
--
-- A row without currency is of time without a known price.
SELECT
	x.project, -- text: project id
	x.category, -- text: tpu cpu gpu disk snapshot ip
	CASE WHEN COUNT(x.gross_n) = COUNT(*) THEN SUM(x.gross_n) END AS gross, -- money: what there was in the period, at today's list price
		-- (estimate)
	CASE WHEN COUNT(x.net_n) = COUNT(*) THEN SUM(x.net_n) END AS net, -- money: gross minus what grants cover
	COUNT(DISTINCT x.resource || ' ' || x.uid) AS resources, -- int: how many, gone or not
	x.currency, -- text: of the amounts; NULL: time without a price
	ROUND(SUM(x.unpriced_n) / 3600.0, 2) AS unpriced_hours, -- decimal: how much time that is, of all of
		-- them together
	CASE WHEN COUNT(x.known_hours) = COUNT(*) THEN MIN(x.known_hours) END AS known_hours -- decimal:
		-- for how much of the period it is known what there was: while it was polled
		-- without a pause; what was before is not in the figures. NULL: never read
		-- completely
FROM period_exact x
GROUP BY x.project, x.category, x.currency

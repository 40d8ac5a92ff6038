-- What everything cost in the asked period at today's list prices, by project and category. A row
-- without currency is of time without a known price. Empty where no period is asked for.
SELECT x.project AS project, x.category AS category,
	CASE WHEN x.currency IS NOT NULL AND COUNT(x.gross_n) = COUNT(*)
		THEN SUM(x.gross_n) / 1e9 END AS gross,
	CASE WHEN x.currency IS NOT NULL AND COUNT(x.net_n) = COUNT(*)
		THEN SUM(x.net_n) / 1e9 END AS net,
	COUNT(DISTINCT x.resource || ' ' || x.uid) AS resources, x.currency AS currency,
	ROUND(SUM(x.unpriced_n) / 3600.0, 2) AS unpriced_hours,
	CASE WHEN COUNT(x.known_hours) = COUNT(*) THEN MIN(x.known_hours) END AS known_hours
FROM period_exact x
GROUP BY x.project, x.category, x.currency

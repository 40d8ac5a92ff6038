-- The asked period by grant and reason. What has no price, or no size, is not added up as if
-- it were nothing: it has a row without currency, and a sum with a gap in it is NULL.
SELECT c.grant_name AS grant_name, c.why AS why, c.covered AS covered,
	COUNT(DISTINCT c.id) AS tpus,
	CASE WHEN COUNT(c.chip_seconds) = COUNT(*)
		THEN ROUND(SUM(c.chip_seconds) / 3600.0, 4) END AS chip_hours,
	SUM(c.gross) / 1e9 AS gross, SUM(c.net) / 1e9 AS net,
	(SUM(c.gross) - SUM(c.net)) / 1e9 AS saved, c.currency AS currency
FROM coverage_part c
GROUP BY c.grant_name, c.why, c.covered, c.currency

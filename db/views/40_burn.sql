-- What runs now, per hour and day, by project and category. A row without currency counts
-- resources whose price is not known; of a machine each part counts whose price is.
SELECT r.project AS project, b.category AS category,
	CAST(SUM(b.gross) AS BIGINT) / 1e9 AS gross_per_hour,
	CAST(SUM(b.net) AS BIGINT) / 1e9 AS net_per_hour,
	CASE WHEN SUM(b.gross) < 384000000000000000
		THEN CAST(SUM(b.gross) * 24 AS BIGINT) / 1e9 END AS gross_per_day,
	CASE WHEN SUM(b.net) < 384000000000000000
		THEN CAST(SUM(b.net) * 24 AS BIGINT) / 1e9 END AS net_per_day,
	COUNT(*) AS resources, b.currency AS currency
FROM burn_part b JOIN resource r ON r.id = b.id
GROUP BY r.project, b.category, b.currency

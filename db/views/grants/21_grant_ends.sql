-- Grants that run, or ended in the last two days, and what becomes paid at their end.
SELECT g.name AS name, @RFC3339(g.until)@ AS until,
	ROUND((g.until - a.now) / 3600.0, 2) AS hours_left,
	CASE WHEN g.until <= a.now THEN 5 WHEN g.until - a.now <= 7200 THEN 4
		WHEN g.until - a.now <= 86400 THEN 3 WHEN g.until - a.now <= 259200 THEN 2
		WHEN g.until - a.now <= 604800 THEN 1 END AS stage,
	g.chips_used AS chips_used, g.becomes_paid AS becomes_paid, g.resources AS resources,
	g.per_hour / 1e9 AS per_hour, g.per_hour * 24 / 1e9 AS per_day,
	g.currency AS currency, g.renewed_by AS renewed_by
FROM grant_end g CROSS JOIN as_of a

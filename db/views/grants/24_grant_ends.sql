-- grants that run, or ended in the last two days, and what becomes paid
SELECT
	g.name, -- text: name of the grant
	g.until, -- time: first instant that is not covered any more
	ROUND((g.until - a.now) / 3600.0, 2) AS hours_left, -- decimal: hours until then, negative when it is
		-- over
	CASE WHEN g.until <= a.now THEN 5 WHEN g.until - a.now <= 7200 THEN 4
		WHEN g.until - a.now <= 86400 THEN 3 WHEN g.until - a.now <= 259200 THEN 2
		WHEN g.until - a.now <= 604800 THEN 1 END AS stage, -- int: 1: 7 days or less, 2: 3 days, 3: 1
		-- day, 4: 2 hours, 5: ended; NULL: longer
	g.chips_used, -- int: chips it covers just before its end, of what runs now
	g.becomes_paid, -- int: how many TPUs nothing covers then
	g.resources, -- text: their ids
	g.per_hour, -- money: list price of those TPUs together; NULL when not known
	g.per_hour * 24 AS per_day, -- money: 24 times that
	g.currency, -- text: of the two prices
	g.renewed_by -- text: the grant that extends it and joins on without a gap
FROM grant_end g CROSS JOIN as_of a

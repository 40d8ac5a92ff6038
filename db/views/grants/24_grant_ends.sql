-- active grants, grants that ended in the last two days, and the costs that begin at their end
SELECT
	g.name, -- text: name of the grant
	g.until, -- time: first instant after the grant
	ROUND((g.until - a.now) / 3600.0, 2) AS hours_left, -- decimal: hours until then, negative
		-- after it
	CASE WHEN g.until <= a.now THEN 5 WHEN g.until - a.now <= 7200 THEN 4
		WHEN g.until - a.now <= 86400 THEN 3 WHEN g.until - a.now <= 259200 THEN 2
		WHEN g.until - a.now <= 604800 THEN 1 END AS stage, -- int: 1: 7 days or less, 2: 3 days, 3: 1
		-- day, 4: 2 hours, 5: ended; NULL: longer
	g.chips_used, -- int: chips of the running TPUs that it covers just before its
		-- end; NULL: unknown
	g.becomes_paid, -- int: number of TPUs that are not covered after that
	g.paid_text, -- text: the same in words, with their price
	g.resources, -- text: their ids
	g.per_hour, -- money: list price of all those TPUs; NULL when unknown
	g.per_hour * 24 AS per_day, -- money: 24 times that
	g.currency, -- text: currency of the two prices
	g.renewed_by -- text: the grant that extends it without a gap
FROM grant_end g CROSS JOIN as_of a

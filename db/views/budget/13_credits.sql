-- promotional and trial credits
SELECT
	c.name, -- text: name of the credit
	c.amount, -- money: total amount
	c.used, -- money: promotion credits on the bill since it began
	c.amount - c.used AS "left", -- money: amount minus used; negative: the bill used more; only that of
		-- valid credits can be spent now
	c.currency, -- text: currency of the amounts
	c.expires, -- time: when the remaining credit expires
	c.runs_out, -- time: when left minus unbilled is used up at the net run rate, plus the full price of
		-- covered TPUs from the end of their grant on (estimate)
	c.safe_per_day, -- money: left minus unbilled, over the days until it expires, from its beginning if
		-- that is later than now; where unbilled is NULL, an upper limit
	ROUND((CASE WHEN c.runs_out < c.expires OR c.expires IS NULL THEN c.runs_out
		ELSE c.expires END - a.now) / 86400.0, 2) AS days_left, -- decimal:
		-- days until it is used up or expires
	c.starts, -- time: first instant; NULL: always valid
	c.unbilled, -- money: net cost of what ran since the newest usage of its project and
		-- service on the bill, at most 14 days (estimate); NULL: unknown
	c.ends_text, -- text: when it begins if that is later, is used up or expires; when the bill begins
	c.billed_from, -- time: beginning of the bill, if it is after that of the credit: used is at least
		-- its figure, left at most; NULL: all of its time is on the bill
	CASE WHEN c.expires <= a.now THEN 'expired' WHEN c.starts > a.now THEN 'not-started'
		WHEN c.used >= c.amount THEN 'used-up' ELSE 'valid' END AS state -- text: valid not-started
		-- used-up expired
FROM credit_state c CROSS JOIN as_of a

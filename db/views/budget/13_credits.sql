-- coupons and trial credit
SELECT
	c.name, -- text: name of the coupon or credit
	c.amount, -- money: its worth
	c.used, -- money: promotion credits on the bill since it began
	c.amount - c.used AS "left", -- money: amount minus used
	c.currency, -- text: of the amounts
	c.expires, -- time: when it ends whatever is left
	c.runs_out, -- time: when left minus unbilled is used up at the present burn (estimate)
	c.safe_per_day, -- money: left minus unbilled, over the days until it expires
	ROUND((CASE WHEN c.runs_out < c.expires OR c.expires IS NULL THEN c.runs_out
		ELSE c.expires END - a.now) / 86400.0, 2) AS days_left, -- decimal:
		-- days until it is used up or expires
	c.starts, -- time: first instant; NULL: it always was
	c.unbilled -- money: live net burn since the newest usage on the bill, 72 hours at most
		-- (estimate); NULL: not known
FROM credit_state c CROSS JOIN as_of a

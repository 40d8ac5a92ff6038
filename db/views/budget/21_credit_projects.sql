-- what each project used of coupons and trial credit
SELECT
	c.name, -- text: name of the coupon or credit
	NULLIF(p.project, '') AS project, -- text: project id; NULL: the billing account itself
	p.used, -- money: promotion credits of this project on the bill; NULL: of coupons that ran at a
		-- time, nobody knows which one paid for whom
	CASE WHEN c.used <> 0 THEN ROUND(100.0 * p.used / c.used, 2) END AS share_percent, -- decimal:
		-- of what all projects used together
	c.amount, -- money: worth of the whole coupon
	c.currency, -- text: of the amounts
	c.starts, -- time: first instant; NULL: it always was
	c.expires -- time: when it ends whatever is left
FROM credit_project p JOIN credit_state c ON c.name = p.name

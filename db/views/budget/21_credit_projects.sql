-- promotional and trial credits used by each project
SELECT
	c.name, -- text: name of the credit
	NULLIF(p.project, '') AS project, -- text: project id; NULL: the billing account itself
	p.used, -- money: promotion credits of this project on the bill; NULL: several credits
		-- overlap in time, so the shares are unknown
	CASE WHEN c.used <> 0 THEN ROUND(100.0 * p.used / c.used, 2) END AS share_percent, -- decimal:
		-- percentage of the use of all projects
	c.amount, -- money: total amount of the credit
	c.currency, -- text: currency of the amounts
	c.starts, -- time: first instant; NULL: always valid
	c.expires -- time: when the remaining credit expires
FROM credit_project p JOIN credit_state c ON c.name = p.name

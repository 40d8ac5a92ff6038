-- What each project used of coupons and trial credit.
SELECT c.name AS name, NULLIF(p.project, '') AS project, p.used / 1e9 AS used,
	CASE WHEN c.used <> 0 THEN ROUND(100.0 * p.used / c.used, 2) END AS share_percent,
	c.amount / 1e9 AS amount, c.currency AS currency, @RFC3339(c.starts)@ AS starts,
	@RFC3339(c.expires)@ AS expires
FROM credit_project p JOIN credit_state c ON c.name = p.name

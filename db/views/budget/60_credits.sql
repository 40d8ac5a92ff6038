-- Coupons and trial credit: used is what the bill shows as promotion since they began.
SELECT c.name AS name, c.amount / 1e9 AS amount, c.used / 1e9 AS used,
	(c.amount - c.used) / 1e9 AS "left", c.currency AS currency,
	@RFC3339(c.expires)@ AS expires, @RFC3339(c.runs_out)@ AS runs_out,
	c.safe_per_day / 1e9 AS safe_per_day,
	ROUND((CASE WHEN c.runs_out < c.expires OR c.expires IS NULL THEN c.runs_out
		ELSE c.expires END - a.now) / 86400.0, 2) AS days_left, @RFC3339(c.starts)@ AS starts,
	c.unbilled / 1e9 AS unbilled
FROM credit_state c CROSS JOIN as_of a

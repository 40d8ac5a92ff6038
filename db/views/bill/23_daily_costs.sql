-- cost of each project by day, compared with the mean of the previous week
--
-- The mean is rounded half to even once. Integer arithmetic needs a formula for that.
SELECT
	m.date AS day, -- text: calendar day in the configured time zone
	m.project, -- text: NULL: charged to the account (tax, support)
	m.cost, -- money: before credits
	m.credits, -- money: zero or negative
	m.net, -- money: cost plus credits
	m.currency, -- text: currency of the billing account
	m.status, -- text: partial settling settled: finality of that day
	m.days AS days_7d, -- int: days of the previous 7 that have costs and are not partial
	m.mean AS mean_7d, -- money: mean of net of those days; NULL when fewer than 3
	m.peak AS peak_7d, -- money: highest net of those days
	CASE WHEN m.mean > 0 THEN ROUND(1.0 * m.net / m.mean, 4) END AS ratio -- decimal: net
		-- divided by that mean; NULL without a mean, or when it is not positive
FROM (SELECT q.date, q.project, q.cost, q.credits, q.net, q.currency, q.status, q.days, q.peak,
		CASE WHEN q.days >= 3 THEN q.total / q.days
			+ CASE WHEN 2 * ABS(q.total % q.days) > q.days
				OR (2 * ABS(q.total % q.days) = q.days
					AND (q.total / q.days) % 2 <> 0)
			THEN CASE WHEN q.total < 0 THEN -1 ELSE 1 END ELSE 0 END END AS mean
	FROM (SELECT s.date, s.project, s.cost, s.credits, s.net, s.currency, s.status,
			COUNT(s.final) OVER w AS days, MAX(s.final) OVER w AS peak,
			CAST(SUM(s.final) OVER w AS INTEGER) AS total
		FROM (SELECT b.day, b.date, b.project, b.currency, b.cost, b.credits,
				b.cost + b.credits AS net, b.status,
				CASE WHEN b.status <> 'partial' THEN b.cost + b.credits END
					AS final
			FROM (SELECT d.day, c.date, NULLIF(p.project, '') AS project,
					h.currency, SUM(d.cost) AS cost,
					SUM(d.credits) AS credits,
					@STATUS(c.ends, MIN(n.until))@ AS status
				FROM project_day d JOIN calendar c ON c.day = d.day
					JOIN billed_project p ON p.project_ref = d.project_ref
					JOIN charge h ON h.charge_ref = d.charge_ref
					LEFT JOIN account_known n ON n.account = p.account
						AND n.day = d.day
					CROSS JOIN as_of a
				GROUP BY d.day, c.date, c.ends, p.project, h.currency, a.now) b) s
		WINDOW w AS (PARTITION BY s.project, s.currency ORDER BY s.day
			RANGE BETWEEN 7 PRECEDING AND 1 PRECEDING)) q) m

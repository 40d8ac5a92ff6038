-- What each project cost day by day, beside the mean of the week before. The mean is rounded
-- half to even once, which integers need words for.
SELECT m.date AS day, m.project AS project, m.cost / 1e9 AS cost, m.credits / 1e9 AS credits,
	m.net / 1e9 AS net, m.currency AS currency, m.status AS status, m.days AS days_7d,
	m.mean / 1e9 AS mean_7d,
	CASE WHEN m.mean > 0 THEN ROUND(1.0 * m.net / m.mean, 4) END AS ratio
FROM (SELECT q.date, q.project, q.cost, q.credits, q.net, q.currency, q.status, q.days,
		CASE WHEN q.days >= 3 THEN q.total / q.days
			+ CASE WHEN 2 * ABS(q.total % q.days) > q.days
				OR (2 * ABS(q.total % q.days) = q.days
					AND (q.total / q.days) % 2 <> 0)
			THEN CASE WHEN q.total < 0 THEN -1 ELSE 1 END ELSE 0 END END AS mean
	FROM (SELECT s.date, s.project, s.cost, s.credits, s.net, s.currency, s.status,
			COUNT(s.final) OVER w AS days,
			CAST(SUM(s.final) OVER w AS INTEGER) AS total
		FROM (SELECT b.day, b.date, b.project, b.currency, b.cost, b.credits,
				b.cost + b.credits AS net, b.status,
				CASE WHEN b.status <> 'partial' THEN b.cost + b.credits END
					AS final
			FROM (SELECT d.day, c.date, NULLIF(p.project, '') AS project,
					h.currency, SUM(d.cost) AS cost,
					SUM(d.credits) AS credits,
					CASE WHEN a.now < c.ends + 86400
							OR MIN(n.until) < c.ends + 86400
							THEN 'partial'
						WHEN a.now < c.ends + 259200
							OR MIN(n.until) < c.ends + 259200
							THEN 'settling'
						ELSE 'settled' END AS status
				FROM project_day d JOIN calendar c ON c.day = d.day
					JOIN billed_project p ON p.project_ref = d.project_ref
					JOIN charge h ON h.charge_ref = d.charge_ref
					LEFT JOIN account_known n ON n.account = p.account
						AND n.day = d.day
					CROSS JOIN as_of a
				GROUP BY d.day, c.date, c.ends, p.project, h.currency, a.now) b) s
		WINDOW w AS (PARTITION BY s.project, s.currency ORDER BY s.day
			RANGE BETWEEN 7 PRECEDING AND 1 PRECEDING)) q) m

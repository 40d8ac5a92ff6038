-- What the bill says of budgets in the periods that the asked one has some of. Empty where none is
-- asked for.
SELECT b.name AS name, b.period AS period, @RFC3339(b.starts)@ AS starts,
	@RFC3339(b.ends)@ AS ends, b.amount / 1e9 AS amount, b.spent / 1e9 AS spent,
	ROUND(100.0 * b.spent / b.amount, 2) AS percent, b.currency AS currency,
	CASE WHEN b.spent IS NULL THEN NULL WHEN b.starts < b.since THEN 'partial'
		WHEN a.now < b.ends THEN 'running'
		WHEN b.known IS NULL OR a.now < b.ends + 86400 OR b.known < b.ends + 86400
			THEN 'partial'
		WHEN a.now < b.ends + 259200 OR b.known < b.ends + 259200 THEN 'settling'
		ELSE 'settled' END AS status,
	b.converted AS converted
FROM budget_past b CROSS JOIN as_of a

-- What a budget is made of: one row per project.
SELECT b.name AS name, NULLIF(b.project, '') AS project, b.spent / 1e9 AS spent,
	@RFC3339(b.billed_until)@ AS billed_until, @RFC3339(b.unbilled_from)@ AS unbilled_from,
	b.per_hour / 1e9 AS net_per_hour, b.unbilled / 1e9 AS unbilled, b.currency AS currency
FROM budget_part b

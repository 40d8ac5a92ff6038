-- terms of the budgets, by project
SELECT
	b.name, -- text: name of the budget
	NULLIF(b.project, '') AS project, -- text: project id; NULL: charged to the account
	b.spent, -- money: as in budgets, for this project
	b.billed_until, -- time: end of the newest usage on the bill; NULL: more than 14 days
		-- ago, or never
	b.unbilled_from, -- time: earliest time from which burn is estimated: each service has its own
	b.per_hour AS net_per_hour, -- money: net burn of what runs now, of what the budget includes
	b.unbilled, -- money: net cost of what ran since then
	b.currency -- text: currency of the amounts
FROM budget_part b

-- billed costs of budgets, for the budget periods that overlap the requested period (--since,
-- --until); empty without one
SELECT
	b.name, -- text: name of the budget
	b.period, -- text: month week day custom
	b.starts, -- time: first instant of the period
	b.ends, -- time: first instant after it
	b.amount, -- money: budget for the period
	b.spent, -- money: billed in it, as in budgets; NULL: no bill of that period was read
	@PERCENT_OF(b.spent, b.amount)@ AS percent, -- decimal: spent as a percentage of the amount, with one
		-- digit, rounded down
	b.currency, -- text: currency of the amounts
	CASE WHEN b.spent IS NULL THEN NULL WHEN b.starts < b.since THEN 'partial'
		WHEN a.now < b.ends THEN 'running'
		WHEN b.known IS NULL THEN 'partial'
		ELSE @STATUS(b.ends, b.known)@ END AS status, -- text: running: the period has not
		-- ended, and the bill of its last days is still to come; partial settling settled:
		-- finality of its last day; partial also if the bill of an account begins after the
		-- period did
	b.converted -- flag: 1: amounts were converted at rates on the bill
FROM budget_past b CROSS JOIN as_of a

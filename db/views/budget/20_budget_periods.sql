-- what the bill says of budgets, in periods that the asked one (--since, --until) has some of;
-- empty where none is asked for
SELECT
	b.name, -- text: name of the budget
	b.period, -- text: month week day custom
	b.starts, -- time: first instant of the period
	b.ends, -- time: first instant after it
	b.amount, -- money: what may be spent in it
	b.spent, -- money: billed in it, as in budgets; NULL: no bill of that time was read
	ROUND(100.0 * b.spent / b.amount, 2) AS percent, -- decimal: spent of the amount
	b.currency, -- text: of the amounts
	CASE WHEN b.spent IS NULL THEN NULL WHEN b.starts < b.since THEN 'partial'
		WHEN a.now < b.ends THEN 'running'
		WHEN b.known IS NULL THEN 'partial'
		ELSE @STATUS(b.ends, b.known)@ END AS status, -- text: running: it is not over, and the bill of its last days is
		-- to come; partial settling settled: how final its last day is; partial also where
		-- the bill begins within the period
	b.converted -- flag: 1: amounts were converted at the rate on the bill
FROM budget_past b CROSS JOIN as_of a

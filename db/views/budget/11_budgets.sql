-- budgets: what is spent of them, what will be, when they run out
SELECT
	b.name, -- text: name of the budget
	b.period, -- text: month week day custom
	b.starts, -- time: first instant of the present period
	b.ends, -- time: first instant after it
	b.amount, -- money: what may be spent in the period
	b.spent, -- money: billed in the period so far, net (count: gross: before credits); NULL: no
		-- bill was read
	b.unbilled, -- money: live net burn since the newest billed usage of each project, at most
		-- 72 hours (estimate)
	b.expected, -- money: spent plus unbilled
	b.forecast, -- money: expected plus the net burn of now until the end: nothing changes
		-- (estimate)
	ROUND(100.0 * b.expected / b.amount, 2) AS percent, -- decimal: expected of the amount
	ROUND(100.0 * b.forecast / b.amount, 2) AS forecast_percent, -- decimal: forecast of the amount
	b.currency, -- text: of the amounts
	b.runs_out, -- time: when expected plus burn reaches the amount, or did; NULL: not in this
		-- period
	b.reached, -- int: highest of alert_at that percent has reached
	b.forecast_reached, -- int: highest of forecast_at that forecast_percent has reached
	b.forecast_if_stopped, -- money: the forecast if what is advised to stop is
		-- stopped now: TPUs that no grant covers, idle machines
	b.runs_out_if_stopped, -- time: runs_out in that case
	b.forecast_low, -- money: the forecast, if estimates are as far too high as they were
		-- lately
	b.forecast_high, -- money: the same too low; NULL while something has no price
	b.safe_per_day, -- money: what may be spent per day from now: amount minus expected over
		-- the days left
	b.unpriced, -- int: running resources without a price that no grant covers: nothing counts
		-- for them
	b.converted, -- flag: 1: amounts were converted at the rate on the bill
	b.basis, -- text: what the figures rest on, in words
	b.condition -- text: over costs: which of them count; NULL: all
FROM budget_state b

-- budgets: amount spent, forecast, and time when they run out
SELECT
	b.name, -- text: name of the budget
	b.period, -- text: month week day custom
	b.starts, -- time: first instant of the current period
	b.ends, -- time: first instant after it
	b.amount, -- money: budget for the period
	b.spent, -- money: billed in the period so far, net (count: gross: before credits); NULL: no
		-- bill was read
	b.unbilled, -- money: net cost of what ran since the newest billed usage of each project
		-- and service, stopped or not, at most 14 days (estimate)
	b.expected, -- money: spent plus unbilled
	b.forecast, -- money: expected plus the current net burn until the end, if nothing changes
		-- (estimate)
	@PERCENT_OF(b.expected, b.amount)@ AS percent, -- decimal: expected as a percentage of the amount,
		-- with one digit, rounded down
	@PERCENT_OF(b.forecast, b.amount)@ AS forecast_percent, -- decimal: forecast as a percentage of the
		-- amount, rounded in the same way
	b.currency, -- text: currency of the amounts
	b.runs_out, -- time: when expected plus burn reaches the amount, or reached it; NULL: not in
		-- this period
	b.reached, -- int: highest of alert_at that percent has reached
	b.forecast_reached, -- int: highest of forecast_at that forecast_percent has reached
	b.forecast_if_stopped, -- money: the forecast if all recommended stops are made now:
		-- uncovered TPUs, idle machines
	b.runs_out_if_stopped, -- time: runs_out in that case
	b.forecast_low, -- money: lower forecast, if estimates are as much too high as recently
	b.forecast_high, -- money: upper forecast, if estimates are as much too low as recently;
		-- NULL while a resource has no price, and if the bill of an account begins after the
		-- period did
	b.safe_per_day, -- money: safe amount per day from now: amount minus expected over the
		-- remaining days
	b.unpriced, -- int: uncovered resources without a price that run, or ran since the bill:
		-- they are not included in the amounts
	b.converted, -- flag: 1: amounts were converted at rates on the bill
	b.basis, -- text: data that the figures are based on, in words
	b.condition -- text: condition over costs that selects the included costs; NULL: all
FROM budget_state b

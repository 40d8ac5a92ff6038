-- list-price estimates beside the bill, for the last 14 settled days
SELECT
	day, -- text: a settled day in the configured time zone
	estimate, -- money: list price of what was seen of machines, GPUs, TPUs no grant covers, disks,
		-- addresses and snapshots
	billed, -- money: the same on the bill: before credits, of TPUs what is left but for coupons
	currency, -- text: of the bill
	CASE WHEN billed > 0 THEN ROUND(100.0 * (estimate - billed) / billed, 2) END AS percent, -- decimal:
		-- how much the estimate is above the bill; NULL: nothing billed
	converted, -- flag: 1: some of it was converted from USD by the rate of the bill
	rate, -- nanos: units of currency in one USD
	left_out -- text: categories of which something has no known price: of neither side in those projects
FROM estimate_error

-- list-price estimates compared with the bill, for the last 14 settled days
SELECT
	day, -- text: a settled day in the configured time zone
	estimate, -- money: list price of observed machines, GPUs, uncovered TPUs, disks, addresses
		-- and snapshots
	billed, -- money: the same on the bill: before credits; for TPUs, the amount after all
		-- credits except promotional credits
	currency, -- text: currency of the bill
	CASE WHEN billed > 0 THEN ROUND(100.0 * (estimate - billed) / billed, 2) END AS percent, -- decimal:
		-- percentage by which the estimate exceeds the bill; NULL: nothing billed
	converted, -- flag: 1: a part was converted from USD at the rate of the bill
	rate, -- nanos: units of currency in one USD
	left_out -- text: categories in which a resource has no known price: excluded on both sides
		-- in those projects
FROM estimate_error

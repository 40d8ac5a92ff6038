-- TPUs as seen against TPUs as billed, in the last 35 days or the asked period
SELECT
	r.day, -- text: calendar day in the configured time zone
	r.project, -- text: project id
	r.family, -- text: v2 v3 v4 v5litepod v5p v6e; NULL: the SKU does not tell
	r.location, -- text: zone, or region where the bill has no more
	r.provisioning, -- text: on-demand or spot; reservations count as on-demand
	ROUND(r.covered / 3600.0, 4) AS covered_chip_hours, -- decimal: ran, and a grant covers it
	ROUND(r.uncovered / 3600.0, 4) AS uncovered_chip_hours, -- decimal: ran, and no grant covers it
	r.why, -- text: why most of those are not covered, as in resources
	ROUND(r.billed / 1e9, 4) AS billed_chip_hours, -- decimal: on the bill; NULL: nothing is, or in a unit
		-- that is not understood
	r.cost, -- money: on the bill, before credits
	r.credits, -- money: zero or negative
	r.promo, -- money: the part of credits that a coupon or trial paid
	r.cost + r.credits AS net, -- money: cost plus credits
	r.currency, -- text: of the bill
	r.status, -- text: partial settling settled: how final that day is
	r.verdict, -- text: ok billed-but-covered free-unexplained coupon not-in-bill not-seen
		-- not-final not-understood
	r.text AS why_text, -- text: the verdict as a sentence
	r.sku, -- text: the SKU that costs most there
	r.skus -- int: lines of the bill, one a SKU and unit
FROM reconcile_part r

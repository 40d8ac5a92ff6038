-- observed TPUs compared with billed TPUs, in the last 35 days or the requested period
SELECT
	r.day, -- text: calendar day in the configured time zone
	r.project, -- text: project id
	r.family, -- text: v2 v3 v4 v5litepod v5p v6e tpu7x; NULL: the SKU does not name it
	r.location, -- text: zone, or region if the bill has no zone
	r.provisioning, -- text: on-demand spot flex-start; reservations count as on-demand
	ROUND(r.covered / 3600.0, 4) AS covered_chip_hours, -- decimal: chip-hours that ran and were
		-- covered
	ROUND(r.uncovered / 3600.0, 4) AS uncovered_chip_hours, -- decimal: chip-hours that ran and
		-- were not covered
	r.why, -- text: why most of those are not covered, as in resources
	ROUND(r.billed / 1e9, 4) AS billed_chip_hours, -- decimal: chip-hours on the bill; NULL:
		-- none, or in an unknown unit
	r.cost, -- money: on the bill, before credits
	r.credits, -- money: zero or negative
	r.promo, -- money: the part of credits from promotional or trial credits
	r.cost + r.credits AS net, -- money: cost plus credits
	r.currency, -- text: currency of the bill
	r.status, -- text: partial settling settled: finality of that day
	r.verdict, -- text: ok billed-but-covered free-unexplained coupon not-in-bill not-seen
		-- not-final not-understood
	r.text AS why_text, -- text: the verdict as a sentence
	r.sku, -- text: the SKU with the highest cost
	r.skus, -- int: lines of the bill, one per SKU and unit
	r.list_cost, -- money: at list prices; the cost itself where the bill states no list cost
	r.list_cost - r.cost - r.credits AS savings, -- money: list_cost minus net
	r.discounts -- text: credits by type, and savings of commitments by consumption model, as
		-- Google names them: "PROMOTION -2, SUSTAINED_USAGE_DISCOUNT -0.5"
FROM reconcile_part r

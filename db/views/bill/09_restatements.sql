-- days whose cost changed after they had been reported
SELECT
	r.date AS day, -- text: calendar day in the configured time zone
	r.invoice_month, -- text: Google's invoice month, YYYYMM
	r.old_cost + r.old_credits AS old_net, -- money: what had been reported
	r.new_cost + r.new_credits AS new_net, -- money: what it is now
	r.new_cost + r.new_credits - r.old_cost - r.old_credits AS change, -- money: new minus old
	r.currency, -- text: of the billing account
	r.at AS noticed, -- time: when the change was seen
	r.source -- text: table or file it came from
FROM restatement r

-- days whose net cost changed after it was reported
SELECT
	r.date AS day, -- text: calendar day in the configured time zone
	r.invoice_month, -- text: Google's invoice month, YYYYMM
	r.old_cost + r.old_credits AS old_net, -- money: previously reported net cost
	r.new_cost + r.new_credits AS new_net, -- money: current net cost
	r.new_cost + r.new_credits - r.old_cost - r.old_credits AS change, -- money: new minus old
	r.currency, -- text: currency of the billing account
	r.at AS noticed, -- time: when the change was detected
	r.source -- text: table or file of the change
FROM restatement r
WHERE r.new_cost + r.new_credits <> r.old_cost + r.old_credits

-- Days that had been reported and were changed by late rows, corrections or imports.
SELECT r.date AS day, r.invoice_month AS invoice_month,
	(r.old_cost + r.old_credits) / 1e9 AS old_net,
	(r.new_cost + r.new_credits) / 1e9 AS new_net,
	(r.new_cost + r.new_credits - r.old_cost - r.old_credits) / 1e9 AS change,
	r.currency AS currency, @RFC3339(r.at)@ AS noticed, r.source AS source
FROM restatement r

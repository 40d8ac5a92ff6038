-- The end of the newest usage hour on the bill of each account, of the days first..last. Taxes and
-- adjustments are billed for days without usage, too. The day is read first, and then from its end,
-- because there are many hours.
-- name: bill_end
SELECT n.account, (SELECT u.hour + 3600
	FROM usage u CROSS JOIN billed_project p CROSS JOIN charge h
	WHERE u.hour >= c.starts AND u.hour < c.ends AND u.credit_ref = 0
		AND p.project_ref = u.project_ref AND p.account = n.account
		AND h.charge_ref = u.charge_ref AND h.cost_type IN ('regular', '')
	ORDER BY u.hour DESC LIMIT 1) AS until#?
FROM (SELECT d.account AS account, MAX(d.day) AS day
		FROM account_day d JOIN charge h ON h.charge_ref = d.charge_ref
		WHERE d.day >= $first# AND d.day <= $last# AND h.cost_type IN ('regular', '')
		GROUP BY d.account) n
	JOIN calendar c ON c.day = n.day
ORDER BY n.account;

-- The last account whose first day on the bill is after `first`, up to `last`; days of UTC.
-- name: bill_begins
SELECT account, MIN(day) AS day#, (SELECT COUNT(DISTINCT account) FROM billing_day) AS accounts#
FROM billing_day GROUP BY account HAVING MIN(day) > $first# AND MIN(day) <= $last#
ORDER BY 2 DESC, account LIMIT 1;

-- The oldest last complete read of the billing tables; NULL: one has none. `lacks`: why the last poll was not complete.
-- name: bill_read
SELECT CASE WHEN COUNT(*) = COUNT(last_success) THEN MIN(last_success) END AS at#?,
	COALESCE(MAX(unread), 0) AS unread#,
	MIN(CASE WHEN complete = 0 THEN COALESCE(error, 'see: tpucost sources') END) AS lacks?
FROM sources_raw WHERE source = 'billing' AND state <> 'disabled';

-- charged traffic and operations of buckets as they were estimated at the time, compared with the bill; without
-- resources in the export, all traffic of a project is compared with that of its buckets
SELECT
	e.day, -- text: calendar day in the configured time zone
	e.project, -- text: project id
	e.bucket, -- text: name of the bucket; NULL: the bill does not name buckets
	e.what, -- text: traffic operations
	CASE e.what WHEN 'traffic' THEN ROUND(e.amount / 1073741824.0, 3) END AS gib, -- decimal: GiB that may be
		-- charged; NULL for operations
	CASE e.what WHEN 'operations' THEN e.amount END AS operations, -- int: of class A and B
	e.cost AS estimated, -- money: likely cost by the estimates of that time; NULL: a price was unknown
	e.low AS estimated_low, -- money: lower bound
	e.high AS estimated_high, -- money: upper bound
	e.billed, -- money: on the bill, before credits; NULL: not on the bill
	CASE WHEN e.comparable THEN e.cost - e.billed END AS difference, -- money: estimated minus billed
	CASE WHEN e.comparable AND e.billed > 0 THEN ROUND(100.0 * (e.cost - e.billed) / e.billed, 2)
		END AS percent, -- decimal: difference in percent of the bill
	COALESCE(e.bill_currency, e.currency) AS currency, -- text: currency of the bill, or of the estimate without one
	e.status, -- text: partial settling settled: finality of that day
	CASE WHEN e.status = 'partial' OR (e.billed IS NULL AND e.status = 'settling') THEN 'not-final'
		WHEN e.billed IS NULL AND e.cost <= 10000000 THEN 'ok'
		WHEN e.billed IS NULL THEN 'not-in-bill'
		WHEN NOT e.comparable THEN 'unknown'
		WHEN ABS(e.cost - e.billed) <= MAX(e.billed / 10, 10000000) THEN 'ok'
		WHEN e.billed BETWEEN e.low AND e.high THEN 'within-bounds'
		WHEN e.billed > e.high THEN 'above'
		ELSE 'below' END AS verdict, -- text: ok (within 10 %, or 0.01) within-bounds above below not-in-bill
		-- not-final unknown
	e.sku -- text: the SKU of the bill with the highest cost
FROM (WITH b AS MATERIALIZED (SELECT * FROM bucket_bill_exact),
	d AS MATERIALIZED (SELECT g.*, g.bucket IN (SELECT o.bucket FROM b o WHERE o.project = g.project)
		OR NOT EXISTS (SELECT 1 FROM b o WHERE o.project = g.project AND o.day = g.day
			AND o.what = g.what AND o.bucket IS NULL) AS named FROM egress_day g),
	s AS (SELECT d.day, d.project, CASE WHEN d.named THEN d.bucket END AS bucket, d.what,
			SUM(d.amount) AS amount,
			CASE WHEN COUNT(d.cost) = COUNT(*) AND COUNT(DISTINCT d.currency) <= 1
				THEN SUM(d.cost) END AS cost,
			CASE WHEN COUNT(d.low) = COUNT(*) AND COUNT(DISTINCT d.currency) <= 1
				THEN SUM(d.low) END AS low,
			CASE WHEN COUNT(d.high) = COUNT(*) AND COUNT(DISTINCT d.currency) <= 1
				THEN SUM(d.high) END AS high,
			MAX(d.currency) AS currency
		FROM d GROUP BY 1, 2, 3, 4)
	SELECT s.*, b.cost_n AS billed, b.currency AS bill_currency, b.sku,
		s.cost IS NOT NULL AND b.cost_n IS NOT NULL AND b.currency IS s.currency AS comparable,
		COALESCE((SELECT @STATUS(c.ends, n.until)@ FROM calendar c
			JOIN billed_project p ON p.project = s.project
			JOIN account_known n ON n.account = p.account AND n.day = c.day
			CROSS JOIN as_of a WHERE c.date = s.day), 'partial') AS status
	FROM s LEFT JOIN b ON b.day = s.day AND b.project = s.project AND b.what = s.what
		AND b.bucket IS s.bucket WHERE s.amount > 0 OR b.cost_n IS NOT NULL) e

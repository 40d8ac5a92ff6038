-- internal: billed traffic and operations by day and resource, since estimates of buckets are stored. bucket
-- NULL: the export names no resource.
SELECT c.day AS day, c.project AS project, c.resource AS bucket,
	CASE c.category WHEN 'network' THEN 'traffic' ELSE 'operations' END AS what,
	c.currency AS currency, SUM(c.cost_n) AS cost_n, MAX(c.cost_n) AS most, c.sku AS sku
FROM costs_exact c
WHERE c.day >= (SELECT MIN(d.day) FROM egress_day d)
	AND (c.category = 'network' OR (c.category = 'storage' AND c.sku LIKE '%class _ %'))
GROUP BY 1, 2, 3, 4, 5

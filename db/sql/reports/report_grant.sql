-- TPU lines of the bill, without amounts of money.
-- name: grant_billed_tpus
SELECT s.sku, COALESCE(NULLIF(l.zone, ''), NULLIF(l.region, ''), l.location) AS place, h.usage_unit AS unit,
	CASE WHEN COUNT(d.usage) = COUNT(*) AND ABS(SUM(d.usage / 1000000000)) < 9000000000
		THEN SUM(d.usage / 1000000000) * 1000000000 + SUM(d.usage % 1000000000) END AS usage#?
FROM cost_day d JOIN sku_category k ON k.sku_ref = d.sku_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
	JOIN place l ON l.place_ref = d.place_ref
	JOIN charge h ON h.charge_ref = d.charge_ref
WHERE d.day >= $first# AND d.day <= $last# AND k.category = 'tpu'
GROUP BY s.sku, l.location, l.region, l.zone, h.usage_unit
ORDER BY s.sku, l.location, l.zone, h.usage_unit;

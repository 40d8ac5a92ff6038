-- Prices in a region: its price list in a currency (USD if it was not read in it), or (`billed`) the latest
-- billed price of SKUs that are sold there, for the default consumption model: commitments do not apply to
-- more usage. The price list has the best description of a SKU; without it, that of the bill, with
-- the place of use.
-- name: sku_prices
SELECT service_id, sku_id, description, usage_type, unit, currency, price#, seen AS at#, 0 AS table_id#
FROM list_price WHERE $billed# = 0 AND region = $region AND currency = CASE
	WHEN EXISTS (SELECT 1 FROM list_price WHERE region = $region AND currency = $currency) THEN $currency
	ELSE 'USD' END
UNION
SELECT b.service_id, b.sku_id, l.description, l.usage_type, b.unit, b.currency, b.price, b.hour, b.table_id
FROM list_price l JOIN billed_price b ON b.service_id = l.service_id AND b.sku_id = l.sku_id
WHERE $billed = 1 AND l.region = $region AND b.model = ''
UNION
SELECT b.service_id, b.sku_id, s.sku, '', b.unit, b.currency, b.price, b.hour, b.table_id
FROM billed_region r JOIN billed_price b ON b.service_id = r.service_id AND b.sku_id = r.sku_id
	JOIN sku s ON s.service_id = r.service_id AND s.sku_id = r.sku_id
WHERE $billed = 1 AND r.region = $region AND b.model = ''
	AND NOT EXISTS (SELECT 1 FROM list_price l WHERE l.sku_id = r.sku_id AND l.region = $region)
ORDER BY 2, 8 DESC, 9 DESC;

-- name: billed_region_put
INSERT INTO billed_region (service_id, sku_id, region) VALUES ($service_id, $sku_id, $region)
ON CONFLICT (region, service_id, sku_id) DO NOTHING;

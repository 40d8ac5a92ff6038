-- Prices in a region: its price list in a currency (USD if it was not read in it), or (`billed`) the latest
-- billed price of SKUs that are sold there, for the default consumption model: commitments do not apply to
-- more usage. The price list has the best description of a SKU; without it, that of the bill, with
-- the place of use.
-- name: sku_prices
-- in: text region, text currency, i64 billed
-- out: text service_id, text sku_id, text description, text usage_type, text unit, text currency, i64 price, i64 at
SELECT service_id, sku_id, description, usage_type, unit, currency, price, seen AS at
FROM list_price WHERE $3 = 0 AND region = $1 AND currency = CASE
	WHEN EXISTS (SELECT 1 FROM list_price WHERE region = $1 AND currency = $2) THEN $2
	ELSE 'USD' END
UNION
SELECT b.service_id, b.sku_id, l.description, l.usage_type, b.unit, b.currency, b.price, b.hour
FROM list_price l JOIN billed_price b ON b.service_id = l.service_id AND b.sku_id = l.sku_id
WHERE $3 = 1 AND l.region = $1 AND b.model = ''
UNION
SELECT b.service_id, b.sku_id, s.sku, '', b.unit, b.currency, b.price, b.hour
FROM billed_region r JOIN billed_price b ON b.service_id = r.service_id AND b.sku_id = r.sku_id
	JOIN sku s ON s.service_id = r.service_id AND s.sku_id = r.sku_id
WHERE $3 = 1 AND r.region = $1 AND b.model = ''
	AND NOT EXISTS (SELECT 1 FROM list_price l WHERE l.sku_id = r.sku_id AND l.region = $1)
ORDER BY 2, 8 DESC;

-- name: billed_region_put
-- in: text service_id, text sku_id, text region
INSERT INTO billed_region (service_id, sku_id, region) VALUES ($1, $2, $3)
ON CONFLICT (region, service_id, sku_id) DO NOTHING;

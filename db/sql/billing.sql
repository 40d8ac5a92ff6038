-- name: billing_table_get
-- in: text name
-- out: i64 table_id, i64 last_modified_ms, i64 row_count
SELECT table_id, last_modified_ms, row_count FROM billing_table WHERE name = $1;

-- name: billing_table_add
-- in: text name, text location
INSERT INTO billing_table (name, location, last_modified_ms, row_count) VALUES ($1, $2, 0, 0)
ON CONFLICT (name) DO UPDATE SET location = excluded.location;

-- name: billing_table_read
-- in: i64 table_id, i64 last_modified_ms, i64 row_count
UPDATE billing_table SET last_modified_ms = $2, row_count = $3 WHERE table_id = $1;

-- name: billing_unit_get
-- in: i64 table_id, i64 unit
-- out: i64 row_count, i64 exported
SELECT row_count, exported FROM billing_unit WHERE table_id = $1 AND unit = $2;

-- name: billing_rows_stored
-- in: i64 table_id
-- out: i64? row_count
SELECT CAST(SUM(row_count) AS BIGINT) FROM billing_unit WHERE table_id = $1;

-- name: billing_unit_put
-- in: i64 table_id, i64 unit, i64 row_count, i64 exported, i64 ingested
INSERT INTO billing_unit (table_id, unit, row_count, exported, ingested)
VALUES ($1, $2, $3, $4, $5);

-- name: billing_unit_drop
-- in: i64 table_id, i64 unit
DELETE FROM billing_unit WHERE table_id = $1 AND unit = $2;

-- name: billing_sum_put
-- in: i64 table_id, i64 unit, text currency, i64 cost, i64 credits
INSERT INTO billing_unit_sum (table_id, unit, currency, cost, credits)
VALUES ($1, $2, $3, $4, $5);

-- name: billing_sum_list
-- in: i64 table_id, i64 unit
-- out: text currency, i64 cost, i64 credits
SELECT currency, cost, credits FROM billing_unit_sum WHERE table_id = $1 AND unit = $2
ORDER BY currency;

-- name: billing_sum_drop
-- in: i64 table_id, i64 unit
DELETE FROM billing_unit_sum WHERE table_id = $1 AND unit = $2;

-- name: usage_drop
-- in: i64 table_id, i64 unit
DELETE FROM usage WHERE table_id = $1 AND unit = $2;

-- name: usage_hours
-- in: i64 table_id, i64 unit
-- out: i64? first, i64? last
SELECT MIN(hour), MAX(hour) FROM usage WHERE table_id = $1 AND unit = $2;

-- name: usage_range
-- out: i64? first, i64? last
SELECT MIN(hour), MAX(hour) FROM usage /*scan*/;

-- name: usage_put
-- in: i64 table_id, i64 unit, i64 hour, i64 sku_ref, i64 project_ref, i64 place_ref, i64 resource_ref, text invoice_month, text cost_type, text currency, text usage_unit, i64 usage, i64 cost, i64 credits, i64 promo, i64? rate, i64 row_count
INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref,
	invoice_month, cost_type, currency, usage_unit, usage, cost, credits, promo, rate,
	row_count)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);

-- name: sku_put
-- in: text service_id, text service, text sku_id, text sku
INSERT INTO sku (service_id, service, sku_id, sku) VALUES ($1, $2, $3, $4)
ON CONFLICT (service_id, service, sku_id, sku) DO NOTHING;

-- name: sku_get
-- in: text service_id, text service, text sku_id, text sku
-- out: i64 ref
SELECT sku_ref FROM sku WHERE service_id = $1 AND service = $2 AND sku_id = $3 AND sku = $4;

-- name: sku_list
-- out: i64 ref, text service_id, text service, text sku_id, text sku
SELECT sku_ref, service_id, service, sku_id, sku FROM sku ORDER BY sku_ref;

-- name: billed_project_put
-- in: text project
INSERT INTO billed_project (project) VALUES ($1) ON CONFLICT (project) DO NOTHING;

-- name: billed_project_get
-- in: text project
-- out: i64 ref
SELECT project_ref FROM billed_project WHERE project = $1;

-- name: place_put
-- in: text location, text region, text zone
INSERT INTO place (location, region, zone) VALUES ($1, $2, $3)
ON CONFLICT (location, region, zone) DO NOTHING;

-- name: place_get
-- in: text location, text region, text zone
-- out: i64 ref
SELECT place_ref FROM place WHERE location = $1 AND region = $2 AND zone = $3;

-- name: billed_resource_put
-- in: text resource, text global_name
INSERT INTO billed_resource (resource, global_name) VALUES ($1, $2)
ON CONFLICT (resource, global_name) DO NOTHING;

-- name: billed_resource_get
-- in: text resource, text global_name
-- out: i64 ref
SELECT resource_ref FROM billed_resource WHERE resource = $1 AND global_name = $2;

-- name: promo_by_rate
-- in: i64 since, i64 until
-- out: text currency, i64? rate, i64 promo
SELECT currency, rate, CAST(SUM(promo) AS BIGINT) FROM usage
WHERE hour >= $1 AND hour < $2 AND promo <> 0 GROUP BY currency, rate ORDER BY currency, rate;

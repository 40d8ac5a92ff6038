-- name: billing_table_get
-- in: text name
-- out: i64 table_id, i64 last_modified_ms, i64 row_count, i64 last_full, i64 created_ms, i64 recipe
SELECT table_id, last_modified_ms, row_count, last_full, created_ms, recipe
FROM billing_table WHERE name = $1;

-- name: billing_table_add
-- in: text name, text location, text kind
INSERT INTO billing_table (name, location, last_modified_ms, row_count, kind)
VALUES ($1, $2, 0, 0, $3)
ON CONFLICT (name) DO UPDATE SET location = excluded.location;

-- Changes what is not NULL.
-- name: billing_table_set
-- in: i64 table_id, i64? last_modified_ms, i64? row_count, i64? recipe, i64? batch, i64? created_ms, i64? looked, i64? last_full
UPDATE billing_table SET last_modified_ms = COALESCE($2, last_modified_ms),
	row_count = COALESCE($3, row_count), recipe = COALESCE($4, recipe),
	batch = COALESCE($5, batch), created_ms = COALESCE($6, created_ms),
	looked = COALESCE($7, looked), last_full = COALESCE($8, last_full)
WHERE table_id = $1;

-- name: billing_table_named
-- in: text name
-- out: i64 table_id, text name
SELECT table_id, name FROM billing_table
WHERE name = $1 OR (kind = 'file' AND SUBSTR(name, 1, LENGTH($1) + 6) = 'file:' || $1 || '#')
ORDER BY name <> $1, name LIMIT 2;

-- name: billing_any
-- out: i64 table_id
SELECT table_id FROM usage UNION ALL SELECT table_id FROM billing_table WHERE looked > 0 LIMIT 1;

-- Reports whether a table of this name was deleted and created again. Then the name alone is the
-- old one.
-- name: billing_table_newer
-- in: text name
-- out: i64 n
SELECT COUNT(*) FROM billing_table WHERE SUBSTR(name, 1, LENGTH($1) + 1) = $1 || '@';

-- The lines of its units are deleted before.
-- name: billing_table_forget
-- in: i64 table_id
DELETE FROM billing_unit WHERE table_id = $1;
DELETE FROM billing_refused WHERE table_id = $1;
DELETE FROM billing_bytes WHERE table_id = $1;
DELETE FROM import_file WHERE table_id = $1;
DELETE FROM billing_table WHERE table_id = $1;

-- The staged file compared with each other file of its batch, in their common hours: lines of each,
-- and lines that are equal except for the amounts; hours of projects, and hours with equal sums,
-- before or after credits (files of different formats have no line in common). `part`: it is
-- another part of the same extract, its name begins with `series`; then only lines count whose
-- amounts are equal as well.
-- name: import_shared
-- in: i64 batch, text name, text series
-- out: text name, i64 mine, i64 theirs, i64 common, i64 my_hours, i64 their_hours, i64 same_hours, i64 part, i64 identical
WITH theirs AS (
	SELECT table_id, COUNT(*) AS n, MIN(hour) AS first, MAX(hour) AS last FROM usage
	WHERE hour BETWEEN (SELECT MIN(hour) FROM stage_usage) AND (SELECT MAX(hour) FROM stage_usage)
		AND credit_ref = 0
		AND table_id IN (SELECT table_id FROM billing_table WHERE batch = $1 AND name <> $2)
	GROUP BY table_id
), hours AS ( -- those of table 0 are staged
	SELECT table_id, account, project, hour, currency, SUM(cost) AS cost,
		SUM(cost + credits) AS net
	FROM (SELECT 0 AS table_id, hour, project_ref, charge_ref, cost, credits FROM stage_usage
		UNION ALL SELECT table_id, hour, project_ref, charge_ref, cost, credits
		FROM usage CROSS JOIN theirs USING (table_id)
		WHERE hour BETWEEN (SELECT MIN(hour) FROM stage_usage) AND (SELECT MAX(hour) FROM stage_usage))
		JOIN billed_project USING (project_ref) JOIN charge USING (charge_ref)
	GROUP BY table_id, account, project, hour, currency HAVING SUM(cost) <> 0
), common AS (
	SELECT table_id, COUNT(*) AS n,
		SUM(u.cost = s.cost AND u.usage = s.usage AND u.row_count = s.row_count) AS identical
	FROM theirs CROSS JOIN stage_usage s JOIN usage u USING (table_id, unit, hour, sku_ref,
		project_ref, place_ref, resource_ref, charge_ref, credit_ref)
	WHERE credit_ref = 0 GROUP BY table_id
)
SELECT name,
	(SELECT COUNT(*) FROM stage_usage WHERE hour BETWEEN o.first AND o.last AND credit_ref = 0),
	o.n, COALESCE(common.n, 0),
	(SELECT COUNT(*) FROM hours WHERE hour BETWEEN o.first AND o.last AND table_id = 0),
	(SELECT COUNT(*) FROM hours h WHERE h.table_id = o.table_id),
	(SELECT COUNT(*) FROM hours m JOIN hours h USING (hour, project, currency)
		WHERE m.table_id = 0 AND h.table_id = o.table_id
			AND (h.account = m.account OR '' IN (h.account, m.account))
			AND (h.cost = m.cost OR h.net = m.net)),
	$3 <> '' AND SUBSTR(name, 1, LENGTH($3)) = $3 AND LENGTH(name) = LENGTH($2),
	COALESCE(identical, 0)
FROM theirs o JOIN billing_table USING (table_id) LEFT JOIN common USING (table_id)
ORDER BY name;

-- name: billing_unit_get
-- in: i64 table_id, i64 unit
-- out: i64 row_count, i64 exported, i64 gone, i64 recipe, i64 ingested
SELECT row_count, exported, gone, recipe, ingested FROM billing_unit
WHERE table_id = $1 AND unit = $2;

-- name: billing_units_from
-- in: i64 table_id, i64 since
-- out: i64 unit, i64 row_count, i64 gone, i64 recipe
SELECT unit, row_count, gone, recipe FROM billing_unit WHERE table_id = $1 AND unit >= $2
ORDER BY unit;

-- name: refused_put
-- in: i64 table_id, i64 modified_ms, i64 recipe, text other, i64 at, text error, text fix
INSERT INTO billing_refused (table_id, modified_ms, recipe, other, at, error, fix)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (table_id) DO UPDATE SET modified_ms = excluded.modified_ms,
	recipe = excluded.recipe, other = excluded.other, at = excluded.at,
	error = excluded.error, fix = excluded.fix;

-- name: refused_drop
-- in: i64 table_id
DELETE FROM billing_refused WHERE table_id = $1;

-- The other one still exists, and has not been read since.
-- name: refused_get
-- in: i64 table_id, i64 modified_ms, i64 recipe
-- out: text error, text fix
SELECT r.error, r.fix FROM billing_refused r JOIN billing_table o ON o.name = r.other
WHERE r.table_id = $1 AND r.modified_ms = $2 AND r.recipe = $3
	AND NOT EXISTS (SELECT 1 FROM billing_unit u
		WHERE u.table_id = o.table_id AND u.ingested >= r.at);

-- name: billing_rows_stored
-- in: i64 table_id
-- out: i64? row_count
SELECT SUM(COALESCE(q.row_count, u.row_count))
FROM billing_unit u LEFT JOIN billing_quarantine q ON q.table_id = u.table_id
	AND q.unit = u.unit
WHERE u.table_id = $1 AND u.gone = 0;

-- name: billing_unit_put
-- in: i64 table_id, i64 unit, i64 row_count, i64 exported, i64 ingested, i64 recipe
INSERT INTO billing_unit (table_id, unit, row_count, exported, ingested, recipe)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: billing_unit_gone
-- in: i64 table_id, i64 unit
DELETE FROM billing_quarantine WHERE table_id = $1 AND unit = $2;
UPDATE billing_unit SET gone = 1 WHERE table_id = $1 AND unit = $2;

-- Without its lines.
-- name: billing_unit_drop
-- in: i64 table_id, i64 unit
DELETE FROM billing_day WHERE table_id = $1 AND unit = $2;
DELETE FROM billing_unit_sum WHERE table_id = $1 AND unit = $2;
DELETE FROM billing_quarantine WHERE table_id = $1 AND unit = $2;
DELETE FROM billing_unit WHERE table_id = $1 AND unit = $2;

-- name: billing_sum_put
-- in: i64 table_id, i64 unit, text currency, i64 cost, i64 credits, i64 rounding
INSERT INTO billing_unit_sum (table_id, unit, currency, cost, credits, rounding)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: billing_sum_list
-- in: i64 table_id, i64 unit
-- out: text currency, i64 cost, i64 credits
SELECT currency, cost, credits FROM billing_unit_sum WHERE table_id = $1 AND unit = $2
ORDER BY currency;

-- name: billing_day_fill
-- in: i64 table_id
INSERT INTO billing_day (table_id, unit, account, day)
SELECT DISTINCT $1, s.unit, p.account, s.day
FROM stage_day s JOIN billed_project p ON p.project_ref = s.project_ref;

-- name: billing_overlap
-- in: i64 table_id, i64 batch
-- out: text account, i64 day, text name
SELECT p.account, s.day, t.name
FROM (SELECT DISTINCT project_ref, day FROM stage_day) s
	JOIN billed_project p ON p.project_ref = s.project_ref
	JOIN billing_day o ON o.day = s.day
	JOIN billing_table t ON t.table_id = o.table_id
WHERE o.table_id <> $1 AND (o.account = p.account OR o.account = '' OR p.account = '')
	AND (t.batch = 0 OR t.batch <> $2 OR o.account <> p.account)
ORDER BY s.day, p.account, t.name LIMIT 1;

-- name: billing_days_of
-- in: i64 table_id, i64 unit
-- out: i64 day
SELECT DISTINCT day FROM billing_day WHERE table_id = $1 AND unit = $2 ORDER BY day;

-- name: stage_days
-- out: i64 day
SELECT DISTINCT day FROM stage_day ORDER BY day;

-- name: quarantine_get
-- in: i64 table_id, i64 unit
-- out: i64 row_count, i64 exported, i64 seen, i64 last
SELECT row_count, exported, seen, last FROM billing_quarantine WHERE table_id = $1 AND unit = $2;

-- name: quarantine_put
-- in: i64 table_id, i64 unit, i64 row_count, i64 exported, i64 now, i64 seen
INSERT INTO billing_quarantine (table_id, unit, row_count, exported, since, seen, last)
VALUES ($1, $2, $3, $4, $5, $6, $5)
ON CONFLICT (table_id, unit) DO UPDATE SET row_count = excluded.row_count,
	exported = excluded.exported, seen = excluded.seen, last = excluded.last,
	since = CASE WHEN excluded.seen > 1 THEN billing_quarantine.since
		ELSE excluded.since END;

-- name: quarantine_drop
-- in: i64 table_id, i64 unit
DELETE FROM billing_quarantine WHERE table_id = $1 AND unit = $2;

-- name: quarantine_list
-- in: i64 table_id
-- out: i64 unit
SELECT unit FROM billing_quarantine WHERE table_id = $1 ORDER BY unit;

-- name: bytes_add
-- in: i64 table_id, text month, i64 queries, i64 bytes
INSERT INTO billing_bytes (table_id, month, queries, bytes) VALUES ($1, $2, $3, $4)
ON CONFLICT (table_id, month) DO UPDATE SET queries = billing_bytes.queries + excluded.queries,
	bytes = billing_bytes.bytes + excluded.bytes;

-- name: usage_drop
-- in: i64 table_id, i64 unit, i64 from, i64 until
DELETE FROM usage WHERE hour >= $3 AND hour < $4 AND table_id = $1 AND unit = $2;

-- name: stage_clear
DELETE FROM stage_usage;

-- Of every staged line.
-- name: stage_day_fill
DELETE FROM stage_day;
INSERT INTO stage_day (unit, project_ref, day)
SELECT DISTINCT unit, project_ref, hour / 86400 FROM stage_usage;

-- stage_line is an array in memory: see db/migrate.c.
-- name: stage_put
INSERT INTO stage_usage (unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
	credit_ref, usage, cost, credits, discount, committed, row_count)
SELECT unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref, usage,
	cost, credits, discount, committed, row_count
FROM stage_line WHERE true
ON CONFLICT (unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref)
DO UPDATE SET
	usage = CASE WHEN ABS(stage_usage.usage / 2) + ABS(excluded.usage / 2) < 4611686018427387903
		THEN stage_usage.usage + excluded.usage END,
	cost = stage_usage.cost + excluded.cost,
	credits = stage_usage.credits + excluded.credits,
	discount = stage_usage.discount + excluded.discount,
	committed = stage_usage.committed + excluded.committed,
	row_count = stage_usage.row_count + excluded.row_count;

-- name: stage_take
-- in: i64 table_id
INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref,
	charge_ref, credit_ref, usage, cost, credits, discount, committed, row_count)
SELECT $1, unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref,
	usage, cost, credits, discount, committed, row_count
FROM stage_usage
ORDER BY unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref;

-- Every line, ordered by unit.
-- name: stage_lines
-- out: i64 unit, i64 charge_ref, i64 cost, i64 credits, i64 row_count
SELECT unit, charge_ref, cost, credits, row_count FROM stage_usage ORDER BY unit;

-- The names of the lines of a bill: each query returns the number of an existing row, or of a new one.
-- name: sku_put
-- in: text service_id, text service, text sku_id, text sku
-- out: i64 ref
INSERT INTO sku (service_id, service, sku_id, sku) VALUES ($1, $2, $3, $4)
ON CONFLICT (service_id, service, sku_id, sku) DO UPDATE SET sku = sku
RETURNING sku_ref;

-- name: sku_list
-- out: i64 ref, text service_id, text service, text sku
SELECT sku_ref, service_id, service, sku FROM sku ORDER BY sku_ref;

-- name: billed_project_put
-- in: text project, text number, text account
-- out: i64 ref
INSERT INTO billed_project (project, number, account) VALUES ($1, $2, $3)
ON CONFLICT (project, number, account) DO UPDATE SET account = account
RETURNING project_ref;

-- name: place_put
-- in: text location, text region, text zone
-- out: i64 ref
INSERT INTO place (location, region, zone) VALUES ($1, $2, $3)
ON CONFLICT (location, region, zone) DO UPDATE SET zone = zone
RETURNING place_ref;

-- name: billed_resource_put
-- in: text resource, text global_name, text labels, text? owner
-- out: i64 ref
INSERT INTO billed_resource (resource, global_name, labels, owner) VALUES ($1, $2, $3, $4)
ON CONFLICT (resource, global_name, labels) DO UPDATE SET labels = labels
RETURNING resource_ref;

-- name: charge_put
-- in: text invoice_month, text cost_type, text currency, text usage_unit, i64 rate, text model, text model_name
-- out: i64 ref
INSERT INTO charge (invoice_month, cost_type, currency, usage_unit, rate, model, model_name)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (invoice_month, cost_type, currency, usage_unit, rate, model, model_name) DO UPDATE SET rate = rate
RETURNING charge_ref;

-- name: credit_type_put
-- in: text type
-- out: i64 ref
INSERT INTO credit_type (type) VALUES ($1)
ON CONFLICT (type) DO UPDATE SET type = type RETURNING credit_ref;

-- name: billed_price_put
-- in: text service_id, text sku_id, text currency, text unit, text model, i64 price, i64 hour
INSERT INTO billed_price (service_id, sku_id, currency, unit, model, price, hour)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (service_id, sku_id, currency, unit, model) DO UPDATE SET price = excluded.price,
	hour = excluded.hour
WHERE excluded.hour >= billed_price.hour;

-- name: promo_by_rate
-- in: i64 starts, i64 from, i64 first, i64 end, i64 until, i64 ends
-- out: text currency, i64 rate, i64 promo
SELECT c.currency, c.rate, SUM(x.promo)
FROM (SELECT 1 AS part, charge_ref, credits AS promo FROM usage
		WHERE credit_ref = 1 AND hour >= $1 AND hour < $2
	UNION ALL SELECT 2, charge_ref, promo FROM account_day
		WHERE promo <> 0 AND day >= $3 AND day < $4
	UNION ALL SELECT 3, charge_ref, credits FROM usage
		WHERE credit_ref = 1 AND hour >= $5 AND hour < $6) x
	JOIN charge c ON c.charge_ref = x.charge_ref
GROUP BY x.part, c.currency, c.rate ORDER BY x.part, c.currency, c.rate;

-- name: promo_by_hour
-- out: i64 hour, text currency, i64 rate, i64 promo
SELECT u.hour, c.currency, c.rate, SUM(u.credits)
FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
WHERE u.credit_ref = 1
GROUP BY u.hour, c.currency, c.rate ORDER BY u.hour, c.currency, c.rate;

-- name: day_sums
-- in: i64 first, i64 last
-- out: text date, i64 ends, text invoice_month, text currency, i64 cost, i64 credits
SELECT k.date, k.ends, c.invoice_month, c.currency, SUM(d.cost),
	SUM(d.credits)
FROM cost_day d JOIN calendar k ON k.day = d.day JOIN charge c ON c.charge_ref = d.charge_ref
WHERE d.day BETWEEN $1 AND $2
GROUP BY k.date, k.ends, c.invoice_month, c.currency
ORDER BY k.date, c.invoice_month, c.currency;

-- `before`: usage of this day was stored before this poll; `restated`: a change of it was recorded.
-- name: day_reported
-- in: text date, i64 now
-- out: i64 before, i64 restated
SELECT EXISTS (SELECT 1 FROM calendar c
	JOIN billing_day d ON d.day BETWEEN c.starts / 86400 AND (c.ends - 1) / 86400
	JOIN billing_unit u USING (table_id, unit)
	WHERE c.date = $1 AND u.ingested <> $2),
	EXISTS (SELECT 1 FROM restatement WHERE date = $1);

-- name: restatement_put
-- in: i64 at, text date, text invoice_month, text currency, i64 table_id, i64 old_cost, i64 old_credits, i64 new_cost, i64 new_credits
INSERT INTO restatement (at, date, invoice_month, currency, source, old_cost, old_credits,
	new_cost, new_credits)
SELECT $1, $2, $3, $4, name, $6, $7, $8, $9 FROM billing_table WHERE table_id = $5
ON CONFLICT (date, invoice_month, currency, source, at) DO UPDATE SET
	new_cost = excluded.new_cost, new_credits = excluded.new_credits;

-- name: import_get
-- in: text sha256
-- out: i64 imported, i64 row_count, i64 table_id, i64 batch
SELECT f.imported, f.row_count, f.table_id, COALESCE(t.batch, 0)
FROM import_file f LEFT JOIN billing_table t ON t.table_id = f.table_id WHERE f.sha256 = $1;

-- name: import_put
-- in: text sha256, i64 table_id, text name, i64 row_count, i64 imported
INSERT INTO import_file (sha256, table_id, name, row_count, imported)
VALUES ($1, $2, $3, $4, $5);

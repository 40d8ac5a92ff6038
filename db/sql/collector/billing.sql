-- name: billing_table_get
SELECT table_id#, last_modified_ms#, row_count#, last_full#, created_ms#, recipe#
FROM billing_table WHERE name = $name;

-- name: billing_table_add
INSERT INTO billing_table (name, location, last_modified_ms, row_count, kind)
VALUES ($name, $location, 0, 0, $kind)
ON CONFLICT (name) DO UPDATE SET location = excluded.location;

-- The newest table of a name of the configuration.
-- name: billing_table_stored
SELECT table_id#, recipe# FROM billing_table
WHERE name = $name OR SUBSTR(name, 1, LENGTH($name) + 1) = $name || '@' ORDER BY looked DESC, table_id DESC LIMIT 1;

-- The stored lines of a table do not serve the configuration: as if it had never been read.
-- name: billing_table_unread
UPDATE source_status SET state = 'failed', last_success = NULL, failures = 0, error = $error, fix = $fix
WHERE source = 'billing' AND last_success IS NOT NULL
	AND ($name = project OR SUBSTR($name, 1, LENGTH(project) + 1) = project || '.');

-- Changes what is not NULL.
-- name: billing_table_set
UPDATE billing_table SET last_modified_ms = COALESCE($last_modified_ms#?, last_modified_ms),
	row_count = COALESCE($row_count#?, row_count), recipe = COALESCE($recipe#?, recipe),
	batch = COALESCE($batch#?, batch), created_ms = COALESCE($created_ms#?, created_ms),
	looked = COALESCE($looked#?, looked), last_full = COALESCE($last_full#?, last_full)
WHERE table_id = $table_id#;

-- name: billing_table_named
SELECT table_id#, name FROM billing_table
WHERE name = $name OR (kind = 'file' AND SUBSTR(name, 1, LENGTH($name) + 6) = 'file:' || $name || '#')
ORDER BY name <> $name, name LIMIT 2;

-- Does any table have lines of a day?
-- name: billing_day_any
SELECT day# FROM billing_day LIMIT 1;

-- name: billing_any
SELECT table_id# FROM usage UNION ALL SELECT table_id FROM billing_table WHERE looked > 0 LIMIT 1;

-- Reports whether a table of this name was deleted and created again. Then the name alone is the
-- old one.
-- name: billing_table_newer
SELECT COUNT(*) AS n# FROM billing_table WHERE SUBSTR(name, 1, LENGTH($name) + 1) = $name || '@';

-- The lines of its units are deleted before.
-- name: billing_table_forget
DELETE FROM billing_unit WHERE table_id = $table_id#;
DELETE FROM billed_price WHERE table_id IN ($table_id, 0);
DELETE FROM billing_refused WHERE table_id = $table_id;
DELETE FROM billing_bytes WHERE table_id = $table_id;
DELETE FROM import_file WHERE table_id = $table_id;
DELETE FROM billing_table WHERE table_id = $table_id;

-- The staged file compared with each other file of its batch, in their common hours: lines of each,
-- and lines that are equal except for the amounts; hours of projects, and hours with equal sums,
-- before or after credits (files of different formats have no line in common). `part`: it is
-- another part of the same extract, its name begins with `series`; then only lines count whose
-- amounts are equal as well.
-- name: import_shared
WITH theirs AS (
	SELECT table_id, COUNT(*) AS n, MIN(hour) AS first, MAX(hour) AS last FROM usage
	WHERE hour BETWEEN (SELECT MIN(hour) FROM stage_usage) AND (SELECT MAX(hour) FROM stage_usage)
		AND credit_ref = 0
		AND table_id IN (SELECT table_id FROM billing_table WHERE batch = $batch# AND name <> $name)
	GROUP BY table_id
), hours AS ( -- those of table 0 are staged
	SELECT table_id, account, project, hour, currency, SUM(cost) AS cost,
		SUM(cost + credits) AS net
	FROM (SELECT 0 AS table_id, hour, project_ref, charge_ref, cost, credits FROM stage_usage
		UNION ALL SELECT table_id, hour, project_ref, charge_ref, cost, credits
		FROM usage CROSS JOIN theirs USING (table_id)
		WHERE hour BETWEEN (SELECT MIN(hour) FROM stage_usage)
		AND (SELECT MAX(hour) FROM stage_usage))
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
	(SELECT COUNT(*) FROM stage_usage WHERE hour BETWEEN o.first AND o.last AND credit_ref = 0) AS mine#,
	o.n AS theirs#, COALESCE(common.n, 0) AS common#,
	(SELECT COUNT(*) FROM hours WHERE hour BETWEEN o.first AND o.last AND table_id = 0) AS my_hours#,
	(SELECT COUNT(*) FROM hours h WHERE h.table_id = o.table_id) AS their_hours#,
	(SELECT COUNT(*) FROM hours m JOIN hours h USING (hour, project, currency)
		WHERE m.table_id = 0 AND h.table_id = o.table_id
			AND (h.account = m.account OR '' IN (h.account, m.account))
			AND (h.cost = m.cost OR h.net = m.net)) AS same_hours#,
	$series <> '' AND SUBSTR(name, 1, LENGTH($series)) = $series
	AND LENGTH(name) = LENGTH($name) AS part#, COALESCE(identical, 0) AS identical#
FROM theirs o JOIN billing_table USING (table_id) LEFT JOIN common USING (table_id) ORDER BY name;

-- name: billing_unit_get
SELECT row_count#, exported#, gone#, recipe#, ingested# FROM billing_unit
WHERE table_id = $table_id# AND unit = $unit#;

-- name: billing_units_from
SELECT unit#, row_count#, gone#, recipe# FROM billing_unit WHERE table_id = $table_id# AND unit >= $since#
ORDER BY unit;

-- name: refused_put
PUT billing_refused (table_id# | modified_ms#, recipe#, other, at#, error, fix);

-- name: refused_drop
DELETE FROM billing_refused WHERE table_id = $table_id#;

-- The other one still exists, and has not been read since.
-- name: refused_get
SELECT r.error, r.fix FROM billing_refused r JOIN billing_table o ON o.name = r.other
WHERE r.table_id = $table_id# AND r.modified_ms = $modified_ms# AND r.recipe = $recipe#
	AND NOT EXISTS (SELECT 1 FROM billing_unit u
		WHERE u.table_id = o.table_id AND u.ingested >= r.at);

-- name: billing_rows_stored
SELECT SUM(COALESCE(q.row_count, u.row_count)) AS row_count#?
FROM billing_unit u LEFT JOIN billing_quarantine q ON q.table_id = u.table_id
	AND q.unit = u.unit
WHERE u.table_id = $table_id# AND u.gone = 0;

-- name: billing_unit_put
PUT billing_unit (table_id#, unit#, row_count#, exported#, ingested#, recipe#);

-- name: billing_unit_gone
DELETE FROM billing_quarantine WHERE table_id = $table_id# AND unit = $unit#;
UPDATE billing_unit SET gone = 1 WHERE table_id = $table_id AND unit = $unit;

-- Without its lines.
-- name: billing_unit_drop
DELETE FROM billing_day WHERE table_id = $table_id# AND unit = $unit#;
DELETE FROM billing_unit_sum WHERE table_id = $table_id AND unit = $unit;
DELETE FROM billing_quarantine WHERE table_id = $table_id AND unit = $unit;
DELETE FROM billing_unit WHERE table_id = $table_id AND unit = $unit;

-- name: billing_sum_put
PUT billing_unit_sum (table_id#, unit#, currency, cost#, credits#, rounding#);

-- name: billing_sum_list
SELECT currency, cost#, credits# FROM billing_unit_sum WHERE table_id = $table_id# AND unit = $unit#
ORDER BY currency;

-- name: billing_day_fill
INSERT INTO billing_day (table_id, unit, account, day)
SELECT DISTINCT $table_id#, s.unit, p.account, s.day
FROM stage_day s JOIN billed_project p ON p.project_ref = s.project_ref;

-- The unit of a row of a file is the day in which the row begins. Of a later day, to which it was spread, the hours count
-- that are stored for the same SKU and project: its other hours may be those of the next file.
-- name: billing_overlap
SELECT p.account, s.day#, t.name
FROM (SELECT DISTINCT d.unit, d.project_ref, d.day, d.day = d.unit OR own.kind <> 'file' AS whole
		FROM stage_day d JOIN billing_table own ON own.table_id = $table_id#) s
	JOIN billed_project p ON p.project_ref = s.project_ref
	JOIN billing_day o ON o.day = s.day
	JOIN billing_table t ON t.table_id = o.table_id
WHERE o.table_id <> $table_id
	AND (o.account = p.account OR o.account = '' OR p.account = '')
	AND (t.batch = 0 OR t.batch <> $batch# OR o.account <> p.account)
	AND (s.whole AND (o.day = o.unit OR t.kind <> 'file')
		OR EXISTS (SELECT 1 FROM stage_usage m CROSS JOIN sku k CROSS JOIN sku l
			CROSS JOIN billed_project r CROSS JOIN usage u
		WHERE m.unit = s.unit AND m.hour >= s.day * 86400 AND m.hour < (s.day + 1) * 86400
			AND m.project_ref = s.project_ref AND k.sku_ref = m.sku_ref
			AND l.sku_id = k.sku_id AND (l.sku_id <> '' OR l.sku = k.sku)
			AND r.project = p.project AND r.account = o.account
			AND u.hour = m.hour AND u.table_id = o.table_id AND u.unit = o.unit
			AND u.sku_ref = l.sku_ref AND u.project_ref = r.project_ref))
ORDER BY s.day, p.account, t.name LIMIT 1;

-- name: billing_days_of
SELECT DISTINCT day# FROM billing_day WHERE table_id = $table_id# AND unit = $unit# ORDER BY day;

-- name: stage_days
SELECT DISTINCT day# FROM stage_day ORDER BY day;

-- Of one unit, or of all (NULL).
-- name: quarantine_get
SELECT row_count#, exported#, seen#, last#, unit# FROM billing_quarantine
WHERE table_id = $table_id# AND unit = COALESCE($unit#?, unit) ORDER BY unit;

-- name: quarantine_put
PUT billing_quarantine (table_id#, unit# | row_count#, exported#, since=$now#, seen#, last=$now)
	SET since = CASE WHEN excluded.seen > 1 THEN billing_quarantine.since
		ELSE excluded.since END;

-- name: quarantine_drop
DELETE FROM billing_quarantine WHERE table_id = $table_id# AND unit = $unit#;

-- name: bytes_add
PUT billing_bytes (table_id#, month | queries#, bytes#)
	SET queries = billing_bytes.queries + excluded.queries,
		bytes = billing_bytes.bytes + excluded.bytes;

-- name: usage_drop
DELETE FROM usage WHERE hour >= $from# AND hour < $until# AND table_id = $table_id# AND unit = $unit#;

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
SELECT unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref, usage, cost,
	credits, discount, committed, row_count
FROM stage_line WHERE true
ON CONFLICT (unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref)
DO UPDATE SET
	usage = CASE WHEN ABS(stage_usage.usage / 2) + ABS(excluded.usage / 2) < 4611686018427387903
		THEN stage_usage.usage + excluded.usage END,
	cost = stage_usage.cost + excluded.cost, credits = stage_usage.credits + excluded.credits,
	discount = stage_usage.discount + excluded.discount,
	committed = stage_usage.committed + excluded.committed,
	row_count = stage_usage.row_count + excluded.row_count;

-- name: stage_take
INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref,
	charge_ref, credit_ref, usage, cost, credits, discount, committed, row_count)
SELECT $table_id#, unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref, usage,
	cost, credits, discount, committed, row_count
FROM stage_usage
ORDER BY unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref;

-- Every line, ordered by unit.
-- name: stage_lines
SELECT unit#, charge_ref#, cost#, credits#, row_count# FROM stage_usage ORDER BY unit;

-- The names of the lines of a bill: each query returns the number of an existing row, or of a new one.
-- name: sku_put
PUT sku (service_id, service, sku_id, sku |)
	SET sku = sku RETURNING sku_ref AS ref#;

-- name: sku_list
SELECT sku_ref AS ref#, service_id, service, sku FROM sku ORDER BY sku_ref;

-- name: billed_project_put
PUT billed_project (project, number, account |)
	SET account = account RETURNING project_ref AS ref#;

-- name: place_put
PUT place (location, region, zone |)
	SET zone = zone RETURNING place_ref AS ref#;

-- name: billed_resource_put
PUT billed_resource (resource, global_name, labels | owner?)
	SET labels = labels RETURNING resource_ref AS ref#;

-- name: charge_put
PUT charge (invoice_month, cost_type, currency, usage_unit, rate#, model, model_name |)
	SET rate = rate RETURNING charge_ref AS ref#;

-- name: credit_type_put
PUT credit_type (type |)
	SET type = type RETURNING credit_ref AS ref#;

-- name: billed_price_put
PUT billed_price (service_id, sku_id, currency, unit, model, table_id# | price#, hour#)
WHERE excluded.hour >= billed_price.hour;

-- name: promo_by_rate
SELECT c.currency, c.rate#, SUM(x.promo) AS promo#
FROM (SELECT 1 AS part, charge_ref, credits AS promo FROM usage
		WHERE credit_ref = 1 AND hour >= $starts# AND hour < $from#
	UNION ALL SELECT 2, charge_ref, promo FROM account_day
		WHERE promo <> 0 AND day >= $first# AND day < $end#
	UNION ALL SELECT 3, charge_ref, credits FROM usage
		WHERE credit_ref = 1 AND hour >= $until# AND hour < $ends#) x
	JOIN charge c ON c.charge_ref = x.charge_ref
GROUP BY x.part, c.currency, c.rate ORDER BY x.part, c.currency, c.rate;

-- name: promo_by_hour
SELECT u.hour#, c.currency, c.rate#, SUM(u.credits) AS promo#
FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
WHERE u.credit_ref = 1
GROUP BY u.hour, c.currency, c.rate ORDER BY u.hour, c.currency, c.rate;

-- name: day_sums
SELECT k.date, k.ends#, c.invoice_month, c.currency, SUM(d.cost) AS cost#, SUM(d.credits) AS credits#
FROM cost_day d JOIN calendar k ON k.day = d.day JOIN charge c ON c.charge_ref = d.charge_ref
WHERE d.day BETWEEN $first# AND $last#
GROUP BY k.date, k.ends, c.invoice_month, c.currency ORDER BY k.date, c.invoice_month, c.currency;

-- `before`: usage of this day was stored before this poll; `restated`: a change of it was recorded.
-- name: day_reported
SELECT EXISTS (SELECT 1 FROM calendar c
	JOIN billing_day d ON d.day BETWEEN c.starts / 86400 AND (c.ends - 1) / 86400
	JOIN billing_unit u USING (table_id, unit)
	WHERE c.date = $date AND u.ingested <> $now#) AS before#,
	EXISTS (SELECT 1 FROM restatement WHERE date = $date AND at >= CAST(COALESCE(
		(SELECT value FROM meta WHERE key = 'days_since'), '0') AS INTEGER)) AS restated#;

-- name: restatement_put
INSERT INTO restatement (at, date, invoice_month, currency, source, old_cost, old_credits,
	new_cost, new_credits)
SELECT $at#, $date, $invoice_month, $currency, name, $old_cost#, $old_credits#, $new_cost#, $new_credits#
FROM billing_table WHERE table_id = $table_id#
ON CONFLICT (date, invoice_month, currency, source, at) DO UPDATE SET
	new_cost = excluded.new_cost, new_credits = excluded.new_credits;

-- name: import_get
SELECT f.imported#, f.row_count#, f.table_id#, COALESCE(t.batch, 0) AS batch#
FROM import_file f LEFT JOIN billing_table t ON t.table_id = f.table_id WHERE f.sha256 = $sha256;

-- name: import_put
PUT import_file (sha256, table_id#, name, row_count#, imported#);

-- name: anomaly_put
PUT anomaly (project, id | scope, severity, detected#, updated#?, currency?, actual#?, expected#?,
		deviation#?, causes, first_seen=$now#, last_seen=$now)
	SET first_seen = anomaly.first_seen;

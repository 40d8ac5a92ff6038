-- Queries of `why`. Figures are read from the derived tables, as the views read them.

-- Names of a derived kind.
-- name: explain_names
SELECT name FROM grant_state WHERE $kind = 'grant' UNION SELECT name FROM budget_state WHERE $kind = 'budget'
UNION SELECT name FROM credit_state WHERE $kind = 'credit' ORDER BY name;

-- The oldest read of a table of the bill: data missing in one table may be newer in another.
-- name: explain_bill_read
SELECT MIN(CASE WHEN kind = 'export' THEN looked ELSE (SELECT MAX(u.ingested)
	FROM billing_unit u WHERE u.table_id = billing_table.table_id) END) AS at#? FROM billing_table;

-- name: explain_resource
SELECT r.id, r.uid, r.kind, r.project, r.location, r.zone?, r.region?, r.name, r.state, r.type?,
	r.provisioning?, r.attached_to?, v.family?, v.covered#?, v.gross#?, v.currency?, v.price_source?
FROM resource r LEFT JOIN verdict v ON v.id = r.id WHERE r.id = $id;

-- name: explain_host
SELECT slice FROM hosts WHERE id = $id AND slice IS NOT NULL;

-- Of the queries of "-- cells:" below, names and order of the columns are those of the rows of
-- `why`: see explain_rows() in reports/why/internal.h.

-- cells: explain_net
SELECT v.net AS "net $", v.currency || '/h' AS unit, CASE WHEN v.net IS NULL THEN NULL
		WHEN v.covered = 1 THEN 'paid by the grant' ELSE 'gross' END AS formula,
	CASE WHEN v.covered IS NOT NULL THEN v.grant_name END AS "grant",
	COALESCE(v.why, 'grants cover only running TPUs') AS why, v.why_text AS explanation
FROM resource r LEFT JOIN verdict v ON v.id = r.id WHERE r.id = $id;

-- cells: explain_lately
SELECT 'Sustained use: an estimate, not included in other figures' AS section,
	NULLIF(v.sustained_use, 0) AS "reduces gross $?", v.currency || '/h' AS unit,
	'depends on its running hours this month, in Pacific time' AS formula,
	'Last 24 hours' AS section, v.gross_24h AS "gross of 24 h $", v.currency AS unit,
	'its history in that time x current list price' AS formula, 'inventory history' AS source,
	v.net_24h AS "net of 24 h $", v.currency AS unit
FROM resource r LEFT JOIN verdict v ON v.id = r.id WHERE r.id = $id;

-- cells: explain_description
SELECT r.kind, r.type, r.provisioning AS class, v.reservation, v.chips AS "chips #?", v.hosts AS "hosts #?",
	CASE WHEN r.target_hosts <> v.hosts THEN 'of ' || r.target_hosts END AS unit, COALESCE(r.topology,
		CASE WHEN r.source = 'slice' AND r.attached_to LIKE 'locations/%' THEN 'unknown' END)
		AS topology, v.vcpus AS "vCPUs #?", v.memory_mib * 15625000 / 16 AS "memory $?", 'GiB' AS unit,
	r.size_gib AS "size #?", 'GiB' AS unit,
	CASE WHEN r.gpu_type IS NOT NULL THEN 'GPUs' END AS label, r.gpu_count AS "= #",
	r.gpu_type AS unit,
	r.state || ' (Google says ' || r.raw_state || ')' AS state, r.source AS source,
	s.last_success AS read, i.starts AS "in this state since @", r.created AS "created @",
	v.ends AS "ends by itself @", CASE WHEN v.ends IS NULL THEN NULL
		WHEN r.end_action = 'stop' THEN 'stopped; its disks are still charged'
		ELSE 'deleted' END AS "at its end",
	r.first_seen AS "first seen @", r.last_seen AS "last seen @",
	CASE r.complete WHEN 0 THEN 'not read in the last poll: these are older values'
		END AS "not current",
	r.owner, NULLIF(r.labels, '{}') AS labels, CASE WHEN r.kind NOT IN ('tpu', 'vm')
		THEN r.attached_to END AS "used by", CASE WHEN r.kind IN ('tpu', 'vm')
		THEN r.attached_to END AS "group", r.alone AS "not a slice", r.queued AS "queued as",
			CASE v.exempt WHEN 1 THEN
		COALESCE(v.exempt_why, 'label tpucost-keep') || ': no rule acts on it' END AS exempt
FROM resource r LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN resource_interval i ON i.id = r.id AND i.ends IS NULL
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
WHERE r.id = $id;

-- cells: explain_exempt
SELECT 'command' AS label, 'not shown: it is exempt: ' || CASE v.exempt WHEN 1
		THEN COALESCE(v.exempt_why, 'label tpucost-keep') ELSE 'hold until ' END AS "=",
	CASE v.exempt WHEN 1 THEN NULL ELSE h.until END AS "+ @"
FROM verdict v LEFT JOIN hold h ON h.id = v.id WHERE v.id = $id;

-- cells: explain_idle
SELECT r.idle_minutes AS "idle #", 'minutes' || IIF(x.at_least, ' at least', '') AS unit,
	CASE WHEN r.idle_minutes IS NOT NULL THEN r.idle_basis END AS by,
	CASE WHEN r.idle_minutes IS NULL THEN 'only a ' || CASE r.kind WHEN 'tpu'
			THEN 'TPU whose chip metrics are' ELSE 'machine without GPUs whose CPU metric is' END
		|| ' recent can be idle; known now: ' || COALESCE(NULLIF(r.idle_basis, ''), 'nothing')
		END AS "why unknown"
FROM resources r LEFT JOIN activity x ON x.id = r.id WHERE r.id = $id;

-- cells: explain_metrics
SELECT metric AS label, value AS "= $", 'newest of ' || series || ' series' AS formula,
	'metric' AS source, at AS read, idle_since AS "  idle since @",
	CASE WHEN idle_since IS NULL THEN 'active' END AS "  status"
FROM metric WHERE project = $project AND subject IN ($uid, $node) ORDER BY metric;

-- Resources charged in addition to it, which remain when it stops.
-- cells: explain_belongings
SELECT CASE certain WHEN 0 THEN 'related: ' ELSE 'still charged: ' END || part AS label,
	rest AS "= $", currency || '/h' AS unit,
	relation || COALESCE(' via ' || via, '')
		|| CASE certain WHEN 0 THEN ', matched by name only' ELSE '' END AS source
FROM belonging WHERE id = $id ORDER BY certain DESC, part;

-- cells: explain_traffic
SELECT sent AS "sent #", 'bytes/s' AS unit, at AS read, received AS "received #", 'bytes/s' AS unit,
	path, far_buckets AS "elsewhere", low AS "at least $",
	currency || '/h' AS unit, high AS "at most $", currency || '/h' AS unit, basis AS "based on"
FROM egress_part WHERE id = $id;

-- Lines of the bill that name the resource. Several resources may have one name: the charged
-- category distinguishes a disk from a machine.
-- name: explain_resource_bill
SELECT s.sku, s.sku_id, h.currency, SUM(d.cost) AS cost#, SUM(d.credits) AS credits#,
	MIN(c.date) AS first_date, MAX(c.date) AS last_date
FROM cost_day d
	JOIN calendar c ON c.day = d.day
	JOIN billed_resource b ON b.resource_ref = d.resource_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN place l ON l.place_ref = d.place_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
	JOIN charge h ON h.charge_ref = d.charge_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
WHERE d.day >= $first# AND p.project = $project
	AND (b.resource = $name
		OR SUBSTR(b.resource, LENGTH(b.resource) - LENGTH($name)) = '/' || $name
		OR SUBSTR(b.global_name, LENGTH(b.global_name) - LENGTH($name)) = '/' || $name
		OR $uid <> '' AND SUBSTR(b.global_name, LENGTH(b.global_name) - LENGTH($uid)) = '/' || $uid)
	AND (l.zone = $zone OR l.zone = '' AND l.region IN ($region, ''))
	AND CASE WHEN $category = 'vm' THEN COALESCE(k.category, 'other') NOT IN ('disk', 'snapshot', 'ip',
		'tpu')
		WHEN $category = 'tpu' THEN COALESCE(k.category, 'other') IN ('tpu', 'network')
		ELSE k.category = $category END
GROUP BY s.sku, s.sku_id, h.currency
ORDER BY h.currency, SUM(d.cost + d.credits) DESC, s.sku, s.sku_id;

-- Lines of grants of that name or family, in configured order.
-- name: explain_grant_state
SELECT g.line#, g.name, g.granted_chips#, u.used_chips#?, u.free_chips#?, g.starts#?, g.until#?,
	u.covered_chip_seconds#?, u.saved#?, g.currency?, n.quota_note?
FROM grant_state g LEFT JOIN grant_use u ON u.line = g.line LEFT JOIN grant_note n ON n.line = g.line
WHERE g.name = $name? OR g.family = $family? ORDER BY g.line;

-- Covered TPUs of a grant.
-- cells: explain_covered
SELECT v.id AS label, v.gross AS "= $", v.currency || '/h' AS unit,
	COALESCE(r.type, '?') || ', ' || COALESCE(v.chips, 0) || ' chips' AS formula
FROM verdict v JOIN resource r ON r.id = v.id WHERE v.covered = 1 AND v.grant_name = $grant
ORDER BY r.created, r.name, r.id;

-- Covered TPUs that precede another one and could release its capacity: the older ones.
-- cells: explain_room
SELECT 'capacity is used by' AS label, v.id || ' (' || COALESCE(r.type, '?') || ', '
		|| COALESCE(v.chips, 0) || ' chips, created ' AS "=",
	COALESCE(r.created, 'at an unknown time') AS "+ @",
	', grant ' || COALESCE(v.grant_name, '?') || ')' AS "+"
FROM verdict v JOIN resource r ON r.id = v.id
WHERE v.covered = 1 AND v.family = $family? AND r.location = $location AND r.provisioning = $provisioning?
	AND r.id <> $but AND EXISTS (SELECT 1 FROM grant_state g WHERE g.name = v.grant_name
		AND COALESCE(g.project, $project) = $project)
ORDER BY r.created, r.name, r.id;

-- Value at list prices of days in the last weeks that were covered completely, where the bill states it.
-- cells: explain_grant_bill
SELECT 'list value on the bill' AS label, SUM(list_cost) AS "= $", currency AS unit,
	COUNT(*) || CASE COUNT(*) WHEN 1 THEN ' day' ELSE ' days' END || ' that it covered, '
		|| MIN(day) || ' to ' || MAX(day) AS formula, 'billing' AS source
FROM reconcile_part
WHERE family = $family AND location IN ($zone, $region) AND covered > 0 AND uncovered = 0
	AND list_cost > cost + credits
GROUP BY currency ORDER BY currency;

-- Costs that begin when that grant ends.
-- cells: explain_grant_end_parts
SELECT id AS label, gross AS "= $", currency || '/h' AS unit, why_text AS source
FROM grant_end_part WHERE grant_name = $grant ORDER BY currency, gross DESC, id;

-- When the grant of that TPU ends, and no other grant covers it.
-- cells: explain_covered_until
SELECT 'covered until the end of ' || grant_name AS label, until AS "= @",
	'not covered' || COALESCE(': ' || why_text, '') AS "then",
	again AS "again from @", again_grant AS by
FROM grant_end_part WHERE id = $id ORDER BY until;

-- name: explain_credit_state
SELECT amount#, used#?, billed_from#?, currency FROM credit_state WHERE name = $name;

-- cells: explain_credit_end
SELECT burn AS "net burn now $", currency || '/h' AS unit,
	CASE WHEN unread = 1 THEN 'running resources have not been read completely yet'
		WHEN burn IS NULL AND used IS NOT NULL
		THEN 'a resource has no price, or its currency has no rate' END AS formula,
	expires AS "expires @", unbilled AS "unbilled $", currency AS unit,
	'of what ran since the newest usage on the bill; at most 14 days' AS formula,
	CASE WHEN runs_out <= $now# THEN 'about used up by unbilled use'
		WHEN expires <= $now THEN 'it has expired'
		WHEN runs_out IS NOT NULL THEN runs_out
		WHEN burn IS NULL OR used IS NULL THEN 'unknown'
		ELSE 'never, at the current rate' END AS "runs out @",
	'the remaining credit without the unbilled amount, at the net run rate of what has not ended by '
		|| 'itself and, from the end of their grants on, of TPUs that are covered now' AS how,
	safe_per_day AS "safe to spend per day $?", currency AS unit,
	CASE WHEN unbilled IS NULL AND safe_per_day > 0 THEN 'at most: unbilled use is not known' END
		AS formula
FROM credit_state WHERE name = $name;

-- cells: explain_credit_parts
SELECT 'converted' AS label, used AS "= $", $currency AS unit,
	-promo AS formula, ' ' || currency AS formula,
	CASE WHEN to_rate <> 1000000000 THEN ' x ' END AS formula,
	NULLIF(to_rate, 1000000000) AS formula,
	CASE WHEN currency <> 'USD' THEN ' / ' END AS formula,
	CASE WHEN currency <> 'USD' THEN rate END AS formula, 'rate of the export' AS source
FROM credit_part WHERE name = $name AND currency <> $currency ORDER BY currency, rate;

-- cells: explain_promo_months
SELECT c.invoice_month AS label, SUM(u.credits) AS "= $", c.currency AS unit
FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
WHERE u.credit_ref = 1 AND u.hour >= $since# AND u.hour < $until#
GROUP BY c.invoice_month, c.currency ORDER BY c.invoice_month, c.currency;

-- name: explain_day
SELECT day#, starts#, ends# FROM calendar WHERE date = $date;

-- Anomalies of that day: detected on it or up to two days later.
-- cells: explain_anomalies
SELECT project AS label, actual AS "= $?", currency AS unit,
	CASE WHEN expected IS NOT NULL THEN 'instead of ' END AS formula, expected AS formula,
	CASE WHEN expected IS NOT NULL THEN ' ' || currency END AS formula,
	CASE WHEN expected IS NOT NULL AND causes IS NOT NULL THEN '; ' END AS formula,
	causes AS formula, 'reported by Google on ' || day || COALESCE(CASE seen_first
		WHEN 'google' THEN ', before our alert ' WHEN 'tpucost' THEN ', after our alert '
		ELSE ', on the day of our alert ' END || alert, '; no alert of ours') AS source
FROM anomalies_raw WHERE day BETWEEN $date AND date($date, '+2 days') ORDER BY day, id;

-- Of a day, or of an invoice month: total, or by day or project. One of them restricts the days to
-- a few.
-- cells: explain_cost_by
SELECT CASE $by WHEN 'day' THEN name WHEN 'project' THEN COALESCE(name, '(account level)')
		ELSE 'net' END AS label,
	cost + credits AS "= $", currency AS unit,
	CASE WHEN credits <> 0 THEN cost END AS formula,
	CASE WHEN credits <> 0 THEN ' ' || currency || ' and credits of ' END AS formula,
	CASE WHEN credits <> 0 THEN credits END AS formula,
	CASE WHEN credits <> 0 THEN ' ' || currency END AS formula,
	CASE $by WHEN 'day' THEN status END AS source,
	CASE $by WHEN '' THEN NULLIF(promo, 0) END AS "of it promotions $?", currency AS unit,
	CASE WHEN $by = '' AND $date <> '' THEN status END AS status
FROM (SELECT CASE $by WHEN 'day' THEN day WHEN 'project' THEN project END AS name, currency,
		SUM(cost_n) AS cost, SUM(credits_n) AS credits, SUM(promo_n) AS promo,
		CASE MIN(CASE status WHEN 'partial' THEN 0 WHEN 'settling' THEN 1 ELSE 2 END)
			WHEN 0 THEN 'partial' WHEN 1 THEN 'settling' ELSE 'settled' END AS status
	FROM sku_costs_exact WHERE (day = $date OR invoice_month = $month)
		AND day_n >= COALESCE((SELECT x.day FROM calendar x WHERE x.date = $date), -100000000)
		AND day_n <= COALESCE((SELECT x.day FROM calendar x WHERE x.date = $date), 100000000)
	GROUP BY 1, currency)
ORDER BY CASE WHEN $by = 'project' THEN currency END, CASE WHEN $by = 'project' THEN cost + credits END DESC,
	name, currency;

-- cells: explain_cost_skus
SELECT sku AS label, cost + credits AS "= $", currency AS unit,
	CASE WHEN usage_unit IS NOT NULL THEN usage END AS formula,
	CASE WHEN usage IS NOT NULL THEN ' ' || usage_unit END AS formula,
	CASE WHEN credits <> 0 AND usage IS NOT NULL AND usage_unit IS NOT NULL THEN ': ' END
		AS formula,
	CASE WHEN credits <> 0 THEN cost END AS formula,
	CASE WHEN credits <> 0 THEN ' ' || currency || ' and credits of ' END AS formula,
	CASE WHEN credits <> 0 THEN credits END AS formula,
	CASE WHEN credits <> 0 THEN ' ' || currency END AS formula,
	service || COALESCE(', SKU ' || NULLIF(sku_id, ''), '') AS source
FROM (SELECT service, sku, sku_id, currency, usage_unit,
		CASE WHEN COUNT(usage_n) = COUNT(*) AND ABS(SUM(usage_n / 1000000000)) < 9000000000
			THEN SUM(usage_n / 1000000000) * 1000000000 + SUM(usage_n % 1000000000) END
			AS usage,
		SUM(cost_n) AS cost, SUM(credits_n) AS credits
	FROM costs_exact WHERE (day = $date OR invoice_month = $month)
		AND day_n >= COALESCE((SELECT x.day FROM calendar x WHERE x.date = $date), -100000000)
		AND day_n <= COALESCE((SELECT x.day FROM calendar x WHERE x.date = $date), 100000000)
	GROUP BY service, sku, sku_id, currency, usage_unit)
ORDER BY currency, cost + credits DESC, service, sku, sku_id;

-- From list prices to the amount to pay: negotiated prices, commitments by consumption model, and credits
-- by type, as Google names them.
-- cells: explain_cost_discounts
WITH d AS (SELECT currency, COALESCE(consumption_model, 'no consumption model') AS model,
		SUM(list_cost_n) AS list, SUM(discount_n) AS discount, SUM(committed_n) AS committed
	FROM sku_costs_exact WHERE (day = $date OR invoice_month = $month)
		AND day_n >= COALESCE((SELECT x.day FROM calendar x WHERE x.date = $date), -100000000)
		AND day_n <= COALESCE((SELECT x.day FROM calendar x WHERE x.date = $date), 100000000)
	GROUP BY currency, COALESCE(consumption_model, 'no consumption model')
), c AS (SELECT h.currency, t.type AS credit_type, SUM(x.credits) AS credits
	FROM credit_day x JOIN calendar k ON k.day = x.day
		JOIN charge h ON h.charge_ref = x.charge_ref
		JOIN credit_type t ON t.credit_ref = x.credit_ref
	WHERE (k.date = $date OR h.invoice_month = $month)
		AND x.day >= COALESCE((SELECT y.day FROM calendar y WHERE y.date = $date), -100000000)
		AND x.day <= COALESCE((SELECT y.day FROM calendar y WHERE y.date = $date), 100000000)
	GROUP BY h.currency, t.type
), parts AS (
	SELECT 0 AS part, 'at list prices' AS label, currency, SUM(list) AS amount, NULL AS source
	FROM d GROUP BY currency HAVING SUM(discount) <> 0
	UNION ALL SELECT 1, 'negotiated prices', currency, SUM(committed) - SUM(discount),
		'list price minus price of the account, default consumption model'
	FROM d GROUP BY currency HAVING SUM(discount) <> SUM(committed)
	UNION ALL SELECT 2, model, currency, -committed, 'consumption model: discounted price'
	FROM d WHERE committed <> 0
	UNION ALL SELECT 3, credit_type, currency, credits, CASE credit_type
			WHEN 'PROMOTION' THEN 'promotional credit'
			WHEN 'SUSTAINED_USAGE_DISCOUNT' THEN 'sustained use discount'
			WHEN 'COMMITTED_USAGE_DISCOUNT' THEN 'committed use discount, by resources'
			WHEN 'COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE'
				THEN 'committed use discount, by spend'
			WHEN 'FREE_TIER' THEN 'free tier'
			WHEN 'SUBSCRIPTION_BENEFIT' THEN 'benefit of a subscription'
			WHEN 'RESELLER_MARGIN' THEN 'margin of the reseller'
			WHEN 'DISCOUNT' THEN 'contractual discount'
			WHEN 'FEE_UTILIZATION_OFFSET' THEN 'offset of a commitment fee' END
	FROM c WHERE credits <> 0)
SELECT label, amount AS "= $", currency AS unit, source FROM parts
ORDER BY currency, part, amount, label;

-- cells: explain_cost_tables
SELECT t.name AS label, t.kind || ', partitions: ' || COUNT(*) || ', newest row exported ' AS "=",
	MAX(b.exported) AS "+ @", 'billing' AS source, MAX(b.ingested) AS read
FROM (SELECT DISTINCT table_id, unit FROM usage WHERE hour >= $starts# AND hour < $ends#) u
	JOIN billing_table t ON t.table_id = u.table_id
	JOIN billing_unit b ON b.table_id = u.table_id AND b.unit = u.unit
GROUP BY t.name, t.kind ORDER BY t.name;

-- name: explain_cost_known
SELECT account, until# FROM account_known WHERE day = $day# ORDER BY account;

-- cells: explain_restatements
SELECT noticed AS label, new_net AS "= $", currency AS unit,
	day || ': was ' AS formula, old_net AS formula, ' ' || currency || ', now' AS formula, source
FROM restatements_raw WHERE old_net IS NOT NULL AND (day = $date OR invoice_month = $month)
ORDER BY noticed, day, currency, invoice_month, source;

-- By currency, and by category if requested.
-- cells: explain_burn
SELECT CASE $by_category# WHEN 0 THEN 'together' ELSE category END AS label, net AS "= $",
	currency || '/h' AS unit, CASE WHEN gross <> net THEN gross END AS formula,
	CASE WHEN gross = net THEN 'gross' ELSE ' ' || currency
		|| '/h gross, grants pay the rest' END AS formula
FROM (SELECT CASE WHEN $by_category <> 0 THEN category END AS category, currency, SUM(gross) AS gross,
		SUM(net) AS net
	FROM burn_part WHERE currency IS NOT NULL GROUP BY 1, currency)
ORDER BY currency, net DESC, gross DESC, category;

-- With a known price, or without one.
-- cells: explain_burn_parts
SELECT b.id || ' (' || b.category || ')' AS label, CASE $known# WHEN 1 THEN b.net END AS "= $",
	b.currency || '/h' AS unit,
	CASE WHEN $known = 1 AND b.gross <> b.net THEN b.gross END AS formula,
	CASE WHEN $known = 0 THEN NULL WHEN b.gross = b.net THEN 'gross'
		ELSE ' ' || b.currency || '/h gross, grants pay the rest' END AS formula,
	CASE $known WHEN 1 THEN v.price_source END AS source
FROM burn_part b LEFT JOIN verdict v ON v.id = b.id
WHERE (b.currency IS NOT NULL) = $known
ORDER BY b.currency, CASE WHEN $known = 1 THEN b.net END DESC, CASE WHEN $known = 1 THEN b.gross END DESC,
	b.id, b.category;

-- cells: explain_quota
SELECT COALESCE(NULLIF(quota_id, ''), 'limit') || COALESCE(' ' || NULLIF(dimensions, '{}'), '')
		AS section, service, CASE limit_value WHEN -1 THEN 'none' ELSE limit_value END AS "limit #",
	source, seen AS read, COALESCE(q.used, s.used) AS "used #",
	CASE WHEN q.used IS NULL AND s.used IS NOT NULL THEN 'inventory' END AS source,
	s.held || ' chips' AS held,
	s.pool || COALESCE(' ' || s.family, '') AS pool,
	CASE is_default WHEN 0 THEN 'granted to this project'
		WHEN 1 THEN 'the default of all projects' END AS origin
FROM quota q LEFT JOIN quota_state s ON s.quota = q.id
WHERE project || '/' || location || '/' || metric = $key
ORDER BY dimensions, quota_id;

-- The lists of one source; NULL: those of the inventory.
-- name: explain_sources
SELECT s.source, s.project, s.state, s.last_attempt#, s.last_success#?, s.items#, s.error?, s.fix?,
	s.failures#, i.seconds#?, v.stale#, v.asked#?
FROM source_status s LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
	JOIN sources_raw v ON v.source = s.source AND v.project = s.project
WHERE CASE WHEN $source? IS NOT NULL THEN s.source = $source
	ELSE s.poll_group = 'instances' AND s.source <> 'index' END
ORDER BY s.source, s.project;

-- cells: explain_gaps
SELECT 'unreachable: ' || location AS label, since AS "= @" FROM source_gap
WHERE source = $source AND project = $project ORDER BY location;

-- name: explain_budget_state
SELECT period, starts#, ends#, amount#, currency, spent#?, unbilled#?, expected#?, forecast#?, reached#?,
	CAST(ROUND(percent * 100) AS INTEGER) AS percent#?,
	CAST(ROUND(forecast_percent * 100) AS INTEGER) AS forecast_percent#?
FROM budgets_raw WHERE name = $name;

-- cells: explain_budget_end
SELECT forecast_low AS "at least $", currency AS unit, forecast_high AS "at most $", currency AS unit,
	forecast_if_stopped AS "if recommended stops are made $", currency AS unit,
	forecast_reached AS "threshold reached #?", '%' AS unit,
	CASE WHEN runs_out IS NOT NULL THEN runs_out WHEN forecast IS NULL THEN 'unknown'
		ELSE 'not in this period' END AS "runs out @",
	runs_out_if_stopped AS "if stopped, runs out @",
	safe_per_day AS "safe to spend per day $", currency AS unit, basis AS "based on",
	CASE WHEN converted <> 0 THEN 'amounts of the bill to USD at the rate of their own lines; estimates, and '
		|| 'amounts to another currency, at the newest rate of the export' END AS converted
FROM budgets_raw WHERE name = $name;

-- name: explain_budget_parts
SELECT project, spent#, unbilled_from#?, per_hour#?, unbilled#?, currency
FROM budget_part WHERE name = $name ORDER BY spent DESC, project;

-- cells: explain_alert
SELECT summary, state, severity, CASE data WHEN 'fresh' THEN 'fresh: the condition was evaluated'
		WHEN 'stale' THEN 'stale: its data is old, so the state does not change'
		ELSE 'unknown: it could not be evaluated, so the state does not change' END AS data,
	since AS "true since @", last_true AS "last true @", fired AS "fired @",
	said AS "last reported @", resolved AS "resolved @", NULLIF(stage, 0) AS "stage #?",
	value AS "figure $?", NULLIF(labels, '{}') AS labels
FROM alert WHERE rule = $rule AND subject = $subject;

-- Of a rule, by subject; or of a subject, by rule.
-- cells: explain_alerts
SELECT CASE WHEN $rule? IS NULL THEN rule ELSE subject END AS label, state || ', ' || severity
		|| CASE WHEN $rule IS NULL THEN ', data ' || data ELSE '' END || ': ' || summary AS "="
FROM alert WHERE rule = $rule OR subject = $subject? ORDER BY state, rule, subject;

-- cells: explain_events
SELECT at AS label, kind || ' (' || severity || CASE muted WHEN 0 THEN '' ELSE ', silenced' END
		|| '): ' || summary AS "="
FROM alert_event WHERE rule = $rule AND subject = $subject ORDER BY at DESC, event DESC LIMIT 20;

-- cells: explain_silences
SELECT 'silence ' || silence AS label,
	CASE WHEN until > $now# THEN 'active' ELSE 'ended' END || ': from ' AS "=", created AS "+ @",
	' until ' AS "+", until AS "+ @",
	CASE subject WHEN '' THEN ', every subject' ELSE ', this subject' END
		|| COALESCE(': ' || NULLIF(comment, ''), '') AS "+"
FROM silence WHERE rule = $rule AND (subject = '' OR subject = $subject) ORDER BY until DESC;

-- cells: explain_hold
SELECT until AS "no action until @", comment FROM hold WHERE id = $id AND until > $now#;

-- cells: explain_rule_state
SELECT judged AS "evaluated @", hits AS "matched at that time #", 'rows' AS unit,
	error AS "evaluation error"
FROM rule_state WHERE rule = $rule;

-- Its history; `newest`: the last ten, newest first.
-- name: explain_stretches
SELECT uid, starts#, ends#?, kind, project, location, name, state, type?, provisioning?
FROM resource_interval WHERE id = $id
ORDER BY CASE WHEN $newest# <> 0 THEN -starts ELSE starts END, uid
LIMIT CASE WHEN $newest <> 0 THEN 10 ELSE -1 END;

-- `unlisted`: why its project permits no action.
-- cells: explain_action
SELECT 'Status' AS section, resource AS machine, uid, rule, verb || CASE mode WHEN 'armed'
		THEN ', armed' ELSE ', a dry run: no action is taken' END AS action,
	severity, state, since AS "in this state since @",
	CASE WHEN ended IS NULL AND intent IS NULL THEN COALESCE($unlisted?, reason) ELSE reason END AS why,
	CASE WHEN ended IS NULL AND intent IS NULL AND $unlisted IS NOT NULL THEN 'guard project'
		WHEN ended IS NULL THEN 'guard ' || NULLIF(held, '') END AS "held by",
	started AS "started @", began AS "began @", warned AS "warned @",
	CASE WHEN ended IS NOT NULL OR intent IS NOT NULL OR $unlisted IS NULL THEN due END AS "due @",
	approved AS "approved @", next_at AS "next attempt not before @", sent AS "sent @",
	ended AS "ended @",
	'Savings' AS section, saves AS "saves $", currency || '/h' AS unit,
	'net per hour of the machine' AS formula,
	COALESCE(residual, (SELECT NULLIF(z.text, '') FROM residual z WHERE z.id = resource))
		AS "still costs $", currency || '/h' AS unit, 'disks and addresses' AS formula,
	'Request' AS section, NULLIF(attempts, 0) AS "failed attempts #?",
	request_id AS "request id", operation, restart AS "restarted by >",
	CASE WHEN ended IS NULL AND intent IS NULL
		THEN 'tpucost hold add ' || resource || ' --until 7d' END AS "prevented by >"
FROM action WHERE action = $action#;

-- Actions on a machine.
-- cells: explain_actions_of
SELECT 'action:' || action AS label,
	verb || ' by ' || rule || ', ' || mode || ', ' || state || ' since ' AS "=", since AS "+ @",
	CASE WHEN ended IS NULL AND intent IS NULL
	AND $unlisted? IS NOT NULL THEN ', held by project: ' || $unlisted
		ELSE COALESCE(', held by ' || NULLIF(held, ''), '') || ': ' || reason END AS "+",
	CASE WHEN state = 'recheck' AND attempts >= 3 THEN ', the next at ' END AS "+",
	CASE WHEN state = 'recheck' AND attempts >= 3 THEN next_at END AS "+ @"
FROM action WHERE resource = $resource ORDER BY action DESC;

-- name: explain_action_audit
SELECT seq#, at#, actor, event, detail FROM audit_entry WHERE action = $action# ORDER BY seq DESC;

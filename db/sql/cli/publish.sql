-- Rows that are published in BigQuery: see docs/publish.md. The tables of the present have their rows in turn, the others
-- those of one day.

-- cells: publish_burn
SELECT * FROM burn_raw ORDER BY project, category, currency;

-- cells: publish_alerts
SELECT * FROM alerts_raw ORDER BY rule, subject;

-- cells: publish_capacity
SELECT * FROM capacity_raw ORDER BY zone, family, provisioning, type;

-- cells: publish_coverage
SELECT * FROM coverage_raw ORDER BY id, starts, ends, grant_name;

-- cells: publish_period_resources
SELECT * FROM period_resources_raw ORDER BY id, uid;

-- cells: publish_reconciliation
SELECT * FROM reconciliation_raw
ORDER BY day, project, family, location, provisioning, currency, sku;

-- cells: publish_alert_events
SELECT * FROM alert_events_raw WHERE at >= $since# AND at < $until# ORDER BY event;

-- cells: publish_actions
SELECT * FROM actions_raw WHERE began >= $since# AND began < $until# ORDER BY id;

-- name: publish_table_get
SELECT created#, taken# FROM publish_table WHERE view = $view;

-- name: publish_taken
PUT publish_table (view | taken#);

-- name: publish_created
PUT publish_table (view | created#);

-- Days to compare: the last two, and of the others those that were not compared for the longest time.
-- name: publish_days
WITH RECURSIVE d(day) AS (SELECT $first# UNION ALL SELECT day + 1 FROM d WHERE day < $today#)
SELECT d.day#, COALESCE(p.checked, 0) AS checked# FROM d LEFT JOIN publish_day p ON p.day = d.day
ORDER BY d.day >= $today - 1 DESC, 2, d.day DESC LIMIT $most#;

-- name: publish_checked
DELETE FROM publish_day WHERE day < $first#;
DELETE FROM publish_part WHERE day < $first;
DELETE FROM publish_gap WHERE until < ($first - 2) * 86400;
INSERT INTO publish_day (day, checked) VALUES ($day#, $now#) ON CONFLICT DO UPDATE SET checked = excluded.checked;

-- name: publish_part_get
SELECT hash, gap#, kept# FROM publish_part WHERE view = $view AND day = $day#;

-- Replaces rows that were not sent yet.
-- name: publish_part_put
DELETE FROM publish_load WHERE view = $view AND day = $day# AND sent IS NULL;
INSERT INTO publish_part (view, day, hash) VALUES ($view, $day, $hash) ON CONFLICT DO UPDATE SET hash = excluded.hash;

-- name: publish_load_put
PUT publish_load (view, day#, replaces#, job, attempt=0, bytes#, body);

-- The next load of each table.
-- name: publish_next
SELECT load#, view, day#, replaces#, job, attempt#, sent#? FROM publish_load
WHERE load IN (SELECT MIN(load) FROM publish_load GROUP BY view) ORDER BY load;

-- name: publish_body
SELECT body FROM publish_load WHERE load = $load#;

-- name: publish_waiting
SELECT COUNT(*) AS loads#, COALESCE(SUM(bytes), 0) AS bytes# FROM publish_load;

-- name: publish_sent
UPDATE publish_load SET sent = $now# WHERE load = $load#;

-- The job failed: the next attempt has another id.
-- name: publish_again
UPDATE publish_load SET sent = NULL, attempt = attempt + 1 WHERE load = $load#;

-- The job is refused for its rows.
-- name: publish_drop
DELETE FROM publish_load WHERE load = $load# OR ($whole_day# AND view = $view AND day = $day#);
DELETE FROM publish_part WHERE $whole_day AND view = $view AND day = $day;

-- name: publish_done
DELETE FROM publish_load WHERE load = $load#;

-- BigQuery has no rows of the day that are another database's.
-- name: publish_own
INSERT INTO publish_part (view, day, hash, gap) VALUES ($view, $day#, '', $gap#)
ON CONFLICT DO UPDATE SET gap = excluded.gap, kept = 0;

-- It has some.
-- name: publish_keep
DELETE FROM publish_load WHERE view = $view AND day = $day#;
INSERT INTO publish_part (view, day, hash, gap, kept) VALUES ($view, $day, '', $gap#, 1)
ON CONFLICT DO UPDATE SET gap = excluded.gap, kept = 1;

-- name: publish_added
UPDATE publish_part SET kept = 2 WHERE view = $view AND day = $day#;

-- name: publish_kept
SELECT COUNT(DISTINCT day) AS days#, MIN(day) AS first#?, MAX(day) AS last#? FROM publish_part WHERE kept > 0;

-- The newest gap that a period has a part in; NULL: none.
-- name: publish_gap_in
SELECT MAX(until) AS until#? FROM publish_gap WHERE until > $begins# AND since < $ends#;

-- A gap that was not recorded yet; until NULL: none. A database that acted last knows the time before, and so does a backup
-- that has the rows before they are sent ($each_cycle). Otherwise the gap ends when this database was restored, took over, or
-- began to watch.
-- name: publish_gap_find
SELECT k.taken AS since#, (SELECT MAX(e.at) FROM (
		SELECT at FROM audit_entry WHERE event = 'restored' AND at > k.taken
		UNION ALL SELECT at FROM audit_entry WHERE event = 'lease-taken' AND at > k.taken
			AND CASE json_extract(detail, '$.restored') WHEN 1 THEN NOT $each_cycle#
				ELSE json_extract(detail, '$.acted_last') = 0 END
		UNION ALL SELECT $now# FROM meta m WHERE m.key = $mark AND CAST(m.value AS INTEGER) >= k.taken
			AND NOT EXISTS (SELECT 1 FROM publish_gap g WHERE g.until > CAST(m.value AS INTEGER))
		UNION ALL SELECT COALESCE((SELECT MIN(watched_since) FROM source_status
				WHERE source IN ('tpu', 'vm', 'disk', 'ip', 'snapshot')), $now)
			WHERE k.taken = 0 AND NOT EXISTS (SELECT 1 FROM publish_gap)) e
	WHERE NOT EXISTS (SELECT 1 FROM publish_gap g WHERE g.until = e.at)) AS until#?
FROM (SELECT COALESCE(MAX(taken), 0) AS taken FROM publish_table) k;

-- name: publish_gap_put
INSERT INTO publish_gap (until, since) VALUES ($until#, $since#);

-- The table was created again: all days are sent again.
-- name: publish_reset
DELETE FROM publish_part WHERE view = $view;
DELETE FROM publish_day;

-- Another dataset.
-- name: publish_moved
DELETE FROM publish_part;
DELETE FROM publish_day;
DELETE FROM publish_table;
DELETE FROM publish_gap;
UPDATE publish_load SET sent = NULL, attempt = attempt + 1;

-- Rows that wait, and since when the configuration has had no `publish:`; NULL: it had one.
-- name: publish_left
SELECT m.value + 0 AS since#?, l.n AS loads#
FROM (SELECT COUNT(*) AS n FROM publish_load) l LEFT JOIN meta m ON m.key = $missing;

-- Nothing is to be published.
-- name: publish_forget
DELETE FROM publish_load;
DELETE FROM publish_part;
DELETE FROM publish_day;
DELETE FROM publish_table;
DELETE FROM publish_gap;
DELETE FROM meta WHERE key IN ($aim, $missing);

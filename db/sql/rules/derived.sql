-- Time up to which the costs of each account are known, by day of the zone. Days of the bill are in
-- UTC, so each overlaps two or three days of the zone. A table of the export is complete for all of
-- its days up to its last check; a file is complete up to its export, or to the end of its last day.
-- Of several tables, the least complete one decides.
-- name: known_days
-- in: i64 first, i64 last
-- out: text account, i64 day, i64 until
WITH t AS MATERIALIZED (SELECT b.table_id, CASE WHEN b.kind = 'export' THEN b.looked
	ELSE MAX(COALESCE((SELECT MAX(u.exported) FROM billing_unit u
			WHERE u.table_id = b.table_id), 0),
		COALESCE((SELECT (MAX(x.day) + 1) * 86400 FROM billing_day x
			WHERE x.table_id = b.table_id), 0)) END AS until
	FROM billing_table b)
SELECT d.account, c.day, MIN(t.until)
FROM (SELECT DISTINCT day, account, table_id FROM billing_day
		WHERE day >= $1 - 1 AND day <= $2 + 1) d
	JOIN t ON t.table_id = d.table_id
	JOIN calendar c ON c.day BETWEEN d.day - 1 AND d.day + 1
		AND c.starts < (d.day + 1) * 86400 AND c.ends > d.day * 86400
WHERE c.day >= $1 AND c.day <= $2
GROUP BY d.account, c.day ORDER BY d.account, c.day;

-- name: calendar_put
-- in: i64 day, text date, i64 starts, i64 ends
INSERT INTO calendar (day, date, starts, ends) VALUES ($1, $2, $3, $4)
ON CONFLICT (day) DO UPDATE SET date = excluded.date, starts = excluded.starts,
	ends = excluded.ends;

-- name: usage_next
-- in: i64 from
-- out: i64? hour
SELECT MIN(hour) FROM usage WHERE hour >= $1;

-- name: usage_between
-- in: i64 from, i64 until
-- out: i64 sku_ref, i64 project_ref, i64 place_ref, i64 resource_ref, i64 charge_ref, i64 credit_ref, i64? usage, i64 cost, i64 credits, i64 discount, i64 committed
SELECT sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref, usage, cost, credits,
	discount, committed
FROM usage WHERE hour >= $1 AND hour < $2;

-- Usage can exceed 64 bits (bytes): then it is NULL, and the amount of money is still stored.
-- name: cost_day_add
-- in: i64 day, i64 sku_ref, i64 project_ref, i64 place_ref, i64 resource_ref, i64 charge_ref, i64? usage, i64 cost, i64 credits, i64 promo, i64 discount, i64 committed
INSERT INTO cost_day (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref, usage,
	cost, credits, promo, discount, committed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref) DO UPDATE SET
	usage = CASE WHEN ABS(cost_day.usage / 2) + ABS(excluded.usage / 2) < 4500000000000000000
		THEN cost_day.usage + excluded.usage END,
	cost = cost_day.cost + excluded.cost,
	credits = cost_day.credits + excluded.credits,
	promo = cost_day.promo + excluded.promo,
	discount = cost_day.discount + excluded.discount,
	committed = cost_day.committed + excluded.committed;

-- Reports whether the sums of these days refer to missing names.
-- name: cost_day_unknown
-- in: i64 first, i64 last
-- out: i64 day
SELECT d.day FROM cost_day d
WHERE d.day >= $1 AND d.day <= $2
	AND (NOT EXISTS (SELECT 1 FROM sku x WHERE x.sku_ref = d.sku_ref)
		OR NOT EXISTS (SELECT 1 FROM billed_project x WHERE x.project_ref = d.project_ref)
		OR NOT EXISTS (SELECT 1 FROM place x WHERE x.place_ref = d.place_ref)
		OR NOT EXISTS (SELECT 1 FROM billed_resource x WHERE x.resource_ref = d.resource_ref)
		OR NOT EXISTS (SELECT 1 FROM charge x WHERE x.charge_ref = d.charge_ref))
UNION ALL
SELECT d.day FROM credit_day d
WHERE d.day >= $1 AND d.day <= $2
	AND NOT EXISTS (SELECT 1 FROM credit_type x WHERE x.credit_ref = d.credit_ref)
LIMIT 1;

-- name: project_day_fill
-- in: i64 first, i64 last
INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, credits, promo, discount,
	committed)
SELECT day, project_ref, sku_ref, charge_ref, SUM(cost),
	SUM(credits), SUM(promo), SUM(discount), SUM(committed)
FROM cost_day
WHERE day >= $1 AND day <= $2
GROUP BY day, project_ref, sku_ref, charge_ref;

-- name: account_day_fill
-- in: i64 first, i64 last
INSERT INTO account_day (day, account, charge_ref, part, cost, credits, promo, discount)
SELECT d.day, p.account, d.charge_ref,
	CASE WHEN d.cost NOT BETWEEN -1000000000000000 AND 1000000000000000
			OR d.credits NOT BETWEEN -1000000000000000 AND 1000000000000000
			OR d.promo NOT BETWEEN -1000000000000000 AND 1000000000000000
			OR d.discount NOT BETWEEN -1000000000000000 AND 1000000000000000
			THEN d.project_ref * 10000000 + d.sku_ref
		WHEN d.promo > 0 THEN 1 ELSE 0 END AS part,
	SUM(d.cost), SUM(d.credits),
	SUM(d.promo), SUM(d.discount)
FROM project_day d JOIN billed_project p ON p.project_ref = d.project_ref
WHERE d.day >= $1 AND d.day <= $2
GROUP BY d.day, p.account, d.charge_ref, 4;

-- name: credit_day_add
-- in: i64 day, i64 sku_ref, i64 project_ref, i64 place_ref, i64 resource_ref, i64 charge_ref, i64 credit_ref, i64 credits
INSERT INTO credit_day (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
	credit_ref, credits)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref)
DO UPDATE SET credits = credit_day.credits + excluded.credits;

-- name: meta_get
-- in: text key
-- out: text value
SELECT value FROM meta WHERE key = $1;

-- name: meta_drop
-- in: text key
DELETE FROM meta WHERE key = $1;

-- name: meta_put
-- in: text key, text value
INSERT INTO meta (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: commitments
-- out: text id, text project, text kind, text location, text name, text state, text? type, i64? amount, i64? used, text? gpu_type, i64? gpu_count, i64? local_ssd_gib, i64? starts, i64? ends
SELECT id, project, kind, location, name, state, type, amount, used, gpu_type, gpu_count,
	local_ssd_gib, starts, ends
FROM commitment ORDER BY id;

-- Machines that use a reservation, and slices of which each running host uses the same one.
-- name: reservation_users
-- out: text id, text project, text reservation
SELECT r.id, r.project, u.reservation FROM reservation_use u JOIN resource r ON r.source = 'vm'
	AND r.project = u.project AND r.location = u.zone AND r.name = u.name
WHERE r.state = 'running'
UNION ALL SELECT r.id, r.project, MIN(u.reservation) FROM host h JOIN resource r ON r.id = h.slice
	LEFT JOIN reservation_use u ON u.project = h.project AND u.zone = h.zone AND u.name = h.name
WHERE h.state = 'running' GROUP BY r.id
HAVING COUNT(u.reservation) = COUNT(*) AND MIN(u.reservation) = MAX(u.reservation)
ORDER BY 1;

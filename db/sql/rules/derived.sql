-- Time up to which the costs of each account are known, by day of the zone. Days of the bill are in
-- UTC, so each overlaps two or three days of the zone. A table of the export is complete for all of
-- its days up to its last check; a file is complete up to its export, or to the end of its last day.
-- Of several tables, the least complete one decides.
-- name: known_days
WITH t AS MATERIALIZED (SELECT b.table_id, CASE WHEN b.kind = 'export' THEN b.looked
	ELSE MAX(COALESCE((SELECT MAX(u.exported) FROM billing_unit u
			WHERE u.table_id = b.table_id), 0),
		COALESCE((SELECT (MAX(x.day) + 1) * 86400 FROM billing_day x
			WHERE x.table_id = b.table_id), 0)) END AS until
	FROM billing_table b)
SELECT d.account, c.day#, MIN(t.until) AS until#
FROM (SELECT DISTINCT day, account, table_id FROM billing_day
		WHERE day >= $first# - 1 AND day <= $last# + 1) d
	JOIN t ON t.table_id = d.table_id
	JOIN calendar c ON c.day BETWEEN d.day - 1 AND d.day + 1
		AND c.starts < (d.day + 1) * 86400 AND c.ends > d.day * 86400
WHERE c.day >= $first AND c.day <= $last
GROUP BY d.account, c.day ORDER BY d.account, c.day;

-- name: calendar_put
PUT calendar (day# | date, starts#, ends#);

-- name: usage_next
SELECT MIN(hour) AS hour#? FROM usage WHERE hour >= $from#;

-- name: usage_between
SELECT sku_ref#, project_ref#, place_ref#, resource_ref#, charge_ref#, credit_ref#, usage#?, cost#, credits#,
	discount#, committed#
FROM usage WHERE hour >= $from# AND hour < $until#;

-- Usage can exceed 64 bits (bytes): then it is NULL, and the amount of money is still stored.
-- name: cost_day_add
PUT cost_day (day#, sku_ref#, project_ref#, place_ref#, resource_ref#, charge_ref# | usage#?, cost#, credits#,
		promo#, discount#, committed#)
	SET usage = CASE WHEN ABS(cost_day.usage / 2) + ABS(excluded.usage / 2) < 4500000000000000000
		THEN cost_day.usage + excluded.usage END,
		cost = cost_day.cost + excluded.cost,
		credits = cost_day.credits + excluded.credits,
		promo = cost_day.promo + excluded.promo,
		discount = cost_day.discount + excluded.discount,
		committed = cost_day.committed + excluded.committed;

-- Reports whether the sums of these days refer to missing names.
-- name: cost_day_unknown
SELECT d.day# FROM cost_day d
WHERE d.day >= $first# AND d.day <= $last#
	AND (NOT EXISTS (SELECT 1 FROM sku x WHERE x.sku_ref = d.sku_ref)
		OR NOT EXISTS (SELECT 1 FROM billed_project x WHERE x.project_ref = d.project_ref)
		OR NOT EXISTS (SELECT 1 FROM place x WHERE x.place_ref = d.place_ref)
		OR NOT EXISTS (SELECT 1 FROM billed_resource x WHERE x.resource_ref = d.resource_ref)
		OR NOT EXISTS (SELECT 1 FROM charge x WHERE x.charge_ref = d.charge_ref))
UNION ALL
SELECT d.day FROM credit_day d
WHERE d.day >= $first AND d.day <= $last
	AND NOT EXISTS (SELECT 1 FROM credit_type x WHERE x.credit_ref = d.credit_ref)
LIMIT 1;

-- name: project_day_fill
INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, credits, promo, discount,
	committed)
SELECT day, project_ref, sku_ref, charge_ref, SUM(cost), SUM(credits), SUM(promo), SUM(discount),
	SUM(committed)
FROM cost_day
WHERE day >= $first# AND day <= $last#
GROUP BY day, project_ref, sku_ref, charge_ref;

-- name: account_day_fill
INSERT INTO account_day (day, account, charge_ref, part, cost, credits, promo, discount)
SELECT d.day, p.account, d.charge_ref, CASE WHEN d.cost NOT BETWEEN -1000000000000000 AND 1000000000000000
			OR d.credits NOT BETWEEN -1000000000000000 AND 1000000000000000
			OR d.promo NOT BETWEEN -1000000000000000 AND 1000000000000000
			OR d.discount NOT BETWEEN -1000000000000000 AND 1000000000000000
			THEN d.project_ref * 10000000 + d.sku_ref
		WHEN d.promo > 0 THEN 1 ELSE 0 END AS part,
	SUM(d.cost), SUM(d.credits), SUM(d.promo), SUM(d.discount)
FROM project_day d JOIN billed_project p ON p.project_ref = d.project_ref
WHERE d.day >= $first# AND d.day <= $last#
GROUP BY d.day, p.account, d.charge_ref, 4;

-- name: credit_day_add
PUT credit_day (day#, sku_ref#, project_ref#, place_ref#, resource_ref#, charge_ref#, credit_ref# | credits#)
	SET credits = credit_day.credits + excluded.credits;

-- name: meta_get
SELECT value FROM meta WHERE key = $key;

-- name: meta_drop
DELETE FROM meta WHERE key = $key;

-- name: meta_put
PUT meta (key | value);

-- A random name, which stays.
-- name: meta_identify
INSERT INTO meta (key, value) VALUES ($key, HEX(RANDOMBLOB(16))) ON CONFLICT (key) DO NOTHING;

-- name: commitments
SELECT id, project, kind, location, name, state, type?, amount#?, used#?, gpu_type?, gpu_count#?,
	local_ssd_gib#?, starts#?, ends#?
FROM commitment ORDER BY id;

-- Machines that use a reservation, and slices of which each running host uses the same one.
-- name: reservation_users
SELECT r.id, r.project, u.reservation FROM reservation_use u JOIN resource r ON r.source = 'vm'
	AND r.project = u.project AND r.location = u.zone AND r.name = u.name
WHERE r.state = 'running'
UNION ALL SELECT r.id, r.project, MIN(u.reservation) FROM host h JOIN resource r ON r.id = h.slice
	LEFT JOIN reservation_use u ON u.project = h.project AND u.zone = h.zone AND u.name = h.name
WHERE h.state = 'running' GROUP BY r.id
HAVING COUNT(u.reservation) = COUNT(*) AND MIN(u.reservation) = MAX(u.reservation)
ORDER BY 1;

-- name: freshness
-- in: text billing
-- out: i64 polled, i64 complete, i64 stale, i64? oldest
SELECT COUNT(*), COALESCE(SUM(CASE WHEN s.state = 'ok' THEN 1 ELSE 0 END), 0),
	COALESCE(SUM(CASE WHEN s.last_success IS NULL THEN 1
		WHEN s.last_success > a.now + 300 THEN 1
		WHEN a.now - s.last_success > 3 * COALESCE(i.seconds, 3600) THEN 1
		ELSE 0 END), 0),
	MIN(CASE WHEN s.last_success <= a.now + 300 THEN s.last_success ELSE 0 END)
FROM source_status s CROSS JOIN as_of a LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
WHERE (s.state <> 'disabled' OR EXISTS (SELECT 1 FROM resource r WHERE r.source = s.source
		AND r.project = s.project))
	AND CASE WHEN $1 = 'billing' THEN s.source = 'billing'
	ELSE s.source IN ('vm', 'disk', 'ip', 'tpu', 'queued', 'snapshot', 'bucket') END;

-- name: resource_any
-- out: i64 one
SELECT 1 FROM resource LIMIT 1;

-- name: not_current
-- out: i64 n
SELECT COUNT(*) FROM resource WHERE complete = 0;

-- name: gap_locations
-- out: text location
SELECT DISTINCT location FROM source_gap ORDER BY location;

-- name: report_burn
-- out: text currency, i64 gross, i64 net
SELECT currency, CAST(SUM(gross) AS BIGINT), CAST(SUM(net) AS BIGINT) FROM burn_part
WHERE currency IS NOT NULL GROUP BY currency ORDER BY currency;

-- name: report_categories
-- out: text category, text currency, i64 gross, i64 net, i64 resources
SELECT category, currency, CAST(SUM(gross) AS BIGINT), CAST(SUM(net) AS BIGINT), COUNT(*)
FROM burn_part WHERE currency IS NOT NULL GROUP BY category, currency
ORDER BY SUM(net) DESC, SUM(gross) DESC, category;

-- name: report_resources
-- out: text id, text kind, text project, text location, text name, text state, text raw_state, text? type, text? provisioning, i64? hosts, i64? size_gib, text? queued, i64? running_since, i64? covered, text? grant_name, text? why, text? why_text, i64? gross, i64? net, text? currency, i64 last_seen, i64 complete
SELECT r.id, r.kind, r.project, r.location, r.name, r.state, r.raw_state, r.type,
	r.provisioning, v.hosts, r.size_gib, r.queued, v.running_since, v.covered,
	v.grant_name, v.why, v.why_text, v.gross, v.net, v.currency, r.last_seen, r.complete
FROM resource r LEFT JOIN verdict v ON v.id = r.id
ORDER BY COALESCE(v.net, 0) DESC, COALESCE(v.gross, 0) DESC, r.id;

-- name: report_grants
-- out: text name, text zone, text? type, text family, text provisioning, i64 granted_chips, i64 used_chips, i64? starts, i64? until, i64? saved, text? currency
SELECT name, zone, type, family, provisioning, granted_chips, used_chips, starts, until,
	saved, currency
FROM grant_state ORDER BY line;

-- name: report_days
-- in: i64 first
-- out: i64 day, text date, i64 ends, text currency, i64 cost, i64 credits, i64? known
SELECT c.day, c.date, c.ends, h.currency, CAST(SUM(d.cost) AS BIGINT),
	CAST(SUM(d.credits) AS BIGINT), MIN(n.until)
FROM cost_day d JOIN calendar c ON c.day = d.day JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	LEFT JOIN account_known n ON n.account = p.account AND n.day = d.day
WHERE d.day >= $1 GROUP BY c.day, c.date, c.ends, h.currency ORDER BY c.day, h.currency;

-- name: report_day_categories
-- in: i64 first, i64 last
-- out: text category, text currency, i64 cost, i64 credits
SELECT COALESCE(k.category, 'other'), h.currency, CAST(SUM(d.cost) AS BIGINT),
	CAST(SUM(d.credits) AS BIGINT)
FROM cost_day d JOIN charge h ON h.charge_ref = d.charge_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
WHERE d.day >= $1 AND d.day <= $2 GROUP BY 1, h.currency
ORDER BY SUM(d.cost + d.credits) DESC, 1;

-- name: report_credits
-- out: text name, i64 amount, i64? used, text currency, i64? expires, i64? runs_out
SELECT name, amount, used, currency, expires, runs_out FROM credit_state ORDER BY name;

-- name: report_sources
-- out: text source, text project, text state, i64? last_success, text? error, text? fix, i64 stale, i64 inventory
SELECT s.source, s.project, s.state, s.last_success, s.error, s.fix,
	CASE WHEN s.state = 'disabled' AND NOT EXISTS (SELECT 1 FROM resource r
			WHERE r.source = s.source AND r.project = s.project) THEN 0
		WHEN s.last_success IS NULL OR s.last_success > a.now + 300 THEN 1
		WHEN a.now - s.last_success > 3 * COALESCE(i.seconds, 3600) THEN 1 ELSE 0 END,
	CASE WHEN s.source IN ('vm', 'disk', 'ip', 'tpu', 'queued', 'snapshot', 'bucket') THEN 1
		ELSE 0 END
FROM source_status s CROSS JOIN as_of a LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
ORDER BY s.source, s.project;

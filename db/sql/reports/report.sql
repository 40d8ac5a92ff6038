-- A thing that something is said of or to be done about. It is held when it is exempt or on hold.
-- name: thing
-- in: text id
-- out: text id, text kind, text source, text project, text location, text name, text state, text? type, text? provisioning, text? queued, text? owner, i64? hosts, i64? covered, text? why, text? why_text, i64? net, text? currency, i64 held, i64? residual, text? residual_currency
SELECT r.id, r.kind, r.source, r.project, r.location, r.name, r.state, r.type, r.provisioning,
	r.queued, r.owner, v.hosts, v.covered, v.why, v.why_text, v.net, v.currency,
	CASE WHEN v.exempt = 1 OR EXISTS (SELECT 1 FROM hold h
		WHERE h.id = r.id AND h.until > a.now) THEN 1 ELSE 0 END, z.gross, z.currency
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN residual z ON z.id = r.id
WHERE r.id = $1;

-- name: freshness
-- in: text billing
-- out: i64 polled, i64 complete, i64 stale, i64? oldest
SELECT COUNT(*), COALESCE(SUM(CASE WHEN s.state = 'ok' THEN 1 ELSE 0 END), 0),
	COALESCE(SUM(CASE WHEN s.last_success IS NULL THEN 1
		WHEN s.last_success > a.now + 300 THEN 1
		WHEN a.now - s.last_success > @STALE_AFTER@ THEN 1
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
SELECT currency, SUM(gross), SUM(net) FROM burn_part
WHERE currency IS NOT NULL GROUP BY currency ORDER BY currency;

-- name: report_categories
-- out: text category, text currency, i64 gross, i64 net, i64 resources
SELECT category, currency, SUM(gross), SUM(net), COUNT(*)
FROM burn_part WHERE currency IS NOT NULL GROUP BY category, currency
ORDER BY SUM(net) DESC, SUM(gross) DESC, category;

-- In front of statements that take long to prepare: see reports/there.h.
-- name: any_row
-- in: text table
-- out: i64 one
SELECT 1 WHERE CASE $1 WHEN 'action' THEN EXISTS (SELECT 1 FROM action)
	ELSE EXISTS (SELECT 1 FROM silence) END;

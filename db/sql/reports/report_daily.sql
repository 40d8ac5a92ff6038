-- Decimals are rounded as the views do it, and come in whole hundredths ("_100"), tenths or so.

-- What runs, and what is left behind: all that the report lists. A thing is left alone when it is
-- exempt or on hold.
-- name: daily_things
-- in: i64 uncovered
-- out: text id, text kind, text source, text project, text location, text name, text state, text? type, text? provisioning, text? queued, text? owner, i64? size_gib, i64? hosts, i64? covered, text? grant_name, text? why, text? why_text, i64? gross, i64? net, text? currency, i64? hours_100, i64 held, i64 complete, i64 last_seen
SELECT r.id, r.kind, r.source, r.project, r.location, r.name, r.state, r.type,
	r.provisioning, r.queued, r.owner, r.size_gib, v.hosts, v.covered, v.grant_name, v.why,
	v.why_text, v.gross, v.net, v.currency,
	CAST(ROUND(ROUND((a.now - v.running_since) / 3600.0, 2) * 100) AS INTEGER),
	CASE WHEN v.exempt = 1 OR EXISTS (SELECT 1 FROM hold h
		WHERE h.id = r.id AND h.until > a.now) THEN 1 ELSE 0 END, r.complete, r.last_seen
FROM as_of a CROSS JOIN resource r LEFT JOIN verdict v ON v.id = r.id
WHERE ($1 = 0 OR v.covered = 0) AND ((r.kind IN ('tpu', 'vm') AND r.state IN ('running', 'unknown'))
	OR (r.kind = 'tpu' AND r.state IN ('preempted', 'failed'))
	OR (r.kind IN ('disk', 'ip') AND r.state = 'stopped')
	OR (r.kind = 'queued' AND r.raw_state IN ('SUSPENDED', 'FAILED')))
ORDER BY COALESCE(v.net, 0) DESC, COALESCE(v.gross, 0) DESC, r.id;

-- What tpucost itself stopped after it was last seen: what is stored of it still says that it runs.
-- One that somebody started again at once (so the reason begins) runs.
-- name: daily_stopped
-- out: text id, text name, i64 at
SELECT r.id, r.name, MAX(n.ended)
FROM resource r LEFT JOIN verdict v ON v.id = r.id JOIN action n ON n.resource = r.id
	AND n.uid = r.uid AND n.started IS COALESCE(r.state_since, v.running_since)
WHERE r.state = 'running' AND n.mode = 'armed' AND n.state = 'done' AND n.ended >= r.last_seen
	AND n.reason NOT LIKE 'it was stopped, and%'
GROUP BY r.id, r.name ORDER BY 3, 1;

-- What fires, with the thing that it is about where it is about one.
-- name: daily_alerts
-- out: text rule, text subject, text severity, i64 since, text summary, text data, i64 silenced, text? kind, text? source, text? project, text? location, text? name, text? type, text? state, text? provisioning, text? queued, i64? hosts, i64? covered, i64? net, text? currency, i64 held, i64? residual, text? residual_currency
SELECT l.rule, l.subject, l.severity, l.since, l.summary, l.data,
	CASE WHEN EXISTS (SELECT 1 FROM silence s WHERE s.rule = l.rule
		AND (s.subject = '' OR s.subject = l.subject) AND s.until > a.now)
		THEN 1 ELSE 0 END,
	r.kind, r.source, r.project, r.location, r.name, r.type, r.state, r.provisioning,
	r.queued, v.hosts, v.covered, v.net, v.currency,
	CASE WHEN v.exempt = 1 OR EXISTS (SELECT 1 FROM hold h
		WHERE h.id = l.subject AND h.until > a.now) THEN 1 ELSE 0 END,
	z.gross, z.currency
FROM alert l CROSS JOIN as_of a LEFT JOIN resource r ON r.id = l.subject
	LEFT JOIN verdict v ON v.id = l.subject LEFT JOIN residual z ON z.id = l.subject
WHERE l.state = 'firing'
ORDER BY l.rule, l.subject;

-- Is the rule quiet for that subject?
-- name: daily_silenced
-- in: text rule, text subject
-- out: i64 one
SELECT 1 FROM silence s CROSS JOIN as_of a WHERE s.rule = $1
	AND (s.subject = '' OR s.subject = $2) AND s.until > a.now LIMIT 1;

-- Without what tpucost stopped since: see daily_stopped.
-- name: daily_burn
-- out: text category, text? currency, i64? gross, i64? net, i64 resources
SELECT category, currency, SUM(gross),
	CASE WHEN COUNT(net) = COUNT(*) THEN SUM(net) END, COUNT(*)
FROM burn_part p WHERE NOT EXISTS (SELECT 1
	FROM resource r LEFT JOIN verdict v ON v.id = r.id JOIN action n ON n.resource = r.id
		AND n.uid = r.uid
		AND n.started IS COALESCE(r.state_since, v.running_since)
	WHERE r.id = p.id AND r.state = 'running' AND n.mode = 'armed' AND n.state = 'done'
		AND n.ended >= r.last_seen AND n.reason NOT LIKE 'it was stopped, and%')
GROUP BY category, currency
ORDER BY category, CASE WHEN currency IS NULL THEN 1 ELSE 0 END, currency;

-- What runs now, and since when: for what today has cost so far.
-- name: daily_burning
-- in: i64 midnight
-- out: text currency, i64 since, i64? last_seen, i64 net
SELECT p.currency, CASE WHEN COALESCE(v.running_since, r.created) > $1
		THEN COALESCE(v.running_since, r.created) ELSE $1 END,
	-- what was not seen again in time may be gone
	CASE WHEN a.now - r.last_seen > 3 * COALESCE(i.seconds, 3600) THEN r.last_seen END,
	SUM(p.net)
FROM burn_part p JOIN resource r ON r.id = p.id CROSS JOIN as_of a
	LEFT JOIN verdict v ON v.id = p.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
	LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
WHERE p.currency IS NOT NULL AND p.net <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;

-- name: daily_billed_ever
-- out: i64 one
SELECT 1 FROM project_day LIMIT 1;

-- name: daily_grants
-- out: i64 line, text name, text zone, text? type, text family, text provisioning, i64 granted, i64? used, i64? free, i64? starts, i64? until, i64? days_100, i64? chip_hours_10000, i64? saved, text? currency, text? note
SELECT g.line, g.name, g.zone, g.type, g.family, g.provisioning, g.granted_chips,
	CASE WHEN k.known = 1 THEN g.used_chips END, CASE WHEN k.known = 1 THEN g.free_chips END,
	g.starts, g.until,
	CASE WHEN g.until <= a.now THEN 0
		ELSE CAST(ROUND(ROUND((g.until - a.now) / 86400.0, 2) * 100) AS INTEGER) END,
	CASE WHEN k.known = 1
		THEN CAST(ROUND(ROUND(g.covered_chip_seconds / 3600.0, 4) * 10000) AS INTEGER) END,
	CASE WHEN k.known = 1 THEN g.saved END,
	g.currency, n.quota_note
FROM grant_state g CROSS JOIN as_of a CROSS JOIN tpus_known k
	LEFT JOIN grant_note n ON n.line = g.line
ORDER BY g.line;

-- name: daily_grant_ends
-- out: text name, i64 until, i64 hours_100, text? renewed_by, i64 becomes_paid, text? resources, i64? per_hour, text? currency
SELECT g.name, g.until, CAST(ROUND(ROUND((g.until - a.now) / 3600.0, 2) * 100) AS INTEGER),
	g.renewed_by, g.becomes_paid, g.resources, g.per_hour, g.currency
FROM grant_end g CROSS JOIN as_of a ORDER BY g.until, g.name;

-- What TPUs did in the period that coverage was derived for.
-- name: daily_coverage
-- out: text? grant_name, text why, i64 covered, i64 tpus, i64? chip_hours_10000, i64? gross, i64? net, text? currency
SELECT c.grant_name, c.why, c.covered, COUNT(DISTINCT c.id),
	CASE WHEN COUNT(c.chip_seconds) = COUNT(*)
		THEN CAST(ROUND(ROUND(SUM(c.chip_seconds) / 3600.0, 4) * 10000) AS INTEGER) END,
	SUM(c.gross), SUM(c.net), c.currency
FROM coverage_part c GROUP BY c.grant_name, c.why, c.covered, c.currency
ORDER BY c.covered DESC, c.grant_name, c.why, c.currency;

-- name: daily_credits
-- out: text name, i64 amount, i64? used, text currency, i64? expires, i64? runs_out, i64? safe_per_day
SELECT name, amount, used, currency, expires, runs_out, safe_per_day
FROM credit_state ORDER BY name;

-- name: daily_budgets
-- out: text name, text period, i64 starts, i64 ends, i64 amount, text currency, i64? spent, i64? unbilled, i64? expected, i64? forecast, i64? if_stopped, i64? runs_out, i64? reached, i64? percent_100, i64? forecast_100, text basis
SELECT name, period, starts, ends, amount, currency, spent, unbilled, expected, forecast,
	forecast_if_stopped, runs_out, reached,
	CAST(ROUND(ROUND(100.0 * expected / amount, 2) * 100) AS INTEGER),
	CAST(ROUND(ROUND(100.0 * forecast / amount, 2) * 100) AS INTEGER), basis
FROM budget_state ORDER BY name;

-- Quotas that are nearly used up, and those of TPUs that were granted or are used.
-- name: daily_quotas
-- out: text project, text service, text metric, text location, i64 limit_value, i64? used, i64? percent_10
SELECT project, service, metric, location, limit_value, used,
	CASE WHEN used IS NOT NULL
		THEN CAST(ROUND(ROUND(100.0 * used / limit_value, 1) * 10) AS INTEGER) END
FROM quota
WHERE limit_value > 0 AND ((used IS NOT NULL AND used >= 0.7 * limit_value)
	OR (service = 'tpu.googleapis.com' AND (is_default = 0 OR used > 0)))
ORDER BY CASE WHEN used IS NULL THEN 1 ELSE 0 END, 7 DESC, project, metric, location;

-- name: daily_sources
-- out: text source, text project, text state, i64? last_success, i64 last_attempt, text? error, text? fix, i64 seconds, i64 inventory, i64 there
SELECT s.source, s.project, s.state, s.last_success, s.last_attempt, s.error, s.fix,
	COALESCE(i.seconds, 3600),
	CASE WHEN s.source IN ('vm', 'disk', 'ip', 'tpu', 'queued', 'snapshot', 'bucket') THEN 1
		ELSE 0 END,
	CASE WHEN s.state <> 'disabled' OR EXISTS (SELECT 1 FROM resource r
		WHERE r.source = s.source AND r.project = s.project) THEN 1 ELSE 0 END
FROM source_status s LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
ORDER BY s.source, s.project;

-- name: daily_gaps
-- out: text source, text project, text location, i64 since
SELECT source, project, location, since FROM source_gap ORDER BY location, source, project;

-- Changes of days that had been reported, each with the ones before it.
-- name: daily_restatements
-- in: i64 since
-- out: text date, text currency, text invoice_month, text source, i64 at, i64 old_cost, i64 old_credits, i64 new_cost, i64 new_credits
SELECT date, currency, invoice_month, source, at, old_cost, old_credits, new_cost, new_credits
FROM restatement WHERE at >= $1 ORDER BY date, currency, invoice_month, source, at;

-- name: daily_lost
-- in: i64 since
-- out: i64 id, text channel, text kind, text subject, i64 attempts, i64? finished, text? error
SELECT id, channel, kind, subject, attempts, finished, error FROM notification
WHERE state = 'dead' AND COALESCE(finished, created) >= $1 ORDER BY id DESC LIMIT 100;

-- How far estimates were from the bill on the last seven days that can be compared.
-- name: daily_errors
-- out: text day, i64 estimate, i64 billed, i64? percent_100, text currency
SELECT day, estimate, billed,
	CAST(ROUND(ROUND(100.0 * (estimate - billed) / billed, 2) * 100) AS INTEGER), currency
FROM estimate_error
WHERE billed > 0 AND day IN (SELECT DISTINCT day FROM estimate_error WHERE billed > 0
	ORDER BY day DESC LIMIT 7)
ORDER BY day, currency;

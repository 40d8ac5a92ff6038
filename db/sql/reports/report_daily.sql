-- Running resources: see thing, for the action to take.
-- name: daily_things
SELECT r.id, v.covered#?, v.net#?, v.currency?
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
WHERE ($uncovered# = 0 OR v.covered = 0) AND r.kind IN ('tpu', 'vm') AND r.state IN ('running', 'unknown')
ORDER BY v.net IS NULL, NULLIF(v.currency, a.currency), COALESCE(v.net, 0) DESC, COALESCE(v.gross, 0) DESC,
	r.id;

-- Resources that tpucost has stopped since are not charged; covered ones are free regardless of
-- their price.
-- cells: daily_running
SELECT r.*, x.at AS stopped,
	CASE WHEN x.at IS NULL OR r.net_per_hour IS NULL THEN r.net_per_hour ELSE 0 END
		AS net_per_hour,
	CASE WHEN x.at IS NULL OR r.gross_per_hour IS NULL THEN r.gross_per_hour ELSE 0 END
		AS gross_per_hour,
	CASE WHEN x.at IS NULL AND r.net_per_hour = 0 AND r.covered = 1
		THEN COALESCE(r.currency, (SELECT MAX(b.currency) FROM burn_part b), a.currency)
		ELSE r.currency END AS currency
FROM resources_raw r CROSS JOIN as_of a LEFT JOIN stopped_unseen x ON x.id = r.id
WHERE r.kind IN ('tpu', 'vm') AND r.state IN ('running', 'unknown')
ORDER BY r.net_per_hour IS NULL, NULLIF(r.currency, a.currency), COALESCE(r.net_per_hour, 0) DESC,
	COALESCE(r.gross_per_hour, 0) DESC, r.id;

-- Unused resources. A TPU that is not running costs nothing, but uses quota.
-- cells: daily_left
SELECT r.*, CASE WHEN r.kind IN ('tpu', 'queued') THEN 0 ELSE r.net_per_hour END AS net_per_hour,
	CASE WHEN r.kind IN ('tpu', 'queued') THEN 0
		WHEN ABS(r.net_per_hour) < 12000000000000000 THEN r.net_per_hour * 730 END
		AS net_per_month,
	CASE WHEN r.kind IN ('tpu', 'queued') THEN COALESCE(r.currency, a.currency)
		ELSE r.currency END AS currency
FROM resources_raw r CROSS JOIN as_of a
WHERE (r.kind = 'tpu' AND r.state IN ('preempted', 'failed'))
	OR (r.kind = 'disk' AND r.state = 'unattached') OR (r.kind = 'ip' AND r.state = 'stopped')
	OR (r.kind = 'queued' AND r.raw_state IN ('SUSPENDED', 'FAILED'))
ORDER BY r.net_per_hour IS NULL, NULLIF(r.currency, a.currency), COALESCE(r.net_per_hour, 0) DESC,
	COALESCE(r.gross_per_hour, 0) DESC, r.id;

-- name: daily_stopped
SELECT id, name, at# FROM stopped_unseen ORDER BY at, id;

-- Firing alerts.
-- name: daily_alerts
SELECT l.rule, l.subject, l.severity, l.since#, l.last_true#, l.ceased#?, l.summary,
	CASE WHEN EXISTS (SELECT 1 FROM hold h WHERE h.id = l.subject AND h.until > a.now)
		THEN 1 ELSE 0 END AS held#
FROM alert l CROSS JOIN as_of a WHERE l.state = 'firing' ORDER BY l.rule, l.subject;

-- The end of the silences of the rule for that subject; NULL: it is not silenced.
-- name: daily_silenced
SELECT MAX(s.until) AS until#? FROM silence s CROSS JOIN as_of a WHERE s.rule = $rule
	AND (s.subject = '' OR s.subject = $subject) AND s.until > a.now;

-- Without resources that tpucost has stopped since. An id begins with its project.
-- cells: daily_burn
SELECT b.*, CASE WHEN ABS(b.gross_per_hour) < 384000000000000000
		THEN b.gross_per_hour * 24 END AS gross_per_day,
	CASE WHEN ABS(b.net_per_hour) < 384000000000000000
		THEN b.net_per_hour * 24 END AS net_per_day
FROM (SELECT category, currency, SUM(gross) AS gross_per_hour,
		CASE WHEN COUNT(net) = COUNT(*) THEN SUM(net) END AS net_per_hour,
		COUNT(*) AS resources
	FROM burn_part WHERE id NOT IN (SELECT id FROM stopped_unseen)
		AND ($projects? IS NULL
			OR instr(',' || $projects || ',', ',' || substr(id, 1, instr(id, '/') - 1) || ',') > 0)
	GROUP BY category, currency) b CROSS JOIN as_of a
ORDER BY b.net_per_hour IS NULL, NULLIF(b.currency, a.currency), b.net_per_hour DESC, category;

-- Running resources, and since when: for the cost of today.
-- name: daily_burning
SELECT p.currency, CASE WHEN COALESCE(v.running_since, r.created) > $midnight#
		THEN COALESCE(v.running_since, r.created) ELSE $midnight END AS since#,
	-- resources that were not seen again in time may be gone
	CASE WHEN a.now - r.last_seen > @STALE_AFTER@ THEN r.last_seen END AS last_seen#?, SUM(p.net) AS net#
FROM burn_part p JOIN resource r ON r.id = p.id CROSS JOIN as_of a
	LEFT JOIN verdict v ON v.id = p.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
	LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
WHERE p.currency IS NOT NULL AND p.net <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;

-- cells: daily_grants
SELECT g.*, COALESCE(g.type, g.family) AS type FROM grants_raw g ORDER BY g.line;

-- name: grant_ends
SELECT name, until#, renewed_by?, becomes_paid#, per_hour#?, currency? FROM grant_end
WHERE $name? IS NULL OR name = $name ORDER BY until, name;

-- cells: daily_grant_ends_cells
SELECT * FROM grant_ends_raw ORDER BY until, name;

-- Use of TPUs in the period for which coverage was derived.
-- cells: daily_coverage
SELECT * FROM coverage_totals_raw ORDER BY covered DESC, grant_name, why, currency;

-- cells: daily_credits
SELECT * FROM credits_raw ORDER BY name;

-- cells: daily_budgets
SELECT * FROM budgets_raw ORDER BY name;

-- Reserved TPUs that no machine uses.
-- name: daily_unused
SELECT id, name, project, kind, location, type, unit, "count" AS amount#, unused#,
	unused_per_hour AS per_hour#?, currency?, fixed#?
FROM commitments_raw WHERE state = 'running' AND family IS NOT NULL AND unused > 0 ORDER BY id;

-- As old as the days of the rule cost-jump.
-- name: daily_anomalies
SELECT id, project, day, actual#?, expected#?, currency?, causes?, alert?, seen_first? FROM anomalies_raw
WHERE day >= (SELECT date(today, '-4 days') FROM present) ORDER BY day, id;

-- cells: daily_commitments
SELECT * FROM commitments_raw WHERE state NOT IN ('ended', 'failed', 'cancelled')
ORDER BY project, location, name, id;

-- Quotas that are almost used up, and those of TPUs that are granted or used.
-- cells: daily_quotas
SELECT * FROM quotas_raw
WHERE limit_value > 0 AND ((used IS NOT NULL AND used >= 0.7 * limit_value)
	OR ((service = 'tpu.googleapis.com' OR pool IS NOT NULL)
		AND (is_default = 0 OR used > 0)))
ORDER BY used IS NULL, percent DESC, project, metric, location;

-- Those with a problem.
-- name: daily_sources
SELECT source, project, last_success#?, error?, fix?, stale#
FROM sources_raw WHERE stale = 1 OR error IS NOT NULL ORDER BY source, project;

-- Projects whose resources are polled: the oldest poll, and whether one of their sources is old or has no poll yet.
-- name: daily_inventory
SELECT project, MAX(stale) AS stale#, MAX(unread) AS unread#, MAX(there AND last_success IS NULL) AS never#,
	MIN(CASE WHEN there THEN last_success END) AS since#?
FROM (SELECT s.project, s.stale, s.unread, s.last_success, s.state <> 'disabled' OR EXISTS (SELECT 1
		FROM resource r WHERE r.source = s.source AND r.project = s.project) AS there
	FROM sources_raw s JOIN source_status i ON i.source = s.source AND i.project = s.project
		AND i.poll_group = 'instances' AND i.source <> 'index')
GROUP BY project ORDER BY project;

-- cells: daily_sources_cells
SELECT s.*, CASE WHEN s.last_success <= a.now THEN a.now - s.last_success END AS age
FROM sources_raw s CROSS JOIN as_of a ORDER BY s.source, s.project;

-- cells: daily_gaps
SELECT * FROM gaps_raw ORDER BY location, source, project;

-- Changed days, in order.
-- name: daily_restatements
SELECT day, currency, invoice_month, source, noticed#, old_net#, new_net# FROM restatements_raw
WHERE noticed >= $since# AND old_net IS NOT NULL ORDER BY day, currency, noticed, invoice_month, source;

-- Without mail to owners, which may have no such address: one message per day names those.
-- cells: daily_lost
SELECT n.*, n.finished AS at FROM notifications_raw n
	JOIN notification b ON b.id = n.id AND b.base = b.channel
WHERE n.state = 'dead' AND COALESCE(n.finished, n.created) >= $since#
ORDER BY n.id DESC LIMIT 100;

-- Errors of the estimates on the last seven comparable days.
-- cells: daily_errors
SELECT * FROM estimate_errors_raw
WHERE billed > 0 AND day IN (SELECT DISTINCT day FROM estimate_error WHERE billed > 0
	ORDER BY day DESC LIMIT 7)
ORDER BY day, currency;

-- Lines of the bill for that, by the periods that they are in: yesterday, seven days, the month. Without any owner
-- on the bill there is nothing to say about owners.
-- cells: daily_split_lines
SELECT project_ref, 0 AS resource_ref, charge_ref, cost, credits, (day = $yesterday#) + 2 * (day >= $week# AND
		day < $today#) + 4 * (day >= $month#) AS part
FROM project_day WHERE $owners# = 0 AND day >= MIN($week, $month) AND day <= $today
UNION ALL
SELECT 0, resource_ref, charge_ref, cost, credits, (day = $yesterday) + 2 * (day >= $week AND day < $today)
	+ 4 * (day >= $month)
FROM (SELECT 1 FROM billed_resource WHERE owner IS NOT NULL LIMIT 1) CROSS JOIN cost_day
WHERE $owners <> 0 AND day >= MIN($week, $month) AND day <= $today;

-- Net cost on the bill and net burn of each project, or of each owner. Resources with an unknown
-- price are in a row without currency.
-- cells: daily_split
SELECT name AS project, name AS owner, currency, net_yesterday, net_7d, net_month, net_per_hour
FROM (SELECT name, currency, SUM(net_yesterday) AS net_yesterday, SUM(net_7d) AS net_7d,
		SUM(net_month) AS net_month, SUM(net_per_hour) AS net_per_hour,
		SUM(unpriced) AS unpriced
	FROM (SELECT CASE WHEN $owners# = 0 THEN (SELECT NULLIF(p.project, '') FROM billed_project p
				WHERE p.project_ref = d.project_ref)
			ELSE (SELECT p.owner FROM billed_resource p WHERE p.resource_ref = d.resource_ref) END AS name,
			h.currency, CASE WHEN d.part & 1 THEN d.cost + d.credits ELSE 0 END AS net_yesterday,
			CASE WHEN d.part & 2 THEN d.cost + d.credits ELSE 0 END AS net_7d,
			CASE WHEN d.part & 4 THEN d.cost + d.credits ELSE 0 END AS net_month,
			NULL AS net_per_hour, 0 AS unpriced
		FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
		UNION ALL
		SELECT CASE WHEN $owners = 0 THEN r.project ELSE r.owner END, b.currency, NULL, NULL, NULL,
			b.net, b.net IS NULL
		FROM burn_part b JOIN resource r ON r.id = b.id
		WHERE b.id NOT IN (SELECT id FROM stopped_unseen))
	GROUP BY name, currency)
WHERE currency IS NOT NULL OR unpriced > 0
-- Resources that run now may not be on the bill yet.
ORDER BY currency IS NULL, currency,
	MAX(COALESCE(net_yesterday, 0), COALESCE(net_per_hour, 0) * 24) DESC, net_month DESC, name;

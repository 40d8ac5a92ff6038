-- resources that existed in the requested period (--since, --until), existing or deleted; empty
-- without one
SELECT
	t.id, -- text: as in resources; an earlier resource may have had the same id
	t.uid, -- text: Google's numeric id
	t.kind, -- text: tpu vm disk ip snapshot; other kinds have no history
	t.project, -- text: project id
	t.location, -- text: zone, region or global
	t.name, -- text: short name
	t.state, -- text: at its end in the period, as in resources
	t.type, -- text: v3-8, n1-highmem-96, pd-ssd, ...; at its end in the period
	t.family, -- text: v3, v5litepod, ...; n1, e2, ... for machines
	t.provisioning, -- text: as in resources
	t.chips, -- int: TPU chips
	t.vcpus, -- int: virtual CPUs
	t.size_gib, -- int: disk size, GiB
	CASE WHEN r.id IS NULL THEN t.owner ELSE r.owner END AS owner, -- text: label owner, creator
		-- or user; current, or at its end
	CASE WHEN r.id IS NULL THEN t.labels ELSE r.labels END AS labels, -- json: labels as a JSON
		-- object; current, or at its end
	t.starts AS seen_from, -- time: its first instant in the period
	t.ends AS seen_until, -- time: its last instant in the period
	CASE WHEN r.id IS NULL THEN 0 ELSE 1 END AS is_there, -- flag: 1: it still exists
	ROUND(t.seconds / 3600.0, 2) AS hours, -- decimal: hours that it existed in the period
	ROUND(t.running / 3600.0, 2) AS running_hours, -- decimal: hours that it was running
	CASE WHEN p.n IS NULL THEN 0.0 WHEN p.n = 1 AND p.unpriced = 0 AND p.lost = 0
		THEN p.gross END AS gross, -- money: those hours at today's list price; NULL when
		-- some have no price
	CASE WHEN p.n IS NULL THEN 0.0 WHEN p.n = 1 AND p.unpriced = 0 AND p.lost = 0
		THEN p.net END AS net, -- money: gross minus what a grant covers
	CASE WHEN p.n IS NULL THEN COALESCE((SELECT MAX(x.currency) FROM window_part x),
			a.currency)
		WHEN p.n = 1 THEN p.currency END AS currency, -- text: currency of the amounts
	ROUND(COALESCE(p.unpriced, 0) / 3600.0, 2) AS unpriced_hours, -- decimal: hours without a
		-- price
	k.known_hours -- decimal: hours of the period for which the inventory is known: it was
		-- polled without gaps; earlier resources are not in the figures. NULL: not read
		-- completely yet
FROM window_thing t CROSS JOIN as_of a LEFT JOIN resource r ON r.id = t.id AND r.uid = t.uid
	LEFT JOIN (SELECT id, uid, COUNT(DISTINCT currency) AS n, MAX(currency) AS currency,
			SUM(gross) AS gross, SUM(net) AS net,
			SUM(unpriced) AS unpriced,
			MAX(CASE WHEN currency IS NOT NULL AND (gross IS NULL OR net IS NULL)
				THEN 1 ELSE 0 END) AS lost
		FROM window_part GROUP BY id, uid) p ON p.id = t.id AND p.uid = t.uid
	LEFT JOIN period_known k ON k.project = t.project
		AND k.source = COALESCE(r.source, (SELECT MAX(s.source) FROM resource_trait s
			WHERE s.id = t.id AND s.uid = t.uid), t.kind)

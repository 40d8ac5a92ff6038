-- Everything that exists now, every project and zone: what it is, what it burns, covered
-- or not and why.
SELECT r.id AS id, r.uid AS uid, r.kind AS kind, r.project AS project,
	r.location AS location, r.zone AS zone, r.region AS region, r.name AS name,
	r.state AS state, r.raw_state AS raw_state, r.type AS type, v.family AS family,
	r.provisioning AS provisioning, v.chips AS chips, v.hosts AS hosts,
	v.vcpus AS vcpus, v.memory_mib / 1024.0 AS memory_gib, r.size_gib AS size_gib,
	r.attached_to AS attached_to, r.labels AS labels, r.owner AS owner,
	@RFC3339(r.created)@ AS created,
	ROUND((a.now - r.created) / 3600.0, 2) AS age_hours,
	ROUND((a.now - v.running_since) / 3600.0, 2) AS running_hours,
	CASE WHEN x.works = 1 THEN 0 ELSE (a.now - x.idle_since) / 60 END AS idle_minutes,
	x.basis AS idle_basis,
	v.covered AS covered, v.grant_name AS grant_name, v.why AS why,
	v.why_text AS why_text,
	v.gross / 1e9 AS gross_per_hour, v.net / 1e9 AS net_per_hour, v.currency AS currency,
	COALESCE(v.price_source, 'unknown') AS price_source,
	CASE WHEN v.exempt = 1 OR h.id IS NOT NULL THEN 1 ELSE 0 END AS exempt,
	@RFC3339(r.last_seen)@ AS last_seen, r.complete AS complete,
	z.gross / 1e9 AS residual_per_hour, z.currency AS residual_currency,
	v.gross_24h / 1e9 AS gross_24h, v.net_24h / 1e9 AS net_24h,
	v.sustained_use / 1e9 AS sustained_use_per_hour, r.local_ssd_gib AS local_ssd_gib,
	CASE WHEN v.exempt = 1 THEN v.exempt_why
		WHEN h.id IS NOT NULL THEN 'hold until ' || @RFC3339(h.until)@ END AS exempt_why,
	-- the later one of the two ends; a label may have none
	ROUND(((CASE WHEN v.exempt = 1 AND (h.until IS NULL OR v.exempt_until IS NULL
		OR v.exempt_until > h.until) THEN v.exempt_until ELSE h.until END) - a.now)
		/ 3600.0, 2) AS exempt_hours
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN activity x ON x.id = r.id
	LEFT JOIN residual z ON z.id = r.id
	LEFT JOIN hold h ON h.id = r.id AND h.until > a.now

-- one row per resource that exists now, in every project and zone
SELECT
	r.id, -- text: stable, unique name: project/kind/location/name
	r.uid, -- text: Google's numeric id; another uid is another resource
	r.kind, -- text: tpu vm disk ip snapshot bucket queued
	r.project, -- text: project id
	r.location, -- text: zone, region or global
	r.zone, -- text: zone, if it has one
	r.region, -- text: region, if it has one
	r.name, -- text: short name
	r.state, -- text: running starting stopping stopped suspended preempted failed deleting
		-- unknown; of a disk: attached unattached; an address in use is running
	r.raw_state, -- text: the state as Google names it
	r.type, -- text: v3-8, n1-highmem-96, pd-ssd, ...
	v.family, -- text: v3, v5litepod, ...; n1, e2, ... for machines
	r.provisioning, -- text: on-demand spot flex-start reserved unknown; preemptible counts as
		-- spot
	v.chips, -- int: TPU chips
	v.held_chips, -- int: chips of quota that it holds without use until it is deleted: see
		-- quota_holds; 0: none; NULL: unknown, or not a TPU or queued resource
	v.hosts, -- int: hosts of a TPU slice; of a managed instance group, those that run
	r.topology, -- text: of a TPU: 4x8
	CASE WHEN r.kind <> 'tpu' THEN NULL
		WHEN r.source = 'tpu' THEN IIF(r.queued IS NULL, 'node', 'queued')
		WHEN json_extract(r.labels, '$."goog-k8s-node-pool-name"') IS NOT NULL THEN 'pool'
		WHEN r.source = 'slice' THEN 'group' ELSE 'vm' END AS made_by, -- text: of a TPU:
		-- node queued (Cloud TPU API) group pool vm (Compute Engine)
	NULL AS slice, -- text: of a host in `ps --all`: id of its slice
	r.target_hosts, -- int: hosts that this group is to have
	v.vcpus, -- int: virtual CPUs
	v.memory_mib / 1024.0 AS memory_gib, -- decimal: memory, GiB
	r.size_gib, -- int: disk size, GiB
	r.attached_to, -- text: the machine that uses a disk or address; of a
		-- slice or machine, its managed instance group
	r.labels, -- json: a JSON object
	r.owner, -- text: label owner, creator or user
	r.created, -- time: time of creation
	@HOURS(r.created)@ AS age_hours, -- decimal: hours since created
	@HOURS(v.running_since)@ AS running_hours, -- decimal: hours since it
		-- started, or a disk was attached
	CASE WHEN x.works = 1 THEN 0 WHEN x.idle_since <= a.now THEN (a.now - x.idle_since) / 60 END AS idle_minutes, -- int:
		-- minutes without activity; NULL when unknown
	x.basis AS idle_basis, -- text: signals that are known now: cpu network tpu; a TPU without
		-- tpu and a machine without cpu never count as idle
	'idle for ' || IIF(x.at_least, 'at least ', '') || ((a.now - x.idle_since) / 60) || ' minutes'
		|| IIF(x.at_least, ' (as far back as was read)'
			|| COALESCE(', up for ' || ((a.now - v.running_since) / 3600) || ' h',
			''), '') AS idle_text, -- text: idle_minutes as a sentence
	v.covered, -- flag: 1: a grant pays; 0: it does not; NULL: not a running TPU, or of unknown
		-- class
	v.grant_name, -- text: the grant that pays
	v.why, -- text: covered over-capacity expired not-started created-before wrong-provisioning
		-- provisioning-unknown wrong-type wrong-zone no-grant family-unknown
	v.reservation, -- text: the reservation of its project that it uses: charged as much without it
	v.why_text, -- text: the same as a sentence that names the nearest grant
	v.gross AS gross_per_hour, -- money: list price of the running resource; NULL when unknown
	v.net AS net_per_hour, -- money: gross minus what a grant covers
	v.currency, -- text: currency of the two prices
	COALESCE(v.price_source, 'unknown') AS price_source, -- text: catalog builtin config billed unknown
	v.price_date, -- text: date of the built-in list; NULL: another source
	CASE WHEN v.exempt = 1 OR h.id IS NOT NULL THEN 1 ELSE 0 END AS exempt, -- flag: 1: no rule
		-- acts on it
	r.last_seen, -- time: last poll that found it
	r.complete, -- flag: 0: it was not read in the last poll
	z.gross AS residual_per_hour, -- money: cost of its disks and addresses while stopped; NULL when
		-- unknown or in several currencies
	z.currency AS residual_currency, -- text: of residual_per_hour
	z.text AS residual_text, -- text: the same, in each currency
	v.gross_24h, -- money: list price of its history in the last 24 h; NULL when a part is
		-- unknown
	v.net_24h, -- money: minus what grants covered
	v.sustained_use AS sustained_use_per_hour, -- money: estimate, zero or negative: reduction
		-- of gross_per_hour by sustained use; not in other figures
	r.local_ssd_gib, -- int: local SSDs of a machine, GiB; -1: unknown size
	CASE WHEN h.id IS NOT NULL THEN 'hold' WHEN v.exempt = 1 THEN v.exempt_why END AS exempt_why, -- text: what exempts it for longest: a hold,
		-- or the label tpucost-keep
	COALESCE(h.until, v.exempt_until) AS exempt_until, -- time: end of the exemption; NULL: never
	ROUND((COALESCE(h.until, v.exempt_until) - a.now) / 3600.0, 2) AS exempt_hours, -- decimal: hours
		-- until then
	v.ends, -- time: when it stops or is deleted by itself
	@NAMED(r)@ AS display_name -- text: name, or PROJECT/NAME if two projects have it
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN activity x ON x.id = r.id
	LEFT JOIN residual z ON z.id = r.id
	-- a hold that lasts longer than the label, which may have no end
	LEFT JOIN hold h ON h.id = r.id AND h.until > a.now AND (v.exempt IS NOT 1 OR v.exempt_until < h.until)

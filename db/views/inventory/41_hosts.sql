-- one row per host of a TPU slice: a machine of a managed instance group, or a worker of a TPU node
SELECT
	h.id, -- text: stable, unique name: project/host/zone/name
	h.uid, -- text: Google's numeric id; of a worker empty
	'host' AS kind, -- text: always host
	h.project, -- text: project id
	h.zone AS location, -- text: its zone
	h.zone, -- text: the same
	h.name, -- text: short name; of worker 3 of node N it is N-w-3
	h.slice, -- text: id of the resource that it is a part of
	h.state, -- text: running starting stopping stopped suspended deleting unknown
	h.raw_state, -- text: the state as Google names it
	h.type, -- text: machine type; NULL for a worker of a TPU node
	h.provisioning, -- text: on-demand spot flex-start reserved
	h.labels, -- json: a JSON object
	h.created, -- time: time of creation
	h.ends, -- time: when it is deleted by itself
	h.last_seen, -- time: last poll that found it
	h.complete -- flag: 0: it was not read in the last poll
FROM (SELECT id, uid, project, zone, name, slice, state, raw_state, type, provisioning, labels,
		created, ends, last_seen, complete FROM host
	UNION ALL
	SELECT r.project || '/host/' || r.zone || '/' || r.name || '-w-' || k.n, '', r.project, r.zone,
		r.name || '-w-' || k.n, r.id, r.state, r.raw_state, NULL, r.provisioning, r.labels,
		r.created, r.ends, r.last_seen, r.complete
	FROM resource r JOIN (WITH RECURSIVE number(n) AS (SELECT 0
			UNION ALL SELECT n + 1 FROM number WHERE n < (SELECT MAX(hosts) - 1
				FROM resource WHERE source = 'tpu') LIMIT 10000)
		SELECT n FROM number) k ON k.n < r.hosts
	WHERE r.source = 'tpu' AND r.hosts > 1) h

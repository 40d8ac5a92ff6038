-- TPUs and queued resources that hold quota without use until they are deleted, one row per quota
SELECT
	r.id, -- text: the TPU or queued resource
	r.kind, -- text: tpu queued
	r.project, -- text: project id
	r.zone, -- text: its zone
	r.name, -- text: short name
	r.owner, -- text: as in resources
	r.state, -- text: as in resources; running: a half-deleted slice
	r.raw_state, -- text: the state as Google names it
	r.type, -- text: v3-8, ...
	s.family, -- text: TPU family
	s.pool, -- text: on-demand preemptible
	q.metric, -- text: metric of the quota, as in quotas
	substr(q.metric, instr(q.metric, '/') + 1) AS quota, -- text: metric without its service
	NULLIF(q.quota_id, '') AS quota_id, -- text: as in quotas
	q.location, -- text: zone or region of the quota
	v.held_chips AS chips, -- int: chips that it holds; those of one quota are held in quotas;
		-- NULL: unknown
	MAX(i.starts, r.first_seen) AS since, -- time: first seen in this state; it may hold them for
		-- longer
	@HOURS(MAX(i.starts, r.first_seen))@ AS held_hours, -- decimal: hours since
		-- then
	@HOURS(r.created)@ AS age_hours, -- decimal: hours since created
	@SPARED(r)@ AS exempt, -- flag: 1: exempt or on hold, or another zone of its node pool is
	CASE WHEN @SPARED(r)@ = 0 THEN p.delete_command END AS delete_command -- text: command that deletes it, with
		-- its data; NULL: it is exempt
FROM quota_hold p JOIN quota_limit q ON q.limit_id = p.quota & 16777215 JOIN quota_state s ON s.quota = p.quota
	JOIN resource r ON r.id = p.id LEFT JOIN verdict v ON v.id = p.id
	LEFT JOIN resource_interval i ON i.id = p.id AND i.ends IS NULL CROSS JOIN as_of a

-- quota limits and their usage
--
-- A limit of -1 means unlimited. Quotas of TPUs count chips, or cores where the Cloud TPU API does.
SELECT
	q.project, -- text: project id
	q.service, -- text: compute.googleapis.com, tpu.googleapis.com
	q.metric, -- text: name of the limit
	q.location, -- text: zone, region or global
	q.limit_value, -- int: -1: unlimited; NULL: not stated
	COALESCE(q.used, s.used) AS used, -- int: usage; see used_basis; NULL: unknown
	CASE WHEN q.limit_value > 0 AND COALESCE(q.used, s.used) IS NOT NULL
		THEN ROUND(100.0 * COALESCE(q.used, s.used) / q.limit_value, 1) END AS percent, -- decimal:
		-- usage as a percentage of the limit; NULL when one is unknown
	q.is_default, -- flag: 1: the default of all projects; 0: granted to this one; NULL: unknown
	NULLIF(q.dimensions, '{}') AS dimensions, -- json: additional dimensions, such as a machine
		-- family
	NULLIF(q.quota_id, '') AS quota_id, -- text: name of the quota for a request to increase it
	q.source, -- text: API that reported it
	q.seen AS last_seen, -- time: last read
	s.family, -- text: TPU family; NULL: unknown, or not a quota of TPUs
	s.pool, -- text: on-demand preemptible; NULL: not a quota of TPUs
	s.held, -- int: chips of it that resources without use hold until they are deleted: preempted,
		-- failed or stopped nodes, suspended or failed queued resources, half-deleted slices;
		-- NULL: unknown, or not a quota of TPUs
	CASE WHEN q.used IS NOT NULL THEN 'google'
		WHEN s.used IS NOT NULL THEN 'inventory' END AS used_basis, -- text: google inventory: who counted used
	substr(q.metric, instr(q.metric, '/') + 1) AS quota -- text: metric without its service
FROM quota q LEFT JOIN quota_state s ON s.quota = q.id

-- quota limits and their usage
--
-- A limit of -1 means unlimited.
SELECT
	project, -- text: project id
	service, -- text: compute.googleapis.com, tpu.googleapis.com
	metric, -- text: name of the limit
	location, -- text: zone, region or global
	limit_value, -- int: -1: unlimited
	used, -- int: usage; NULL: Google does not report it
	CASE WHEN limit_value > 0 AND used IS NOT NULL
		THEN ROUND(100.0 * used / limit_value, 1) END AS percent, -- decimal: usage as a
		-- percentage of the limit; NULL when one is unknown
	is_default, -- flag: 1: the default of all projects; 0: granted to this one; NULL: unknown
	NULLIF(dimensions, '{}') AS dimensions, -- json: additional dimensions, such as a machine
		-- family
	NULLIF(quota_id, '') AS quota_id, -- text: name of the quota for a request to increase it
	source, -- text: API that reported it
	seen AS last_seen -- time: last read
FROM quota

-- limits and how much of them is used
--
-- A limit of -1 is none.
SELECT
	project, -- text: project id
	service, -- text: compute.googleapis.com, tpu.googleapis.com
	metric, -- text: what is limited
	location, -- text: zone, region or global
	limit_value, -- int: -1: unlimited
	used, -- int: NULL: Google does not tell
	CASE WHEN limit_value > 0 AND used IS NOT NULL
		THEN ROUND(100.0 * used / limit_value, 1) END AS percent, -- decimal:
		-- used of the limit; NULL when one is not known
	is_default, -- flag: 1: what every project has; 0: granted to this one; NULL: not told
	NULLIF(dimensions, '{}') AS dimensions, -- json: further dimensions, such as a machine family
	NULLIF(quota_id, '') AS quota_id, -- text: name for asking for more
	source, -- text: which API said so
	seen AS last_seen -- time: when it was read last
FROM quota

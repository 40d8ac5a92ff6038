-- what is granted and how much of it is in use; one row per line of a grant
--
-- Where TPUs were never read, what is in use is not known.
SELECT
	g.line, -- internal: the order of the configuration
	g.name, -- text: name of the grant
	g.zone, -- text: the only zone where it pays
	g.type, -- text: accelerator type of a grant in devices
	g.family, -- text: v2 v3 v4 v5litepod v5p v6e
	g.provisioning, -- text: on-demand or spot
	g.granted_chips, -- int: chips granted
	CASE WHEN k.known = 1 THEN g.used_chips END AS used_chips, -- int: chips of TPUs that it covers now;
		-- none while TPUs were never read
	CASE WHEN k.known = 1 THEN g.free_chips END AS free_chips, -- int: room left now; shared with a grant
		-- that this one renews
	g.starts, -- time: first instant
	g.until, -- time: first instant that is not covered any more
	CASE WHEN g.until <= a.now THEN 0.0
		ELSE ROUND((g.until - a.now) / 86400.0, 2) END AS days_left, -- decimal:
		-- days until the end, 0 when over
	CASE WHEN k.known = 1 THEN ROUND(g.covered_chip_seconds / 3600.0, 4) END AS covered_chip_hours, -- decimal:
		-- chip-hours it has covered so far
	CASE WHEN k.known = 1 THEN g.saved END AS saved, -- money: list price of those hours (estimate)
	g.currency, -- text: of saved
	n.quota_note, -- text: set when the quota is lower than the grant; no verdict
	g.project -- text: the only project that it is for; NULL: every one
FROM grant_state g CROSS JOIN as_of a CROSS JOIN tpus_known k LEFT JOIN grant_note n ON n.line = g.line

-- grants and their use; one row per line of a grant
--
-- The use is unknown where TPUs of one of its projects have not been read yet, or where Google does not state the
-- class of one.
SELECT
	g.line, -- internal: the order of the configuration
	g.name, -- text: name of the grant
	g.zone, -- text: the only zone that it covers
	g.type, -- text: accelerator type of a grant in devices
	g.family, -- text: v2 v3 v4 v5litepod v5p v6e tpu7x
	g.provisioning, -- text: on-demand spot flex-start
	g.granted_chips, -- int: chips granted
	u.used_chips, -- int: chips of TPUs that it covers now; NULL if TPUs of one of its projects have not
		-- been read yet, or one of unknown class may use it
	u.free_chips, -- int: remaining chips; shared with a grant that this one renews
	g.starts, -- time: first instant
	g.until, -- time: first instant after the grant
	g.until AS ends, -- time: the same as until, named as in other views
	CASE WHEN g.until <= a.now THEN 0.0
		ELSE ROUND((g.until - a.now) / 86400.0, 2) END AS days_left, -- decimal: days until
		-- the end, 0 after it
	ROUND(u.covered_chip_seconds / 3600.0, 4) AS covered_chip_hours, -- decimal: chip-hours it has covered so
		-- far
	u.saved, -- money: list price of those hours (estimate)
	g.currency, -- text: currency of saved
	n.quota_note, -- text: warning if the zone is unknown, or the quota lower than the grant; not a verdict
	g.project, -- text: the only project that it covers; NULL: all
	g.shared_with -- text: the renewal, or the grant that this one renews, whose capacity it shares now; NULL: its own
FROM grant_state g CROSS JOIN as_of a LEFT JOIN grant_use u ON u.line = g.line LEFT JOIN grant_note n ON n.line = g.line

-- What the TPU Research Cloud grants, and how much of it is in use now; one row per line of
-- a grant. Where TPUs were never read, what is in use is not known.
SELECT g.name AS name, g.zone AS zone, g.type AS type, g.family AS family,
	g.provisioning AS provisioning, g.granted_chips AS granted_chips,
	CASE WHEN k.known = 1 THEN g.used_chips END AS used_chips,
	CASE WHEN k.known = 1 THEN g.free_chips END AS free_chips,
	@RFC3339(g.starts)@ AS starts, @RFC3339(g.until)@ AS until,
	CASE WHEN g.until <= a.now THEN 0.0
		ELSE ROUND((g.until - a.now) / 86400.0, 2) END AS days_left,
	CASE WHEN k.known = 1 THEN ROUND(g.covered_chip_seconds / 3600.0, 4) END
		AS covered_chip_hours,
	CASE WHEN k.known = 1 THEN g.saved / 1e9 END AS saved, g.currency AS currency,
	n.quota_note AS quota_note, g.project AS project
FROM grant_state g CROSS JOIN as_of a CROSS JOIN tpus_known k LEFT JOIN grant_note n ON n.line = g.line

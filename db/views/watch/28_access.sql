-- levels of access: data that the figures are based on, and figures that are unknown without the
-- other levels
SELECT
	l.level, -- int: 0 to 4
	l.name, -- text: files, inventory, metrics, billing export, stop
	CASE WHEN l.level = 4 THEN w.armed WHEN l.reached > 0 THEN 1 ELSE 0 END AS have, -- flag: 1:
		-- reached: data of it was read; for stop: armed
	CASE l.level WHEN 0 THEN CASE WHEN l.reached > 0 THEN 1 ELSE 0 END
		WHEN 3 THEN CASE WHEN w.tables > 0 THEN 1 ELSE 0 END
		WHEN 4 THEN w.armed ELSE w.projects END AS configured, -- flag: 1: the configuration
		-- enables it
	CASE WHEN l.level = 4 AND w.armed = 1 THEN 'the configuration'
		WHEN l.level = 4 OR l.polled = 0 OR (l.level <> 3 AND l.reached = 0) THEN NULL
		ELSE CAST(l.reached AS TEXT) || ' of ' || CAST(l.polled AS TEXT) || ' '
			|| CASE l.level WHEN 0 THEN 'files' WHEN 3 THEN 'tables' ELSE 'projects' END
		END AS basis, -- text: covered part: 2 of 3 projects
	CASE WHEN l.level = 4 AND w.armed = 0 THEN 'nothing is stopped'
		WHEN l.reached > 0 THEN NULL
		WHEN l.level = 1 THEN 'resources, coverage and run rate are unknown'
		WHEN l.level = 2 THEN 'idle and egress are unknown'
		WHEN l.level = 3 AND f.files > 0 THEN 'cost and credit are those of imported files'
		WHEN l.level = 3 THEN 'cost and credit are unknown' END AS missing, -- text: figures
		-- that are unknown without it
	CASE WHEN l.level = 4 AND w.armed = 0 THEN 'docs/enforce.md'
		WHEN l.reached > 0 OR l.level IN (0, 4) THEN NULL
		WHEN l.level < 3 AND w.projects = 0 THEN 'tpucost init'
		WHEN l.polled > 0 OR (l.level = 3 AND w.tables = 0) THEN 'tpucost doctor'
		ELSE 'tpucost collect' END AS fix -- text: command that provides it
FROM (
	SELECT 0 AS level, 'files' AS name, COUNT(*) AS polled, COUNT(*) AS reached FROM import_file
	UNION ALL
	SELECT 1, 'inventory', COUNT(DISTINCT s.project),
		COUNT(DISTINCT CASE WHEN s.last_success IS NOT NULL AND s.state <> 'disabled'
			THEN s.project END)
	FROM source_status s WHERE s.poll_group = 'instances' AND s.source <> 'index'
	UNION ALL
	SELECT 2, 'metrics', COUNT(DISTINCT s.project),
		COUNT(DISTINCT CASE WHEN s.last_success IS NOT NULL AND s.state <> 'disabled'
			THEN s.project END)
	FROM source_status s WHERE s.poll_group = 'metrics'
	UNION ALL
	SELECT 3, 'billing export', COUNT(*),
		COUNT(CASE WHEN s.last_success IS NOT NULL AND s.state <> 'disabled' THEN 1 END)
	FROM source_status s WHERE s.source = 'billing'
	UNION ALL
	SELECT 4, 'stop', 0, 0
	) l CROSS JOIN access_wanted w CROSS JOIN (SELECT COUNT(*) AS files FROM import_file) f

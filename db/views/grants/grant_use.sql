-- internal: use of the lines of grants where it is known: TPUs of all projects that a grant covers were read
-- completely at least once, or their API is not enabled. What is unreachable in other zones does not matter.
-- Newer families are read with the machines, too.
SELECT g.line AS line, g.used_chips AS used_chips, g.free_chips AS free_chips,
	g.covered_chip_seconds AS covered_chip_seconds, g.saved AS saved
FROM grant_state g
WHERE (EXISTS (SELECT 1 FROM source_status s WHERE s.source = 'tpu'
			AND (s.last_success IS NOT NULL OR s.state = 'disabled'))
		OR EXISTS (SELECT 1 FROM resource_interval r WHERE r.kind = 'tpu'))
	AND NOT EXISTS (SELECT 1 FROM unread_project u WHERE COALESCE(g.project, u.project) = u.project)
	AND NOT EXISTS (SELECT 1 FROM source_status s
		WHERE (s.source = 'tpu' OR (s.source IN ('vm', 'slice') AND g.family NOT IN ('v2', 'v3', 'v4')))
		AND s.last_success IS NULL AND COALESCE(g.project, s.project) = s.project
		AND (s.state = 'failed' OR (s.state = 'partial' AND EXISTS (SELECT 1 FROM source_gap l
			WHERE l.source = s.source AND l.project = s.project
			AND (l.location IN (g.zone, 'somewhere')
				OR substr(g.zone, 1, length(l.location) + 1) = l.location || '-')))))

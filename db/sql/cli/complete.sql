-- Names for completing words and for "did you mean".

-- Resources that can be acted on or queried.
-- name: complete_resources
SELECT id, name, kind FROM resource ORDER BY id LIMIT $most#;

-- Names and ids that enforcement.exempt may have: those of a host exempt its slice.
-- name: exempt_names
SELECT id, name FROM resource
UNION ALL SELECT id, name FROM hosts WHERE slice IS NOT NULL
UNION ALL SELECT project || '/tpu/' || zone || '/' || name, name FROM hosts WHERE slice IS NOT NULL;

-- Projects that were polled, discovered or billed, and the given one if it had resources.
-- name: known_projects
SELECT project FROM source_status UNION SELECT project FROM project
UNION SELECT project FROM billed_project
UNION SELECT project FROM resource_interval WHERE id >= $project || '/' AND id < $project || '0'
ORDER BY 1;

-- Objects of a kind, with a description. "open action": one that a user may approve.
-- name: complete_names
SELECT name, meaning? FROM (
	SELECT 'subject' AS kind, subject AS name, rule AS meaning, rule AS first FROM alert
	UNION ALL SELECT 'silence', CAST(silence AS TEXT), NULL, silence FROM silence
	UNION ALL SELECT 'held', id, NULL, id FROM hold
	UNION ALL SELECT 'open action', CAST(action AS TEXT), NULL, -action FROM action WHERE ended IS NULL
	UNION ALL SELECT 'action', CAST(action AS TEXT), NULL, action FROM action
	UNION ALL SELECT 'resource', id, NULL, id FROM resource
	UNION ALL SELECT 'host', id, NULL, id FROM hosts WHERE slice IS NOT NULL
	UNION ALL SELECT DISTINCT 'gone', i.id, NULL, i.id FROM resource_interval i
		WHERE NOT EXISTS (SELECT 1 FROM resource r WHERE r.id = i.id)
	UNION ALL SELECT DISTINCT 'quota', project || '/' || location || '/' || metric, NULL,
		project || '/' || location || '/' || metric FROM quota
	UNION ALL SELECT DISTINCT 'source', source, NULL, source FROM source_status
	UNION ALL SELECT 'alert', rule || '/' || subject, NULL, rule || '/' || subject FROM alert
	UNION ALL SELECT 'table', name, NULL, name FROM billing_table)
WHERE kind = $kind ORDER BY first, name LIMIT $most#;

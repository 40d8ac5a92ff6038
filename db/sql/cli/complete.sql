-- Names for completing words and for "did you mean".

-- Resources that can be acted on or queried.
-- name: complete_resources
-- out: text id, text name, text kind
SELECT id, name, kind FROM resource ORDER BY id LIMIT $most#;

-- Projects that were polled, discovered or billed, and the given one if it had resources.
-- name: known_projects
-- out: text project
SELECT project FROM source_status UNION SELECT project FROM project
UNION SELECT project FROM billed_project
UNION SELECT project FROM resource_interval WHERE id >= $project || '/' AND id < $project || '0'
ORDER BY 1;

-- Objects of a kind, with a description. Of actions, those that a user may approve: they have not
-- ended.
-- name: complete_names
-- out: text name, text? meaning
SELECT name, meaning FROM (
	SELECT 'subject' AS kind, subject AS name, rule AS meaning, rule AS first FROM alert
	UNION ALL SELECT 'silence', CAST(silence AS TEXT), NULL, silence FROM silence
	UNION ALL SELECT 'held', id, NULL, id FROM hold
	UNION ALL SELECT 'action', CAST(action AS TEXT), NULL, -action FROM action WHERE ended IS NULL
	UNION ALL SELECT 'table', name, NULL, name FROM billing_table)
WHERE kind = $kind ORDER BY first, name LIMIT $most#;

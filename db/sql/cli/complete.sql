-- Names for completing words and for "did you mean".

-- Resources that can be acted on or queried.
-- name: complete_resources
-- in: i64 most
-- out: text id, text name, text kind
SELECT id, name, kind FROM resource ORDER BY id LIMIT $1;

-- Objects of a kind, with a description. Of actions, those that a user may approve: they have not
-- ended.
-- name: complete_names
-- in: text kind, i64 most
-- out: text name, text? meaning
SELECT name, meaning FROM (
	SELECT 'subject' AS kind, subject AS name, rule AS meaning, rule AS first FROM alert
	UNION ALL SELECT 'silence', CAST(silence AS TEXT), NULL, silence FROM silence
	UNION ALL SELECT 'held', id, NULL, id FROM hold
	UNION ALL SELECT 'action', CAST(action AS TEXT), NULL, -action FROM action WHERE ended IS NULL
	UNION ALL SELECT 'table', name, NULL, name FROM billing_table)
WHERE kind = $1 ORDER BY first, name LIMIT $2;

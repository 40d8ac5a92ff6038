-- Names for completing words and for "did you mean".

-- What can be acted on or asked about.
-- name: complete_resources
-- in: i64 most
-- out: text id, text name, text kind
SELECT id, name, kind FROM resource ORDER BY id LIMIT $1;

-- Things of a kind, with what more can be said of them. Of actions those that a person may let pass:
-- they are not over.
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

-- Names for completing words and for "did you mean".

-- What can be acted on or asked about.
-- name: complete_resources
-- in: i64 most
-- out: text id, text name, text kind
SELECT id, name, kind FROM resource ORDER BY id LIMIT $1;

-- name: complete_alerts
-- in: i64 most
-- out: text rule, text subject
SELECT rule, subject FROM alert ORDER BY rule, subject LIMIT $1;

-- name: complete_silences
-- in: i64 most
-- out: i64 silence
SELECT silence FROM silence ORDER BY silence LIMIT $1;

-- name: complete_holds
-- in: i64 most
-- out: text id
SELECT id FROM hold ORDER BY id LIMIT $1;

-- Actions that a person may let pass: those that are not over.
-- name: complete_actions
-- in: i64 most
-- out: i64 action
SELECT action FROM action WHERE ended IS NULL ORDER BY action DESC LIMIT $1;

-- name: complete_billing
-- in: i64 most
-- out: text name
SELECT name FROM billing_table ORDER BY name LIMIT $1;

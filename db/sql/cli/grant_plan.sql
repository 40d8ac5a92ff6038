-- name: grant_plan_rows
SELECT r.name, p.waits#, p.disks?, p.copy_command?, p.storage_command?, p.delete_command
FROM grant_end_part p JOIN resource r ON r.id = p.id CROSS JOIN as_of a
WHERE p.grant_name = $grant_name
ORDER BY p.waits, p.gross IS NULL, NULLIF(p.currency, a.currency), p.gross DESC, r.id;

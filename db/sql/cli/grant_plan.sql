-- name: grant_plan_rows
SELECT r.name, p.waits#, p.disks?, p.copy_command?, p.storage_command?, p.delete_command
FROM grant_end_part p JOIN resource r ON r.id = p.id
WHERE p.grant_name = $grant_name
ORDER BY p.waits, p.gross IS NULL, p.gross DESC, r.id;

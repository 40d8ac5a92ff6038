-- name: grant_plan_rows
-- out: text name, i64 waits, text? disks, text? copy_command, text? storage_command, text delete_command
SELECT r.name, p.waits, p.disks, p.copy_command, p.storage_command, p.delete_command
FROM grant_end_part p JOIN resource r ON r.id = p.id
WHERE p.grant_name = $grant_name
ORDER BY p.waits, p.gross IS NULL, p.gross DESC, r.id;

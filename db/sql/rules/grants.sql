-- name: grant_note_clear
DELETE FROM grant_note;

-- name: grant_note_put
-- in: i64 line, text quota_note
INSERT INTO grant_note (line, quota_note) VALUES ($1, $2);

-- name: tpu_quotas
-- out: text metric, text quota_id, text location, i64 limit_value
SELECT metric, quota_id, location, limit_value FROM quota
WHERE service = 'tpu.googleapis.com' AND limit_value IS NOT NULL
ORDER BY project, metric, quota_id, location;

-- name: grant_end_clear
DELETE FROM grant_end;

-- name: grant_end_put
-- in: text name, i64 until, text? renewed_by, i64 chips_used, i64 becomes_paid, text? resources, i64? per_hour, text? currency
INSERT INTO grant_end (name, until, renewed_by, chips_used, becomes_paid, resources, per_hour,
	currency)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: grant_end_part_clear
DELETE FROM grant_end_part;

-- name: grant_end_part_put
-- in: text grant_name, text id, i64 until, i64 waits, text? type, i64? gross, text? currency, i64? again, text? again_grant, text why_text, text? disks, text? copy_command, text? storage_command, text delete_command
INSERT INTO grant_end_part (grant_name, id, until, waits, type, gross, currency, again,
	again_grant, why_text, disks, copy_command, storage_command, delete_command)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

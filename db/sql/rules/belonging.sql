-- '' deletes the row.
-- name: tpu_disk_put
DELETE FROM tpu_disk WHERE id = $id AND disks <> $disks;
INSERT INTO tpu_disk (id, disks) SELECT $id, $disks WHERE $disks <> '' ON CONFLICT (id) DO NOTHING;

-- Of one project, because ids begin with it and a slash ('0' follows it in ASCII).
-- name: tpu_disk_forget
DELETE FROM tpu_disk WHERE id > $project || '/' AND id < $project || '0'
	AND id NOT IN (SELECT r.id FROM resource r WHERE r.source IN ('tpu', 'vm', 'slice') AND r.project = $project
		AND r.kind = 'tpu');

-- name: tpu_disk_list
SELECT id, disks FROM tpu_disk ORDER BY id;

-- Projects whose disks and addresses were all read at least once.
-- name: volumes_known
SELECT project FROM source_status
WHERE source IN ('disk', 'ip') AND last_success IS NOT NULL
GROUP BY project HAVING COUNT(*) = 2 ORDER BY project;

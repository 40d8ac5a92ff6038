-- name: resource_owners
-- out: text id, text uid, text? owner
SELECT id, uid, owner FROM resource;

-- Reads of the inventories that have TPUs. Some TPUs are machines.
-- name: tpus_watched
-- out: i64? since, i64? success, i64 attempt, text state, text poll_group
SELECT s.watched_since, s.last_success, s.last_attempt, s.state, s.poll_group
FROM source_status s
WHERE s.source IN ('tpu', 'vm') AND (s.state <> 'disabled' OR EXISTS (SELECT 1 FROM resource r
	WHERE r.source = s.source AND r.project = s.project));

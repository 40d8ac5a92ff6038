-- name: resource_owners
SELECT id, uid, owner? FROM resource;

-- Reads of the inventories that have TPUs. Some TPUs are machines.
-- name: tpus_watched
SELECT s.watched_since AS since#?, s.last_success AS success#?, s.last_attempt AS attempt#, s.state,
	s.poll_group
FROM source_status s
WHERE s.source IN ('tpu', 'vm') AND (s.state <> 'disabled' OR EXISTS (SELECT 1 FROM resource r
	WHERE r.source = s.source AND r.project = s.project));

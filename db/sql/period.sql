-- name: resource_owners
-- out: text id, text uid, text? owner
SELECT id, uid, owner FROM resource;

-- The project that has been watched for the shortest time decides. Some TPUs are machines.
-- name: tpus_watched
-- out: i64? watched, i64 missing
SELECT MAX(s.watched_since),
	COALESCE(SUM(CASE WHEN s.watched_since IS NULL THEN 1 ELSE 0 END), 0)
FROM source_status s
WHERE s.source IN ('tpu', 'vm') AND s.state <> 'disabled';

-- NULL: the newest.
-- name: audit_get
SELECT seq#, hash FROM audit_entry WHERE seq = COALESCE($seq#?, (SELECT MAX(seq) FROM audit_entry));

-- The newest decision of a user.
-- name: audit_decided
SELECT seq#, at#, actor, hash FROM audit_entry WHERE actor <> 'tpucost' ORDER BY seq DESC LIMIT 1;

-- The same about resources. Halts are in the lease, or in files.
-- name: audit_decided_of
SELECT seq#, hash FROM audit_entry WHERE actor <> 'tpucost' AND event NOT IN ('halted', 'resumed')
ORDER BY seq DESC LIMIT 1;

-- The newest of two events: the database was detected as restored or copied, or a user allowed it
-- to act. The plus selects the index by event.
-- name: audit_restored
SELECT event, detail FROM audit_entry WHERE event IN ('restored', 'resumed')
ORDER BY +seq DESC LIMIT 1;

-- name: audit_put
PUT audit_entry (seq#, at#, actor, event, action#?, resource?, detail, prev, hash);

-- name: audit_walk
SELECT seq#, at#, actor, event, action#?, resource?, detail, prev, hash FROM audit_entry ORDER BY seq;

-- Number of entries, and the newest.
-- name: audit_head
SELECT COUNT(*) AS entries#, MAX(seq) AS seq#?,
	(SELECT h.hash FROM audit_entry h ORDER BY h.seq DESC LIMIT 1) AS hash?
FROM audit_entry;

-- The newest entry.
-- name: audit_last
-- out: i64 seq, text hash
SELECT seq, hash FROM audit_entry ORDER BY seq DESC LIMIT 1;

-- name: audit_at
-- out: text hash
SELECT hash FROM audit_entry WHERE seq = $seq#;

-- The newest of two events: the database was detected as restored or copied, or a user allowed it
-- to act. The plus selects the index by event.
-- name: audit_restored
-- out: text event, text detail
SELECT event, detail FROM audit_entry WHERE event IN ('restored', 'resumed')
ORDER BY +seq DESC LIMIT 1;

-- name: audit_put
INSERT INTO audit_entry (seq, at, actor, event, action, resource, detail, prev, hash)
VALUES ($seq#, $at#, $actor, $event, $action#?, $resource?, $detail, $prev, $hash);

-- name: audit_walk
-- out: i64 seq, i64 at, text actor, text event, i64? action, text? resource, text detail, text prev, text hash
SELECT seq, at, actor, event, action, resource, detail, prev, hash FROM audit_entry ORDER BY seq;

-- Number of entries, and the newest.
-- name: audit_head
-- out: i64 entries, i64? seq, text? hash
SELECT COUNT(*), MAX(seq), (SELECT h.hash FROM audit_entry h ORDER BY h.seq DESC LIMIT 1)
FROM audit_entry;

-- name: outbox_add
-- in: text channel, text rule, text subject, text kind, text severity, text summary, i64 at, i64 since
INSERT INTO outbox (channel, rule, subject, kind, severity, summary, at, since, state)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'waiting');

-- At most one waits for each subject and channel.
-- name: outbox_waiting
-- in: text channel, text rule, text subject
-- out: i64 item, text kind
SELECT item, kind FROM outbox
WHERE channel = $1 AND rule = $2 AND subject = $3 AND state = 'waiting'
ORDER BY item DESC LIMIT 1;

-- The last event that the channel reported about a subject, unless it was not delivered.
-- name: outbox_told
-- in: text channel, text rule, text subject
-- out: text kind, text severity, text message
SELECT o.kind, o.severity, o.message FROM outbox o
WHERE o.channel = $1 AND o.rule = $2 AND o.subject = $3 AND o.state = 'told'
	AND EXISTS (SELECT 1 FROM notification n WHERE n.message = o.message
		AND n.state NOT IN ('dead', 'dropped'))
ORDER BY o.item DESC LIMIT 1;

-- Alerts that the channel reported, as it did so last, and of whose end it reported nothing yet.
-- name: outbox_reported
-- in: text channel
-- out: text rule, text subject, text said_severity, text said, text severity, text summary, i64 since, i64? resolved
SELECT a.rule, a.subject, o.severity, o.summary, a.severity, a.summary, a.since,
	CASE WHEN a.state = 'resolved' THEN a.resolved END
FROM alert a JOIN outbox o ON o.item = (SELECT MAX(x.item)
	FROM outbox x WHERE x.channel = $1 AND x.rule = a.rule AND x.subject = a.subject
		AND (x.state = 'waiting' AND x.kind = 'resolved'
			OR x.state = 'told' AND EXISTS (SELECT 1 FROM notification n
				WHERE n.message = x.message AND n.state NOT IN ('dead', 'dropped'))))
WHERE o.kind <> 'resolved' ORDER BY a.rule, a.subject;

-- name: outbox_drop
-- in: i64 item
UPDATE outbox SET state = 'dropped' WHERE item = $1;

-- name: outbox_silence
-- in: text rule, text subject
UPDATE outbox SET state = 'dropped' WHERE state = 'waiting' AND kind <> 'resolved' AND rule = $1
	AND ($2 = '' OR subject = $2);

-- name: outbox_tell
-- in: i64 item, text message
UPDATE outbox SET state = 'told', message = $2 WHERE item = $1;

-- The most severe first, resolved last. The figures of an alert can be older than its event.
-- name: outbox_list
-- in: text channel
-- out: i64 item, text rule, text subject, text event, text severity, text summary, i64 at, i64 since, i64 as_of
SELECT o.item, o.rule, o.subject, o.kind, o.severity, o.summary, o.at, o.since,
	CASE WHEN o.kind = 'resolved' THEN o.at ELSE MIN(o.at, COALESCE(a.last_true, o.at)) END
FROM outbox o LEFT JOIN alert a ON a.rule = o.rule AND a.subject = o.subject
WHERE o.state = 'waiting' AND o.channel = $1
ORDER BY CASE WHEN o.kind = 'resolved' THEN 1 ELSE 0 END,
	CASE o.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, o.rule, o.item;

-- Channels with a state, an item or a letter. `waits`: not only with a state.
-- name: outbox_channels
-- out: text channel, i64 waits
SELECT channel, MAX(waits)
FROM (SELECT channel, 1 AS waits FROM outbox WHERE state = 'waiting'
	UNION ALL SELECT channel, 1 FROM notification WHERE state IN ('pending', 'sending', 'unclear')
	UNION ALL SELECT channel, 0 FROM channel_state)
GROUP BY channel ORDER BY channel;

-- Alerts of which the channel reported no end yet, as it reported them last or will. What was not
-- delivered was not reported, but an end is sent once only: the address may be gone.
-- name: outbox_open
-- in: text channel
-- out: text rule, text subject, text severity, text summary, i64 since, i64 firing
SELECT o.rule, o.subject, o.severity, o.summary, o.since, COALESCE(a.state = 'firing', 0)
FROM (SELECT MAX(i.item), i.* FROM outbox i WHERE i.channel = $1 AND (i.state = 'waiting'
		OR i.state = 'told' AND (i.kind = 'resolved' OR EXISTS (SELECT 1 FROM notification n
			WHERE n.message = i.message AND n.state NOT IN ('dead', 'dropped'))))
	GROUP BY i.rule, i.subject) o LEFT JOIN alert a ON a.rule = o.rule AND a.subject = o.subject
WHERE o.kind <> 'resolved' ORDER BY o.rule, o.subject;

-- name: notification_has
-- in: text dedup
-- out: i64 id
SELECT id FROM notification WHERE dedup = $1;

-- name: notification_put
-- in: text message, text channel, text recipient, text kind, text dedup, i64 critical, text subject, text body, text? html, text refs, i64 now, text format
INSERT INTO notification (message, channel, recipient, kind, dedup, critical, subject, body, html,
	refs, state, attempts, next_at, fence, created, lost_told, format, perhaps_sent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', 0, $11, 0, $11, 0, $12, 0)
ON CONFLICT (dedup) DO NOTHING;

-- Recent messages about alerts on a channel.
-- name: notification_recent
-- in: text channel, i64 since, i64 now
-- out: i64 n
SELECT COUNT(DISTINCT message) FROM notification
WHERE channel = $1 AND kind IN ('alerts', 'digest') AND created > $2 AND created <= $3;

-- name: notification_newest
-- in: text channel, i64 now
-- out: text kind, i64 created
SELECT kind, created FROM notification
WHERE channel = $1 AND kind IN ('alerts', 'digest') AND created <= $2
ORDER BY created DESC, id DESC LIMIT 1;

-- The next one that is due. Times further ahead than any that tpucost sets are from a wrong clock.
-- Events of alerts reach a recipient in order, so that an end is not reported before its beginning;
-- but a message that failed a dozen times does not block others. With `ordered` no message is sent
-- before an earlier one; with `quiet` only messages for quiet hours.
-- name: notification_next
-- in: text channel, i64 now, text only, i64 ordered, i64 quiet
-- out: i64 id, text message, text recipient, text kind, text subject, text body, text? html, text refs, text state, i64 attempts, i64 fence, i64 created
SELECT n.id, n.message, n.recipient, n.kind, n.subject, n.body, n.html, n.refs, n.state, n.attempts,
	n.fence, n.created
FROM notification n
WHERE n.channel = $1 AND n.state IN ('pending', 'unclear', 'sending')
	AND ($3 = '' OR n.message = $3) AND ((n.state IN ('pending', 'unclear')
		AND (n.next_at <= $2 OR n.next_at > $2 + 7200))
	OR (n.state = 'sending' AND (n.lease <= $2 OR n.lease > $2 + 7200)))
	AND ($3 <> '' OR n.kind NOT IN ('alerts', 'digest') OR NOT EXISTS (
		SELECT 1 FROM notification b
		WHERE b.channel = $1 AND b.state IN ('pending', 'unclear', 'sending')
			AND b.id < n.id AND b.recipient = n.recipient AND b.kind IN ('alerts', 'digest')
			AND (($4 <> 0 AND (b.state <> 'unclear' OR b.next_at IS NOT NULL))
				OR (b.state = 'pending' AND b.critical >= n.critical
					AND b.attempts < 12))))
	AND ($5 = 0 OR $3 <> '' OR n.critical <> 0 OR n.kind NOT IN ('alerts', 'digest', 'lost'))
ORDER BY CASE WHEN n.attempts >= 12 THEN 1 ELSE 0 END, n.critical DESC, n.id LIMIT 1;

-- name: notification_claim
-- in: i64 id, i64 fence, i64 lease
UPDATE notification SET state = 'sending', fence = fence + 1, lease = $3, attempts = attempts + 1,
	perhaps_sent = CASE WHEN state = 'pending' THEN perhaps_sent ELSE 1 END
WHERE id = $1 AND fence = $2;

-- name: notification_fence
-- in: i64 id
-- out: i64 fence, text state
SELECT fence, state FROM notification WHERE id = $1;

-- name: notification_finish
-- in: i64 id, i64 fence, text state, i64? next_at, i64? finished, text? reply, text? error
UPDATE notification SET state = $3, next_at = $4, lease = NULL, finished = $5, reply = $6, error = $7
WHERE id = $1 AND fence = $2 AND state = 'sending';

-- Including messages that a killed process had claimed.
-- name: notification_end_channel
-- in: text channel, text state, i64 now, text error
UPDATE notification SET state = $2, next_at = NULL, lease = NULL, finished = $3, error = $4,
	fence = fence + 1, perhaps_sent = CASE WHEN state = 'pending' THEN perhaps_sent ELSE 1 END
WHERE channel = $1 AND (state IN ('pending', 'unclear')
	OR (state = 'sending' AND (lease <= $3 OR lease > $3 + 7200)));

-- A message that could not be sent within two days is useless.
-- name: notification_expire
-- in: i64 before, i64 now, text error
UPDATE notification SET state = 'dead', next_at = NULL, lease = NULL, finished = $2,
	error = CASE WHEN error IS NULL THEN $3 ELSE $3 || ': ' || error END, fence = fence + 1,
	perhaps_sent = CASE WHEN state = 'pending' THEN perhaps_sent ELSE 1 END
WHERE created < $1 AND (state IN ('pending', 'unclear')
	OR (state = 'sending' AND (lease <= $2 OR lease > $2 + 7200)));

-- Undeliverable ones that were not reported on another channel yet.
-- name: notification_lost
-- out: i64 id, text base, i64 to_owner, text recipient, text kind, text subject, i64 created, i64 attempts, text? error
SELECT id, base, base <> channel AS to_owner, recipient, kind, subject, created, attempts, error
FROM notification WHERE state = 'dead' AND lost_told = 0 ORDER BY base, to_owner, id;

-- name: notification_lost_told
-- in: i64 id
UPDATE notification SET lost_told = 1 WHERE id = $1;

-- name: notification_counts
-- out: text channel, i64 waiting, i64 dead
SELECT channel, SUM(CASE WHEN state IN ('pending', 'sending', 'unclear') THEN 1 ELSE 0 END),
	SUM(CASE WHEN state = 'dead' THEN 1 ELSE 0 END)
FROM notification GROUP BY channel ORDER BY channel;

-- Messages that wait on a channel after a failed attempt.
-- name: notification_late
-- in: text channel
-- out: i64 n, text? error
SELECT COUNT(*), (SELECT c.error FROM channel_state c WHERE c.channel = $1) FROM notification
WHERE channel = $1 AND state IN ('pending', 'unclear') AND attempts > 0 AND next_at IS NOT NULL;

-- name: notification_retry
-- in: i64 id, i64 now
UPDATE notification SET state = CASE WHEN perhaps_sent = 1 THEN 'unclear' ELSE 'pending' END,
	next_at = $2, created = $2, finished = NULL,
	lost_told = 0, fence = fence + 1
WHERE id = $1 AND state = 'dead' AND body <> '';

-- Messages that could be retried; a test is valid at its time only.
-- Those to owners belong to the channel that sends them.
-- name: notification_dead
-- in: text channel, i64 id
-- out: i64 id, text base
SELECT id, base FROM notification
WHERE state = 'dead' AND body <> '' AND kind <> 'test' AND ($1 IN (channel, base) OR id = $2)
ORDER BY id;

-- Texts are kept for a shorter time than rows.
-- name: notification_forget
-- in: i64 texts, i64 rows
UPDATE notification SET body = '', html = NULL
WHERE finished < $1 AND body <> '' AND state IN ('sent', 'dead', 'dropped', 'unclear');
DELETE FROM notification WHERE finished < $2;
DELETE FROM outbox WHERE at < $2 AND state <> 'waiting';

-- A channel for an owner is off with its base, which sends for it.
-- name: channel_get
-- in: text channel, text base
-- out: text version, i64? off_since, text? error, i64? next_at
SELECT c.version, b.off_since, c.error, c.next_at
FROM channel_state c LEFT JOIN channel_state b ON b.channel = $2
WHERE c.channel = $1;

-- name: channel_put
-- in: text channel, text kind, text version, i64? off_since, text? error, i64? next_at
INSERT INTO channel_state (channel, kind, version, off_since, error, next_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (channel) DO UPDATE SET kind = excluded.kind, version = excluded.version,
	off_since = excluded.off_since, error = excluded.error, next_at = excluded.next_at;

-- Result of sending: the composer sets the configuration of the channel.
-- name: channel_result
-- in: text channel, text kind, i64? off_since, text? error, i64? next_at
INSERT INTO channel_state (channel, kind, version, off_since, error, next_at)
VALUES ($1, $2, '', $3, $4, $5)
ON CONFLICT (channel) DO UPDATE SET off_since = excluded.off_since, error = excluded.error,
	next_at = excluded.next_at;

-- Letters that are not claimed.
-- name: notification_open
-- in: text channel, i64 now
-- out: i64 id, text recipient, text format
SELECT id, recipient, format FROM notification
WHERE channel = $1 AND state IN ('pending', 'unclear', 'sending')
	AND (state = 'pending' OR (state = 'unclear' AND next_at IS NOT NULL)
		OR (state = 'sending' AND (lease <= $2 OR lease > $2 + 7200)))
ORDER BY id;

-- name: notification_drop
-- in: i64 id, i64 now, text error
UPDATE notification SET state = 'dropped', next_at = NULL, lease = NULL, finished = $2,
	error = $3, fence = fence + 1
WHERE id = $1;

-- Dropped items may be reported again.
-- name: notification_delete
-- in: i64 id
DELETE FROM notification WHERE id = $1;

-- name: outbox_firing
-- in: i64 now
-- out: text rule, text subject, text severity, text summary, i64 since
SELECT a.rule, a.subject, a.severity, a.summary, a.since FROM alert a
WHERE a.state = 'firing' AND NOT EXISTS (SELECT 1 FROM silence s WHERE s.rule = a.rule
	AND (s.subject = '' OR s.subject = a.subject) AND s.created <= $1 AND s.until > $1)
ORDER BY a.rule, a.subject;

-- name: channel_drop
-- in: text channel
UPDATE outbox SET state = 'dropped' WHERE state = 'waiting' AND channel = $1;
DELETE FROM channel_state WHERE channel = $1;

-- A report of a later date than one, up to today.
-- name: notification_later
-- in: text channel, text kind, text first, text end
-- out: i64 id
SELECT id FROM notification
WHERE channel = $1 AND kind = $2 AND dedup >= $3 AND dedup < $4 LIMIT 1;

-- name: channel_on
-- in: text channel
UPDATE channel_state SET off_since = NULL, next_at = NULL WHERE channel = $1;

-- Channels that may send now, for themselves or for owners.
-- name: channel_due
-- in: i64 now
-- out: text channel
SELECT DISTINCT n.base FROM notification n LEFT JOIN channel_state c ON c.channel = n.channel
WHERE n.state IN ('pending', 'unclear', 'sending')
	AND ((n.state <> 'sending' AND (n.next_at <= $1 OR n.next_at > $1 + 7200))
		OR (n.state = 'sending' AND (n.lease <= $1 OR n.lease > $1 + 7200)))
	AND c.off_since IS NULL
	AND (c.next_at IS NULL OR c.next_at <= $1 + 3 OR c.next_at > $1 + 7200)
ORDER BY n.base;

-- name: outbox_add
PUT outbox (channel, rule, subject, kind, severity, summary, at#, since#, state='waiting');

-- At most one waits for each subject and channel.
-- name: outbox_waiting
SELECT item#, kind FROM outbox
WHERE channel = $channel AND rule = $rule AND subject = $subject AND state = 'waiting'
ORDER BY item DESC LIMIT 1;

-- The last event that the channel reported about a subject, unless it was not delivered.
-- name: outbox_told
SELECT o.kind, o.severity, o.message FROM outbox o
WHERE o.channel = $channel AND o.rule = $rule AND o.subject = $subject AND o.state = 'told'
	AND EXISTS (SELECT 1 FROM notification n WHERE n.message = o.message
		AND n.state NOT IN ('dead', 'dropped'))
ORDER BY o.item DESC LIMIT 1;

-- Did this database ever have a message to send?
-- name: outbox_used
SELECT EXISTS (SELECT 1 FROM notification) AS used#;

-- Recipients who were sent an alert after its last end, or will be. `since`: as it began then. `waits`: a letter
-- about it is not sent yet.
-- name: outbox_heard
SELECT n.recipient, MAX(n.state = 'pending') AS waits# FROM outbox o JOIN notification n ON n.message = o.message
WHERE o.channel = $channel AND o.rule = $rule AND o.subject = $subject AND o.state = 'told'
	AND ($since#? IS NULL OR o.since = $since) AND n.state NOT IN ('dead', 'dropped')
	AND o.item > COALESCE((SELECT MAX(x.item) FROM outbox x WHERE x.channel = $channel AND x.rule = $rule
		AND x.subject = $subject AND x.state = 'told' AND x.kind = 'resolved'), 0)
GROUP BY n.recipient;

-- An alert that is back before its end was sent is the one that was reported.
-- name: outbox_goes_on
UPDATE outbox SET since = $since#
WHERE channel = $channel AND rule = $rule AND subject = $subject AND state = 'told';

-- Alerts that the channel reported, as it did so last, and of whose end it reported nothing yet: an end is sent once.
-- name: outbox_reported
SELECT a.rule, a.subject, o.severity AS said_severity, o.summary AS said, a.severity, a.summary, a.since#,
	CASE WHEN a.state = 'resolved' THEN a.resolved END AS resolved#?
FROM alert a JOIN outbox o ON o.item = (SELECT MAX(x.item)
	FROM outbox x WHERE x.channel = $channel AND x.rule = a.rule AND x.subject = a.subject
		AND (x.state = 'waiting' AND x.kind = 'resolved'
			OR x.state = 'told' AND (x.kind = 'resolved' OR EXISTS (SELECT 1 FROM notification n
				WHERE n.message = x.message AND n.state NOT IN ('dead', 'dropped')))))
WHERE o.kind <> 'resolved' ORDER BY a.rule, a.subject;

-- name: outbox_silence
UPDATE outbox SET state = 'dropped' WHERE state = 'waiting' AND kind <> 'resolved' AND rule = $rule
	AND ($subject = '' OR subject = $subject);

-- Without a message it is dropped.
-- name: outbox_tell
UPDATE outbox SET state = CASE WHEN $message? IS NULL THEN 'dropped' ELSE 'told' END, message = $message
WHERE item = $item#;

-- The most severe first, resolved last. The figures of an alert can be older than its event. `behind`: an earlier
-- message about the alert is to be sent first. `message`: items of one that is composed again.
-- name: outbox_list
SELECT o.item#, o.rule, o.subject, o.kind AS event, o.severity, o.summary, o.at#, o.since#, CASE
	WHEN o.kind = 'resolved' THEN o.at ELSE MIN(o.at, COALESCE(a.last_true, o.at)) END AS as_of#,
	EXISTS (SELECT 1 FROM outbox x JOIN notification n ON n.message = x.message AND n.channel = x.channel
		WHERE x.channel = $channel AND x.rule = o.rule AND x.subject = o.subject AND x.state = 'told'
			AND (n.state IN ('pending', 'sending') OR (n.state = 'unclear' AND n.next_at IS NOT NULL))) AS behind#
FROM outbox o LEFT JOIN alert a ON a.rule = o.rule AND a.subject = o.subject
WHERE o.state = 'waiting' AND o.channel = $channel AND o.message IS $message?
ORDER BY CASE WHEN o.kind = 'resolved' THEN 1 ELSE 0 END,
	CASE o.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, o.rule, o.item;

-- Channels with a state, an item or a letter. `waits`: not only with a state.
-- name: outbox_channels
SELECT channel, MAX(waits) AS waits#
FROM (SELECT channel, 1 AS waits FROM outbox WHERE state = 'waiting'
	UNION ALL SELECT channel, 1 FROM notification WHERE state IN ('pending', 'sending', 'unclear')
	UNION ALL SELECT channel, 0 FROM channel_state)
GROUP BY channel ORDER BY channel;

-- Alerts of which the channel reported no end yet, as it reported them last or will. What was not
-- delivered was not reported, but an end is sent once only: the address may be gone.
-- name: outbox_open
SELECT o.rule, o.subject, o.severity, o.summary, o.since#, COALESCE(a.state = 'firing', 0) AS firing#
FROM (SELECT MAX(i.item), i.* FROM outbox i WHERE i.channel = $channel AND (i.state = 'waiting'
		OR i.state = 'told' AND (i.kind = 'resolved' OR EXISTS (SELECT 1 FROM notification n
			WHERE n.message = i.message AND n.state NOT IN ('dead', 'dropped'))))
	GROUP BY i.rule, i.subject) o LEFT JOIN alert a ON a.rule = o.rule AND a.subject = o.subject
WHERE o.kind <> 'resolved' ORDER BY o.rule, o.subject;

-- Recipients of one content on one channel.
-- name: notification_has
SELECT recipient FROM notification WHERE dedup >= $first AND dedup < $end
	AND (state <> 'dropped' OR next_at IS NULL);

-- Messages with the warning of an action that surely no recipient got.
-- name: notification_stale
SELECT n.message, n.kind, substr(n.dedup, 1, length(n.dedup) - length(n.channel) - length(n.recipient) - 2) AS dedup
FROM notification n
WHERE n.channel = $channel AND n.state = 'pending' AND n.created < $now# AND EXISTS (SELECT 1 FROM action_notice x
		WHERE x.message = n.message AND x.channel = n.channel AND x.kind = 'warning')
	AND NOT EXISTS (SELECT 1 FROM notification o WHERE o.message = n.message AND o.state <> 'pending')
GROUP BY n.message ORDER BY MIN(n.id);

-- Composes it again: while its letters are dropped and have a next attempt, notification_put() replaces their texts.
-- name: notification_take
UPDATE notification SET state = 'dropped' WHERE message = $message;
UPDATE outbox SET state = 'waiting' WHERE channel = $channel AND state = 'told' AND message = $message;
DELETE FROM action_notice WHERE channel = $channel AND message = $message;

-- Letters that have nothing left to say.
-- name: notification_taken
UPDATE notification SET next_at = NULL, finished = $now#, error = $error
WHERE channel = $channel AND state = 'dropped' AND next_at IS NOT NULL;

-- name: notification_put
INSERT INTO notification (message, channel, recipient, kind, dedup, critical, subject, body, html,
	refs, state, attempts, next_at, fence, created, lost_told, format, perhaps_sent)
VALUES ($message, $channel, $recipient, $kind, $dedup, $critical#, $subject, $body, $html?, $refs, 'pending',
	0, $now#, 0, $now, 0, $format, 0)
ON CONFLICT (dedup) DO UPDATE SET message = excluded.message, critical = excluded.critical,
	subject = excluded.subject, body = excluded.body, html = excluded.html, refs = excluded.refs, state = 'pending'
WHERE state = 'dropped' AND next_at IS NOT NULL;

-- Recent messages about alerts on a channel.
-- name: notification_recent
SELECT COUNT(DISTINCT message) AS n# FROM notification
WHERE channel = $channel AND kind IN ('alerts', 'digest') AND created > $since# AND created <= $now#;

-- name: notification_newest
SELECT kind, created# FROM notification
WHERE channel = $channel AND kind IN ('alerts', 'digest') AND created <= $now#
ORDER BY created DESC, id DESC LIMIT 1;

-- The next one that is due. Times further ahead than any that tpucost sets are from a wrong clock.
-- Events of alerts reach a recipient in order, so that an end is not reported before its beginning;
-- but a message that failed a dozen times does not block others. `late`: one that waits for an earlier message about
-- the same alert or action, which may be sent again or whose outcome is unknown. With `ordered` no message is sent
-- before an earlier one; with `quiet` only messages for quiet hours. The end of a critical alert (2) waits then,
-- unless something critical follows, which must not pass it; so does what an urgent message waits for.
-- name: notification_next
WITH open AS MATERIALIZED (SELECT id, message, recipient, critical, attempts FROM notification
	WHERE channel = $channel AND kind IN ('alerts', 'digest') AND (state IN ('pending', 'sending')
		OR (state = 'unclear' AND next_at IS NOT NULL))),
topic AS MATERIALIZED (SELECT n.id, n.recipient, n.critical, n.attempts, o.rule, o.subject
	FROM (SELECT COUNT(*) AS n FROM open) k CROSS JOIN outbox o CROSS JOIN open n
	WHERE k.n > 1 AND o.state = 'told' AND o.channel = $channel AND n.message = o.message
	UNION ALL SELECT n.id, n.recipient, n.critical, n.attempts, '', x.action
	FROM (SELECT COUNT(*) AS n FROM open) k CROSS JOIN action_notice x CROSS JOIN open n
	WHERE k.n > 1 AND x.channel = $channel AND n.message = x.message),
late AS MATERIALIZED (SELECT DISTINCT l.id, l.recipient, l.critical = 1 AND b.critical <> 1 AS hurries, b.id AS behind
	FROM topic l JOIN topic b ON b.rule = l.rule AND b.subject = l.subject AND b.recipient = l.recipient
	WHERE b.id < l.id AND b.attempts < 12)
SELECT n.id#, n.message, n.recipient, n.kind, n.subject, n.body, n.html?, n.refs, n.state, n.attempts#,
	n.fence#, n.created#
FROM notification n
WHERE n.channel = $channel AND n.state IN ('pending', 'unclear', 'sending')
	AND ($only = '' OR n.message = $only) AND ((n.state IN ('pending', 'unclear')
		AND (n.next_at <= $now# OR n.next_at > $now + 7200))
	OR (n.state = 'sending' AND (n.lease <= $now OR n.lease > $now + 7200)))
	AND ($only <> '' OR n.kind NOT IN ('alerts', 'digest') OR NOT EXISTS (
		SELECT 1 FROM notification b
		WHERE b.channel = $channel AND b.state IN ('pending', 'unclear', 'sending')
			AND b.id < n.id AND b.recipient = n.recipient AND b.kind IN ('alerts', 'digest')
			AND (($ordered# <> 0 AND (b.state <> 'unclear' OR b.next_at IS NOT NULL))
				OR (b.state = 'pending' AND (b.critical > 0) >= (n.critical > 0)
					AND b.attempts < 12))))
	AND ($only <> '' OR n.id NOT IN (SELECT id FROM late))
	AND ($quiet# = 0 OR $only <> '' OR n.critical = 1 OR n.kind NOT IN ('alerts', 'digest', 'lost')
		OR (n.critical = 2 AND EXISTS (SELECT 1 FROM notification c
			WHERE c.channel = $channel AND c.state = 'pending' AND c.critical = 1
				AND c.id > n.id AND c.recipient = n.recipient))
		OR EXISTS (SELECT 1 FROM late l WHERE l.hurries AND l.behind >= n.id AND l.recipient = n.recipient))
ORDER BY CASE WHEN n.attempts >= 12 THEN 1 ELSE 0 END, n.critical > 0 DESC, n.id LIMIT 1;

-- name: notification_claim
UPDATE notification SET state = 'sending', fence = fence + 1, lease = $lease#, attempts = attempts + 1,
	perhaps_sent = CASE WHEN state = 'pending' THEN perhaps_sent ELSE 1 END
WHERE id = $id# AND fence = $fence#;

-- name: notification_fence
SELECT fence#, state FROM notification WHERE id = $id#;

-- name: notification_finish
UPDATE notification SET state = $state, next_at = $next_at#?, lease = NULL, finished = $finished#?,
	reply = $reply?, error = $error?
WHERE id = $id# AND fence = $fence# AND state = 'sending';

-- Including messages that a killed process had claimed.
-- name: notification_end_channel
UPDATE notification SET state = $state, next_at = NULL, lease = NULL, finished = $now#, error = $error,
	fence = fence + 1, perhaps_sent = CASE WHEN state = 'pending' THEN perhaps_sent ELSE 1 END
WHERE channel = $channel AND (state IN ('pending', 'unclear')
	OR (state = 'sending' AND (lease <= $now OR lease > $now + 7200)));

-- A message that could not be sent within two days is useless.
-- name: notification_expire
UPDATE notification SET state = 'dead', next_at = NULL, lease = NULL, finished = $now#,
	error = CASE WHEN error IS NULL THEN $error ELSE $error || ': ' || error
	END, fence = fence + 1, perhaps_sent = CASE WHEN state = 'pending' THEN perhaps_sent ELSE 1 END
WHERE created < $before# AND (state IN ('pending', 'unclear')
	OR (state = 'sending' AND (lease <= $now OR lease > $now + 7200)));

-- Undeliverable ones that were not reported on another channel yet.
-- name: notification_lost
SELECT id#, base, base <> channel AS to_owner#, recipient, kind, subject, created#, attempts#, error?
FROM notification WHERE state = 'dead' AND lost_told = 0 ORDER BY base, to_owner, id;

-- name: notification_lost_told
UPDATE notification SET lost_told = 1 WHERE id = $id#;

-- name: notification_counts
SELECT channel, SUM(CASE WHEN state IN ('pending', 'sending', 'unclear') THEN 1 ELSE 0 END) AS waiting#,
	SUM(CASE WHEN state = 'dead' THEN 1 ELSE 0 END) AS dead#
FROM notification GROUP BY channel ORDER BY channel;

-- Messages that wait on a channel after a failed attempt.
-- name: notification_late
SELECT COUNT(*) AS n#, (SELECT c.error FROM channel_state c WHERE c.channel = $channel) AS error?
FROM notification
WHERE channel = $channel AND state IN ('pending', 'unclear') AND attempts > 0 AND next_at IS NOT NULL;

-- name: notification_retry
UPDATE notification SET state = CASE WHEN perhaps_sent = 1 THEN 'unclear' ELSE 'pending' END,
	next_at = $now#, created = $now, finished = NULL, lost_told = 0, fence = fence + 1
WHERE id = $id# AND state = 'dead' AND body <> '';

-- Messages that could be retried; a test is valid at its time only.
-- Those to owners belong to the channel that sends them.
-- name: notification_dead
SELECT id#, base FROM notification
WHERE state = 'dead' AND body <> '' AND kind <> 'test' AND ($channel IN (channel, base) OR id = $id#)
ORDER BY id;

-- Texts are kept for a shorter time than rows.
-- name: notification_forget
UPDATE notification SET body = '', html = NULL
WHERE finished < $texts# AND body <> '' AND state IN ('sent', 'dead', 'dropped', 'unclear');
DELETE FROM notification WHERE finished < $rows#;
DELETE FROM outbox WHERE at < $rows AND state <> 'waiting';

-- A channel for an owner is off with its base, which sends for it.
-- name: channel_get
SELECT c.version, b.off_since#?, c.error?, c.next_at#?
FROM channel_state c LEFT JOIN channel_state b ON b.channel = $base
WHERE c.channel = $channel;

-- name: channel_put
PUT channel_state (channel | kind, version, off_since#?, error?, next_at#?);

-- Result of sending: the composer sets the configuration of the channel.
-- name: channel_result
INSERT INTO channel_state (channel, kind, version, off_since, error, next_at)
VALUES ($channel, $kind, '', $off_since#?, $error?, $next_at#?)
ON CONFLICT (channel) DO UPDATE SET off_since = excluded.off_since, error = excluded.error,
	next_at = excluded.next_at;

-- Letters that are not claimed.
-- name: notification_open
SELECT id#, recipient, format FROM notification
WHERE channel = $channel AND state IN ('pending', 'unclear', 'sending')
	AND (state = 'pending' OR (state = 'unclear' AND next_at IS NOT NULL)
		OR (state = 'sending' AND (lease <= $now# OR lease > $now + 7200)))
ORDER BY id;

-- name: notification_drop
UPDATE notification SET state = 'dropped', next_at = NULL, lease = NULL, finished = $now#,
	error = $error, fence = fence + 1
WHERE id = $id#;

-- Dropped items may be reported again.
-- name: notification_delete
DELETE FROM notification WHERE id = $id#;

-- name: outbox_firing
SELECT a.rule, a.subject, a.severity, a.summary, a.since#, EXISTS (SELECT 1 FROM silence s WHERE s.rule = a.rule
	AND (s.subject = '' OR s.subject = a.subject) AND s.created <= $now# AND s.until > $now) AS muted#
FROM alert a WHERE a.state = 'firing' ORDER BY a.rule, a.subject;

-- name: channel_drop
UPDATE outbox SET state = 'dropped' WHERE state = 'waiting' AND channel = $channel;
DELETE FROM channel_state WHERE channel = $channel;

-- A report of a later date than one, up to today.
-- name: notification_later
SELECT id# FROM notification
WHERE channel = $channel AND kind = $kind AND dedup >= $first AND dedup < $end LIMIT 1;

-- name: channel_on
UPDATE channel_state SET off_since = NULL, next_at = NULL WHERE channel = $channel;

-- Channels that may send now, for themselves or for owners.
-- name: channel_due
SELECT DISTINCT n.base AS channel FROM notification n LEFT JOIN channel_state c ON c.channel = n.channel
WHERE n.state IN ('pending', 'unclear', 'sending')
	AND ((n.state <> 'sending' AND (n.next_at <= $now# OR n.next_at > $now + 7200))
		OR (n.state = 'sending' AND (n.lease <= $now OR n.lease > $now + 7200)))
	AND c.off_since IS NULL
	AND (c.next_at IS NULL OR c.next_at <= $now + 3 OR c.next_at > $now + 7200)
ORDER BY n.base;

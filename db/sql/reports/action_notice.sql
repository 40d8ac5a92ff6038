-- When a channel accepted the latest warning of an action; NULL: not yet. Mail to an owner does not
-- count: the address may not exist.
-- name: action_warned
SELECT MAX(n.finished) AS at#? FROM action_notice a JOIN notification n ON n.message = a.message
WHERE a.action = $action# AND a.kind = 'warning' AND n.channel = a.channel AND n.state = 'sent'
	AND n.base = n.channel;

-- Notes of actions that a channel has not sent. `since`: actions that ended before are not
-- reported; `late`: requests sent before then should have ended long ago. A cancellation is
-- reported where the action was announced, and not while another one on the machine (of a deletion: another
-- deletion) is open. An action that needs approval has no earlier warning. `behind`: an earlier message about the
-- action is to be sent first.
-- name: action_notes
SELECT n.action#, n.note, @NAMED(n)@ AS name, l.summary?, r.type?, r.provisioning?, r.owner?, r.hosts#?,
	r.queued?,
	(SELECT z.text FROM residual z WHERE z.id = n.resource) AS remains?,
	CASE WHEN n.attempts > 0 THEN (SELECT MIN(u.at) FROM audit_entry u
		WHERE u.event = 'intent' AND u.at >= n.began AND u.action = n.action) END AS tried#?,
	EXISTS (SELECT 1 FROM action_notice x JOIN notification m ON m.message = x.message AND m.channel = x.channel
		WHERE x.action = n.action AND x.channel = $channel AND (m.state IN ('pending', 'sending')
			OR (m.state = 'unclear' AND m.next_at IS NOT NULL))) AS behind#
FROM (SELECT a.*, CASE
		WHEN a.state IN ('done', 'failed') THEN 'outcome'
		WHEN a.state IN ('cleared', 'superseded') THEN 'cancelled'
		WHEN a.state IN ('intent', 'sent', 'verify', 'unknown')
			AND COALESCE(a.sent, a.intent) <= $late# THEN 'unclear'
		WHEN a.state = 'recheck' AND a.attempts >= 3 THEN 'failing'
		WHEN a.state = 'recheck' AND a.held IN ('audit', 'caps', 'shrink', 'anomaly', 'back-off',
				'grant-zone')
			THEN 'held'
		WHEN a.state = 'recheck' AND a.held IN ('look', 'wrong-project') AND a.since <= $late
			THEN 'held'
		WHEN a.state = 'pending' AND a.held IN ('shrink', 'anomaly', 'back-off', 'grant-zone')
			AND EXISTS (SELECT 1 FROM alert f WHERE f.rule = a.rule
				AND f.subject = a.resource AND f.state = 'firing') THEN 'held'
		WHEN a.state IN ('warning', 'grace', 'recheck') AND a.held <> 'mode' THEN 'warning'
		END AS note
	FROM action a WHERE a.mode = 'armed' AND (a.ended IS NULL OR a.ended > $since#)) n
	LEFT JOIN alert l ON l.rule = n.rule AND l.subject = n.resource
	LEFT JOIN resource r ON r.id = n.resource AND r.uid = n.uid
WHERE n.note IS NOT NULL AND NOT EXISTS (SELECT 1 FROM action_notice x
		WHERE x.action = n.action AND x.kind = n.note AND x.channel = $channel)
	AND (n.note <> 'cancelled' OR (EXISTS (SELECT 1 FROM action_notice x
			WHERE x.action = n.action AND x.kind = 'warning' AND x.channel = $channel)
		AND NOT EXISTS (SELECT 1 FROM action o WHERE o.ended IS NULL AND o.resource = n.resource
			AND o.mode = 'armed' AND o.state <> 'pending' AND o.verb IN ('delete', n.verb))))
ORDER BY n.action;

-- Cancellations that are not reported at all: another action on the machine was done since, or one that was
-- announced there, too, ended later: its end is reported.
-- name: action_notice_moot
INSERT INTO action_notice (action, kind, channel, message)
SELECT n.action, 'cancelled', $channel, '' FROM action n
WHERE n.ended > $since# AND n.state IN ('cleared', 'superseded')
	AND EXISTS (SELECT 1 FROM action_notice x
		WHERE x.action = n.action AND x.kind = 'warning' AND x.channel = $channel)
	AND NOT EXISTS (SELECT 1 FROM action_notice x
		WHERE x.action = n.action AND x.kind = 'cancelled' AND x.channel = $channel)
	AND EXISTS (SELECT 1 FROM action o WHERE o.resource = n.resource AND o.mode = 'armed' AND (
		(o.state = 'done' AND o.ended >= n.began AND o.verb IN ('delete', n.verb))
		OR (COALESCE((o.ended, o.action) > (n.ended, n.action), 1) AND o.verb = n.verb AND EXISTS (SELECT 1 FROM action_notice x
			WHERE x.action = o.action AND x.kind = 'warning' AND x.channel = $channel))));

-- name: action_notice_put
PUT action_notice (action#, kind, channel, message);

-- Notes in a message.
-- name: action_noticed
SELECT action#, kind FROM action_notice WHERE channel = $channel AND message = $message;

-- The message that announced it there.
-- name: action_announced
SELECT message FROM action_notice WHERE action = $action# AND kind = 'warning' AND channel = $channel;

-- Notes in undelivered messages may be sent again.
-- name: action_notice_unsaid
DELETE FROM action_notice WHERE channel = $channel AND message <> ''
	AND action IN (SELECT action FROM action WHERE ended IS NULL OR ended > $since#)
	AND NOT EXISTS (SELECT 1 FROM notification n
		WHERE n.message = action_notice.message AND n.channel = action_notice.channel
			AND n.state NOT IN ('dead', 'dropped'));

-- Actions that ended before the channel existed are not reported there.
-- name: action_notice_past
INSERT INTO action_notice (action, kind, channel, message)
SELECT a.action, 'outcome', $channel, '' FROM action a
WHERE a.ended > $since# AND a.state IN ('done', 'failed') AND NOT EXISTS (SELECT 1 FROM action_notice x
	WHERE x.action = a.action AND x.kind = 'outcome' AND x.channel = $channel);

-- Open actions for the subject of an alert.
-- name: action_of
SELECT verb, mode, state, due#?, began# FROM action
WHERE rule = $rule AND resource = $resource AND ended IS NULL;

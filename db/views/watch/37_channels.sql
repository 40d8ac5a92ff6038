-- channels, their state, and their waiting and undeliverable messages
SELECT
	c.channel AS name, -- text: name of the channel
	c.kind, -- text: email sendmail slack webhook alertmanager file
	CASE WHEN c.off_since IS NOT NULL THEN 'off' WHEN c.error IS NOT NULL THEN 'failing'
		ELSE 'ok' END AS state, -- text: ok; failing: the last attempt failed; off: it is
		-- not tried until its configuration changes
	(SELECT COUNT(*) FROM outbox o WHERE o.channel = c.channel AND o.state = 'waiting')
		+ (SELECT COUNT(*) FROM notification n WHERE n.channel = c.channel
			AND n.state IN ('pending', 'sending')) AS waiting, -- int: messages and
		-- alerts that are still to be sent
	(SELECT COUNT(*) FROM notification n WHERE n.channel = c.channel
		AND n.state = 'dead' AND n.kind <> 'test') AS dead, -- int: undeliverable messages
	(SELECT MAX(n.finished) FROM notification n WHERE n.channel = c.channel
		AND n.state = 'sent') AS last_sent, -- time: when a message was last delivered
	c.off_since, -- time: when it was switched off
	c.error -- text: last error
FROM channel_state c

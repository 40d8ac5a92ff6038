-- Where messages go: does it work, what waits there, what could not be told.
SELECT c.channel AS name, c.kind AS kind,
	CASE WHEN c.off_since IS NOT NULL THEN 'off' WHEN c.error IS NOT NULL THEN 'failing'
		ELSE 'ok' END AS state,
	(SELECT COUNT(*) FROM outbox o WHERE o.channel = c.channel AND o.state = 'waiting')
		+ (SELECT COUNT(*) FROM notification n WHERE n.channel = c.channel
			AND n.state IN ('pending', 'sending')) AS waiting,
	(SELECT COUNT(*) FROM notification n WHERE n.channel = c.channel
		AND n.state = 'dead' AND n.kind <> 'test') AS dead,
	(SELECT @RFC3339(MAX(n.finished))@ FROM notification n WHERE n.channel = c.channel
		AND n.state = 'sent') AS last_sent,
	@RFC3339(c.off_since)@ AS off_since, c.error AS error
FROM channel_state c

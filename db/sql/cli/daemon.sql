-- Summary of each cycle of the daemon, and the time of the next one.

-- Channels with messages that failed at least once, or that are switched off.
-- name: daemon_channels
SELECT c.channel, CASE WHEN c.off_since IS NULL THEN 0 ELSE 1 END AS off#,
	(SELECT COUNT(*) FROM notification n WHERE n.channel = c.channel
		AND n.state IN ('pending', 'unclear') AND n.attempts > 0
		AND n.next_at IS NOT NULL) AS waiting#,
	c.error? FROM channel_state c ORDER BY c.channel;

-- The first time after `now` at which a message or an action is due.
-- name: daemon_due
SELECT MIN(d.at) AS at#? FROM (
	SELECT next_at AS at FROM notification WHERE state IN ('pending', 'unclear')
	UNION ALL SELECT next_at FROM channel_state WHERE off_since IS NULL
	UNION ALL SELECT @DUE(a)@ FROM action a WHERE ended IS NULL
) d WHERE d.at > $now#;

-- name: daemon_burn
SELECT currency?, SUM(net) AS net#? FROM burn_part GROUP BY currency ORDER BY currency;

-- Summary of each cycle of the daemon, and the time of the next one.

-- name: daemon_sources
-- out: text source, text project, text state, text? error, text? fix, text poll_group, i64 last_attempt, i64 failures
SELECT source, project, state, error, fix, poll_group, last_attempt, failures FROM source_status
ORDER BY source, project;

-- Channels with messages that failed at least once, or that are switched off.
-- name: daemon_channels
-- out: text channel, i64 off, i64 waiting, text? error
SELECT c.channel, CASE WHEN c.off_since IS NULL THEN 0 ELSE 1 END,
	(SELECT COUNT(*) FROM notification n WHERE n.channel = c.channel
		AND n.state IN ('pending', 'unclear') AND n.attempts > 0 AND n.next_at IS NOT NULL),
	c.error
FROM channel_state c ORDER BY c.channel;

-- The first time after `now` at which a message or an action is due.
-- name: daemon_due
-- out: i64? at
SELECT MIN(d.at) FROM (
	SELECT next_at AS at FROM notification WHERE state IN ('pending', 'unclear')
	UNION ALL SELECT next_at FROM channel_state WHERE off_since IS NULL
	UNION ALL SELECT @DUE(a)@ FROM action a WHERE ended IS NULL
) d WHERE d.at > $now#;

-- name: daemon_tpus
-- out: i64 n
SELECT COUNT(*) FROM resource WHERE kind = 'tpu' AND state = 'running';

-- name: daemon_burn
-- out: text? currency, i64? net
SELECT currency, SUM(net) FROM burn_part GROUP BY currency ORDER BY currency;

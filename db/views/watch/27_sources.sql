-- what is polled, how fresh it is and what is wrong
SELECT
	s.source, -- text: what is polled
	s.project, -- text: in which project
	s.last_success, -- time: last complete poll
	ROUND((a.now - s.last_success) / 60.0, 1) AS age_minutes, -- decimal: minutes since then
	CASE WHEN s.state = 'ok' THEN 1 ELSE 0 END AS complete, -- flag: 1: the last poll was complete
	-- not enabled is fine where nothing is; what was there is not gone by that
	CASE WHEN s.state = 'disabled' AND NOT EXISTS (SELECT 1 FROM resource r
			WHERE r.source = s.source AND r.project = s.project) THEN 0
		WHEN s.last_success IS NULL THEN 1
		-- noted by a clock that was wrong: the true age is not known
		WHEN s.last_success > a.now + 300 THEN 1
		WHEN a.now - s.last_success > @STALE_AFTER@ THEN 1
		ELSE 0 END AS stale, -- flag: 1: no complete poll for three intervals
	-- a place that is silent does not make the others old
	CASE WHEN s.state = 'disabled' AND NOT EXISTS (SELECT 1 FROM resource r
			WHERE r.source = s.source AND r.project = s.project) THEN 0
		WHEN CASE WHEN s.state = 'partial' THEN s.last_attempt ELSE s.last_success END
			BETWEEN a.now - @STALE_AFTER@ AND a.now + 300 THEN 0
		ELSE 1 END AS unread, -- flag: 1: not even a part of it was read for three intervals
	s.error, -- text: what went wrong last
	s.state, -- text: ok partial failed disabled
	s.items, -- int: what the last poll found
	s.fix, -- text: what to do about the error
	s.last_attempt, -- time: last poll, complete or not
	(SELECT SUM(b.bytes) FROM billing_bytes b JOIN billing_table t ON t.table_id = b.table_id
		WHERE s.source = 'billing'
			AND b.month = substr(@RFC3339(a.now)@, 1, 4) || substr(@RFC3339(a.now)@, 6, 2)
			AND (t.name = s.project OR t.name LIKE s.project || '.%')) AS bytes_billed, -- int:
		-- bytes that BigQuery billed for it this month (UTC)
	CASE WHEN s.last_success IS NULL THEN 'was never read' ELSE 'is old' END AS stale_text -- text:
		-- what to say of one that is stale: is old, was never read
FROM source_status s CROSS JOIN as_of a LEFT JOIN poll_interval i ON i.poll_group = s.poll_group

-- polled sources, their age and their errors
SELECT
	s.source, -- text: name of the source
	s.project, -- text: project of the source
	s.last_success, -- time: last complete poll; empty: last search of the index
	ROUND((a.now - s.last_success) / 60.0, 1) AS age_minutes, -- decimal: minutes since then
	CASE WHEN s.state = 'ok' THEN 1 ELSE 0 END AS complete, -- flag: 1: the last poll was complete
	-- A disabled source is fine if it has no resources; resources that it had are not gone
	-- because of that.
	CASE WHEN s.state = 'disabled' AND NOT EXISTS (SELECT 1 FROM resource r
			WHERE r.source = s.source AND r.project = s.project) THEN 0
		WHEN s.last_success IS NULL OR @CLOCK_WRONG(s)@ THEN 1
		-- Time recorded by a wrong clock: the true age is unknown. While it is wrong, only what
		-- failed because of it is stale: see session_present().
		WHEN s.last_success > a.now + 300 THEN
			NOT EXISTS (SELECT 1 FROM source_status w WHERE @CLOCK_WRONG(w)@)
		WHEN s.at - s.last_success > @STALE_AFTER@ THEN 1
		ELSE 0 END AS stale, -- flag: 1: no complete poll for three intervals; of the
		-- source backup: before the last cycle
	-- An unreachable location does not make the others old.
	CASE WHEN s.state = 'disabled' AND NOT EXISTS (SELECT 1 FROM resource r
			WHERE r.source = s.source AND r.project = s.project) THEN 0
		WHEN @CLOCK_WRONG(s)@ THEN 1
		WHEN CASE WHEN s.state = 'partial' THEN s.last_attempt ELSE s.last_success END
			BETWEEN s.at - @STALE_AFTER@ AND a.now + 300 THEN 0
		WHEN s.last_success > a.now + 300 THEN
			NOT EXISTS (SELECT 1 FROM source_status w WHERE @CLOCK_WRONG(w)@)
		ELSE 1 END AS unread, -- flag: 1: no part of it was read for three intervals
	s.error, -- text: last error
	CASE WHEN s.state = 'ok' AND s.asked < s.last_attempt THEN 'empty' ELSE s.state END AS state, -- text:
		-- ok empty partial failed disabled; empty: its last poll was complete and found nothing, and since
		-- then Cloud Asset Inventory has shown nothing there
	s.items, -- int: number of items in the last poll
	s.fix, -- text: fix of the error
	s.last_attempt, -- time: last poll, complete or not
	(SELECT SUM(b.bytes) FROM billing_bytes b JOIN billing_table t ON t.table_id = b.table_id
		WHERE s.source = 'billing'
			AND b.month = substr(@RFC3339(a.now)@, 1, 4) || substr(@RFC3339(a.now)@, 6, 2)
			AND (t.name = s.project OR t.name LIKE s.project || '.%')) AS bytes_billed, -- int:
		-- bytes that BigQuery billed for it this month (UTC)
	CASE WHEN s.last_success IS NULL THEN 'was never read' ELSE 'is old' END AS stale_text, -- text:
		-- description of a stale source: is old, was never read
	CASE WHEN s.asked < s.last_attempt THEN s.asked END AS asked -- time: last poll, if it is
		-- older than last_attempt: that is the last search of Cloud Asset Inventory then
FROM (SELECT s.*,
		-- The backup is made at the end of a cycle, after the rules were evaluated.
		CASE s.source WHEN 'backup' THEN COALESCE((SELECT MAX(judged) FROM rule_state
		WHERE judged < a.now), s.last_success) ELSE a.now END AS at
	FROM source_status s CROSS JOIN as_of a) s CROSS JOIN as_of a LEFT JOIN poll_interval i ON i.poll_group = s.poll_group

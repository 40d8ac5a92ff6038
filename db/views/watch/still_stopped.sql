-- internal: machines that a rule stopped, and that did not run since: a second step may delete them
SELECT n.action AS action, n.rule AS rule, n.policy AS policy, n.resource AS resource, n.severity AS severity,
	r.complete AS complete, r.last_seen AS last_seen
FROM action n JOIN resource r ON r.id = n.resource AND r.uid = n.uid
WHERE n.verb = 'stop' AND n.mode = 'armed' AND n.state = 'done' AND n.uid <> ''
	-- a request without an answer may not have arrived: then its owner stopped it
	AND n.operation IS NOT NULL
	AND r.state = 'stopped' AND r.last_seen >= n.ended
	-- it may have been started and stopped between two polls, or by its owner while nothing waited for the
	-- outcome of the request (ENFORCE_VERIFY); a minute for the clocks
	AND COALESCE(r.state_since, 0) <= MIN(n.ended, COALESCE(n.sent, n.ended) + 900) + 60
	AND n.reason NOT LIKE '%started again%'
	-- without a time from Google: every poll since the request must have found it, and stopped since the outcome
	AND (r.state_since IS NOT NULL OR EXISTS (SELECT 1 FROM source_status s
		WHERE s.source = r.source AND s.project = r.project AND s.watched_since <= COALESCE(n.sent, n.ended)))
	AND NOT EXISTS (SELECT 1
		FROM resource_interval i WHERE i.id = n.resource
			AND ((i.starts > COALESCE(n.sent, n.ended) AND i.state IN ('running', 'starting'))
				OR (i.starts > n.ended AND i.state <> 'stopped')))
	AND NOT EXISTS (SELECT 1 FROM action l WHERE l.follows = n.action AND l.state = 'superseded'
		AND l.reason LIKE 'it was started again%')

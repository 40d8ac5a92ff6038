-- internal: machines that a rule stopped, and that did not run since: a second step may delete them
SELECT n.action AS action, n.rule AS rule, n.policy AS policy, n.resource AS resource, n.severity AS severity,
	r.complete AS complete, r.last_seen AS last_seen
FROM action n JOIN resource r ON r.id = n.resource AND r.uid = n.uid
WHERE n.verb = 'stop' AND n.mode = 'armed' AND n.state = 'done' AND n.uid <> ''
	AND r.state = 'stopped' AND r.last_seen >= n.ended
	-- it may have been started and stopped between two polls; a minute for the clocks
	AND COALESCE(r.state_since, 0) <= n.ended + 60
	AND NOT EXISTS (SELECT 1
		FROM resource_interval i WHERE i.id = n.resource AND i.starts > COALESCE(n.sent, n.ended)
			AND i.state IN ('running', 'starting'))
	AND NOT EXISTS (SELECT 1 FROM action l WHERE l.follows = n.action AND l.state = 'superseded'
		AND l.reason LIKE 'it was started again%')

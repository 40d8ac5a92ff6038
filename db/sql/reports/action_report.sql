-- Open actions, and those that ended since then. The end of a dry run is not reported.
-- name: daily_actions
SELECT action#, rule, resource, name, @NAMED(a)@ AS display_name, project, verb, mode, state, held, reason,
	attempts#, COALESCE(@DUE(a)@, a.next_at) AS due#?, saves#?, residual#?, currency?, ended#?, restart?,
	source, location
FROM action a
WHERE ended IS NULL OR (ended > $since# AND mode = 'armed' AND state IN ('done', 'failed'))
ORDER BY CASE WHEN ended IS NULL THEN 1 ELSE 0 END,
	CASE WHEN ended IS NULL AND a.due IS NULL THEN 1 ELSE 0 END, COALESCE(ended, @DUE(a)@, since), action;

-- Actions that will stop a machine: a warning was sent, it is still the same machine, and it is not
-- held. What failed often is warned of again. The earliest first.
-- name: daily_stops
SELECT a.resource, a.verb, a.state, a.attempts#, COALESCE(@DUE(a)@, a.next_at) AS due#
FROM action a JOIN resource r ON r.id = a.resource AND r.uid = a.uid
WHERE a.mode = 'armed' AND a.held = '' AND ((a.state IN ('grace', 'recheck')
		AND a.warned IS NOT NULL AND a.due IS NOT NULL)
	OR (a.state = 'warning' AND a.next_at IS NOT NULL)) ORDER BY 5, a.action;

-- Actions that stopped a machine between two times. Their saving ends by `last`, or when the
-- machine ran again, or was deleted. A deletion ends it as well. Both may have happened before the
-- result was checked.
-- name: action_receipts
SELECT action AS id#, rule, resource, name, @NAMED(y)@ AS display_name, project, verb, ended#, saves#?,
	currency?, stops#, CASE WHEN again <= stops THEN 'started again' WHEN gone <= stops THEN 'gone'
	END AS since_then?
FROM (SELECT x.*, MAX(x.ended, MIN($last#, COALESCE(x.again, $last), COALESCE(x.gone, $last))) AS stops
	FROM (SELECT n.action, n.rule, n.resource, n.name, n.project, n.verb, n.ended, n.currency,
			CASE WHEN n.currency IS NOT NULL THEN n.saves END AS saves,
			(SELECT MIN(i.starts) FROM resource_interval i WHERE i.id = n.resource
				AND i.starts > COALESCE(n.sent, n.ended)
				AND i.state IN ('running', 'starting')) AS again,
			CASE WHEN n.verb = 'stop' AND NOT EXISTS (SELECT 1
				FROM resource_interval i WHERE i.id = n.resource
					AND i.uid = n.uid AND i.ends IS NULL)
			THEN (SELECT MAX(i.ends) FROM resource_interval i
				WHERE i.id = n.resource AND i.uid = n.uid
					AND i.ends > COALESCE(n.sent, n.ended)) END AS gone
		FROM action n
		WHERE n.mode = 'armed' AND n.state = 'done' AND n.ended >= $since#
			AND n.ended < $until#) x) y
ORDER BY ended, action;

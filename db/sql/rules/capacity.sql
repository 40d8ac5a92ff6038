-- History of TPUs and of requests for them. `seen` is the first poll that found it, `source` and what follows
-- the last one that found a change, `failed` the first one that found the last error.
-- name: capacity_history
SELECT i.id, i.uid, i.kind, i.project, i.location, i.name, i.state, i.starts#, i.ends#?, i.type?, i.provisioning?,
	i.created#?, (SELECT MIN(t.starts) FROM resource_trait t WHERE t.id = i.id AND t.uid = i.uid
		AND t.starts >= COALESCE(i.created, i.starts)) AS seen#?,
	l.source?, l.attached_to?, l.queued?, f.starts AS failed#?, f.error?, r.last_seen#?, s.poll_group?,
	(SELECT MIN(p.at) FROM preemption p WHERE p.project = i.project AND p.uid = i.uid AND p.at > i.starts) AS preempted#?,
	EXISTS (SELECT 1 FROM preemption_read o WHERE o.project = i.project
		AND COALESCE(i.ends, o.ends) BETWEEN o.starts AND o.ends) AS cause_known#
FROM resource_interval i
	LEFT JOIN resource_trait l ON l.id = i.id AND l.uid = i.uid AND l.starts = (SELECT MAX(t.starts)
		FROM resource_trait t WHERE t.id = i.id AND t.uid = i.uid)
	LEFT JOIN resource_trait f ON f.id = i.id AND f.uid = i.uid AND f.starts = (SELECT MAX(t.starts)
		FROM resource_trait t WHERE t.id = i.id AND t.uid = i.uid AND t.error IS NOT NULL
			AND t.starts >= i.starts AND t.starts <= COALESCE(i.ends, t.starts)
			AND NOT EXISTS (SELECT 1 FROM resource_trait o WHERE o.id = t.id AND o.uid = t.uid
				AND o.error = t.error AND o.starts >= COALESCE(i.created, 0)
				AND o.starts < t.starts))
	LEFT JOIN resource r ON i.ends IS NULL AND r.id = i.id
	LEFT JOIN source_status s ON s.source = r.source AND s.project = r.project
WHERE i.kind IN ('tpu', 'queued') ORDER BY i.id, i.uid, i.starts;

-- Of a TPU before it is created, or of the lines of a grant.
-- name: capacity_text
SELECT text FROM capacity_state
WHERE zone = $zone AND family = $family AND provisioning = $provisioning AND requests > 0;

-- name: capacity_of_grant
SELECT DISTINCT c.text FROM grant_state g JOIN capacity_state c ON c.zone = g.zone AND c.family = g.family
	AND c.provisioning = g.provisioning AND c.requests > 0
WHERE g.name = $name ORDER BY c.text;

-- `few`: some figure has too few observations.
-- name: capacity_seen
SELECT SUM(requests) AS requests#, SUM(lives) AS lives#, MIN(since) AS since#?,
	MAX(wait_median IS NULL OR wait_p90 IS NULL OR (provisioning = 'spot' AND life_median IS NULL)) AS few#
FROM capacity_state HAVING COUNT(*) > 0;

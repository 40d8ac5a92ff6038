-- name: trait_put
INSERT INTO resource_trait (id, uid, starts, source, raw_state, hosts, attached_to, queued,
	labels, owner, error)
SELECT $id, $uid, $now#, $source, $raw_state, $hosts#?, $attached_to?, $queued?, $labels, $owner?, $error?
WHERE NOT EXISTS (SELECT 1 FROM resource_trait t WHERE t.id = $id AND t.uid = $uid
	AND t.starts = (SELECT MAX(o.starts) FROM resource_trait o WHERE o.id = $id AND o.uid = $uid)
	AND t.source = $source AND t.raw_state = $raw_state AND t.hosts IS $hosts
	AND t.attached_to IS $attached_to AND t.queued IS $queued
	AND t.labels = $labels AND t.owner IS $owner AND t.error IS $error)
ON CONFLICT (id, uid, starts) DO UPDATE SET source = excluded.source,
	raw_state = excluded.raw_state, hosts = excluded.hosts, attached_to = excluded.attached_to,
	queued = excluded.queued, labels = excluded.labels, owner = excluded.owner,
	error = excluded.error;

-- The newest interval continues if its values are equal and at most `gap` seconds are between.
-- name: metric_past_put
UPDATE metric_past SET until = $at#
WHERE project = $project AND metric = $metric AND subject = $subject AND series = $series# AND until < $at
	AND until >= $at - $gap# AND idle_since IS $idle_since#?
	AND starts = (SELECT MAX(o.starts) FROM metric_past o
		WHERE o.project = $project AND o.metric = $metric AND o.subject = $subject);
INSERT INTO metric_past (project, metric, subject, starts, until, idle_since, series)
SELECT $project, $metric, $subject, $at, $at, $idle_since, $series
WHERE NOT EXISTS (SELECT 1 FROM metric_past o WHERE o.project = $project AND o.metric = $metric
	AND o.subject = $subject AND o.until >= $at);

-- name: trait_put
-- in: text id, text uid, i64 now, text source, text raw_state, i64? hosts, text? attached_to, text? queued, text labels, text? owner
INSERT INTO resource_trait (id, uid, starts, source, raw_state, hosts, attached_to, queued,
	labels, owner)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
WHERE NOT EXISTS (SELECT 1 FROM resource_trait t WHERE t.id = $1 AND t.uid = $2
	AND t.starts = (SELECT MAX(o.starts) FROM resource_trait o WHERE o.id = $1 AND o.uid = $2)
	AND t.source = $4 AND t.raw_state = $5 AND t.hosts IS $6
	AND t.attached_to IS $7 AND t.queued IS $8
	AND t.labels = $9 AND t.owner IS $10)
ON CONFLICT (id, uid, starts) DO UPDATE SET source = excluded.source,
	raw_state = excluded.raw_state, hosts = excluded.hosts,
	attached_to = excluded.attached_to, queued = excluded.queued,
	labels = excluded.labels, owner = excluded.owner;

-- The newest interval continues if its values are equal and at most `gap` seconds are between.
-- name: metric_past_put
-- in: text project, text metric, text subject, i64 at, i64? idle_since, i64 series, i64 gap
UPDATE metric_past SET until = $4
WHERE project = $1 AND metric = $2 AND subject = $3 AND series = $6 AND until < $4
	AND until >= $4 - $7 AND idle_since IS $5
	AND starts = (SELECT MAX(o.starts) FROM metric_past o
		WHERE o.project = $1 AND o.metric = $2 AND o.subject = $3);
INSERT INTO metric_past (project, metric, subject, starts, until, idle_since, series)
SELECT $1, $2, $3, $4, $4, $5, $6
WHERE NOT EXISTS (SELECT 1 FROM metric_past o WHERE o.project = $1 AND o.metric = $2
	AND o.subject = $3 AND o.until >= $4);

-- name: metric_past_drop
-- in: text project, i64 before
DELETE FROM metric_past WHERE project = $1 AND until < $2;

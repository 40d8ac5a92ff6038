-- The nodes of a queued resource ("projects/P/locations/Z/queuedResources/NAME"), and their cost.
-- name: queued_nodes
SELECT r.id, r.name, r.labels, h.until AS held_until#?, v.net#?, v.currency?
FROM resource r LEFT JOIN hold h USING (id) LEFT JOIN verdict v USING (id)
WHERE r.project = $project AND r.location = $location AND r.queued IS NOT NULL
	AND substr('/' || r.queued, -length($name) - 1) = '/' || $name ORDER BY r.id;

-- Other resources of a node pool: slices in its other zones, and single nodes.
-- name: pool_others
SELECT r.id, r.name, r.location AS zone, r.labels, h.until AS held_until#?
FROM pool_rows p JOIN resource r USING (id) LEFT JOIN hold h USING (id)
WHERE p.project = $project AND p.pool = $group AND r.id <> $id
ORDER BY r.id;

-- The hosts of a slice, also of a TPU node, and those of its node pool in other zones. A hold may be older than
-- the slice, and on a host that was a TPU of its own.
-- name: slice_hosts
SELECT x.id, x.tpu_id, x.name,
	(SELECT MAX(o.until) FROM hold o WHERE o.id IN (x.id, x.tpu_id)) AS held_until#?
FROM (SELECT id, project || '/tpu/' || zone || '/' || name AS tpu_id, name FROM hosts
	WHERE slice = $id OR slice IN (SELECT p.id FROM pool_rows p
		WHERE p.project = $project AND p.pool = $group?)) x
ORDER BY x.id;

-- The newest time of any stored row up to then.
-- name: guard_newest
SELECT MAX(t.at) AS at#? FROM (SELECT MAX(at) AS at FROM audit_entry WHERE at <= $until#
	UNION ALL SELECT MAX(since) FROM action WHERE since <= $until
	UNION ALL SELECT MAX(last_attempt) FROM source_status WHERE last_attempt <= $until) t;

-- The number of a project, if nothing contradicts it: an id can be reused by another project.
-- name: guard_number
SELECT CASE COUNT(*) WHEN 1 THEN MAX(number) END AS number?
FROM (SELECT number FROM project WHERE project = $project AND number <> ''
	UNION SELECT number FROM billed_project WHERE project = $project AND number <> '');

-- The newest time at which tpucost sent a stop to this machine. Queued resources have no uid. After a
-- failed attempt there is no intent.
-- name: guard_stopped_before
SELECT sent# FROM action
WHERE uid = $uid AND ($uid <> '' OR resource = $resource) AND action <> $action# AND sent > $since#
	AND intent IS NOT NULL
	AND state NOT IN ('failed', 'intent', 'sent', 'verify', 'unknown')
ORDER BY sent DESC LIMIT 1;

-- An action that was done, or that a live check ended (look_is_enough), after the machine was last read.
-- name: guard_unseen
SELECT action# FROM action
WHERE uid = $uid AND ($uid <> '' OR resource = $resource) AND action <> $action#
	AND (state = 'done' OR (state IN ('cleared', 'superseded') AND reason LIKE 'a live check found%'))
	AND ended >= $seen# AND ended <= $until#
ORDER BY action DESC LIMIT 1;

-- name: guard_in_flight
SELECT action#, rule FROM action
WHERE uid = $uid AND ($uid <> '' OR resource = $resource) AND action <> $action#
	AND state IN ('intent', 'sent', 'verify', 'unknown')
ORDER BY action LIMIT 1;

-- Machines and TPUs that ran at some time since then: their number, and the number missing in the
-- newest complete list, except those that tpucost deleted.
-- name: guard_shrunk
SELECT COUNT(*) AS ran#, COALESCE(SUM(CASE WHEN x.id IS NULL AND NOT EXISTS (SELECT 1 FROM action a
		WHERE a.resource = i.id AND a.uid = i.uid AND a.verb = 'delete'
			AND a.sent IS NOT NULL AND a.intent IS NOT NULL) THEN 1 ELSE 0 END), 0) AS vanished#
FROM (SELECT DISTINCT id, uid FROM resource_interval
		WHERE project = $project AND kind IN ('vm', 'tpu') AND state = 'running'
			AND (ends IS NULL OR ends > $since#)) i
	LEFT JOIN (SELECT r.id, r.uid FROM resource r LEFT JOIN source_status s
			ON s.source = r.source AND s.project = r.project
		WHERE r.project = $project AND (s.last_success IS NULL OR r.last_seen >= s.last_success)) x
		ON x.id = i.id AND x.uid = i.uid;

-- name: guard_bill
SELECT MAX(exported) AS exported#?, (SELECT COUNT(*) FROM billing_quarantine) AS quarantined#,
	COUNT(*) AS units#
FROM billing_unit;

-- The restatements of each day since then, in order.
-- name: guard_restated
SELECT day, currency, old_net#?, new_net#? FROM restatements_raw WHERE noticed >= $since#
ORDER BY day, currency, noticed, invoice_month, source;

-- Requests that were or may have been sent since then (including times in the future, from a clock
-- that was set back); and whether the same machine runs now, as caps_running counts it.
-- name: caps_sent
SELECT c.action#, c.rule, c.verb, c.kind, c.dead#, c.at#, r.id IS NOT NULL AS runs#
FROM (SELECT action, rule, resource, uid, verb, kind, dead, CASE WHEN state IN ('intent', 'unknown')
		THEN MAX(intent, COALESCE(sent, intent)) ELSE sent END AS at FROM action) c
	LEFT JOIN resource r ON r.id = c.resource AND r.uid = c.uid AND r.kind = c.kind
		AND r.state = 'running' AND r.complete = 1 AND r.last_seen >= $seen#
WHERE c.at > $since#
ORDER BY c.action;

-- name: caps_running
SELECT COUNT(*) AS n# FROM resource
WHERE kind = $kind AND state = 'running' AND complete = 1 AND last_seen >= $seen#;

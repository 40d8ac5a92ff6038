-- Actions on machines.

-- Actions that have not ended, oldest first; or those that ended after a time, newest first; or one.
-- name: action_list
SELECT action#, rule, resource, uid, source, kind, project, location, name, started#?, verb, mode, severity,
	policy, state, held, reason, since#, began#, warned#?, due#?, approved#?, attempts#, next_at#?,
	request_id?, operation?, intent#?, sent#?, record?, restart?, saves#?, residual#?, currency?, ended#?,
	group_path?, follows#?, owner?, frees?, dead#
FROM action WHERE ($ended_since#? IS NULL AND $action#? IS NULL AND ended IS NULL) OR ended > $ended_since
	OR action = $action
ORDER BY ended DESC, CASE WHEN ended IS NULL THEN action ELSE -action END;

-- name: action_begin
INSERT INTO action (rule, resource, uid, source, kind, project, location, name, started, verb,
	mode, severity, policy, state, held, reason, since, began, attempts, saves, residual,
	currency, group_path, follows, owner, frees, dead)
VALUES ($rule, $resource, $uid, $source, $kind, $project, $location, $name, $started#?, $verb, $mode,
	$severity, $policy, 'pending', '', $reason, $now#, $now, 0, $saves#?, $residual#?, $currency?,
	$group_path?, $follows#?, $owner?, $frees?, $dead#)
RETURNING action#;

-- The whole state of an action.
-- name: action_move
UPDATE action SET state = $state, held = $held, reason = $reason, since = $since#, warned = $warned#?,
	due = $due#?, attempts = $attempts#, next_at = $next_at#?, request_id = $request_id?,
	operation = $operation?, intent = $intent#?, sent = $sent#?, ended = $ended#?
WHERE action = $action# AND ended IS NULL;

-- name: action_state
SELECT state FROM action WHERE action = $action# AND ended IS NULL;

-- The last start of the machine before that action.
-- name: action_started
SELECT started#? FROM action WHERE action = $action#;

-- name: action_record
UPDATE action SET record = $record?, restart = $restart? WHERE action = $action#;

-- Labels that a live check found, newer than the last poll.
-- name: resource_labels
UPDATE resource SET labels = $labels WHERE id = $resource AND uid = $uid;

-- Its warning is sent again.
-- name: action_warn_again
DELETE FROM action_notice WHERE action = $action# AND kind IN ('warning', 'held');

-- The saving changes with prices and coverage.
-- name: action_worth
UPDATE action SET saves = $saves#?, residual = $residual#?, currency = $currency?, frees = $frees?,
	dead = $dead#
WHERE action = $action#;

-- Machines for which the second step of the rule may begin, and the newest actions that stopped them.
-- name: action_stopped
SELECT s.resource, s.severity, MAX(s.action) AS action#, s.complete#, s.last_seen#
FROM still_stopped s
WHERE s.rule = $rule AND s.policy = $policy AND NOT EXISTS (SELECT 1 FROM action o
	WHERE o.rule = s.rule AND o.resource = s.resource AND o.ended IS NULL)
GROUP BY s.resource ORDER BY s.resource;

-- name: action_still_stopped
SELECT complete#, last_seen# FROM still_stopped WHERE action = $follows#;

-- name: action_alerts
SELECT subject, state, data, severity, since#, last_true#, ceased#? FROM alert
WHERE rule = $rule AND state IN ('pending', 'firing') ORDER BY subject;

-- name: alert_get
SELECT state, data, severity, summary, last_true#, since#, ceased#? FROM alert
WHERE rule = $rule AND subject = $subject;

-- One machine according to the last polls. Its last start is Google's, if Google reports it: a stop
-- and start between two polls is visible only there.
-- name: enforce_subject
SELECT r.id, r.uid, r.source, r.kind, r.project, r.location, r.name, r.state, r.raw_state, r.type?,
	r.provisioning?, r.queued?, r.labels, CASE WHEN r.state = 'running'
		THEN COALESCE(r.state_since, v.running_since)
		END AS started#?, r.created#?, r.last_seen#, r.complete#,
	CASE WHEN v.exempt IS NULL OR v.exempt = 1 OR EXISTS (SELECT 1 FROM hold h
		WHERE h.id = r.id AND h.until > a.now) THEN 1 ELSE 0 END AS exempt#,
	COALESCE(r.hosts, v.hosts) AS hosts#?, v.net#?, v.currency?, z.gross AS residual#?,
	z.currency AS residual_currency?, z.text AS remains?, CASE r.source WHEN 'slice' THEN r.attached_to
	END AS group_path?, r.topology?, r.owner?,
	CASE WHEN v.held_chips > 0 OR (r.kind = 'tpu' AND r.state = 'running' AND v.chips > 0
			AND r.provisioning <> 'reserved')
		THEN IIF(v.held_chips > 0, v.held_chips, v.chips) || COALESCE(' ' || v.family, '')
			|| ' chips of quota in ' || COALESCE(r.region, r.location) END AS frees?
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN residual z ON z.id = r.id
WHERE r.id = $id;

-- Does a list still have that machine? Reads no derived table: recovery asks before anything is derived.
-- name: action_listed
SELECT 1 AS one# FROM resource WHERE id = $resource AND uid = $uid;

-- The number of a project, from Google: a list of projects, or the bill.
-- name: project_number
SELECT number FROM (SELECT number, 0 AS place, 0 AS ref FROM project WHERE project = $project
	UNION ALL SELECT number, 1, project_ref FROM billed_project WHERE project = $project) n
WHERE number <> '' ORDER BY place, ref DESC LIMIT 1;

-- name: lease_get
SELECT owner, fence#, until# FROM lease WHERE name = $name;

-- name: lease_put
PUT lease (name | owner, fence#, until#);

-- name: lease_end
UPDATE lease SET until = 0;

-- name: disarm
PUT disarmed (rule, policy, project | at#, reason);

-- name: disarmed_get
SELECT reason FROM disarmed WHERE rule = $rule AND policy = $policy AND project = $project;

-- name: rearm_all
DELETE FROM disarmed;

-- The audit log is never deleted.
-- name: action_forget
DELETE FROM action_notice WHERE EXISTS (SELECT 1 FROM action a
	WHERE a.action = action_notice.action AND a.ended < $before#);
DELETE FROM action WHERE ended < $before;

-- Earlier actions of the same episode that ended after a request. One that Google refused no longer
-- has an id.
-- name: action_tries
SELECT COUNT(*) AS n# FROM action
WHERE rule = $rule AND resource = $resource AND uid = $uid AND started IS $started#?
	AND action < $action# AND ended IS NOT NULL AND (attempts > 0 OR request_id IS NOT NULL);

-- internal: resources that tpucost stopped after they were last read: their stored state is still
-- running. A resource that was restarted immediately (its reason begins so) is running.
SELECT r.id AS id, r.name AS name, MAX(n.ended) AS at
FROM resource r LEFT JOIN verdict v ON v.id = r.id JOIN action n ON n.resource = r.id
	AND n.uid = r.uid AND n.started IS COALESCE(r.state_since, v.running_since)
WHERE r.state = 'running' AND n.mode = 'armed' AND n.state = 'done' AND n.ended >= r.last_seen
	AND n.reason NOT LIKE 'it was stopped, and%'
GROUP BY r.id, r.name

-- Metrics of each running machine and TPU, as collected. Those of the hosts of a slice are combined: it
-- is idle since the last of them became idle.
-- name: signal_list
SELECT s.id, CASE m.metric
		WHEN 'compute.googleapis.com/instance/cpu/utilization' THEN 'cpu'
		WHEN 'tpu.googleapis.com/cpu/utilization' THEN 'cpu'
		WHEN 'tpu.googleapis.com/tpu/tensorcore/idle_duration' THEN 'chips'
		WHEN 'compute.googleapis.com/instance/network/sent_bytes_count' THEN 'sent'
		WHEN 'tpu.googleapis.com/network/sent_bytes_count' THEN 'sent'
		WHEN 'storage.googleapis.com/network/sent_bytes_count' THEN 'sent'
		WHEN 'storage.googleapis.com/api/request_count' THEN 'class ' || SUBSTR(s.subject, -1)
		ELSE 'received' END AS signal,
	MIN(m.at) AS at#, SUM(m.value) AS value#, CASE
	WHEN COUNT(m.idle_since) = COUNT(*) THEN MAX(m.idle_since)
	END AS idle_since#?, SUM(m.series) AS series#, SUM(m.peak) AS peak#?, SUM(m.bytes) AS bytes#?,
	MAX(m.at_least) AS at_least#
FROM (SELECT id, project, CASE source WHEN 'vm' THEN uid ELSE location || '/' || name END AS subject
		FROM resource WHERE state = 'running' AND source IN ('vm', 'tpu')
	UNION ALL SELECT slice, project, uid FROM host WHERE state = 'running'
	UNION ALL SELECT id, project, name FROM resource WHERE kind = 'bucket'
	UNION ALL SELECT id, project, name || '/A' FROM resource WHERE kind = 'bucket'
	UNION ALL SELECT id, project, name || '/B' FROM resource WHERE kind = 'bucket') s
	JOIN metric m ON m.project = s.project AND m.subject = s.subject
	AND (m.metric LIKE 'storage.%') = (s.id LIKE '%/bucket/%')
	AND m.metric IN ('storage.googleapis.com/network/sent_bytes_count',
		'storage.googleapis.com/api/request_count', 'compute.googleapis.com/instance/cpu/utilization',
		'compute.googleapis.com/instance/network/received_bytes_count',
		'compute.googleapis.com/instance/network/sent_bytes_count',
		'tpu.googleapis.com/cpu/utilization',
		'tpu.googleapis.com/network/received_bytes_count',
		'tpu.googleapis.com/network/sent_bytes_count',
		'tpu.googleapis.com/tpu/tensorcore/idle_duration')
GROUP BY s.id, m.metric, 2
ORDER BY s.id, m.metric, 2;

-- Duty cycles are reported by zone.
-- name: zone_signal_list
SELECT project, subject, at#, idle_since#?, series#, at_least# FROM metric
WHERE metric = 'tpu.googleapis.com/accelerator/duty_cycle'
ORDER BY project, subject;

-- Metrics of each running machine and TPU, as collected.
-- name: signal_list
-- out: text id, text signal, i64 at, i64 value, i64? idle_since, i64 series, i64? peak, i64? bytes, i64 at_least
SELECT r.id, CASE m.metric
		WHEN 'compute.googleapis.com/instance/cpu/utilization' THEN 'cpu'
		WHEN 'tpu.googleapis.com/cpu/utilization' THEN 'cpu'
		WHEN 'tpu.googleapis.com/tpu/tensorcore/idle_duration' THEN 'chips'
		WHEN 'compute.googleapis.com/instance/network/sent_bytes_count' THEN 'sent'
		WHEN 'tpu.googleapis.com/network/sent_bytes_count' THEN 'sent'
		ELSE 'received' END,
	m.at, m.value, m.idle_since, m.series, m.peak, m.bytes,
	m.at_least
FROM resource r JOIN metric m ON m.project = r.project
	AND m.subject = CASE r.source WHEN 'vm' THEN r.uid
		ELSE r.location || '/' || r.name END
	AND m.metric IN ('compute.googleapis.com/instance/cpu/utilization',
		'compute.googleapis.com/instance/network/received_bytes_count',
		'compute.googleapis.com/instance/network/sent_bytes_count',
		'tpu.googleapis.com/cpu/utilization',
		'tpu.googleapis.com/network/received_bytes_count',
		'tpu.googleapis.com/network/sent_bytes_count',
		'tpu.googleapis.com/tpu/tensorcore/idle_duration')
WHERE r.state = 'running' AND r.source IN ('vm', 'tpu')
ORDER BY r.id, m.metric;

-- Duty cycles are reported by zone.
-- name: zone_signal_list
-- out: text project, text subject, i64 at, i64? idle_since, i64 series, i64 at_least
SELECT project, subject, at, idle_since, series, at_least FROM metric
WHERE metric = 'tpu.googleapis.com/accelerator/duty_cycle'
ORDER BY project, subject;

-- What the metrics of each running machine and TPU say, as the collector left it.
-- name: signal_list
-- out: text id, text signal, i64 at, i64 value, i64? idle_since, i64 series, i64? peak, i64? bytes, i64? seconds
SELECT r.id, CASE m.metric
		WHEN 'compute.googleapis.com/instance/cpu/utilization' THEN 'cpu'
		WHEN 'tpu.googleapis.com/cpu/utilization' THEN 'cpu'
		WHEN 'tpu.googleapis.com/tpu/tensorcore/idle_duration' THEN 'chips'
		WHEN 'compute.googleapis.com/instance/network/sent_bytes_count' THEN 'sent'
		WHEN 'tpu.googleapis.com/network/sent_bytes_count' THEN 'sent'
		ELSE 'received' END,
	m.at, m.value, m.idle_since, m.series, m.peak, m.bytes, m.seconds
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

-- Duty cycles are told by zone.
-- name: zone_signal_list
-- out: text project, text subject, i64 at, i64? idle_since, i64 series
SELECT project, subject, at, idle_since, series FROM metric
WHERE metric = 'tpu.googleapis.com/accelerator/duty_cycle'
ORDER BY project, subject;

-- name: activity_clear
DELETE FROM activity;

-- name: activity_put
-- in: text id, i64 works, i64? idle_since, text? basis
INSERT INTO activity (id, works, idle_since, basis) VALUES ($1, $2, $3, $4);

-- name: egress_clear
DELETE FROM egress_part;

-- name: egress_put
-- in: text id, i64 at, i64? sent, i64? received, i64? sent_peak, i64? received_peak, i64? sent_bytes, i64? received_bytes, i64 rate, i64 bytes, text? far_buckets, text path, i64? low, i64? high, text? currency, text basis
INSERT INTO egress_part (id, at, sent, received, sent_peak, received_peak, sent_bytes,
	received_bytes, rate, bytes, far_buckets, path, low, high, currency, basis)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

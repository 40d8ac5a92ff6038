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

-- Bytes of each running machine by the region of the other end, the largest first.
-- name: flow_list
SELECT s.id, m.metric LIKE '%/ingress_%' AS received#, SUBSTR(m.subject, LENGTH(s.subject) + 2) AS place,
	MIN(m.at) AS at#, SUM(m.value) AS value#, SUM(m.bytes) AS bytes#?
FROM (SELECT id, project, uid AS subject FROM resource WHERE state = 'running' AND source = 'vm'
	UNION ALL SELECT slice, project, uid FROM host WHERE state = 'running') s
	JOIN metric m ON m.project = s.project AND m.subject > s.subject || '/' AND m.subject < s.subject || '0'
	AND m.metric IN ('networking.googleapis.com/vm_flow/egress_bytes_count',
		'networking.googleapis.com/vm_flow/ingress_bytes_count')
GROUP BY s.id, m.metric, 3
ORDER BY s.id, m.metric, 5 DESC, 3;

-- Duty cycles are reported by zone.
-- name: zone_signal_list
SELECT project, subject, at#, idle_since#?, series#, at_least# FROM metric
WHERE metric = 'tpu.googleapis.com/accelerator/duty_cycle'
ORDER BY project, subject;

-- Adds the present rates of buckets to their day, for the time since the counters before, at most an hour and not
-- more than was counted in the last hour; after a longer time for the five minutes that they are of. Rates beyond any
-- network do not enter sums.
-- name: egress_note
INSERT INTO egress_day (project, bucket, day, what, until, amount, cost, low, high, currency)
SELECT n.project, n.name, $day, n.what, n.at, n.rate * n.s, n.cost / 3600 * n.s, n.low / 3600 * n.s,
	n.high / 3600 * n.s, n.currency
FROM (SELECT k.project, k.name, k.what, k.at, k.rate, k.cost, k.low, k.high, k.currency, CASE WHEN k.rate = 0 THEN 0
		ELSE MIN(CASE WHEN k.at - k.was <= 3600 THEN k.at - k.was ELSE 300 END, k.hour / k.rate)
		END AS s
	FROM (SELECT r.project, r.name, w.what, x.at, CASE w.what WHEN 'traffic' THEN x.rate ELSE x.requests
				END AS rate,
			CASE w.what WHEN 'traffic' THEN x.bytes ELSE x.class_a + x.class_b END AS hour,
			CASE w.what WHEN 'traffic' THEN x.likely ELSE x.operations END AS cost,
			CASE w.what WHEN 'traffic' THEN x.low ELSE x.operations END AS low,
			CASE w.what WHEN 'traffic' THEN x.high ELSE x.operations END AS high, x.currency,
			COALESCE((SELECT MAX(d.until) FROM egress_day d WHERE d.project = r.project
				AND d.bucket = r.name AND d.what = w.what), 0) AS was
		FROM egress_part x JOIN resource r ON r.id = x.id AND r.kind = 'bucket'
			CROSS JOIN (SELECT 'traffic' AS what UNION ALL SELECT 'operations') w) k
	WHERE k.at > k.was AND k.rate BETWEEN 0 AND 10000000000000) n
WHERE true
ON CONFLICT (project, bucket, day, what) DO UPDATE SET until = excluded.until,
	amount = egress_day.amount + excluded.amount,
	cost = CASE WHEN COALESCE(egress_day.currency, excluded.currency) IS excluded.currency
		THEN egress_day.cost + excluded.cost END,
	low = CASE WHEN COALESCE(egress_day.currency, excluded.currency) IS excluded.currency
		THEN egress_day.low + excluded.low END,
	high = CASE WHEN COALESCE(egress_day.currency, excluded.currency) IS excluded.currency
		THEN egress_day.high + excluded.high END,
	currency = excluded.currency;

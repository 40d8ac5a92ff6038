-- What machines and TPUs send and receive, and what that may cost. Counters tell how many bytes,
-- not where they go.
SELECT r.id AS id, r.kind AS kind, r.project AS project, r.zone AS zone, r.region AS region,
	r.name AS name, r.owner AS owner, x.sent AS sent_bytes_per_second,
	x.received AS received_bytes_per_second, x.sent_peak AS sent_peak_bytes_per_second,
	x.received_peak AS received_peak_bytes_per_second,
	ROUND(x.sent_bytes / 1073741824.0, 3) AS sent_gib_last_hour,
	ROUND(x.received_bytes / 1073741824.0, 3) AS received_gib_last_hour,
	ROUND(x.bytes / 1073741824.0, 3) AS gib_last_hour,
	ROUND(x.rate * 86400.0 / 1073741824.0, 3) AS gib_per_day,
	x.far_buckets AS far_buckets, x.path AS path,
	x.low / 1e9 AS estimated_low_per_hour, x.high / 1e9 AS estimated_high_per_hour,
	x.currency AS currency, ROUND((a.now - x.at) / 60.0, 1) AS age_minutes,
	0 AS certain, x.basis AS basis
FROM egress_part x JOIN resource r ON r.id = x.id CROSS JOIN as_of a

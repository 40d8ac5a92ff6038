-- traffic of running machines, TPUs and buckets, and its possible cost (estimate)
--
-- Counters have the number of bytes, but not their destination; VM flow counters have its region for machines, where
-- they exist. What a bucket sends is compared with what machines receive at the same time.
SELECT
	r.id, -- text: the machine, TPU or bucket
	r.kind, -- text: vm tpu bucket
	r.project, -- text: project id
	COALESCE(r.zone, r.location) AS zone, -- text: zone of the machine or TPU; location of a bucket
	COALESCE(r.region, r.location) AS region, -- text: its region; location of a bucket
	r.name, -- text: short name
	r.owner, -- text: as in resources
	x.sent AS sent_bytes_per_second, -- int: bytes sent, average of the newest five minutes;
		-- NULL: unknown
	x.received AS received_bytes_per_second, -- int: bytes received, the same average
	x.sent_peak AS sent_peak_bytes_per_second, -- int: bytes sent in the busiest five minutes of
		-- the last hour
	x.received_peak AS received_peak_bytes_per_second, -- int: bytes received in the busiest
		-- five minutes
	ROUND(x.sent_bytes / 1073741824.0, 3) AS sent_gib_last_hour, -- decimal: GiB sent in the
		-- last hour since it started
	ROUND(x.received_bytes / 1073741824.0, 3) AS received_gib_last_hour, -- decimal: GiB
		-- received in that time
	ROUND(x.bytes / 1073741824.0, 3) AS gib_last_hour, -- decimal: the part that may be charged:
		-- sent, and received if all buckets of the project are in another location and
		-- are not known to send it, without bytes known to stay in the region; of a bucket what
		-- no machine in its location received
	ROUND(x.rate * 86400.0 / 1073741824.0, 3) AS gib_per_day, -- decimal: the same at the
		-- current rate, over a day
	CASE WHEN r.kind <> 'bucket' THEN x.far_buckets END AS far_buckets, -- text: buckets of the project
		-- in another region or in a multi-region
	CASE WHEN r.kind = 'bucket' THEN x.far_buckets END AS receivers, -- text: of a bucket: machines in
		-- another location that receive as much at the same time, the largest of each region
	x.destinations, -- text: of a machine: rates by region of the receiver, from VM flow counters, the
		-- largest first; external: outside of Google, or an address of a Google API; NULL: unknown
	x.path, -- text: inter-region: all buckets of the project are in another location, or the
		-- receivers of this bucket, or the destinations; region: machines in its location receive
		-- as much, or nearly all is within the region; unknown: within the region, or the internet
	x.low AS estimated_low_per_hour, -- money: if all traffic is with the cheapest bucket in
		-- another location, or receiver; 0 if it may stay in the region
	x.high AS estimated_high_per_hour, -- money: if all sent bytes go to the internet, and all
		-- received bytes come from buckets in another location; NULL when a price is
		-- unknown
	x.currency, -- text: currency of the estimates
	ROUND((a.now - x.at) / 60.0, 1) AS age_minutes, -- decimal: age of the newest counters;
		-- Google publishes them minutes late
	0 AS certain, -- flag: always 0: the destination is not measured
	x.began AS since, -- time: of a bucket: it has sent since then, or
		-- for longer; NULL: it does not send now
	(SELECT SUM(m.bytes) FROM metric m WHERE m.project = r.project AND r.kind = 'bucket'
		AND m.subject IN (r.name || '/A', r.name || '/B', r.name || '/other')
		AND m.metric = 'storage.googleapis.com/api/request_count'
		AND m.at >= a.now - 1800) AS requests_last_hour, -- int: of a bucket; NULL: unknown
	x.class_a AS class_a_last_hour, -- int: of a bucket: writes, lists and copies
	x.class_b AS class_b_last_hour, -- int: of a bucket: reads
	x.operations AS operations_per_hour, -- money: of a bucket: estimated cost of both at the current rate;
		-- NULL when the price is unknown: known is that of Standard storage in one region
	x.likely AS estimated_per_hour, -- money: of a bucket: estimated cost of what it sends, to the receivers, else
		-- to the internet; without operations
	CASE WHEN r.kind <> 'bucket' OR x.bytes = 0 THEN NULL
		WHEN x.receiver IS NOT NULL THEN 'tpucost why ' || x.receiver
		ELSE 'gcloud storage buckets get-iam-policy gs://' || r.name
			END AS command, -- text: of a bucket: shows the receiver, with the command that stops it, or who
		-- may read the bucket
	CASE WHEN r.kind <> 'bucket' THEN COALESCE('to ' || x.destinations || '; ', '') || 'buckets elsewhere: ' || COALESCE(x.far_buckets, 'unknown')
		ELSE x.basis || COALESCE('; since ' || @RFC3339(x.began)@, '') || CASE WHEN x.receiver IS NOT NULL THEN '; see: tpucost why ' || x.receiver
			WHEN x.bytes > 0 THEN '; see: gcloud storage buckets get-iam-policy gs://' || r.name
			ELSE '' END END AS elsewhere, -- text: the other end, as words; of a bucket the basis,
		-- and the command
	x.basis, -- text: data that the estimate is based on, as a sentence
	@NAMED(r)@ AS display_name -- text: as in resources
FROM (SELECT e.*, CASE WHEN b.kind = 'bucket' THEN (SELECT MAX(p.starts) FROM metric_past p
		WHERE p.project = b.project AND p.subject = b.name AND p.idle_since IS NULL
			AND p.metric = 'storage.googleapis.com/network/sent_bytes_count'
			AND p.until >= e.at) END AS began
	FROM egress_part e JOIN resource b ON b.id = e.id) x JOIN resource r ON r.id = x.id CROSS JOIN as_of a

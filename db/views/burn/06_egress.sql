-- traffic of running machines and TPUs, and its possible cost (estimate)
--
-- Counters have the number of bytes, but not their destination.
SELECT
	r.id, -- text: the machine or TPU
	r.kind, -- text: vm tpu
	r.project, -- text: project id
	r.zone, -- text: zone of the machine or TPU
	r.region, -- text: region of the machine or TPU
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
		-- sent, and received if all buckets of the project are in another location
	ROUND(x.rate * 86400.0 / 1073741824.0, 3) AS gib_per_day, -- decimal: the same at the
		-- current rate, over a day
	x.far_buckets, -- text: buckets of the project in another region or in a multi-region
	x.path, -- text: inter-region: all buckets of the project are in another location; unknown:
		-- within the region, or the internet
	x.low AS estimated_low_per_hour, -- money: if all traffic is with the cheapest bucket in
		-- another location; 0 if it may stay in the region
	x.high AS estimated_high_per_hour, -- money: if all sent bytes go to the internet, and all
		-- received bytes come from buckets in another location; NULL when a price is
		-- unknown
	x.currency, -- text: currency of the estimates
	ROUND((a.now - x.at) / 60.0, 1) AS age_minutes, -- decimal: age of the newest counters;
		-- Google publishes them minutes late
	0 AS certain, -- flag: always 0: the destination is not measured
	x.basis, -- text: data that the estimate is based on, as a sentence
	@NAMED(r)@ AS display_name -- text: as in resources
FROM egress_part x JOIN resource r ON r.id = x.id CROSS JOIN as_of a

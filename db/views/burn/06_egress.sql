-- what running machines and TPUs send and receive, and what it may cost (estimate)
--
-- Counters tell how many bytes, not where they go.
SELECT
	r.id, -- text: the machine or TPU
	r.kind, -- text: vm tpu
	r.project, -- text: project id
	r.zone, -- text: where it runs
	r.region, -- text: where it runs
	r.name, -- text: short name
	r.owner, -- text: as in resources
	x.sent AS sent_bytes_per_second, -- int: average of the newest five minutes; NULL: not known
	x.received AS received_bytes_per_second, -- int: the same, of what it received
	x.sent_peak AS sent_peak_bytes_per_second, -- int: in the busiest five minutes of the last hour
	x.received_peak AS received_peak_bytes_per_second, -- int: the same, of what it received
	ROUND(x.sent_bytes / 1073741824.0, 3) AS sent_gib_last_hour, -- decimal: sent in the last hour since it
		-- started
	ROUND(x.received_bytes / 1073741824.0, 3) AS received_gib_last_hour, -- decimal:
		-- the same, of what it received
	ROUND(x.bytes / 1073741824.0, 3) AS gib_last_hour, -- decimal: what may be charged of that: sent, and
		-- received where the project has far buckets only
	ROUND(x.rate * 86400.0 / 1073741824.0, 3) AS gib_per_day, -- decimal: the same at the present rate, over
		-- a day
	x.far_buckets, -- text: buckets of the project in another region or in a multi-region
	x.path, -- text: inter-region: the project has far buckets only; unknown: within the region, or
		-- the internet
	x.low AS estimated_low_per_hour, -- money: if all goes to and comes from the cheapest far bucket; 0
		-- where it may stay in the region
	x.high AS estimated_high_per_hour, -- money: if all that is sent leaves for the internet, and what is
		-- received comes from far buckets; NULL when a price is not known
	x.currency, -- text: of the estimates
	ROUND((a.now - x.at) / 60.0, 1) AS age_minutes, -- decimal: age of the newest counters; Google is
		-- minutes late
	0 AS certain, -- flag: always 0: where bytes go is not measured
	x.basis -- text: what the estimate rests on, as a sentence
FROM egress_part x JOIN resource r ON r.id = x.id CROSS JOIN as_of a

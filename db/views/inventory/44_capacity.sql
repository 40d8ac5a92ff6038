-- requests for TPUs, waits and preemptions, as far as this database observed them
--
-- Rows of one TPU family, zone and class. Of fewer than five observations no average is formed.
SELECT
	zone, -- text: zone of the requests
	family, -- text: TPU family
	types AS type, -- text: accelerator or machine types that were observed, at most 5
	provisioning, -- text: on-demand spot flex-start reserved unknown
	requests, -- int: TPUs and queued resources that were observed to be asked for
	granted, -- int: of them, those that were observed to run
	waits, -- int: granted requests whose wait is known: observed from their beginning
	ROUND(wait_median / 60.0, 1) AS wait_median_minutes, -- decimal: half of the requests ran within this
		-- time; NULL: fewer than 5 waits are known, or fewer than half ran
	ROUND(wait_p90 / 60.0, 1) AS wait_p90_minutes, -- decimal: the same of 90 %
	lives, -- int: running times of spot nodes and machines that were observed from their beginning; not of slices,
		-- and not of machines that ended while their preemptions are not known
	preempted, -- int: of them, those that Google ended; the others run, or were deleted
	ROUND(life_median / 3600.0, 1) AS life_median_hours, -- decimal: half were preempted within this time;
		-- NULL: fewer than 5 were, or fewer than half
	preempted_hours, -- text: hours of the day in the configured zone, and the preemptions in each
	last_success, -- time: when the last granted request was first found running
	last_stockout, -- time: when the last error was found that means a lack of capacity
	stockout_error, -- text: that error, as Google words it
	since AS seen_since, -- time: when the first TPU or request of this row was found
	text -- text: the row as a sentence
FROM capacity_state

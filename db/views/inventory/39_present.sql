-- reference time of all views
SELECT
	a.now, -- time: the reference time
	a.today, -- text: calendar day in the configured time zone
	a.timezone, -- text: the configured time zone
	a.currency -- text: the configured currency
FROM as_of a

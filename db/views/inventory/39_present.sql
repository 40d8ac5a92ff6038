-- the moment that everything else is as of
SELECT
	a.now, -- time: this moment
	a.today, -- text: calendar day in the configured time zone
	a.timezone, -- text: the configured time zone
	a.currency -- text: the configured currency
FROM as_of a

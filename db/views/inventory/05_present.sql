-- The moment that everything else is as of; one row.
SELECT @RFC3339(a.now)@ AS now, a.today AS today, a.timezone AS timezone,
	a.currency AS currency
FROM as_of a

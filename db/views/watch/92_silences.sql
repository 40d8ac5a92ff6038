-- Rules that are quiet for a while, for one subject or for all.
SELECT s.silence AS silence, s.rule AS rule, NULLIF(s.subject, '') AS subject,
	@RFC3339(s.until)@ AS until, s.comment AS comment, @RFC3339(s.created)@ AS created,
	CASE WHEN s.until > a.now THEN 1 ELSE 0 END AS active
FROM silence s CROSS JOIN as_of a

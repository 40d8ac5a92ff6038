-- rules that are quiet for a while
SELECT
	s.silence, -- int: number, for: tpucost silence remove
	s.rule, -- text: name of the rule
	NULLIF(s.subject, '') AS subject, -- text: NULL: every subject
	s.until, -- time: quiet until then
	s.comment, -- text: why, in the words of who did it
	s.created, -- time: since when
	CASE WHEN s.until > a.now THEN 1 ELSE 0 END AS active -- flag: 0: it is over
FROM silence s CROSS JOIN as_of a

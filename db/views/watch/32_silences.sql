-- rules that are silenced for a limited time
SELECT
	s.silence, -- int: number, for: tpucost silence remove
	s.rule, -- text: name of the rule
	NULLIF(s.subject, '') AS subject, -- text: NULL: every subject
	s.until, -- time: silenced until then
	s.comment, -- text: comment of the user who created it
	s.created, -- time: time of creation
	CASE WHEN s.until > a.now THEN 1 ELSE 0 END AS active -- flag: 0: ended
FROM silence s CROSS JOIN as_of a

-- resources that nothing acts on for a while
SELECT
	h.id, -- text: the resource
	h.until, -- time: nothing acts on it until then
	h.comment, -- text: why, in the words of who did it
	h.created, -- time: since when
	CASE WHEN h.until > a.now THEN 1 ELSE 0 END AS active -- flag: 0: it is over
FROM hold h CROSS JOIN as_of a

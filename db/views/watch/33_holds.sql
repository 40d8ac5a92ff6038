-- resources that no rule acts on for a limited time
SELECT
	h.id, -- text: the resource
	h.until, -- time: no action until then
	h.comment, -- text: comment of the user who created it
	h.created, -- time: time of creation
	CASE WHEN h.until > a.now THEN 1 ELSE 0 END AS active -- flag: 0: ended
FROM hold h CROSS JOIN as_of a

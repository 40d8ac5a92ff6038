-- Resources that nothing acts on for a while.
SELECT h.id AS id, @RFC3339(h.until)@ AS until, h.comment AS comment,
	@RFC3339(h.created)@ AS created, CASE WHEN h.until > a.now THEN 1 ELSE 0 END AS active
FROM hold h CROSS JOIN as_of a

-- What is paid beside TPUs, free or not. What is known to cost nothing is left out.
SELECT b.id AS id, t.project AS project, t.location AS location, t.name AS name,
	t.type AS type, t.state AS state, v.covered AS covered, b.part AS part,
	p.kind AS kind, b.relation AS relation, b.via AS via, b.certain AS certain,
	b.gross / 1e9 AS gross_per_hour,
	CASE WHEN b.gross < 384000000000000000 THEN b.gross * 24 / 1e9 END AS gross_per_day,
	b.currency AS currency
FROM belonging b JOIN resource t ON t.id = b.id JOIN resource p ON p.id = b.part
	LEFT JOIN verdict v ON v.id = b.id
WHERE t.kind = 'tpu' AND (b.gross IS NULL OR b.gross <> 0)

-- What went with the TPUs of now, and what it cost in the asked period at today's list prices.
-- What is gone is not known to have gone with one. Empty where no period is asked for.
SELECT b.id AS id, t.project AS project, t.location AS location, t.name AS name,
	t.type AS type, b.part AS part, p.kind AS kind, b.relation AS relation, b.via AS via,
	b.certain AS certain, p.hours AS hours, p.running_hours AS running_hours,
	p.gross AS gross, p.currency AS currency, p.known_hours AS known_hours
FROM belonging b JOIN resource t ON t.id = b.id JOIN resource r ON r.id = b.part
	JOIN period_resources p ON p.id = r.id AND p.uid = r.uid
WHERE t.kind = 'tpu' AND (p.gross IS NULL OR p.gross <> 0)

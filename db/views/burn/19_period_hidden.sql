-- resources attached to the current TPUs, and their cost in the requested period (--since,
-- --until); empty without one
--
-- Deleted resources are not included, because their TPU is unknown.
SELECT
	b.id, -- text: the TPU
	t.project, -- text: project id
	t.location, -- text: zone of the TPU
	t.name, -- text: short name of the TPU
	t.type, -- text: type of the TPU
	b.part, -- text: id of the attached resource
	p.kind, -- text: disk vm ip
	b.relation, -- text: as in hidden_costs
	b.via, -- text: the machine that it is attached to, if not to the TPU
	b.certain, -- flag: 1: reported by Google; 0: matched by name only
	p.hours, -- decimal: hours that it existed in the period
	p.running_hours, -- decimal: hours that it was running
	p.gross, -- money: those hours at today's list price; NULL when some have no price
	p.currency, -- text: currency of gross
	p.known_hours -- decimal: as in period_resources
FROM belonging b JOIN resource t ON t.id = b.id JOIN resource r ON r.id = b.part
	JOIN period_resources_raw p ON p.id = r.id AND p.uid = r.uid
WHERE t.kind = 'tpu' AND (p.gross IS NULL OR p.gross <> 0)

-- what is there beside the TPUs of now, and what it cost in the asked period (--since, --until);
-- empty where none is asked for
--
-- What is gone is not known to have gone with one.
SELECT
	b.id, -- text: the TPU
	t.project, -- text: project id
	t.location, -- text: zone of the TPU
	t.name, -- text: short name of the TPU
	t.type, -- text: type of the TPU
	b.part, -- text: id of what goes with it
	p.kind, -- text: disk vm ip
	b.relation, -- text: as in hidden_costs
	b.via, -- text: the machine that it is attached to, where not to the TPU
	b.certain, -- flag: 1: Google says so; 0: by names alone
	p.hours, -- decimal: how long it existed in the period
	p.running_hours, -- decimal: of them running
	p.gross, -- money: those hours at today's list price; NULL when some have none
	p.currency, -- text: of gross
	p.known_hours -- decimal: for how much of the period it is known what there was: while it
		-- was polled without a pause; what was before is not in the figures. NULL: never
		-- read completely
FROM belonging b JOIN resource t ON t.id = b.id JOIN resource r ON r.id = b.part
	JOIN period_resources_raw p ON p.id = r.id AND p.uid = r.uid
WHERE t.kind = 'tpu' AND (p.gross IS NULL OR p.gross <> 0)

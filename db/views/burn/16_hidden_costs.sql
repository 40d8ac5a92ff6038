-- charges in addition to a TPU, covered or not: disks, machines, addresses, buckets
--
-- Resources that are known to be free are omitted.
SELECT
	b.id, -- text: the TPU
	t.project, -- text: project id
	t.location, -- text: zone of the TPU
	t.name, -- text: short name of the TPU
	t.type, -- text: type of the TPU
	t.state, -- text: state of the TPU
	v.covered, -- flag: 1: the TPU itself is free
	b.part, -- text: id of the attached resource
	p.kind, -- text: disk vm ip bucket
	b.relation, -- text: attached data-disk: reported by Google; same-name label: a machine or
		-- bucket with the name or label of the TPU
	b.via, -- text: the machine that it is attached to, if not to the TPU
	b.certain, -- flag: 1: reported by Google; 0: matched by name only
	b.gross AS gross_per_hour, -- money: list price; NULL when unknown
	CASE WHEN b.gross < 384000000000000000 THEN b.gross * 24 END AS gross_per_day, -- money: 24 times that
	b.currency -- text: currency of the two prices
FROM belonging b JOIN resource t ON t.id = b.id JOIN resource p ON p.id = b.part
	LEFT JOIN verdict v ON v.id = b.id
WHERE t.kind = 'tpu' AND (b.gross IS NULL OR b.gross <> 0)

-- reserved capacity, which is charged whether machines use it or not
--
-- A reservation replaces the future reservation that created it. The machines that use it are also
-- resources.
SELECT
	c.id, -- text: stable, unique name: project/kind/location/name
	c.name, -- text: short name
	c.project, -- text: project id
	c.kind, -- text: reservation future-reservation calendar
	c.location, -- text: its zone
	c.type, -- text: machine type; of reserved chips their machine family: ct6e
	s.family, -- text: TPU family: v6e, ...
	CASE WHEN c.type IS NOT NULL THEN IIF(instr(c.type, '-') > 0, 'machines', 'chips')
		END AS unit, -- text: what is counted: machines chips
	c.amount AS count, -- int: reserved machines or chips; NULL: not stated
	c.used, -- int: those in use; NULL: not stated, or not provided yet
	MAX(c.amount - c.used, 0) AS unused, -- int: the others
	c.starts, -- time: begin; of a reservation, its creation
	c.ends, -- time: end; NULL: until it is deleted
	s.gross AS gross_per_hour, -- money: list price, on demand or of calendar mode; NULL when unknown
	s.unused AS unused_per_hour, -- money: of the unused part; NULL when unknown
	s.currency, -- text: currency of both; NULL: the price is unknown
	CASE WHEN c.ends <= a.now THEN 'ended' ELSE c.state END AS state, -- text: pending committed
		-- starting running deleting ended failed cancelled unknown; committed: Google will
		-- provide it
	c.raw_state, -- text: the state as Google names it
	c.fixed, -- flag: 1: it cannot be deleted before its end; NULL: unknown
	c.last_seen -- time: last poll that found it
FROM commitment c CROSS JOIN as_of a LEFT JOIN commitment_state s ON s.id = c.id

-- Reserved capacity, which is paid for whether it is used or not: reservations, and future reservations
-- that have not created any yet.
CREATE TABLE commitment (
	id TEXT PRIMARY KEY NOT NULL, -- project/kind/zone/name
	project TEXT NOT NULL,
	kind TEXT NOT NULL,           -- reservation, future-reservation, calendar
	location TEXT NOT NULL,       -- zone
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	raw_state TEXT NOT NULL,
	type TEXT,                    -- machine type; of chips their machine family; NULL: not stated
	amount INTEGER,               -- machines or chips; NULL: not stated
	used INTEGER,                 -- of them; NULL: not stated
	gpu_type TEXT,                -- of each machine
	gpu_count INTEGER,
	local_ssd_gib INTEGER,        -- -1: of unknown size
	starts INTEGER,
	ends INTEGER,                 -- NULL: none is set
	fixed INTEGER,                -- 1: cannot be deleted before its end; NULL: unknown
	last_seen INTEGER NOT NULL
) STRICT;
CREATE INDEX commitment_by_project ON commitment (project);
-- Machines, also hosts of slices, that use a reservation of their project.
CREATE TABLE reservation_use (
	project TEXT NOT NULL,
	zone TEXT NOT NULL,
	name TEXT NOT NULL,
	reservation TEXT NOT NULL,    -- "ZONE/NAME"
	PRIMARY KEY (project, zone, name)
) STRICT, WITHOUT ROWID;

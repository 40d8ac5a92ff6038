-- A slice of several machines is one resource; its hosts are machines of a managed instance group.
ALTER TABLE resource ADD COLUMN topology TEXT;        -- "4x8"
ALTER TABLE resource ADD COLUMN target_hosts INTEGER; -- hosts that its group is to have
CREATE TABLE host (
	id TEXT PRIMARY KEY NOT NULL, -- project/host/zone/name
	uid TEXT NOT NULL,            -- Google's numeric id
	project TEXT NOT NULL,
	zone TEXT NOT NULL,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	raw_state TEXT NOT NULL,
	type TEXT NOT NULL,           -- machine type
	provisioning TEXT NOT NULL,
	labels TEXT NOT NULL,         -- JSON object, keys sorted
	created INTEGER,
	state_since INTEGER,
	ends INTEGER,                 -- end of its limited run time
	group_path TEXT NOT NULL,     -- "zones/Z/instanceGroupManagers/NAME", or of a region
	slice TEXT,                   -- resource that it is a part of; NULL: not known yet
	last_seen INTEGER NOT NULL,
	complete INTEGER NOT NULL     -- 0: its zone was unreachable in the last poll
) STRICT;
ALTER TABLE action ADD COLUMN group_path TEXT;        -- of a slice, as of host
CREATE INDEX host_by_name ON host (project, zone, name);
CREATE INDEX host_by_slice ON host (slice);

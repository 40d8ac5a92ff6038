-- Facts: data as Google returned it. Everything that is computed from them is in derived tables
-- (db/derived.sql), which can be dropped and created again at any time.
--
-- Instants are UTC seconds, money is integer nano-units with its currency in another column, memory
-- is in MiB, disks are in GiB. '' in a dimension means that Google sent no value.

CREATE TABLE meta (
	key TEXT PRIMARY KEY NOT NULL,
	value TEXT NOT NULL
) STRICT;

-- Result of polling one source in one project. last_success is the newest complete poll; a partial
-- or failed one does not change it.
CREATE TABLE source_status (
	source TEXT NOT NULL,
	project TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('ok', 'partial', 'failed', 'disabled')),
	last_attempt INTEGER NOT NULL,
	last_success INTEGER,
	items INTEGER NOT NULL,
	error TEXT,
	fix TEXT,
	PRIMARY KEY (source, project)
) STRICT;

-- Locations that were unreachable in the newest poll of a source. Missing resources there prove
-- nothing.
CREATE TABLE source_gap (
	source TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	since INTEGER NOT NULL,
	PRIMARY KEY (source, project, location)
) STRICT;

-- Existing resources. A row is deleted when two consecutive complete snapshots do not have it.
CREATE TABLE resource (
	id TEXT PRIMARY KEY NOT NULL, -- project/kind/location/name
	uid TEXT NOT NULL,            -- Google's numeric id
	source TEXT NOT NULL,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	zone TEXT,
	region TEXT,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	raw_state TEXT NOT NULL,
	type TEXT,
	provisioning TEXT,
	hosts INTEGER,
	size_gib INTEGER,
	gpu_type TEXT,
	gpu_count INTEGER,
	attached_to TEXT,
	queued TEXT,                  -- queued resource that created this node
	labels TEXT NOT NULL,         -- JSON object, keys sorted
	owner TEXT,
	created INTEGER,
	started INTEGER,              -- last start, if Google reports it
	first_seen INTEGER NOT NULL,
	last_seen INTEGER NOT NULL,
	complete INTEGER NOT NULL     -- 0: its location was unreachable in the last poll
) STRICT;
CREATE INDEX resource_by_source ON resource (source, project);

-- History of each resource: one row for each interval in which no attribute changed that affects
-- cost or coverage. The newest row of an existing resource has ends NULL.
CREATE TABLE resource_interval (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	type TEXT,
	provisioning TEXT,
	size_gib INTEGER,
	created INTEGER,
	PRIMARY KEY (id, uid, starts)
) STRICT;
CREATE INDEX resource_interval_by_end ON resource_interval (kind, ends);

-- Billing export -------------------------------------------------------------------------

-- An export table that is or was read. last_modified_ms and row_count are from tables.get at the
-- last complete read: equal values mean that nothing changed.
CREATE TABLE billing_table (
	table_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,     -- project.dataset.table
	location TEXT NOT NULL,
	last_modified_ms INTEGER NOT NULL,
	row_count INTEGER NOT NULL
) STRICT;

-- A unit of ingestion: one partition of the export, always replaced as a whole.
CREATE TABLE billing_unit (
	table_id INTEGER NOT NULL REFERENCES billing_table (table_id),
	unit INTEGER NOT NULL,         -- partition day, days since 1970-01-01 (UTC)
	row_count INTEGER NOT NULL,    -- rows in the export
	exported INTEGER NOT NULL,     -- newest export_time in it
	ingested INTEGER NOT NULL,
	PRIMARY KEY (table_id, unit)
) STRICT;
CREATE TABLE billing_unit_sum (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	currency TEXT NOT NULL,
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	PRIMARY KEY (table_id, unit, currency),
	FOREIGN KEY (table_id, unit) REFERENCES billing_unit (table_id, unit)
) STRICT;

CREATE TABLE sku (
	sku_ref INTEGER PRIMARY KEY,
	service_id TEXT NOT NULL,
	service TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	sku TEXT NOT NULL,
	UNIQUE (service_id, service, sku_id, sku)
) STRICT;
CREATE TABLE billed_project (
	project_ref INTEGER PRIMARY KEY,
	project TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE place (
	place_ref INTEGER PRIMARY KEY,
	location TEXT NOT NULL,
	region TEXT NOT NULL,
	zone TEXT NOT NULL,
	UNIQUE (location, region, zone)
) STRICT;
CREATE TABLE billed_resource (
	resource_ref INTEGER PRIMARY KEY,
	resource TEXT NOT NULL,
	global_name TEXT NOT NULL,
	UNIQUE (resource, global_name)
) STRICT;

-- One row per (hour, project, SKU, place, resource, ...) of a unit, summed by BigQuery.
CREATE TABLE usage (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	hour INTEGER NOT NULL,         -- start of the usage hour
	sku_ref INTEGER NOT NULL REFERENCES sku (sku_ref),
	project_ref INTEGER NOT NULL REFERENCES billed_project (project_ref),
	place_ref INTEGER NOT NULL REFERENCES place (place_ref),
	resource_ref INTEGER NOT NULL REFERENCES billed_resource (resource_ref),
	invoice_month TEXT NOT NULL,
	cost_type TEXT NOT NULL,
	currency TEXT NOT NULL,
	usage_unit TEXT NOT NULL,
	usage INTEGER NOT NULL,        -- nanos of usage_unit
	cost INTEGER NOT NULL,         -- before credits
	credits INTEGER NOT NULL,      -- usually zero or negative
	promo INTEGER NOT NULL,        -- the part of credits of type PROMOTION
	rate INTEGER,                  -- units of currency in one USD, nanos
	row_count INTEGER NOT NULL,
	PRIMARY KEY (table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref,
		invoice_month, cost_type, currency, usage_unit)
) STRICT, WITHOUT ROWID;

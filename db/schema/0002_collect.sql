-- The complete collector: billing facts with credits by type, their history, and the other sources
-- (quotas, prices, machine types, metrics, projects).

-- Views and derived tables are created again by the program.
DROP VIEW IF EXISTS costs;
DROP VIEW IF EXISTS costs_exact;
DROP VIEW IF EXISTS resources;
DROP VIEW IF EXISTS grants;
DROP VIEW IF EXISTS coverage;
DROP VIEW IF EXISTS burn;
DROP VIEW IF EXISTS credits;
DROP VIEW IF EXISTS sources;
DELETE FROM meta WHERE key = 'derived';

-- Consecutive failed attempts.
ALTER TABLE source_status ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;

-- Its key in `poll:`; '': polled by a version that did not store it.
ALTER TABLE source_status ADD COLUMN poll_group TEXT NOT NULL DEFAULT '';

-- Exact size of a snapshot.
ALTER TABLE resource ADD COLUMN bytes INTEGER;

-- ---- billing dimensions -----------------------------------------------------------------

-- A project as the bill names it: the id may be reused by another project, the number is never
-- reused. '' in account-level rows (tax, support).
CREATE TABLE billed_project_2 (
	project_ref INTEGER PRIMARY KEY,
	project TEXT NOT NULL,
	number TEXT NOT NULL,
	account TEXT NOT NULL,         -- billing account, "01AB23-CD45EF-678901"
	UNIQUE (project, number, account)
) STRICT;
INSERT INTO billed_project_2 SELECT project_ref, project, '', '' FROM billed_project;

-- Other keys of the lines of a bill.
CREATE TABLE charge (
	charge_ref INTEGER PRIMARY KEY,
	invoice_month TEXT NOT NULL,
	cost_type TEXT NOT NULL,
	currency TEXT NOT NULL,
	usage_unit TEXT NOT NULL,
	rate INTEGER NOT NULL,         -- units of currency in one USD, nanos; 0: unknown
	UNIQUE (invoice_month, cost_type, currency, usage_unit, rate)
) STRICT;
INSERT INTO charge (invoice_month, cost_type, currency, usage_unit, rate)
SELECT DISTINCT invoice_month, cost_type, currency, usage_unit, COALESCE(rate, 0) FROM usage;

-- Type of a credit: PROMOTION, COMMITTED_USAGE_DISCOUNT, ... 0 is the usage itself.
CREATE TABLE credit_type (
	credit_ref INTEGER PRIMARY KEY,
	type TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO credit_type VALUES (0, ''), (1, 'PROMOTION'), (2, 'UNKNOWN');

-- ---- billing facts ----------------------------------------------------------------------

-- One row per (hour, project, SKU, place, resource, charge) of a unit, and one more for each type
-- of credit in it, which has only credits.
CREATE TABLE usage_2 (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	hour INTEGER NOT NULL,         -- start of the usage hour
	sku_ref INTEGER NOT NULL REFERENCES sku (sku_ref),
	project_ref INTEGER NOT NULL REFERENCES billed_project_2 (project_ref),
	place_ref INTEGER NOT NULL REFERENCES place (place_ref),
	resource_ref INTEGER NOT NULL REFERENCES billed_resource (resource_ref),
	charge_ref INTEGER NOT NULL REFERENCES charge (charge_ref),
	credit_ref INTEGER NOT NULL REFERENCES credit_type (credit_ref),
	usage INTEGER,                 -- nanos of usage_unit; NULL: exceeds 64 bits
	cost INTEGER NOT NULL,         -- before credits
	credits INTEGER NOT NULL,      -- usually zero or negative
	row_count INTEGER NOT NULL,    -- rows of the export in it
	-- The hour first: rows arrive in order of time, and days are summed by it.
	PRIMARY KEY (hour, table_id, unit, sku_ref, project_ref, place_ref, resource_ref,
		charge_ref, credit_ref)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_2
SELECT u.table_id, u.unit, u.hour, u.sku_ref, u.project_ref, u.place_ref, u.resource_ref,
	c.charge_ref, 0, u.usage, u.cost, 0, u.row_count
FROM usage u JOIN charge c ON c.invoice_month = u.invoice_month
	AND c.cost_type = u.cost_type AND c.currency = u.currency
	AND c.usage_unit = u.usage_unit AND c.rate = COALESCE(u.rate, 0);
INSERT INTO usage_2
SELECT u.table_id, u.unit, u.hour, u.sku_ref, u.project_ref, u.place_ref, u.resource_ref,
	c.charge_ref, t.credit_ref, 0, 0,
	CASE t.credit_ref WHEN 1 THEN u.promo ELSE u.credits - u.promo END, 0
FROM usage u JOIN charge c ON c.invoice_month = u.invoice_month
	AND c.cost_type = u.cost_type AND c.currency = u.currency
	AND c.usage_unit = u.usage_unit AND c.rate = COALESCE(u.rate, 0)
	JOIN credit_type t ON t.credit_ref IN (1, 2)
WHERE CASE t.credit_ref WHEN 1 THEN u.promo ELSE u.credits - u.promo END <> 0;
DROP TABLE usage;
DROP TABLE billed_project;
ALTER TABLE billed_project_2 RENAME TO billed_project;
ALTER TABLE usage_2 RENAME TO usage;

-- Beginning of its state, if Google reports it: the last start, stop, ...
ALTER TABLE resource RENAME COLUMN started TO state_since;

-- kind: a polled export, or an imported file.
ALTER TABLE billing_table ADD COLUMN kind TEXT NOT NULL DEFAULT 'export';
-- Files of one command may have the same days; 0: no such command.
ALTER TABLE billing_table ADD COLUMN batch INTEGER NOT NULL DEFAULT 0;
-- Version of the query at its last complete read (see billing_unit.recipe).
ALTER TABLE billing_table ADD COLUMN recipe INTEGER NOT NULL DEFAULT 1;
-- Last check of every partition, whatever its age; 0: never.
ALTER TABLE billing_table ADD COLUMN last_full INTEGER NOT NULL DEFAULT 0;
-- Last successful check: costs are known up to this time.
ALTER TABLE billing_table ADD COLUMN looked INTEGER NOT NULL DEFAULT 0;
-- Creation time of the table, in ms: another time under the same name is another table.
ALTER TABLE billing_table ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
-- Partitions that are no longer in the export; their figures are kept.
ALTER TABLE billing_unit ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
-- Version of the columns and range of days of a read: units read with another one are read again.
ALTER TABLE billing_unit ADD COLUMN recipe INTEGER NOT NULL DEFAULT 1;
-- Part of cost below nano-units, in 1e-18 units.
ALTER TABLE billing_unit_sum ADD COLUMN rounding INTEGER NOT NULL DEFAULT 0;

-- Usage days (UTC) of each account in a unit: they show that two tables have the same data.
CREATE TABLE billing_day (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	account TEXT NOT NULL,
	day INTEGER NOT NULL,          -- days since 1970-01-01
	PRIMARY KEY (day, account, table_id, unit)
) STRICT, WITHOUT ROWID;
CREATE INDEX billing_day_by_unit ON billing_day (table_id, unit);
INSERT INTO billing_day
SELECT DISTINCT u.table_id, u.unit, p.account, u.hour / 86400
FROM usage u JOIN billed_project p ON p.project_ref = u.project_ref;

-- A partition that suddenly has far fewer rows: the old figures stay until three polls show the
-- same.
CREATE TABLE billing_quarantine (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	row_count INTEGER NOT NULL,
	exported INTEGER NOT NULL,
	since INTEGER NOT NULL,
	seen INTEGER NOT NULL,         -- polls with exactly this result
	last INTEGER NOT NULL,         -- the newest of them
	PRIMARY KEY (table_id, unit)
) STRICT;

-- A day that was reported and has changed since.
CREATE TABLE restatement (
	at INTEGER NOT NULL,
	date TEXT NOT NULL,            -- calendar day of the configured zone
	invoice_month TEXT NOT NULL,
	currency TEXT NOT NULL,
	source TEXT NOT NULL,          -- table or file of the change
	old_cost INTEGER NOT NULL,
	old_credits INTEGER NOT NULL,
	new_cost INTEGER NOT NULL,
	new_credits INTEGER NOT NULL,
	PRIMARY KEY (date, invoice_month, currency, source, at)
) STRICT;

-- Tables with usage that another table has as well: their state, and the other table.
CREATE TABLE billing_refused (
	table_id INTEGER PRIMARY KEY NOT NULL,
	modified_ms INTEGER NOT NULL,  -- of the table, when it was refused
	recipe INTEGER NOT NULL,
	other TEXT NOT NULL,           -- name of the other table or file
	at INTEGER NOT NULL,
	error TEXT NOT NULL,
	fix TEXT NOT NULL
) STRICT;

-- Billed bytes of the queries, by calendar month (UTC).
CREATE TABLE billing_bytes (
	table_id INTEGER NOT NULL,
	month TEXT NOT NULL,           -- YYYYMM
	queries INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	PRIMARY KEY (table_id, month)
) STRICT;

-- The account's own price of a SKU: the newest effective price on the bill.
CREATE TABLE billed_price (
	service_id TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	currency TEXT NOT NULL,
	unit TEXT NOT NULL,
	price INTEGER NOT NULL,        -- nanos of currency for one unit
	hour INTEGER NOT NULL,         -- of the usage with that price
	PRIMARY KEY (service_id, sku_id, currency, unit)
) STRICT;

CREATE TABLE import_file (
	sha256 TEXT PRIMARY KEY NOT NULL,
	table_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	row_count INTEGER NOT NULL,
	imported INTEGER NOT NULL
) STRICT;

-- ---- other sources ----------------------------------------------------------------------

-- Projects that were discovered, not configured.
CREATE TABLE project (
	project TEXT PRIMARY KEY NOT NULL,
	number TEXT NOT NULL,
	origin TEXT NOT NULL,          -- "billingAccounts/...", "organizations/8", ...
	first_seen INTEGER NOT NULL,
	last_seen INTEGER NOT NULL
) STRICT;

CREATE TABLE project_billing (
	project TEXT PRIMARY KEY NOT NULL,
	account TEXT NOT NULL,
	enabled INTEGER NOT NULL,
	seen INTEGER NOT NULL
) STRICT;

-- limit_value: -1 is unlimited. used NULL: unknown.
CREATE TABLE quota (
	project TEXT NOT NULL,
	source TEXT NOT NULL,
	service TEXT NOT NULL,
	metric TEXT NOT NULL,
	location TEXT NOT NULL,        -- zone, region or 'global'
	dimensions TEXT NOT NULL,      -- additional ones, JSON object; '{}': none
	quota_id TEXT NOT NULL,
	limit_value INTEGER,
	is_default INTEGER,            -- 1: default of all projects; 0: granted; NULL: unknown
	used INTEGER,
	seen INTEGER NOT NULL,
	PRIMARY KEY (project, service, metric, location, dimensions, quota_id)
) STRICT;

-- The relevant part of the public price list.
CREATE TABLE list_price (
	service_id TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	region TEXT NOT NULL,
	description TEXT NOT NULL,
	resource_family TEXT NOT NULL,
	resource_group TEXT NOT NULL,
	usage_type TEXT NOT NULL,
	unit TEXT NOT NULL,
	currency TEXT NOT NULL,
	price INTEGER NOT NULL,        -- nanos for one unit: the first rate that is not 0
	effective INTEGER,
	seen INTEGER NOT NULL,
	PRIMARY KEY (sku_id, region, currency)
) STRICT;

CREATE TABLE machine_type (
	name TEXT NOT NULL,
	zone TEXT NOT NULL,
	vcpus INTEGER NOT NULL,
	memory_mib INTEGER NOT NULL,
	shared_cpu INTEGER NOT NULL,
	gpu_type TEXT,
	gpu_count INTEGER,
	seen INTEGER NOT NULL,
	PRIMARY KEY (name, zone)
) STRICT;

-- The newest value of a metric, and the time since which it has been too low to be work. A subject
-- without a row is unknown, never idle.
CREATE TABLE metric (
	project TEXT NOT NULL,
	metric TEXT NOT NULL,
	subject TEXT NOT NULL,         -- id of a machine, or zone/node of a TPU
	at INTEGER NOT NULL,           -- end of the newest point
	value INTEGER NOT NULL,        -- nanos of the metric's unit
	idle_since INTEGER,            -- NULL: not idle
	series INTEGER NOT NULL,       -- of how many workers
	PRIMARY KEY (project, metric, subject)
) STRICT;

-- State of the rules over time, and decisions of users about them.

-- One row per rule and subject for which its condition is true or was true recently. It is the
-- state of the rule engine: a restart changes nothing.
CREATE TABLE alert (
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,         -- id of the resource, or the key of the view's row
	state TEXT NOT NULL CHECK (state IN ('pending', 'firing', 'resolved')),
	-- 1: the condition can be evaluated now; otherwise the state is that of the last
	-- evaluation.
	data TEXT NOT NULL CHECK (data IN ('fresh', 'stale', 'unknown')),
	severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
	since INTEGER NOT NULL,        -- the condition is true since then
	last_true INTEGER NOT NULL,    -- newest evaluation that found it true
	fired INTEGER,
	resolved INTEGER,
	stage INTEGER NOT NULL,        -- of conditions that get worse in steps
	value TEXT,                    -- the figure it is about, decimal
	summary TEXT NOT NULL,
	labels TEXT NOT NULL,          -- of the rule, JSON object
	said INTEGER,                  -- newest message about it
	PRIMARY KEY (rule, subject)
) STRICT;

-- Events of alerts, in order: the source of messages.
CREATE TABLE alert_event (
	event INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('firing', 'worse', 'repeat', 'resolved')),
	severity TEXT NOT NULL,
	summary TEXT NOT NULL,
	muted INTEGER NOT NULL         -- 1: silenced at that time
) STRICT;

-- Result of each rule in the last evaluation.
CREATE TABLE rule_state (
	rule TEXT PRIMARY KEY NOT NULL,
	text TEXT NOT NULL,            -- settings of the rule: another text begins again
	judged INTEGER NOT NULL,
	hits INTEGER NOT NULL,
	error TEXT                     -- NULL: evaluated
) STRICT;

-- Silenced rules, for a limited time.
CREATE TABLE silence (
	silence INTEGER PRIMARY KEY,
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,         -- '': every subject
	created INTEGER NOT NULL,
	until INTEGER NOT NULL,
	comment TEXT NOT NULL
) STRICT;

-- Resources that no rule acts on, for a limited time.
CREATE TABLE hold (
	id TEXT PRIMARY KEY NOT NULL,
	created INTEGER NOT NULL,
	until INTEGER NOT NULL,
	comment TEXT NOT NULL
) STRICT;

-- Places of use of the SKUs of billed prices.
CREATE TABLE billed_region (
	region TEXT NOT NULL,
	service_id TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	PRIMARY KEY (region, service_id, sku_id)
) STRICT;
INSERT INTO billed_region (region, service_id, sku_id)
SELECT DISTINCT l.region, s.service_id, s.sku_id
FROM (SELECT DISTINCT sku_ref, place_ref FROM usage) u JOIN sku s ON s.sku_ref = u.sku_ref
	JOIN place l ON l.place_ref = u.place_ref
WHERE l.region <> '' AND s.sku_id <> '';
CREATE INDEX list_price_by_region ON list_price (region, currency);

-- ---- traffic of machines ------------------------------------------------------------------

-- For byte counters `value` is in whole bytes per second, over all workers; these are NULL for all
-- other metrics. Traffic before the last start is not included.
ALTER TABLE metric ADD COLUMN peak INTEGER;    -- bytes per second in the busiest five minutes
ALTER TABLE metric ADD COLUMN bytes INTEGER;   -- in the last hour
ALTER TABLE metric ADD COLUMN seconds INTEGER; -- known part of that hour

-- Data disks of TPUs, as the node lists them: the disk itself may not have the user.
CREATE TABLE tpu_disk (
	id TEXT PRIMARY KEY NOT NULL,  -- of the TPU
	disks TEXT NOT NULL            -- names, separated by blanks
) STRICT;

-- Attributes that determine the price of a machine or a snapshot, in addition to its type, also for
-- past intervals.
ALTER TABLE resource ADD COLUMN local_ssd_gib INTEGER; -- -1: local SSDs of unknown size
ALTER TABLE resource_interval ADD COLUMN gpu_type TEXT;
ALTER TABLE resource_interval ADD COLUMN gpu_count INTEGER;
ALTER TABLE resource_interval ADD COLUMN bytes INTEGER;
ALTER TABLE resource_interval ADD COLUMN local_ssd_gib INTEGER;
-- As they were at the end of a past interval: the owner.
ALTER TABLE resource_interval ADD COLUMN labels TEXT;
ALTER TABLE resource_interval ADD COLUMN owner TEXT;
UPDATE resource_interval SET
	gpu_type = (SELECT r.gpu_type FROM resource r WHERE r.id = resource_interval.id
		AND r.uid = resource_interval.uid),
	gpu_count = (SELECT r.gpu_count FROM resource r WHERE r.id = resource_interval.id
		AND r.uid = resource_interval.uid),
	bytes = (SELECT r.bytes FROM resource r WHERE r.id = resource_interval.id
		AND r.uid = resource_interval.uid)
WHERE kind IN ('vm', 'snapshot');

-- Time since which it has been read completely, without a gap of more than two hours: resources
-- that were created and deleted in a gap are unknown.
ALTER TABLE source_status ADD COLUMN watched_since INTEGER;
UPDATE source_status SET watched_since = last_success;

-- ---- further history, for replaying rules -------------------------------------------------

-- Attributes that resource_interval omits because they affect neither cost nor coverage: one row
-- for each change. As observed: nothing is known of the time before the first row.
CREATE TABLE resource_trait (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	starts INTEGER NOT NULL,
	source TEXT NOT NULL,
	raw_state TEXT NOT NULL,
	hosts INTEGER,
	attached_to TEXT,
	queued TEXT,
	labels TEXT NOT NULL,
	owner TEXT,
	PRIMARY KEY (id, uid, starts)
) STRICT;

-- Interval in which a metric was unchanged: idle since a time, or (NULL) active.
CREATE TABLE metric_past (
	project TEXT NOT NULL,
	metric TEXT NOT NULL,
	subject TEXT NOT NULL,
	starts INTEGER NOT NULL,       -- first point with that result
	until INTEGER NOT NULL,        -- newest point with that result
	idle_since INTEGER,
	series INTEGER NOT NULL,
	PRIMARY KEY (project, metric, subject, starts)
) STRICT;

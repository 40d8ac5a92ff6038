-- What rules say over time, and what people say to them.

-- One row per rule and subject for which its condition holds or lately held. It is the
-- memory of the rule engine: a restart changes nothing.
CREATE TABLE alert (
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,         -- id of the resource, or the key of the view's row
	state TEXT NOT NULL CHECK (state IN ('pending', 'firing', 'resolved')),
	-- Can the condition be judged now? If not, the state is the last one that could.
	data TEXT NOT NULL CHECK (data IN ('fresh', 'stale', 'unknown')),
	severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
	since INTEGER NOT NULL,        -- the condition holds since then
	last_true INTEGER NOT NULL,    -- newest judgement that it holds
	fired INTEGER,
	resolved INTEGER,
	stage INTEGER NOT NULL,        -- of conditions that get worse in steps
	value TEXT,                    -- the figure it is about, decimal
	summary TEXT NOT NULL,
	labels TEXT NOT NULL,          -- of the rule, JSON object
	said INTEGER,                  -- newest message about it
	PRIMARY KEY (rule, subject)
) STRICT;

-- What happened to alerts, in order: what messages are made of.
CREATE TABLE alert_event (
	event INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('firing', 'worse', 'repeat', 'resolved')),
	severity TEXT NOT NULL,
	summary TEXT NOT NULL,
	muted INTEGER NOT NULL         -- 1: silenced then
) STRICT;

-- How each rule fared when it was judged last.
CREATE TABLE rule_state (
	rule TEXT PRIMARY KEY NOT NULL,
	text TEXT NOT NULL,            -- what it was: another text begins anew
	judged INTEGER NOT NULL,
	hits INTEGER NOT NULL,
	error TEXT                     -- NULL: it could be judged
) STRICT;

-- Rules that are to be quiet for a while.
CREATE TABLE silence (
	silence INTEGER PRIMARY KEY,
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,         -- '': every subject
	created INTEGER NOT NULL,
	until INTEGER NOT NULL,
	comment TEXT NOT NULL
) STRICT;

-- Resources that nothing may act on for a while.
CREATE TABLE hold (
	id TEXT PRIMARY KEY NOT NULL,
	created INTEGER NOT NULL,
	until INTEGER NOT NULL,
	comment TEXT NOT NULL
) STRICT;

-- Where the SKUs of billed prices were used.
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

-- ---- what machines send and receive -------------------------------------------------------

-- Of byte counters `value` is whole bytes a second, over all workers; these are NULL for all
-- other metrics. Nothing before the last start is in them.
ALTER TABLE metric ADD COLUMN peak INTEGER;    -- bytes a second in the busiest five minutes
ALTER TABLE metric ADD COLUMN bytes INTEGER;   -- in the last hour
ALTER TABLE metric ADD COLUMN seconds INTEGER; -- of that hour that are known

-- Data disks of TPUs, as the node lists them: the disk itself may name no user.
CREATE TABLE tpu_disk (
	id TEXT PRIMARY KEY NOT NULL,  -- of the TPU
	disks TEXT NOT NULL            -- names, with a blank between
) STRICT;

-- What prices a machine or a snapshot, besides its type, also for the time that is over.
ALTER TABLE resource ADD COLUMN local_ssd_gib INTEGER; -- -1: has some, of a size nobody told
ALTER TABLE resource_interval ADD COLUMN gpu_type TEXT;
ALTER TABLE resource_interval ADD COLUMN gpu_count INTEGER;
ALTER TABLE resource_interval ADD COLUMN bytes INTEGER;
ALTER TABLE resource_interval ADD COLUMN local_ssd_gib INTEGER;
-- As they were at the end of a stretch that is over: whose it was.
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

-- Since when it has been read completely again and again, without a pause of more than two
-- hours: what came and went in a pause, nobody knows.
ALTER TABLE source_status ADD COLUMN watched_since INTEGER;
UPDATE source_status SET watched_since = last_success;

-- ---- what else is remembered of the past, for replaying rules -----------------------------

-- What resource_interval leaves out because it neither costs nor covers: a row each time that
-- something of it changed. As seen: nothing is known of the time before the first row.
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

-- Since when a metric has told the same: idle since a moment, or (NULL) at work.
CREATE TABLE metric_past (
	project TEXT NOT NULL,
	metric TEXT NOT NULL,
	subject TEXT NOT NULL,
	starts INTEGER NOT NULL,       -- first point that told it
	until INTEGER NOT NULL,        -- newest point that told it
	idle_since INTEGER,
	series INTEGER NOT NULL,
	PRIMARY KEY (project, metric, subject, starts)
) STRICT;

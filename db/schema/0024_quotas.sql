-- Most projects have the same thousands of limits, and few of them are used. So a limit is stored once, and a project
-- has a short row for it.
ALTER TABLE quota RENAME TO quota_before;

-- The quotas of a project that a source reports.
CREATE TABLE quota_list (
	list INTEGER PRIMARY KEY,
	project TEXT NOT NULL,
	source TEXT NOT NULL,
	seen INTEGER NOT NULL,
	UNIQUE (project, source)
) STRICT;

-- limit_value: -1 is unlimited.
CREATE TABLE quota_limit (
	limit_id INTEGER PRIMARY KEY,
	service TEXT NOT NULL,
	metric TEXT NOT NULL,
	location TEXT NOT NULL,        -- zone, region or 'global'
	dimensions TEXT NOT NULL,      -- additional ones, JSON object; '{}': none
	quota_id TEXT NOT NULL,
	limit_value INTEGER,
	is_default INTEGER             -- 1: default of all projects; 0: granted; NULL: unknown
) STRICT;
CREATE INDEX quota_limit_of ON quota_limit (metric, location);

-- used NULL: unknown. seen NULL: when the list was.
CREATE TABLE quota_item (
	list INTEGER NOT NULL,
	limit_id INTEGER NOT NULL,
	used INTEGER,
	seen INTEGER,
	PRIMARY KEY (list, limit_id)
) STRICT, WITHOUT ROWID;

INSERT INTO quota_list (project, source, seen) SELECT project, source, MAX(seen) FROM quota_before GROUP BY project, source;
INSERT INTO quota_limit (service, metric, location, dimensions, quota_id, limit_value, is_default)
SELECT DISTINCT service, metric, location, dimensions, quota_id, limit_value, is_default FROM quota_before;
INSERT INTO quota_item (list, limit_id, used, seen)
SELECT l.list, q.limit_id, b.used, NULLIF(b.seen, l.seen)
FROM quota_before b JOIN quota_list l ON l.project = b.project AND l.source = b.source
	JOIN quota_limit q ON q.metric = b.metric AND q.location = b.location AND q.service = b.service
		AND q.dimensions = b.dimensions AND q.quota_id = b.quota_id AND q.limit_value IS b.limit_value
		AND q.is_default IS b.is_default;
DROP TABLE quota_before;

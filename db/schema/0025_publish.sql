-- State of publishing in BigQuery: see docs/publish.md.

-- created: of the table in BigQuery, milliseconds; 0: there was none yet. taken: time of the last rows of the present.
CREATE TABLE publish_table (
	view TEXT PRIMARY KEY NOT NULL,
	created INTEGER NOT NULL DEFAULT 0,
	taken INTEGER NOT NULL DEFAULT 0
) STRICT;

-- When the rows of a day were last compared with those that were sent.
CREATE TABLE publish_day (
	day INTEGER PRIMARY KEY,
	checked INTEGER NOT NULL
) STRICT;

-- Hash of the rows of a day that were last sent, or wait in publish_load.
CREATE TABLE publish_part (
	view TEXT NOT NULL,
	day INTEGER NOT NULL,
	hash TEXT NOT NULL,
	PRIMARY KEY (view, day)
) STRICT, WITHOUT ROWID;

-- Load jobs that have not ended, in their order.
CREATE TABLE publish_load (
	load INTEGER PRIMARY KEY,
	view TEXT NOT NULL,
	day INTEGER NOT NULL,
	replaces INTEGER NOT NULL,     -- 1: its rows replace those of the day
	job TEXT NOT NULL,             -- id of the job, without the attempt
	attempt INTEGER NOT NULL,
	sent INTEGER,                  -- the attempt was sent, possibly received
	bytes INTEGER NOT NULL,
	body TEXT NOT NULL
) STRICT;

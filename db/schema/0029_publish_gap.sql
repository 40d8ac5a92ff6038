-- Published days that another database knows better: see docs/publish.md.

-- Times in which another database may have published: from the newest rows of this one (0: it had none) until it began, was
-- restored, or took over.
CREATE TABLE publish_gap (
	until INTEGER PRIMARY KEY,
	since INTEGER NOT NULL
) STRICT;

-- gap: end of the newest gap after which BigQuery was asked for rows of the day; kept: 1: it had some, which are kept; 2: those
-- since the gap were added to them
ALTER TABLE publish_part ADD COLUMN gap INTEGER NOT NULL DEFAULT 0;
ALTER TABLE publish_part ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;

-- Answers of BigQuery to questions about lines of the bill of which only sums of days are kept.
CREATE TABLE detail_answer (
	answer_id INTEGER PRIMARY KEY,
	question TEXT NOT NULL UNIQUE,
	version TEXT NOT NULL,         -- of the sums, see detail_version: another one makes it old
	at INTEGER NOT NULL,
	bytes INTEGER NOT NULL         -- that were read
) STRICT;
-- Columns as of usage.
CREATE TABLE detail_line (
	answer_id INTEGER NOT NULL,
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	place_ref INTEGER NOT NULL,
	resource_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	credit_ref INTEGER NOT NULL,
	usage INTEGER,
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	discount INTEGER NOT NULL,
	committed INTEGER NOT NULL,
	row_count INTEGER NOT NULL,
	PRIMARY KEY (answer_id, table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
		credit_ref)
) STRICT, WITHOUT ROWID;

-- Lines of an answer in the order of their time, in which they are read. Answers are asked again.
DROP TABLE detail_line;
DELETE FROM detail_answer;
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
	PRIMARY KEY (answer_id, hour, table_id, unit, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
		credit_ref)
) STRICT, WITHOUT ROWID;

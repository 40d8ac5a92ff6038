-- Google's cost anomalies. Amounts are nanos of the currency, before credits; NULL: not stated.
CREATE TABLE anomaly (
	project TEXT NOT NULL,
	id TEXT NOT NULL,
	scope TEXT NOT NULL,           -- the words of Google; '': not stated
	severity TEXT NOT NULL,
	detected INTEGER NOT NULL,     -- 00:00 of the Pacific day
	updated INTEGER,
	currency TEXT,
	actual INTEGER,
	expected INTEGER,
	deviation INTEGER,
	causes TEXT NOT NULL,          -- names of the largest
	first_seen INTEGER NOT NULL,   -- the first poll that listed it
	last_seen INTEGER NOT NULL,
	PRIMARY KEY (project, id)
) STRICT, WITHOUT ROWID;

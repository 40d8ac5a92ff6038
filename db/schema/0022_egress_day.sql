-- Bytes and requests that buckets served on a calendar day, and its cost by the estimates of that time. Amounts are nanos of
-- the currency; NULL: a price was unknown, or currencies differ.
CREATE TABLE egress_day (
	project TEXT NOT NULL,
	bucket TEXT NOT NULL,
	day TEXT NOT NULL,         -- of the configured zone at that time
	what TEXT NOT NULL,        -- traffic operations
	until INTEGER NOT NULL,    -- end of the newest counters
	amount INTEGER NOT NULL,   -- bytes that may be charged, or operations
	cost INTEGER,              -- the likely one
	low INTEGER,
	high INTEGER,
	currency TEXT,
	PRIMARY KEY (project, bucket, day, what)
) STRICT, WITHOUT ROWID;

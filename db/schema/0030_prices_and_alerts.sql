-- Prices by the table or file that states them, so that `db forget` removes them.
CREATE TABLE billed_price_2 AS SELECT * FROM billed_price;
DROP TABLE billed_price;
CREATE TABLE billed_price (
	service_id TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	currency TEXT NOT NULL,
	unit TEXT NOT NULL,
	model TEXT NOT NULL DEFAULT '', -- id of the consumption model; '': the default one
	table_id INTEGER NOT NULL DEFAULT 0, -- 0: not known, stored by an earlier version
	price INTEGER NOT NULL,        -- nanos of currency for one unit
	hour INTEGER NOT NULL,         -- of the usage with that price
	PRIMARY KEY (service_id, sku_id, currency, unit, model, table_id)
) STRICT;
INSERT INTO billed_price (service_id, sku_id, currency, unit, model, price, hour)
SELECT service_id, sku_id, currency, unit, model, price, hour FROM billed_price_2;
DROP TABLE billed_price_2;

-- Fresh data shows since then that the condition of the alert does not hold. NULL: it holds, or no fresh data shows otherwise.
ALTER TABLE alert ADD COLUMN ceased INTEGER;
-- Severity of the newest message about it; the present severity may have fallen since. NULL: it is the present one.
ALTER TABLE alert ADD COLUMN said_as TEXT;

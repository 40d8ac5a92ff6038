-- Consumption models: on exports since July 2025 a SKU is billed at the price of one of them, the
-- default one or that of a commitment. Usage that is stored already states none until its unit is
-- read again (BILLING_RECIPE).
CREATE TABLE charge_2 AS SELECT charge_ref, invoice_month, cost_type, currency, usage_unit, rate FROM charge;
DROP TABLE charge;
CREATE TABLE charge (
	charge_ref INTEGER PRIMARY KEY,
	invoice_month TEXT NOT NULL,
	cost_type TEXT NOT NULL,
	currency TEXT NOT NULL,
	usage_unit TEXT NOT NULL,
	rate INTEGER NOT NULL,         -- units of currency in one USD, nanos; 0: unknown
	model TEXT NOT NULL DEFAULT '',      -- id of the consumption model; '': none is stated
	model_name TEXT NOT NULL DEFAULT '',
	UNIQUE (invoice_month, cost_type, currency, usage_unit, rate, model, model_name)
) STRICT;
INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, usage_unit, rate)
SELECT charge_ref, invoice_month, cost_type, currency, usage_unit, rate FROM charge_2;
DROP TABLE charge_2;

-- Cost at list prices, minus cost; and the part of it that the consumption model gives.
ALTER TABLE usage ADD COLUMN discount INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN committed INTEGER NOT NULL DEFAULT 0;

CREATE TABLE billed_price_2 AS SELECT service_id, sku_id, currency, unit, price, hour FROM billed_price;
DROP TABLE billed_price;
CREATE TABLE billed_price (
	service_id TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	currency TEXT NOT NULL,
	unit TEXT NOT NULL,
	model TEXT NOT NULL DEFAULT '', -- id of the consumption model; '': the default one
	price INTEGER NOT NULL,        -- nanos of currency for one unit
	hour INTEGER NOT NULL,         -- of the usage with that price
	PRIMARY KEY (service_id, sku_id, currency, unit, model)
) STRICT;
INSERT INTO billed_price (service_id, sku_id, currency, unit, model, price, hour)
SELECT service_id, sku_id, currency, unit, '', price, hour FROM billed_price_2;
DROP TABLE billed_price_2;

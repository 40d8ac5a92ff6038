// node duckdb.mjs load FILE DATABASE: the export, typed and whole, into one table of a new
// database. node duckdb.mjs sums DATABASE: "ROWS COST CREDITS", in nano-units.
//
// node duckdb.mjs facts CSV DATABASE: flat facts into a table. node duckdb.mjs report DATABASE SQL...:
// what the statements answer, over those.
import { DuckDBInstance } from '@duckdb/node-api';

const pairs = 'STRUCT("key" VARCHAR, "value" VARCHAR)[]';
const columns = {
	billing_account_id: 'VARCHAR',
	service: 'STRUCT(id VARCHAR, description VARCHAR)',
	sku: 'STRUCT(id VARCHAR, description VARCHAR)',
	usage_start_time: 'TIMESTAMP',
	usage_end_time: 'TIMESTAMP',
	project: `STRUCT(id VARCHAR, number VARCHAR, "name" VARCHAR, labels ${pairs},
		ancestry_numbers VARCHAR,
		ancestors STRUCT(resource_name VARCHAR, display_name VARCHAR)[])`,
	labels: pairs,
	system_labels: pairs,
	location: 'STRUCT("location" VARCHAR, country VARCHAR, region VARCHAR, "zone" VARCHAR)',
	resource: 'STRUCT("name" VARCHAR, global_name VARCHAR)',
	tags: `STRUCT("key" VARCHAR, "value" VARCHAR, inherited BOOLEAN, "namespace" VARCHAR)[]`,
	price: `STRUCT(effective_price DECIMAL(38, 9), tier_start_amount DECIMAL(38, 9),
		unit VARCHAR, pricing_unit_quantity DECIMAL(38, 9), list_price DECIMAL(38, 9))`,
	transaction_type: 'VARCHAR',
	seller_name: 'VARCHAR',
	export_time: 'TIMESTAMP',
	cost: 'DOUBLE',
	currency: 'VARCHAR',
	currency_conversion_rate: 'DOUBLE',
	usage: `STRUCT(amount DOUBLE, unit VARCHAR, amount_in_pricing_units DOUBLE,
		pricing_unit VARCHAR)`,
	credits: `STRUCT("name" VARCHAR, amount DOUBLE, full_name VARCHAR, id VARCHAR,
		"type" VARCHAR)[]`,
	invoice: 'STRUCT("month" VARCHAR, publisher_type VARCHAR)',
	cost_type: 'VARCHAR',
	cost_at_list: 'DOUBLE',
};

const quoted = (s) => `'${s.replaceAll("'", "''")}'`;

async function load(file, database) {
	const instance = await DuckDBInstance.create(database);
	const db = await instance.connect();
	const types = Object.entries(columns).map(([k, v]) => `${k}: ${quoted(v)}`);

	await db.run(`CREATE TABLE export AS SELECT * FROM read_json(${quoted(file)},
		format = 'newline_delimited', columns = {${types.join(', ')}})`);
	await db.run('CHECKPOINT');
	db.closeSync();
	instance.closeSync();
}

async function sums(database) {
	const instance = await DuckDBInstance.create(database, { access_mode: 'READ_ONLY' });
	const db = await instance.connect();
	const rows = await db.runAndReadAll(`SELECT
		(SELECT count(*) FROM export)::VARCHAR,
		(SELECT sum(round(cost * 1e9)::BIGINT) FROM export)::VARCHAR,
		(SELECT coalesce(sum(round(c.amount * 1e9)::BIGINT), 0)
			FROM (SELECT unnest(credits) AS c FROM export))::VARCHAR`);

	console.log(rows.getRowsJson()[0].join(' '));
}

async function facts(csv, database) {
	const instance = await DuckDBInstance.create(database);
	const db = await instance.connect();

	await db.run(`CREATE TABLE facts AS SELECT * FROM read_csv(${quoted(csv)}, header = true)`);
	await db.run('CHECKPOINT');
	db.closeSync();
	instance.closeSync();
}

async function report(database, ...statements) {
	const instance = await DuckDBInstance.create(database, { access_mode: 'READ_ONLY' });
	const db = await instance.connect();

	for (const sql of statements)
		for (const row of (await db.runAndReadAll(sql)).getRowsJson()) console.log(row.join('|'));
}

const [command, ...args] = process.argv.slice(2);
if (command === 'load' && args.length === 2) await load(...args);
else if (command === 'sums' && args.length === 1) await sums(...args);
else if (command === 'facts' && args.length === 2) await facts(...args);
else if (command === 'report' && args.length > 1) await report(...args);
else throw new Error('usage: duckdb.mjs load|facts FILE DATABASE | sums DATABASE | report DATABASE SQL...');

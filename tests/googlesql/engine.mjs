/* Google's reference engine for GoogleSQL, the language of BigQuery: a server of the npm
 * package that takes a table, its rows, a text and its parameters over gRPC.
 *
 * A type is written as BigQuery names it ('STRING', 'FLOAT64', ...), as {name: type} for a
 * STRUCT and as [type] for an ARRAY. Values: STRING and DATE are strings, TIMESTAMP is a
 * string with a Z, INT64 and NUMERIC are BigInt (NUMERIC in nano-units), FLOAT64 is a
 * number, and NULL is null. */
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import {createServer} from 'node:net';
import {dirname, join} from 'node:path';

const require = createRequire(import.meta.url);
const files = join(dirname(require.resolve('@fivetrandevelopers/zetasql')), 'zetasql');
const library = createRequire(join(files, 'x.js'));
const grpc = library('@grpc/grpc-js');
const protoLoader = library('@grpc/proto-loader');

const SERVERS = {x64: 'remote_server.so', arm64: 'remote_server_arm.so'};
const START_MS = 60_000;
const CALL_MS = 60_000;
const DAY_MS = 86_400_000;

/* ---- types and values ------------------------------------------------------------------- */

const KINDS = {
	STRING: 'TYPE_STRING',
	INT64: 'TYPE_INT64',
	FLOAT64: 'TYPE_DOUBLE',
	NUMERIC: 'TYPE_NUMERIC',
	DATE: 'TYPE_DATE',
	TIMESTAMP: 'TYPE_TIMESTAMP',
};

function typeProto(type) {
	if (Array.isArray(type))
		return {type_kind: 'TYPE_ARRAY', array_type: {element_type: typeProto(type[0])}};
	if (typeof type === 'string')
		return {type_kind: KINDS[type]};
	const field = Object.entries(type).map(([field_name, t]) => ({
		field_name,
		field_type: typeProto(t),
	}));
	return {type_kind: 'TYPE_STRUCT', struct_type: {field}};
}

function typeName(proto) {
	return Object.keys(KINDS).find(k => KINDS[k] === proto.type_kind) ?? proto.type_kind;
}

/* NUMERIC travels as a little-endian two's complement of nano-units. */
function numericBytes(nanos) {
	const bytes = Buffer.alloc(16);
	bytes.writeBigUInt64LE(BigInt.asUintN(64, nanos), 0);
	bytes.writeBigInt64LE(BigInt.asIntN(64, nanos >> 64n), 8);
	return bytes;
}

function numericOf(bytes) {
	const value = [...bytes].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
	return BigInt.asIntN(8 * bytes.length, value);
}

function timestampProto(text) {
	const [, seconds, fraction] = /^(.*?)(?:\.(\d{1,6}))?Z$/.exec(text);
	return {
		seconds: Date.parse(seconds + 'Z') / 1000,
		nanos: Number((fraction ?? '').padEnd(9, '0')),
	};
}

function timestampText({seconds, nanos}) {
	const whole = new Date(Number(seconds ?? 0) * 1000).toISOString().slice(0, 19);
	return nanos ? `${whole}.${String(nanos).padStart(9, '0').slice(0, 6)}Z` : whole + 'Z';
}

function valueProto(type, value) {
	if (value === null || value === undefined)
		return {};
	if (Array.isArray(type))
		return {array_value: {element: value.map(v => valueProto(type[0], v))}};
	if (typeof type === 'object') {
		const field = Object.entries(type).map(([name, t]) => valueProto(t, value[name]));
		return {struct_value: {field}};
	}
	switch (type) {
	case 'STRING':
		return {string_value: value};
	case 'INT64':
		return {int64_value: String(value)};
	case 'FLOAT64':
		return {double_value: value};
	case 'NUMERIC':
		return {numeric_value: numericBytes(value)};
	case 'DATE':
		return {date_value: Date.parse(value) / DAY_MS};
	case 'TIMESTAMP':
		return {timestamp_value: timestampProto(value)};
	}
	throw new Error(`no such type: ${type}`);
}

function valueOf(type, cell) {
	if (!cell.value)
		return null;
	const value = cell[cell.value];
	switch (type) {
	case 'INT64':
		return BigInt(value);
	case 'NUMERIC':
		return numericOf(value);
	case 'DATE':
		return new Date(value * DAY_MS).toISOString().slice(0, 10);
	case 'TIMESTAMP':
		return timestampText(value);
	default:
		return value;
	}
}

/* ---- the server ------------------------------------------------------------------------- */

function freePort() {
	return new Promise((resolve, reject) => {
		const server = createServer().on('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const {port} = server.address();
			server.close(() => resolve(port));
		});
	});
}

function connect(port) {
	const definition = protoLoader.loadSync('local_service.proto', {
		includeDirs: [join(files, 'protos')],
		keepCase: true,
		enums: String,
		longs: String,
		oneofs: true,
	});
	const {ZetaSqlLocalService} = grpc.loadPackageDefinition(definition).zetasql.local_service;
	const client = new ZetaSqlLocalService(
		`localhost:${port}`,
		grpc.credentials.createInsecure(),
		{'grpc.max_receive_message_length': -1, 'grpc.enable_http_proxy': 0},
	);
	return client;
}

function ready(client, server) {
	return new Promise((resolve, reject) => {
		server.on('error', reject);
		server.on('exit', code => reject(new Error(`the engine stopped with ${code}`)));
		client.waitForReady(Date.now() + START_MS, err => (err ? reject(err) : resolve()));
	});
}

class Engine {
	constructor(server, client) {
		this.server = server;
		this.client = client;
	}

	call(method, request) {
		return new Promise((resolve, reject) => {
			const options = {deadline: Date.now() + CALL_MS};
			this.client[method](request, options, (err, answer) =>
				err ? reject(new Error(err.details || err.message)) : resolve(answer));
		});
	}

	/* All of the language that is released, as its users outside Google have it. Without a
	 * time zone the engine takes that of Los Angeles, where BigQuery takes UTC. */
	async setLanguage() {
		const language = await this.call('GetLanguageOptions', {maximum_features: true});
		this.language = {...language, product_mode: 'PRODUCT_EXTERNAL'};
	}

	request(sql, table, params) {
		const column = Object.entries(table?.columns ?? {}).map(([name, type]) => ({
			name,
			type: typeProto(type),
			is_pseudo_column: name.startsWith('_'),
		}));
		return {
			sql,
			options: {
				language_options: this.language,
				default_timezone: 'UTC',
				query_parameters: Object.entries(params).map(([name, p]) => ({
					name,
					type: typeProto(p.type),
				})),
			},
			simple_catalog: {
				name: 'bigquery',
				builtin_function_options: {language_options: this.language},
				table: table ? [{name: table.name, column}] : [],
			},
			descriptor_pool_list: {definitions: [{builtin: {}}]},
		};
	}

	/* {names, types, params, rows}: what the columns are called, of which type they are,
	 * which parameters the text names, and rows of values. Throws the engine's own words.
	 *   table: {name, columns: {name: type}, rows: [{name: value}]} or null
	 *   params: {name: {type, value}} */
	async query(sql, table, params = {}) {
		const request = this.request(sql, table, params);
		const entries = Object.entries(table?.columns ?? {});
		const row = (table?.rows ?? []).map(r => ({
			cell: entries.map(([name, type]) => valueProto(type, r[name])),
		}));
		const answer = await this.call('EvaluateQuery', {
			...request,
			table_content: table ? {[table.name]: {table_data: {row}}} : {},
			params: Object.entries(params).map(([name, p]) => ({
				name,
				value: valueProto(p.type, p.value),
			})),
		});
		const {prepared} = answer;
		const types = prepared.columns.map(c => typeName(c.type));
		return {
			names: prepared.columns.map(c => c.name),
			types,
			params: (prepared.referenced_parameters ?? []).sort(),
			rows: (answer.content?.table_data?.row ?? []).map(r =>
				r.cell.map((cell, i) => valueOf(types[i], cell))),
		};
	}

	stop() {
		this.client.close();
		this.server.removeAllListeners('exit');
		this.server.kill();
	}
}


export async function startEngine() {
	const port = await freePort();
	const server = spawn(join(files, SERVERS[process.arch]), ['localhost', String(port)], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	process.on('exit', () => server.kill());
	const client = connect(port);
	await ready(client, server);
	const engine = new Engine(server, client);
	await engine.setLanguage();
	return engine;
}

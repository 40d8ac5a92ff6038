/* node check.mjs PRINT_SQL: runs every text that PRINT_SQL prints on Google's engine, over
 * the rows of export.mjs, and compares with what expected.mjs makes of the same rows. Prints
 * "ok NAME" or "not ok NAME" and what differs, a line for each check. */
import {execFileSync} from 'node:child_process';
import {bytesOf} from './bytes.mjs';
import {startEngine} from './engine.mjs';
import * as expected from './expected.mjs';
import {columnsOf, rows, TABLE} from './export.mjs';

const DAYS = {
	since: '2026-02-24',
	until: '9999-12-31',
	units: ['2026-02-24', '2026-02-26'], /* 2026-02-25 lies between and is not asked for */
	first: '2026-02-24',
	last: '2026-02-26',
	usage_from: '2026-02-24',
	usage_until: '2026-02-25',
	zone: 'Asia/Hong_Kong',
	/* of questions, in which `until` is a time */
	from: '2026-02-24T00:00:00Z',
	exported: '2026-02-26T23:59:59Z',
	month: '202602',
	projects: ['tpu-lab', 'tpu-lab-2'],
	keys: ['owner', 'team'],
};
const ASKED = {
	units: ['since', 'until'],
	rows: ['first', 'last', 'units'],
	ask: ['exported', 'first', 'from', 'last', 'month', 'projects', 'units', 'until'],
};
const TYPES = {zone: 'STRING', month: 'STRING', projects: 'STRING', keys: 'STRING', from: 'TIMESTAMP', exported: 'TIMESTAMP'};
const UNTIL = '2026-02-26T08:00:00Z';
const AT_ONCE = 8;

/* ---- saying what was found -------------------------------------------------------------- */

const plain = x => JSON.stringify(x, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));

function ok(name, right, ...details) {
	console.log(`${right ? 'ok' : 'not ok'} ${name}`);
	if (!right)
		details.forEach(d => console.log(`#   ${d}`));
}

function differences(what, got, want) {
	const [is, should] = [plain(got), plain(want)];
	return is === should ? [] : [`${what}: ${is}`, `${what}, should be: ${should}`];
}

/* As sets: our texts order by unit and the next column only. */
function rowDifferences(got, want) {
	const [is, should] = [got.map(plain), want.map(plain)];
	const extra = is.filter(r => !should.includes(r));
	const missing = should.filter(r => !is.includes(r));
	return [
		...(is.length === should.length ? [] : [`${is.length} rows, should be ${should.length}`]),
		...extra.slice(0, 3).map(r => `extra   ${r}`),
		...missing.slice(0, 3).map(r => `missing ${r}`),
	];
}

function same(name, got, want) {
	const problems = differences('is', got, want);
	ok(name, !problems.length, ...problems);
}

function sameRows(name, got, want) {
	const problems = want.length ? rowDifferences(got, want) : ['nothing is expected'];
	ok(name, !problems.length, ...problems);
}

/* ---- running the texts ------------------------------------------------------------------ */

function printed(program, table) {
	const out = execFileSync(program, [table], {encoding: 'utf8', maxBuffer: 1 << 26});
	return out.trim().split('\n').map(line => JSON.parse(line));
}

function paramsFor(query, has, days) {
	const names = [...ASKED[query], ...(has.has('cut') ? ['usage_from', 'usage_until'] : []),
		...(has.has('by_day') ? ['zone'] : []),
		...(query === 'ask' && has.has('labels') ? ['keys'] : [])];
	const type = name => TYPES[name] ?? (query === 'ask' && name === 'until' ? 'TIMESTAMP' : 'DATE');
	return Object.fromEntries(names.map(name => [
		name,
		{type: Array.isArray(days[name]) ? [type(name)] : type(name), value: days[name]},
	]));
}

const daysOf = (text, days) => (text.query === 'ask' ? {...days, until: UNTIL} : days);

function run(engine, text, {sql = text.sql, days = DAYS, data = rows, name = TABLE} = {}) {
	const has = new Set(text.has);
	const table = {name, columns: columnsOf(has), rows: data};
	return engine.query(sql, table, paramsFor(text.query, has, daysOf(text, days)));
}

function answerTo(text, days = DAYS) {
	const has = new Set(text.has);
	return text.query === 'units'
		? expected.units(rows, has, days)
		: expected.lines(rows, has, daysOf(text, days));
}

const nameOf = text => `${text.query} of ${text.has.join(' ') || 'the oldest'}`;
const columnsFor = text =>
	(text.query === 'units' ? expected.unitColumns : expected.lineColumns(new Set(text.has)));
const columnsIn = answer => answer.names.map((name, i) => `${name} ${answer.types[i]}`);
const sorted = list => list.every((x, i) => !i || list[i - 1] <= x);

async function problemsOf(engine, text) {
	const has = new Set(text.has);
	const answer = await run(engine, text);
	const asked = Object.keys(paramsFor(text.query, has, DAYS)).sort();
	return [
		...differences('columns', columnsIn(answer), columnsFor(text)),
		...differences('parameters', answer.params, asked),
		...rowDifferences(answer.rows, answerTo(text)),
		...(text.query === 'ask' || sorted(answer.rows.map(r => `${r[0]} ${r[1]}`)) ? [] : ['not in order']),
	];
}

async function checkText(engine, text) {
	const problems = await problemsOf(engine, text).catch(err => [err.message]);
	ok(nameOf(text), !problems.length, ...problems);
}

/* All shapes of a table, several at a time. */
async function checkAll(engine, texts) {
	const left = [...texts];
	const work = async () => {
		while (left.length)
			await checkText(engine, left.shift());
	};
	await Promise.all(Array.from({length: AT_ONCE}, work));
}

/* ---- sums that were worked out by hand -------------------------------------------------- */

/* Without the rows that expected.mjs is needed for: their sums are plain to see. */
async function checkByHand(engine, pick) {
	const about = 'by hand';
	const some = rows.filter(r => r.currency === 'EUR');
	const columns = ['credit_type', 'row_count', 'cost_sum', 'credits_sum', 'rate'];
	const units = await run(engine, pick('units'), {data: some});
	const lines = await run(engine, pick('rows'), {data: some});
	const at = columns.map(c => lines.names.indexOf(c));
	same(`${about}: units`, units.rows.map(r => r.slice(0, 5)), [
		['2026-02-24', 'EUR', 3n, 5_440_000_000n, -600_000_001n],
		['2026-02-26', 'EUR', 1n, 12_500_000_000n, 0n],
	]);
	sameRows(`${about}: lines`, lines.rows.map(r => at.map(i => r[i])), [
		['', 3n, 5_440_000_000n, 0n, 900_000_000n],
		['FREE_TIER', 0n, 0n, -1n, 843_700_000n],
		['PROMOTION', 0n, 0n, -300_000_000n, 843_700_000n],
		['UNKNOWN', 0n, 0n, -300_000_000n, 843_700_000n],
		['', 1n, 12_500_000_000n, 0n, 1_000_000_000n],
	]);
}

/* How the engine turns a FLOAT64 into NUMERIC, which expected.mjs and our imports repeat. */
async function checkRounding(engine) {
	const cases = [
		[2 ** -10, 976_563n], [-(2 ** -10), -976_563n], [4e-10, 0n], [9.5e-10, 1n],
		[1.2e-7, 120n], [0.1 + 0.2, 300_000_000n], [5e-324, 0n], [-12.5, -12_500_000_000n],
	];
	const data = cases.map(([x]) => ({x}));
	const table = {name: 't', columns: {x: 'FLOAT64'}, rows: data};
	const {rows: got} = await engine.query('SELECT x, CAST(x AS NUMERIC) FROM t', table);
	sameRows('FLOAT64 to NUMERIC', got, cases);
	same('and without SQL', cases.map(([x]) => expected.nanosOf(x)), cases.map(([, n]) => n));
}

/* ---- what else has to hold -------------------------------------------------------------- */

function added(answer, columns) {
	const at = name => answer.names.indexOf(name);
	const sums = {};
	for (const row of answer.rows) {
		const key = `${row[at('unit')]} ${row[at('currency')]}`;
		sums[key] ??= columns.map(() => 0n);
		columns.forEach((c, i) => (sums[key][i] += row[at(c)] ?? 0n));
	}
	return Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1));
}

/* The collector holds a unit to its check sums: both queries must agree on them. */
async function checkTogether(engine, pick) {
	const columns = ['row_count', 'cost_sum', 'credits_sum'];
	const days = {...DAYS, units: ['2026-02-20', '2026-02-24', '2026-02-25', '2026-02-26',
		'2026-03-01'], first: '2026-02-20', last: '2026-03-01', since: '2026-02-20'};
	const units = added(await run(engine, pick('units'), {days}), columns);
	ok('check sums: of several units and currencies', units.length >= 8, plain(units));
	same('check sums: of both queries',
		added(await run(engine, pick('rows'), {days}), columns), units);
}

async function checkDays(engine, pick) {
	const count = async (query, days) =>
		(await run(engine, pick(query), {days: {...DAYS, ...days}})).rows.length;
	same('no units asked for', await count('rows', {units: []}), 0);
	same('units outside of their bounds', await count('rows', {first: '2026-02-27'}), 0);
	same('since the last day', await count('units', {since: '2026-03-02'}), 0);
	same('until the day before', await count('units', {until: '2026-02-23'}), 0);
	same('an empty table', (await run(engine, pick('units'), {data: []})).rows, []);
	same('lines of an empty table', (await run(engine, pick('rows'), {data: []})).rows, []);
}

/* Each condition of a question leaves out rows, and an empty one none. */
async function checkQuestions(engine, text) {
	const count = async days => (await run(engine, text, {days: {...DAYS, ...days}})).rows.length;
	const all = await count({from: '2008-04-01T00:00:00Z', exported: '2027-01-01T00:00:00Z', month: '', projects: []});
	const usual = await count({});
	ok('a question: fewer lines than without conditions', usual > 0 && usual < all, `${usual} of ${all}`);
	for (const [name, value] of [['from', '2026-02-25T00:00:00Z'], ['exported', '2026-02-24T10:00:00Z'],
		['month', '202601'], ['projects', ['tpu-lab-2']]]) {
		const fewer = await count({[name]: value});
		ok(`a question: ${name}`, fewer < usual, `${fewer} of ${usual}`);
	}
	const sets = async keys => {
		const answer = await run(engine, text, {days: {...DAYS, keys}});
		const at = answer.names.indexOf('label_set');
		return [...new Set(answer.rows.map(r => r[at]))];
	};
	const [every, some] = [await sets([]), await sets(DAYS.keys)];
	ok('a question: labels', every.some(set => set?.includes('env')) && some.some(set => set) &&
		!some.some(set => set?.includes('env')), plain(some), plain(every));
}

/* Names of tables go into the text as they are. */
async function checkNames(engine, program, has) {
	for (const name of ['example.com:acme-lab.ds.t', 'a-1.d_2.export-copy', 'p.d.t']) {
		const texts = printed(program, name).filter(t => plain(t.has) === plain(has));
		for (const text of texts) {
			const answer = await run(engine, text, {name});
			sameRows(`${text.query} of ${name}`, answer.rows, answerTo(text));
		}
	}
	for (const name of ['p.d', 'p.d.t`', 'p.d.t x', 'p;.d.t', 'p.d.t\n', '..t', 'p.d-e.t']) {
		let refused = false;
		try {
			execFileSync(program, [name], {stdio: 'ignore'});
		} catch {
			refused = true;
		}
		ok(`no name of a table: ${JSON.stringify(name)}`, refused);
	}
}

async function rowsOf(engine, text, sql) {
	return (await run(engine, text, {sql})).rows.map(plain).sort();
}

/* Mistakes that these rows must bring to light: [query, what stands there, what is wrong]. */
const MISTAKES = [
	['units', 'COUNT(*)', 'COUNT(DISTINCT export_time)'],
	['units', 'SUM(CAST(cost AS NUMERIC))', 'CAST(SUM(cost) AS NUMERIC)'],
	['units', 'SUM(CAST(c.amount AS NUMERIC))', 'MAX(CAST(c.amount AS NUMERIC))'],
	['units', 'MAX(export_time)', 'MIN(export_time)'],
	['units', 'BETWEEN @since AND @until', '<= @until'],
	['units', 'DATE(_PARTITIONTIME)', 'DATE(export_time)'],
	['rows', 'DATE(_PARTITIONTIME)', 'DATE(usage_start_time)'],
	['rows', ', HOUR)', ', DAY)'],
	['rows', "IFNULL(NULLIF(c.type, ''), 'UNKNOWN')", 'c.type'],
	['rows', "IFNULL(NULLIF(c.type, ''), 'UNKNOWN')", "''"],
	['rows', 'CAST(cost AS NUMERIC)', 'ABS(CAST(cost AS NUMERIC))'],
	['rows', 'ARRAY(SELECT AS STRUCT', 'ARRAY(SELECT DISTINCT AS STRUCT'],
	['rows', 'IN UNNEST(@units)', 'IS NOT NULL'],
	['rows', 'SAFE_DIVIDE(', 'SAFE_MULTIPLY('],
	['rows', 'MAX(CAST(currency_conversion_rate', 'MIN(CAST(currency_conversion_rate'],
	['rows', 'usage.amount_in_pricing_units', 'usage.amount'],
	['rows', 'p.key NOT IN', 'p.key IN'],
	['rows', 'ORDER BY l.key', 'ORDER BY l.value'],
	['rows', 'COALESCE(CAST(cost_at_list AS NUMERIC), ', 'COALESCE('],
	['rows', 'CAST(cost_at_list_consumption_model AS NUMERIC), ', ''],
	['rows', 'CAST(cost_at_effective_price_default AS NUMERIC), ', ''],
	['rows', 'effective_price_default, price', 'effective_price, price'],
];

async function checkMistakes(engine, pick) {
	for (const [query, from, to] of MISTAKES) {
		const text = pick(query);
		const wrong = text.sql.replaceAll(from, to);
		const differs = plain(await rowsOf(engine, text, wrong)) !==
			plain(await rowsOf(engine, text, text.sql));
		ok(`a mistake is seen: ${from} -> ${to}`, wrong !== text.sql && differs);
	}
}

/* Without any one of the keys, lines would fall together. */
const KEYS = ['line.credit_type', 'invoice.month', 'currency', 'project.id', 'project.number',
	'service.id', 'service.description', 'sku.id', 'sku.description', 'location.location',
	'location.region', 'location.zone', 'usage.pricing_unit', 'billing_account_id', 'cost_type',
	'resource.name', 'resource.global_name', 'consumption_model.id',
	'consumption_model.description'];

async function checkKeys(engine, pick) {
	const text = pick('rows');
	const lines = (await rowsOf(engine, text, text.sql)).length;
	for (const key of KEYS) {
		const blind = text.sql.replace(` ${key} AS`, ` IFNULL(SUBSTR(${key}, 1, 0), '') AS`);
		const left = (await rowsOf(engine, text, blind)).length;
		ok(`a key is needed: ${key}`, left < lines, `${left} lines of ${lines}`);
	}
}

/* A text for a newer table is refused on an older one: what it lacks is really not there. */
async function checkMissing(engine, pick, has) {
	for (const flag of has.filter(f => f !== 'cut')) {
		const text = pick('rows');
		const table = {
			name: TABLE,
			columns: columnsOf(new Set(has.filter(f => f !== flag))),
			rows: [],
		};
		let why = 'nothing';
		try {
			await engine.query(text.sql, table, paramsFor('rows', new Set(has), DAYS));
		} catch (err) {
			why = err.message;
		}
		ok(`refused without ${flag}`, /^(Unrecognized name|Field name|Cannot access)/.test(why), why);
	}
}

/* Of the newest tables: what docs/scale.md calculates with. */
const BYTES = {units: 37, rows: 594, 'rows by_day': 384, ask: 554};

async function checkBytes(engine, texts, full) {
	const newest = (query, ...more) => texts.find(t =>
		t.query === query && plain([...t.has].sort()) === plain([...full, ...more].sort()));
	const of = {
		units: newest('units'),
		rows: newest('rows'),
		'rows by_day': texts.filter(t => t.query === 'rows' && t.has.includes('by_day')).at(-1),
		ask: texts.filter(t => t.query === 'ask' && t.has.includes('resource') && t.has.includes('labels')).at(-1),
	};
	for (const [name, text] of Object.entries(of)) {
		const has = new Set(text.has);
		const params = paramsFor(text.query, has, daysOf(text, DAYS));
		const {bytes, columns} = await bytesOf(columnsOf(has), c =>
			engine.query(text.sql, {name: TABLE, columns: c, rows: []}, params));
		ok(`bytes of a row: ${name}`, bytes === BYTES[name],
			`${bytes}, should be ${BYTES[name]}: ${columns.join(' ')}`);
	}
}

async function main(program) {
	const texts = printed(program, TABLE);
	const full = texts.filter(t => t.query === 'units').at(-1).has.filter(flag => flag !== 'cut');
	const pick = query => texts.find(t => t.query === query && plain(t.has) === plain(full));
	const engine = await startEngine();
	const guarded = async (name, check) => {
		try {
			await check();
		} catch (err) {
			ok(name, false, err.message);
		}
	};
	/* print_sql: ten flags with none or all of the five new ones, and each of the others of these */
	const questions = texts.filter(t => t.query === 'ask');
	const ofDays = texts.filter(t => t.query !== 'ask' && t.has.includes('by_day'));
	same('a text of a question for each grain', questions.length, 3 * 2 * 4 * 2 * 2);
	same('a text of days for the shapes without detail', ofDays.length, 2 * 2 ** 8);
	same('two texts for every shape', texts.length - ofDays.length - questions.length, 2 * (2 * 2 ** 10 + 2 ** 5 - 2));
	await guarded('rounding', () => checkRounding(engine));
	await guarded('all shapes', () => checkAll(engine, texts));
	await guarded('questions', () => checkQuestions(engine, questions.at(-1)));
	await guarded('by hand', () => checkByHand(engine, pick));
	await guarded('check sums', () => checkTogether(engine, pick));
	await guarded('days', () => checkDays(engine, pick));
	await guarded('names', () => checkNames(engine, program, full));
	await guarded('mistakes', () => checkMistakes(engine, pick));
	await guarded('keys', () => checkKeys(engine, pick));
	await guarded('missing columns', () => checkMissing(engine, pick, full));
	await guarded('bytes of a row', () => checkBytes(engine, texts, full));
	engine.stop();
}

await main(process.argv[2]);

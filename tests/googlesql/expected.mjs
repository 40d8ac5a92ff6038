/* What our texts should answer, worked out from the rows without SQL. Amounts are BigInt in
 * nano-units, and every FLOAT64 is rounded for itself, ties away from zero. */

const NANO = 1_000_000_000n;

function divided(a, b) {
	const negative = a < 0n !== b < 0n;
	const [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
	const rounded = (2n * x + y) / (2n * y);
	return negative ? -rounded : rounded;
}

/* The nano-units of a FLOAT64, from its very bits. */
export function nanosOf(x) {
	if (x === null || x === undefined)
		return null;
	const bits = new DataView(new ArrayBuffer(8));
	bits.setFloat64(0, x);
	const word = bits.getBigUint64(0);
	const exponent = Number((word >> 52n) & 0x7ffn);
	const fraction = word & ((1n << 52n) - 1n);
	const whole = exponent ? fraction | (1n << 52n) : fraction;
	const shift = (exponent || 1) - 1075;
	const signed = word >> 63n ? -whole : whole;
	return shift >= 0
		? signed * NANO << BigInt(shift)
		: divided(signed * NANO, 1n << BigInt(-shift));
}

/* SUM and MAX know no NULL, and of nothing they are NULL. */
const known = list => list.filter(x => x !== null);
const sum = list => known(list).reduce((a, b) => (a ?? 0n) + b, null);
const max = list => known(list).reduce((a, b) => (a === null || b > a ? b : a), null);

/* Of a calendar day: [year, month, day] there. */
function dateIn(zone, time) {
	const parts = new Intl.DateTimeFormat('en-CA', {timeZone: zone}).format(new Date(time));
	return parts.slice(0, 10);
}

const day = time => time && time.slice(0, 10);
const hour = time => time.slice(0, 13) + ':00:00Z';
const microseconds = time =>
	time.replace(/(?:\.(\d+))?Z$/, (_, f) => '.' + (f ?? '').padEnd(6, '0'));

function unitOf(row, has) {
	return day(has.has('partition_time') ? row._PARTITIONTIME : row.export_time);
}

/* The rows that a text reads: `units` is which units it takes. */
function asked(row, has, {from, until, exported, month, projects}) {
	const start = microseconds(hour(row.usage_start_time));
	return !has.has('asks') || (start >= microseconds(from) && start < microseconds(until) &&
		microseconds(row.export_time) < microseconds(exported) &&
		(!month || row.invoice.month === month) &&
		(!projects.length || projects.includes(row.project?.id)));
}

function read(rows, has, units, {usage_from, usage_until, ...question}) {
	const used = row => day(row.usage_start_time);
	return rows.filter(row => {
		const unit = unitOf(row, has);
		return unit && units(unit) && asked(row, has, question) &&
			(!has.has('cut') || (used(row) >= usage_from && used(row) <= usage_until));
	});
}

function grouped(list, keyOf) {
	const groups = new Map();
	for (const item of list) {
		const key = JSON.stringify(keyOf(item), (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
		groups.set(key, [...(groups.get(key) ?? []), item]);
	}
	return [...groups.values()].map(items => [keyOf(items[0]), items]);
}

const lastExport = items => items.map(r => r.export_time)
	.reduce((a, b) => (microseconds(b) > microseconds(a) ? b : a));

/* [unit, currency, row_count, cost_sum, credits_sum, exported] */
export function units(rows, has, params) {
	const wanted = unit => unit >= params.since && unit <= params.until;
	const credits = r => sum((r.credits ?? []).map(c => nanosOf(c.amount))) ?? 0n;
	return grouped(read(rows, has, wanted, params), r => [unitOf(r, has), r.currency])
		.map(([key, items]) => [
			...key,
			BigInt(items.length),
			sum(items.map(r => nanosOf(r.cost))),
			sum(items.map(credits)),
			lastExport(items),
		]);
}

function rowPrice(row, column) {
	const {[column]: a, pricing_unit_quantity: b} = row.price ?? {};
	return a === null || a === undefined || !b ? null : divided(a * NANO, b);
}

/* The first of the amounts that the row has: a NUMERIC is a BigInt already. */
function firstOf(has, row, columns) {
	const amounts = columns.filter(([flag]) => has.has(flag)).map(([, name]) => row[name])
		.map(x => (typeof x === 'bigint' ? x : nanosOf(x)));
	return amounts.find(x => x !== null && x !== undefined) ?? nanosOf(row.cost);
}

/* The usage itself, then its credits. */
function linesOf(row, has) {
	const usage = has.has('pricing_usage') ? 'amount_in_pricing_units' : 'amount';
	const own = {
		type: '',
		usage: nanosOf(row.usage?.[usage]),
		cost: nanosOf(row.cost),
		credit: 0n,
		listed: firstOf(has, row, [['list', 'cost_at_list'],
			['list_model', 'cost_at_list_consumption_model']]),
		standard: firstOf(has, row, [['default', 'cost_at_effective_price_default']]),
		count: 1n,
	};
	const credits = (row.credits ?? []).map(c => ({
		type: c.type ?? 'UNKNOWN',
		usage: 0n,
		cost: 0n,
		credit: nanosOf(c.amount),
		listed: 0n,
		standard: 0n,
		count: 0n,
	}));
	return [own, ...credits].map(line => ({...line, row}));
}

/* Those of the project do not replace the row's own. */
function labelSet(row, asked) {
	const all = Object.fromEntries(
		[...(row.project?.labels ?? []), ...(row.labels ?? [])].map(l => [l.key, l.value ?? '']));
	const text = Object.keys(all).sort()
		.filter(key => !asked?.length || asked.includes(key))
		.map(key => JSON.stringify(key) + ':' + JSON.stringify(all[key])).join();
	return text ? `{${text}}` : null;
}

/* In what order the columns come: those that the table has not stand behind the others. */
function keys(has, {zone, keys: asked} = {}) {
	const optional = (flag, name, of) => ({name, of: has.has(flag) ? of : null});
	const start = l => l.row.usage_start_time;
	const times = [
		{name: 'day', of: l => dateIn(zone, hour(start(l)))},
		{name: 'utc_day', of: l => day(start(l))},
		{name: 'pacific_month', of: l => dateIn('America/Los_Angeles', start(l)).slice(0, 7) + '-01'},
		...(has.has('rate') ? [{name: 'rate', of: l => nanosOf(l.row.currency_conversion_rate)}] : []),
	];
	const rates = times.filter(k => k.name === 'rate');
	const list = [
		...(byUnit(has) ? [{name: 'unit', of: l => unitOf(l.row, has)}] : []),
		...(byHour(has) ? [{name: 'hour', of: l => hour(start(l))}]
			: has.has('by_sum') ? rates
				: has.has('asks') ? [times[0], ...rates] : times),
		{name: 'credit_type', of: l => l.type},
		{name: 'invoice_month', of: l => l.row.invoice.month},
		{name: 'currency', of: l => l.row.currency},
		{name: 'project_id', of: l => l.row.project?.id},
		{name: 'service_id', of: l => l.row.service.id},
		{name: 'service_name', of: l => l.row.service.description},
		{name: 'sku_id', of: l => l.row.sku.id},
		{name: 'sku_name', of: l => l.row.sku.description},
		{name: 'place', of: l => l.row.location?.location},
		{name: 'region', of: l => l.row.location?.region},
		{name: 'zone', of: l => l.row.location?.zone},
		{
			name: 'usage_unit',
			of: l => l.row.usage?.[has.has('pricing_usage') ? 'pricing_unit' : 'unit'],
		},
		optional('account', 'account', l => l.row.billing_account_id),
		optional('number', 'project_number', l => l.row.project?.number),
		optional('cost_type', 'cost_type', l => l.row.cost_type),
		optional('resource', 'resource_name', l => l.row.resource?.name),
		optional('resource', 'global_name', l => l.row.resource?.global_name),
		optional('labels', 'label_set', l => labelSet(l.row, has.has('asks') && asked)),
		optional('model', 'model', l => l.row.consumption_model?.id),
		optional('model', 'model_name', l => l.row.consumption_model?.description),
	];
	return [...list.filter(k => k.of), ...list.filter(k => !k.of)];
}

const byHour = has => !has.has('by_day') && !has.has('by_sum');
const byUnit = has => !has.has('asks') || byHour(has);
const byRate = has => !byHour(has) && has.has('rate');

const typeOfKey = {unit: 'DATE', hour: 'TIMESTAMP', day: 'DATE', utc_day: 'DATE', pacific_month: 'DATE',
	rate: 'NUMERIC'};

export const unitColumns = [
	'unit DATE', 'currency STRING', 'row_count INT64', 'cost_sum NUMERIC', 'credits_sum NUMERIC',
	'exported TIMESTAMP',
];

export function lineColumns(has) {
	return [
		...keys(has).map(k => `${k.name} ${typeOfKey[k.name] ?? 'STRING'}`),
		...(byRate(has) ? [] : ['rate NUMERIC']),
		...(byHour(has) ? [] : ['hour TIMESTAMP', 'first_hour TIMESTAMP']),
		...(byUnit(has) ? [] : ['unit DATE']),
		'price NUMERIC', 'price_default NUMERIC', 'usage_sum NUMERIC',
		'cost_sum NUMERIC', 'credits_sum NUMERIC', 'list_sum NUMERIC', 'default_sum NUMERIC',
		'row_count INT64',
	];
}

export function lines(rows, has, params) {
	const all = read(rows, has, unit => params.units.includes(unit), params)
		.flatMap(row => linesOf(row, has));
	const by = keys(has, params);
	return grouped(all, l => by.map(k => k.of?.(l) ?? null)).map(([key, items]) => [
		...key,
		...(byRate(has)
			? []
			: [has.has('rate') ? max(items.map(l => nanosOf(l.row.currency_conversion_rate))) : null]),
		...(!byHour(has)
			? [max(items.map(l => hour(l.row.usage_start_time))),
				items.map(l => hour(l.row.usage_start_time)).reduce((a, b) => (b < a ? b : a))]
			: []),
		...(byUnit(has) ? [] : [max(items.map(l => unitOf(l.row, has)))]),
		has.has('price') ? max(items.map(l => rowPrice(l.row, 'effective_price'))) : null,
		has.has('price') && has.has('price_default')
			? max(items.map(l => rowPrice(l.row, 'effective_price_default')))
			: null,
		sum(items.map(l => l.usage)),
		sum(items.map(l => l.cost)),
		sum(items.map(l => l.credit)),
		sum(items.map(l => l.listed)),
		sum(items.map(l => l.standard)),
		sum(items.map(l => l.count)),
	]);
}

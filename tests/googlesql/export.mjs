/* A hand-made billing export: every column that our texts may read, and the rows that are
 * easiest to get wrong. Columns and types:
 * https://cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/detailed-usage */

export const TABLE =
	'acme-billing.billing_export.gcp_billing_export_resource_v1_01AB23_CD45EF_678901';

/* The columns of a table with these flags of struct billing_shape (a Set of names). What it
 * does not have is not declared, so that a text that reads it is refused. */
export function columnsOf(has) {
	return {
		...(has.has('partition_time') && {_PARTITIONTIME: 'TIMESTAMP'}),
		...(has.has('account') && {billing_account_id: 'STRING'}),
		service: {id: 'STRING', description: 'STRING'},
		sku: {id: 'STRING', description: 'STRING'},
		usage_start_time: 'TIMESTAMP',
		usage_end_time: 'TIMESTAMP',
		project: {
			id: 'STRING',
			...(has.has('number') && {number: 'STRING'}),
			name: 'STRING',
			...(has.has('labels') && {labels: [{key: 'STRING', value: 'STRING'}]}),
		},
		...(has.has('labels') && {labels: [{key: 'STRING', value: 'STRING'}]}),
		location: {location: 'STRING', country: 'STRING', region: 'STRING', zone: 'STRING'},
		...(has.has('resource') && {resource: {name: 'STRING', global_name: 'STRING'}}),
		...(has.has('price') && {
			price: {
				effective_price: 'NUMERIC',
				tier_start_amount: 'NUMERIC',
				unit: 'STRING',
				pricing_unit_quantity: 'NUMERIC',
				...(has.has('price_default') && {effective_price_default: 'NUMERIC'}),
			},
		}),
		export_time: 'TIMESTAMP',
		cost: 'FLOAT64',
		currency: 'STRING',
		...(has.has('rate') && {currency_conversion_rate: 'FLOAT64'}),
		usage: {
			amount: 'FLOAT64',
			unit: 'STRING',
			...(has.has('pricing_usage') && {
				amount_in_pricing_units: 'FLOAT64',
				pricing_unit: 'STRING',
			}),
		},
		credits: [
			{name: 'STRING', amount: 'FLOAT64', full_name: 'STRING', id: 'STRING', type: 'STRING'},
		],
		invoice: {month: 'STRING'},
		...(has.has('cost_type') && {cost_type: 'STRING'}),
		...(has.has('list') && {cost_at_list: 'FLOAT64'}),
		...(has.has('model') && {consumption_model: {id: 'STRING', description: 'STRING'}}),
		...(has.has('default') && {cost_at_effective_price_default: 'NUMERIC'}),
		...(has.has('list_model') && {cost_at_list_consumption_model: 'FLOAT64'}),
	};
}

const nano = 1_000_000_000n;
const price = (effective, quantity) => ({
	effective_price: effective,
	tier_start_amount: 0n,
	unit: 'hour',
	pricing_unit_quantity: quantity,
	effective_price_default: effective,
});
const hours = n => ({
	amount: n * 3600,
	unit: 'seconds',
	amount_in_pricing_units: n,
	pricing_unit: 'hour',
});
const credit = (type, amount) => ({name: 'n', amount, full_name: 'f', id: 'i', type});

const place = {location: 'us-west4-a', country: 'US', region: 'us-west4', zone: 'us-west4-a'};

/* An hour of a v5e slice, exported two hours later, with what differs. */
function row(differs) {
	return {
		_PARTITIONTIME: '2026-02-24T00:00:00Z',
		billing_account_id: '01AB23-CD45EF-678901',
		service: {id: '6F81-5844-456A', description: 'Compute Engine'},
		sku: {id: '0A1B-2C3D-4E5F', description: 'TPU v5e "lite" in Zürich\'s zone'},
		usage_start_time: '2026-02-24T10:00:00Z',
		usage_end_time: '2026-02-24T11:00:00Z',
		project: {id: 'tpu-lab', number: '123456789012', name: 'TPU lab'},
		labels: [{key: 'owner', value: 'ada'}, {key: 'env', value: 'te"st'}],
		location: place,
		resource: {name: 'slice-1', global_name: '//tpu.googleapis.com/slice-1'},
		price: price(nano, nano),
		export_time: '2026-02-24T12:40:33.719870Z',
		cost: 12.5,
		currency: 'USD',
		currency_conversion_rate: 1,
		usage: hours(1),
		credits: [],
		invoice: {month: '202602'},
		cost_type: 'regular',
		cost_at_list: 15.25,
		consumption_model: {id: '7754-699E-0EBF', description: 'Default'},
		cost_at_effective_price_default: 12_500_000_000n,
		cost_at_list_consumption_model: 15.25,
		...differs,
	};
}

/* Several credits of one type in one row, of several types, and of none. */
const credited = row({
	cost: 0.1,
	credits: [
		credit('PROMOTION', -0.1),
		credit('PROMOTION', -0.2),
		credit('FREE_TIER', -1e-9),
		credit(null, -0.3),
	],
});

const usual = [
	row({}),
	row({export_time: '2026-02-24T12:40:33.719871Z'}),
	credited,
	credited, /* the same row twice is two rows */
	row({credits: [credit('DISCOUNT', -0.5), credit('DISCOUNT', -0.5)]}),
	row({credits: [credit('DISCOUNT', null)]}),
	row({credits: [credit('PROMOTION', 0.25)]}), /* a credit that is taken back */
	row({cost: null, credits: null}),
	row({cost: -12.5, usage: hours(-1), export_time: '2026-02-25T03:00:00Z'}), /* correction */
	row({cost: -3, cost_type: 'adjustment'}),
	row({cost: 0, invoice: {month: '202603'}}),
];

/* Each is rounded to nano-units for itself, ties away from zero: of the binary number as it
 * is, so 2^-10 and its multiples are ties, and 5e-10 is whatever lies nearest to it. */
const floats = [
	1.2e-7, 9.5e-10, 1e-10, 4e-10, 4e-10, -4e-10, 5e-10, -5e-10, 1.5e-9, 2.5e-9, 3.5e-9, -2.5e-9,
	2 ** -10, 3 * 2 ** -10, -(2 ** -10), 5 * 2 ** -11, -7 * 2 ** -12, 123456789.123456789, 1e15,
	-1e15, 0.1 + 0.2, 1 / 3, 5e-324, -0,
].map(x => row({
	sku: {id: 'FLOATS', description: 'Floats'},
	cost: x,
	usage: {...hours(1), amount: x, amount_in_pricing_units: -x},
	credits: [credit('PROMOTION', x), credit('DISCOUNT', -x / 3)],
}));

/* Not every row has a project, a place or a resource: taxes have none of them. */
const tax = {
	project: null,
	service: {id: 'TAX', description: 'Invoice'},
	sku: {id: 'TAX', description: 'Tax'},
	location: null,
	resource: null,
	price: null,
	usage: null,
	cost_type: 'tax',
};
const sparse = [
	row({...tax, cost: 1.07}),
	row({
		...tax,
		cost: 0.03,
		project: {id: null, number: null, name: null},
		location: {location: null, country: null, region: null, zone: null},
		usage: {amount: null, unit: null, amount_in_pricing_units: null, pricing_unit: null},
	}), /* a record of NULLs is no other key than no record */
	row({...tax, cost: 0.5, project: {id: '', number: '', name: ''}}), /* but '' is */
];

/* Whatever tells lines apart does so alone. */
const alone = [
	{},
	{invoice: {month: '202601'}},
	{currency: 'HKD'},
	{project: {id: 'tpu-lab-2', number: '123456789012', name: 'TPU lab'}},
	{project: {id: 'tpu-lab', number: '999', name: 'created again'}},
	{service: {id: 'E000-3F24-B8AA', description: 'Compute Engine'}},
	{service: {id: '6F81-5844-456A', description: 'renamed'}},
	{sku: {id: 'FFFF-FFFF-FFFF', description: 'TPU v5e "lite" in Zürich\'s zone'}},
	{sku: {id: '0A1B-2C3D-4E5F', description: 'renamed'}},
	{location: {...place, location: 'us'}},
	{location: {...place, region: null}},
	{location: {...place, zone: null}},
	{usage: {...hours(2), pricing_unit: 'gibibyte hour'}},
	{usage: {...hours(2), unit: 'byte-seconds'}},
	{billing_account_id: '999999-999999-999999'},
	{cost_type: 'rounding_error'},
	{resource: {name: 'slice-2', global_name: '//tpu.googleapis.com/slice-1'}},
	{resource: {name: 'slice-1', global_name: null}},
	{labels: [{key: 'owner', value: 'ben'}]},
	{labels: []},
	{consumption_model: {id: '61F8-639B-D89C', description: 'Default'}},
	{consumption_model: {id: '7754-699E-0EBF', description: 'renamed'}},
	{consumption_model: null},
	{project: {id: 'tpu-lab', number: '123456789012', name: 'TPU lab',
		labels: [{key: 'team', value: 'x'}, {key: 'owner', value: 'carl'}]}},
].map(row);

const prices = [
	[nano, 3n * nano],
	[2n * nano, 3n * nano], /* rounds up */
	[-2n * nano, 3n * nano],
	[1n, 2n * nano], /* half a nano-unit: away from zero */
	[nano, 0n],
	[nano, null],
	[null, nano],
].map(([effective, quantity], i) => row({
	sku: {id: `PRICE-${i}`, description: 'Prices'},
	price: price(effective, quantity),
}));
/* One SKU and hour in several consumption models; rows of before have none of these columns. */
const committed = {id: '52FB-D69D-95BE', description: 'Compute Flexible CUD - 1 Year'};
const models = [
	{cost: 10, cost_at_list: 12, cost_at_effective_price_default: 10_000_000_000n},
	{cost: 7.2, cost_at_list: 12, consumption_model: committed,
		cost_at_effective_price_default: 10_000_000_000n, cost_at_list_consumption_model: 8.64,
		price: {...price(7_200_000_000n, nano), effective_price_default: 10n * nano}},
	{cost: 0, cost_at_list: 12.1, cost_at_effective_price_default: 0n},
	{cost: 3.3, cost_at_list: null, consumption_model: committed,
		cost_at_effective_price_default: null, cost_at_list_consumption_model: 4.4},
	{cost: 0.7, cost_at_list: null, consumption_model: null,
		cost_at_effective_price_default: null, cost_at_list_consumption_model: null},
	{cost: null, cost_at_list: 1e-9, cost_at_effective_price_default: 2n},
].map(r => row({sku: {id: 'MODELS', description: 'Consumption models'}, ...r}));
const dearest = [3n, 7n, 5n].map(n => row({
	sku: {id: 'PRICES', description: 'Several prices in one hour'},
	price: price(n * nano, 2n * nano),
}));

const currencies = [
	row({currency: 'EUR', currency_conversion_rate: 0.8437, cost: 3.33}),
	row({currency: 'EUR', currency_conversion_rate: 0.8437, cost: 1.11, credits: credited.credits}),
	row({currency: 'EUR', currency_conversion_rate: 0.9, cost: 1}),
	row({currency: 'JPY', currency_conversion_rate: 149.37, cost: 1500}),
	row({currency: 'HKD', currency_conversion_rate: null, cost: 7}),
];

/* Hours and days at their edges, late rows, and rows of no or other partitions. */
const at = (partition, start, exported, differs) => row({
	_PARTITIONTIME: partition && partition + 'T00:00:00Z',
	usage_start_time: start,
	export_time: exported ?? (partition && partition + 'T23:59:59.999999Z'),
	...differs,
});
const times = [
	at('2026-02-24', '2026-02-24T10:59:59.999999Z'),
	at('2026-02-24', '2026-02-24T11:00:00Z'),
	at('2026-02-24', '2026-02-24T00:00:00Z'),
	at('2026-02-24', '2026-02-23T23:59:59Z'),
	at('2026-02-24', '2026-02-24T10:30:00Z', '2026-02-25T00:00:00Z'),
	at('2026-02-25', '2026-02-24T23:30:00Z'),
	at('2026-02-25', '2026-02-25T00:30:00Z', null, {credits: credited.credits}),
	at('2026-02-26', '2026-02-24T10:00:00Z', null, {cost: 99}), /* two days late */
	at('2026-02-26', '2026-02-26T08:15:00Z'),
	at('2026-02-26', '2026-02-26T08:45:00Z', null, {currency: 'EUR'}),
	at('2026-02-20', '2026-02-20T08:00:00Z', null, {cost: 1000}),
	at('2026-03-01', '2026-02-28T08:00:00Z', null, {cost: 2000}),
	at(null, '2026-02-24T10:00:00Z', '2026-02-26T12:00:00Z', {cost: 4000}),
];

export const rows = [
	...usual, ...floats, ...sparse, ...alone, ...prices, ...models, ...dearest, ...currencies, ...times,
];

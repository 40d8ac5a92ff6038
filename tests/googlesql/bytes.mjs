/* Bytes that BigQuery charges for each row of the export: of the columns that a text names, and of a STRUCT or ARRAY
 * those of its fields. A column is read if the engine refuses the text over a table that calls it otherwise, as a dry run
 * of BigQuery would. Sizes: https://cloud.google.com/bigquery/pricing#data */

const SIZES = {INT64: 8, FLOAT64: 8, TIMESTAMP: 8, DATE: 8, NUMERIC: 16};

/* An hour of a core, with values as long as they usually are: one credit, three labels, one of the project. */
const TYPICAL = {
	billing_account_id: '01AB23-CD45EF-678901',
	service: {id: '6F81-5844-456A', description: 'Compute Engine'},
	sku: {id: '2E27-4F75-95CD', description: 'N1 Predefined Instance Core running in Americas'},
	project: {
		id: 'tpu-research-lab',
		number: '123456789012',
		name: 'TPU research lab',
		labels: [{key: 'team', value: 'vision'}],
	},
	labels: [
		{key: 'owner', value: 'ada-lovelace'},
		{key: 'experiment', value: 'resnet-50-baseline'},
		{key: 'goog-terraform-provisioned', value: 'true'},
	],
	location: {location: 'us-central1', country: 'US', region: 'us-central1', zone: 'us-central1-a'},
	resource: {
		name: 'trainer-1',
		global_name: '//compute.googleapis.com/projects/123456789012/zones/us-central1-a/instances/1234567890123456789',
	},
	price: {unit: 'hour'},
	currency: 'USD',
	usage: {unit: 'seconds', pricing_unit: 'hour'},
	credits: [{name: 'TPU Research Cloud', full_name: 'TPU Research Cloud', id: 'tpu-research-cloud-2026', type: 'PROMOTION'}],
	invoice: {month: '202602'},
	cost_type: 'regular',
	consumption_model: {id: '7754-699E-0EBF', description: 'Default'},
};

/* Every column without fields, as a path: ['credits', 'amount']. */
function leaves(columns, path = []) {
	return Object.entries(columns).flatMap(([name, type]) => {
		const fields = Array.isArray(type) ? type[0] : type;
		const at = [...path, name];
		return typeof fields === 'string' ? [at] : leaves(fields, at);
	});
}

/* The same columns, of which that one has another name. */
function renamed(columns, [name, ...rest]) {
	return Object.fromEntries(Object.entries(columns).map(([key, type]) => {
		if (key !== name)
			return [key, type];
		if (!rest.length)
			return [`other_${key}`, type];
		return [key, Array.isArray(type) ? [renamed(type[0], rest)] : renamed(type, rest)];
	}));
}

function typeOf(columns, [name, ...rest]) {
	const type = Array.isArray(columns[name]) ? columns[name][0] : columns[name];
	return rest.length ? typeOf(type, rest) : type;
}

function sizeOf(type, value, [name, ...rest]) {
	const at = value?.[name];
	if (Array.isArray(at))
		return at.reduce((sum, item) => sum + sizeOf(type, item, rest), 0);
	if (rest.length)
		return sizeOf(type, at, rest);
	if (type !== 'STRING')
		return SIZES[type];
	if (at === undefined)
		throw new Error(`a typical row has no ${name}`);
	return 2 + at.length;
}

/* {bytes, columns}: `query` runs the text over a table with these columns and no rows. */
export async function bytesOf(columns, query) {
	let bytes = 0;
	const read = [];
	await query(columns);
	for (const path of leaves(columns)) {
		try {
			await query(renamed(columns, path));
		} catch {
			read.push(path.join('.'));
			bytes += sizeOf(typeOf(columns, path), TYPICAL, path);
		}
	}
	return {bytes, columns: read};
}

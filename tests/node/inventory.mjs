/* Reads a sandbox with Google's own client libraries and prints what they understood:
 *   node inventory.mjs URL KEY.json PROJECT.DATASET.TABLE PROJECT...
 * With KEY "metadata" the token comes from the metadata server instead of a key. Every
 * page is small, so that the libraries have to turn pages. */
import {readFileSync} from 'node:fs';
import {BigQuery} from '@google-cloud/bigquery';
import compute from '@google-cloud/compute';
import tpu from '@google-cloud/tpu';

const [url, keyFile, tableName, ...projects] = process.argv.slice(2);
const PAGE = 2;
const CALL = {autoPaginate: false};
const key = keyFile === 'metadata' ? null : JSON.parse(readFileSync(keyFile, 'utf8'));
const last = text => (text ?? '').split('/').pop();

/* The libraries sign for, and ask, Google's token endpoint whatever the key says; this
 * sends that one request where the key's token_uri points. */
async function exchangeAtTokenUri(auth) {
	if (!key)
		return;
	const transporter = (await auth.getClient()).transporter;
	const send = transporter.request.bind(transporter);
	transporter.request = options =>
		send(String(options.url).endsWith('/token') ? {...options, url: key.token_uri} : options);
}

async function connect(Client) {
	const {hostname, port} = new URL(url);
	const client = new Client({
		fallback: true,
		protocol: 'http',
		apiEndpoint: hostname,
		port: Number(port),
		...(key && {credentials: key}),
	});
	await exchangeAtTokenUri(client.auth);
	return client;
}

/* ---- what exists ------------------------------------------------------------------------ */

function resource(project, kind, location, name, type, state) {
	return {id: [project, kind, location, name].join('/'), kind, location, name, type, state};
}

/* One of Compute's aggregated lists, which are keyed by scope: "zones/x", "global". */
async function computeKind(Client, project, field, write) {
	const client = await connect(Client);
	const found = [];
	const request = {project, maxResults: PAGE, returnPartialSuccess: true};
	for await (const [scope, list] of client.aggregatedListAsync(request, CALL))
		for (const item of list[field] ?? [])
			found.push(write(item, last(scope)));
	return found;
}

async function computeResources(project) {
	const is = kind => (x, at) =>
		resource(project, kind, at, x.name, last(x.machineType ?? x.type), x.status);
	return [
		...(await computeKind(compute.InstancesClient, project, 'instances', is('vm'))),
		...(await computeKind(compute.DisksClient, project, 'disks', is('disk'))),
		...(await computeKind(compute.AddressesClient, project, 'addresses', (x, at) =>
			resource(project, 'ip', at, x.name, x.addressType.toLowerCase(), x.status))),
	];
}

async function tpuResources(project) {
	const client = await connect(tpu.v2.TpuClient);
	const request = {parent: `projects/${project}/locations/-`, pageSize: PAGE};
	const found = [];
	const add = (kind, x, type, state) =>
		found.push(resource(project, kind, x.name.split('/')[3], last(x.name), type, state));
	for await (const x of client.listNodesAsync(request, CALL))
		add('tpu', x, x.acceleratorType, x.state);
	for await (const x of client.listQueuedResourcesAsync(request, CALL))
		add('queued', x, x.tpu.nodeSpec[0].node.acceleratorType, x.state.state);
	return found;
}

/* ---- what was billed -------------------------------------------------------------------- */

/* The decimal text of a number as nano-units, exactly: "4.4e-05" is 44000. */
function nanos(number) {
	const [, sign, whole, part = '', exp = '0'] =
		/^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(number));
	const shift = 9 - part.length + Number(exp);
	const digits = BigInt(whole + part);
	const scale = 10n ** BigInt(Math.abs(shift));
	if (shift < 0 && digits % scale)
		throw new Error(`finer than a nano-unit: ${number}`);
	const value = shift < 0 ? digits / scale : digits * scale;
	return sign ? -value : value;
}

function sumByCurrency(rows) {
	const sums = {};
	for (const row of rows) {
		const sum = (sums[row.currency] ??= {cost: 0n, credits: 0n});
		sum.cost += nanos(row.cost);
		for (const credit of row.credits)
			sum.credits += nanos(credit.amount);
	}
	for (const [currency, {cost, credits}] of Object.entries(sums))
		sums[currency] = {cost: String(cost), credits: String(credits)};
	return sums;
}

/* Timestamps and records came through as what they are. */
function rowProblem(row) {
	const start = Date.parse(row.usage_start_time.value);
	if (Date.parse(row.usage_end_time.value) - start !== 3600e3)
		return 'usage is not an hour';
	if (!(Date.parse(row.export_time.value) > start))
		return 'exported before it was used';
	if (!Array.isArray(row.labels) || row.adjustment_info !== null)
		return 'empty records are not empty';
	if (row.project !== null && !/^\d+$/.test(row.project.number))
		return 'a project without number';
	return null;
}

async function billing() {
	const [projectId, datasetId, tableId] = tableName.split('.');
	const bigquery = new BigQuery({apiEndpoint: url, projectId, ...(key && {credentials: key})});
	await exchangeAtTokenUri(bigquery.authClient);
	const dataset = bigquery.dataset(datasetId);
	const [about] = await dataset.getMetadata();
	const [meta] = await dataset.table(tableId).getMetadata();
	const [rows] = await dataset.table(tableId).getRows();
	const [floats] = await dataset
		.table(tableId)
		.getRows({'formatOptions.useInt64Timestamp': false});
	const problems = new Set([...rows, ...floats].map(rowProblem).filter(Boolean));
	return {
		dataset: about.location,
		location: meta.location,
		numRows: meta.numRows,
		columns: meta.schema.fields.map(f => f.name),
		rows: rows.length,
		sameTwice: JSON.stringify(rows) === JSON.stringify(floats),
		problems: [...problems],
		sums: sumByCurrency(rows),
	};
}

const resources = [];
for (const project of projects)
	resources.push(...(await computeResources(project)), ...(await tpuResources(project)));
resources.sort((a, b) => (a.id < b.id ? -1 : 1));
console.log(JSON.stringify({resources, billing: await billing()}, null, '\t'));

/* node google.mjs URL KEY.json INFLIGHT PROJECT...: lists machines, disks, addresses, TPUs and
 * queued resources of every project with Google's own client libraries, so many calls at a time,
 * and prints how many machines there are. */
import {readFileSync} from 'node:fs';
import compute from '@google-cloud/compute';
import tpu from '@google-cloud/tpu';

const [url, keyFile, inflight, ...projects] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(keyFile, 'utf8'));
const {hostname, port} = new URL(url);

/* The libraries ask Google's token endpoint whatever the key says: that one request goes where the
 * key's token_uri points. */
async function connect(Client) {
	const client = new Client({
		fallback: true,
		protocol: 'http',
		apiEndpoint: hostname,
		port: Number(port),
		credentials,
	});
	const transporter = (await client.auth.getClient()).transporter;
	const send = transporter.request.bind(transporter);
	transporter.request = options =>
		send(String(options.url).endsWith('/token')
			? {...options, url: credentials.token_uri}
			: options);
	return client;
}

const nodes = await connect(tpu.v2.TpuClient);
const lists = [
	...(await Promise.all(
		[compute.InstancesClient, compute.DisksClient, compute.AddressesClient].map(connect),
	)).map(client => async project => {
		let n = 0;
		for await (const [, {instances}] of client.aggregatedListAsync({
			project,
			returnPartialSuccess: true,
		}))
			n += instances?.length ?? 0;
		return n;
	}),
	async project => {
		await nodes.listNodes({parent: `projects/${project}/locations/-`});
		return 0;
	},
	async project => {
		await nodes.listQueuedResources({parent: `projects/${project}/locations/-`});
		return 0;
	},
];

const calls = projects.flatMap(project => lists.map(list => () => list(project)));
let machines = 0;
async function worker() {
	for (let call = calls.pop(); call; call = calls.pop()) {
		const found = await call();
		machines += found;
	}
}
await Promise.all(Array.from({length: Number(inflight)}, worker));
console.log(machines);

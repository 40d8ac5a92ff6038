/* Google's own Node libraries stop, start, label and delete what is in the small world: one
 * line of JSON a step. actions.mjs URL KEY-FILE */
import {readFileSync} from 'node:fs';
import compute from '@google-cloud/compute';
import tpu from '@google-cloud/tpu';

const [url, keyFile] = process.argv.slice(2);
const key = JSON.parse(readFileSync(keyFile, 'utf8'));
const at = {project: 'lab-one', zone: 'us-central1-b'};
const vm = {...at, instance: 'big'};
const node = 'projects/lab-one/locations/us-central1-a/nodes/wrong';
const slice = 'projects/lab-two/locations/us-central2-b/nodes/slice';
const say = (...words) => console.log(JSON.stringify(words));

async function connect(Client) {
	const {hostname, port} = new URL(url);
	const client = new Client({
		fallback: true,
		protocol: 'http',
		apiEndpoint: hostname,
		port: Number(port),
		credentials: key,
	});
	/* see inventory.mjs: the exchange goes where the key says */
	const transporter = (await client.auth.getClient()).transporter;
	const send = transporter.request.bind(transporter);
	transporter.request = options =>
		send(String(options.url).endsWith('/token') ? {...options, url: key.token_uri} : options);
	return client;
}

/* What a call is refused with: Compute gives the HTTP status, TPU the code of gRPC. */
async function refusal(call) {
	try {
		await call;
		return 'not refused';
	} catch (e) {
		return e.code;
	}
}

const instances = await connect(compute.InstancesClient);
const operations = await connect(compute.ZoneOperationsClient);
const status = async () => (await instances.get(vm))[0].status;
const wait = async ([started]) => {
	const before = await status();
	const [ended] = await operations.wait({...at, operation: started.latestResponse.name});
	return [started.latestResponse.status, before, ended.status, ended.error, await status()];
};

say('stop', ...(await wait(await instances.stop(vm))));
const requestId = 'a3c1e5d7-0b2d-4f6a-8c9e-1a2b3c4d5e6f';
const [once] = await instances.start({...vm, requestId});
const [twice] = await instances.start({...vm, requestId});
say('start', once.latestResponse.name === twice.latestResponse.name, ...(await wait([twice])));
const [{labelFingerprint}] = await instances.get(vm);
const label = () =>
	instances.setLabels({
		...vm,
		instancesSetLabelsRequestResource: {labels: {owner: 'ben'}, labelFingerprint},
	});
await label();
say('labels', (await instances.get(vm))[0].labels, await refusal(label()));
const [gone] = await instances.delete(vm);
await operations.wait({...at, operation: gone.latestResponse.name});
say('delete', await refusal(instances.get(vm)));

const nodes = await connect(tpu.v2.TpuClient);
const state = async () => (await nodes.getNode({name: node}))[0].state;
const [stopping] = await nodes.stopNode({name: node});
const during = await state();
say('stop node', during, (await stopping.promise())[0].state, await state());
const [deleting] = await nodes.deleteNode({name: node});
await deleting.promise();
say('delete node', await refusal(nodes.getNode({name: node})));
say('stop slice', await refusal(nodes.stopNode({name: slice})));

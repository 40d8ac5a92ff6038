#include "gcp/tpu.h"

#include "base/str.h"
#include "gcp/decode.h"
#include "tpu_families.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CHIPS 100000
#define MAX_NODES 100000

/* ---- names --------------------------------------------------------------- */

/* Values of AcceleratorConfig.Type, "" where a family is not in that API. */
static const struct {
	const char *api, *prefix;
	int64_t per_chip; /* units per chip of the number in the name */
} generations[] = {
#define F(name, aliases, cores_per_chip, one_host, device, machines, quota, api, ...) \
	{api, name, cores_per_chip},
	TPU_FAMILIES(F)
#undef F
};

const char *tpu_type_of_topology(
	struct arena *a, const char *generation, const char *topology)
{
	int64_t chips = str_product(topology, MAX_CHIPS);

	for (size_t i = 0; chips > 0 && i < ARRAY_LEN(generations); i++)
		if (*generation && str_eq(generations[i].api, generation))
			return arena_printf(a, "%s-%lld", generations[i].prefix,
				(long long)(chips * generations[i].per_chip));
	return "";
}

static const char *tpu_read_type(struct dec *d)
{
	const char *type = dec_text(d, "acceleratorType"), *generation, *topology;
	struct dec config = dec_enter(d, "acceleratorConfig");

	/* Older responses have a path: projects/p/locations/z/acceleratorTypes/v3-8. */
	if (*type)
		return str_after_last(type, '/');
	generation = dec_text(&config, "type");
	topology = dec_text(&config, "topology");
	dec_leave(d, &config);
	return tpu_type_of_topology(d->a, generation, topology);
}

static const char *tpu_read_topology(struct dec *d)
{
	struct dec config = dec_enter(d, "acceleratorConfig");
	const char *topology = dec_text(&config, "topology");

	dec_leave(d, &config);
	return str_product(topology, MAX_CHIPS) ? topology : "";
}

/* "projects/p/locations/LOCATION/COLLECTION/NAME" */
static void tpu_read_path(
	struct dec *d, const char *collection, const char **location, const char **name)
{
	const char *full = dec_need(d, "name");
	const char *parts[6];
	char *s = arena_strdup(d->a, full), *slash;
	size_t n = 0;

	/* the last part includes any further slashes, which make the name invalid */
	while (n < ARRAY_LEN(parts)) {
		parts[n++] = s;
		slash = n < ARRAY_LEN(parts) ? strchr(s, '/') : NULL;
		if (!slash)
			break;
		*slash = '\0';
		s = slash + 1;
	}
	*location = *name = "";
	if (d->code != E_OK)
		return;
	if (n != ARRAY_LEN(parts) || !str_eq(parts[0], "projects") ||
		!str_eq(parts[2], "locations") || !str_eq(parts[4], collection) ||
		!gcp_name_valid(parts[3]) || !gcp_name_valid(parts[5])) {
		dec_fail(d, "name", "not projects/P/locations/L/.../NAME");
		return;
	}
	*location = parts[3];
	*name = parts[5];
}

/* ---- nodes --------------------------------------------------------------- */

/* Only API v2alpha1 has the model, the reservation and the end. */
static const char *tpu_read_scheduling(struct dec *d, ts_t *ends)
{
	struct dec in = dec_enter(d, "schedulingConfig");
	bool preemptible = dec_bool(&in, "preemptible"), spot = dec_bool(&in, "spot"),
	     reserved = dec_bool(&in, "reserved");
	const char *model = dec_text(&in, "provisioningModel");

	reserved = reserved || *dec_text(&in, "reservationName");
	*ends = dec_ts(&in, "terminationTimestamp");
	dec_leave(d, &in);
	return spot || preemptible ? "spot" : reserved ? "reserved" : gcp_class_ours(model);
}

static void tpu_read_data_disks(struct dec *d, struct tpu_node *out)
{
	const struct cJSON *list = dec_array(d, "dataDisks");

	out->data_disks = arena_alloc(
		d->a, (json_len(list) + 1) * sizeof(*out->data_disks));
	JSON_EACH (j, list) {
		struct dec one = dec_begin(j, d->a, d->e);
		const char *name = dec_tail(&one, "sourceDisk");

		if (one.code != E_OK) {
			d->code = err_wrap(d->e, "dataDisks");
			return;
		}
		if (*name)
			out->data_disks[out->n_data_disks++] = name;
	}
}

/* Of the hosts, in their order. */
static void tpu_read_endpoints(struct dec *d, struct tpu_node *out)
{
	const struct cJSON *list = dec_array(d, "networkEndpoints");
	size_t n = 0;

	out->n_endpoints = json_len(list);
	out->addresses = arena_alloc(
		d->a, (out->n_endpoints + 1) * sizeof(*out->addresses));
	JSON_EACH (j, list)
		out->addresses[n++] = arena_strdup(
			d->a, json_text(json_get(j, "ipAddress"), ""));
}

/* All members except the labels. */
static void tpu_read_most(struct dec *d, struct tpu_node *out)
{
	d->key = json_text(json_get(d->obj, "name"), "");
	tpu_read_path(d, "nodes", &out->location, &out->name);
	out->id = dec_id(d, "id", false);
	out->accelerator_type = tpu_read_type(d);
	out->topology = tpu_read_topology(d);
	/* Members with their default value are omitted: the default state is this one. */
	out->state = dec_text(d, "state");
	if (!*out->state)
		out->state = "STATE_UNSPECIFIED";
	out->runtime_version = dec_text(d, "runtimeVersion");
	out->created = dec_ts(d, "createTime");
	out->class = tpu_read_scheduling(d, &out->ends);
	tpu_read_endpoints(d, out);
	out->queued_resource = dec_tail(d, "queuedResource");
	/* The model of a node has no word for flex-start: that of its queued resource decides. */
	if (*out->queued_resource && str_eq(out->class, "on-demand"))
		out->class = "";
	out->multislice = dec_bool(d, "multisliceNode");
	out->labels = "{}";
	tpu_read_data_disks(d, out);
}

enum err_code tpu_node_read(
	const struct cJSON *j, struct arena *a, struct tpu_node *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	tpu_read_most(&d, out);
	return d.code;
}

static void tpu_read_node(struct dec *d, void *item)
{
	struct tpu_node *out = item;

	tpu_read_most(d, out);
	out->labels = dec_labels(d, "labels");
}

#define TPU_KIND(its_what, its_path, its_items)                                     \
	.what = (its_what), .path = (its_path), .where = "-", .items = (its_items), \
	.unreachable = "unreachable"

#define TPU_NODES                                                               \
	TPU_KIND("list TPU nodes", "/projects/{}/locations/{}/nodes", "nodes"), \
		.size = sizeof(struct tpu_node), .read = tpu_read_node

const struct gcp_listing tpu_node_listing = {.api = GCP_TPU, TPU_NODES};
const struct gcp_listing tpu_node_alpha_listing = {.api = GCP_TPU_ALPHA, TPU_NODES};

/* ---- queued resources ---------------------------------------------------- */

static void tpu_read_spec(struct dec *spec, struct tpu_queued *out)
{
	struct dec node = dec_enter(spec, "node"), many;
	const char *class;
	size_t i = out->n_nodes++;
	ts_t ends;
	int64_t n;

	out->node_ids[i] = dec_text(spec, "nodeId");
	node.code = spec->code;
	out->accelerator_types[i] = tpu_read_type(&node);
	class = tpu_read_scheduling(&node, &ends);
	if (!*out->class)
		out->class = class;
	dec_leave(spec, &node);
	many = dec_enter(spec, "multisliceParams");
	out->multislice = out->multislice || many.obj;
	n = dec_i64(&many, "nodeCount");
	out->node_counts[i] = n > 0 && n <= MAX_NODES ? n : 1;
	dec_leave(spec, &many);
}

static void tpu_read_specs(struct dec *d, struct tpu_queued *out)
{
	const struct cJSON *tpu = dec_object(d, "tpu");
	const struct cJSON *list = json_get(tpu, "nodeSpec");
	size_t n = json_len(list);

	if (list && !json_is_array(list))
		dec_fail(d, "tpu", "its nodeSpec is not an array");
	out->accelerator_types = arena_alloc(d->a, (n + 1) * sizeof(char *));
	out->node_ids = arena_alloc(d->a, (n + 1) * sizeof(char *));
	out->node_counts = arena_alloc(d->a, (n + 1) * sizeof(int64_t));
	JSON_EACH (j, list) {
		struct dec spec = dec_begin(j, d->a, d->e);

		if (d->code != E_OK)
			return;
		tpu_read_spec(&spec, out);
		if (spec.code != E_OK)
			d->code = err_wrap(d->e, "'%s': nodeSpec", out->name);
	}
}

/* Without one of these tiers, only the model states the class. */
static void tpu_read_class(struct dec *d, struct tpu_queued *out)
{
	struct dec tier = dec_enter(d, "guaranteed");
	bool reserved = dec_bool(&tier, "reserved");

	dec_leave(d, &tier);
	out->guaranteed = tier.obj != NULL;
	reserved = reserved || *dec_text(d, "reservationName");
	out->class = gcp_class_ours(dec_text(d, "provisioningModel"));
	if (dec_object(d, "spot") || dec_object(d, "bestEffort"))
		out->class = "spot";
	else if (reserved)
		out->class = "reserved";
}

/* Its nodes are deleted at the end (Cloud TPU documentation, "Request Cloud TPUs using flex-start"). */
static void tpu_read_run(struct dec *d, struct tpu_queued *out)
{
	struct dec run = dec_enter(d, "runDuration");

	out->ends = dec_ts(&run, "terminationTime");
	out->run_limit = dec_seconds(&run, "maxRunDuration");
	dec_leave(d, &run);
}

static void tpu_read_queued(struct dec *d, void *item)
{
	struct tpu_queued *out = item;
	struct dec state;

	d->key = json_text(json_get(d->obj, "name"), "");
	tpu_read_path(d, "queuedResources", &out->location, &out->name);
	out->created = dec_ts(d, "createTime");
	tpu_read_class(d, out);
	tpu_read_run(d, out);
	state = dec_enter(d, "state");
	out->state = dec_text(&state, "state");
	if (!*out->state)
		out->state = "STATE_UNSPECIFIED";
	out->error = dec_error(&state, json_path(state.obj, "failedData", "error", NULL));
	dec_leave(d, &state);
	tpu_read_specs(d, out);
	if (!*out->class && out->guaranteed)
		out->class = "on-demand";
}

enum err_code tpu_queued_read(
	const struct cJSON *j, struct arena *a, struct tpu_queued *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	tpu_read_queued(&d, out);
	return d.code;
}

#define TPU_QUEUED                                                                     \
	TPU_KIND("list queued resources", "/projects/{}/locations/{}/queuedResources", \
		"queuedResources"),                                                    \
		.size = sizeof(struct tpu_queued), .read = tpu_read_queued

const struct gcp_listing tpu_queued_listing = {.api = GCP_TPU, TPU_QUEUED};
const struct gcp_listing tpu_queued_alpha_listing = {.api = GCP_TPU_ALPHA, TPU_QUEUED};

/* ---- zones --------------------------------------------------------------- */

static void tpu_read_location(struct dec *d, void *item)
{
	((struct tpu_location *)item)->name = d->key = dec_name(d, "locationId");
}

const struct gcp_listing tpu_location_listing = {
	.api = GCP_TPU,
	TPU_KIND("list TPU zones", "/projects/{}/locations", "locations"),
	.size = sizeof(struct tpu_location),
	.read = tpu_read_location,
};

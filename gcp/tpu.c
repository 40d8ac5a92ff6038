#include "gcp/tpu.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHIPS 100000
#define MAX_NODES 100000

/* ---- names --------------------------------------------------------------- */

/* Generations of AcceleratorConfig.Type and how accelerator types of each are named
 * ("TPU versions", Cloud TPU documentation). */
static const struct {
	const char *generation, *prefix;
	int64_t per_chip; /* what the number in the name counts, per chip */
} generations[] = {
	{"V2", "v2", 2},
	{"V3", "v3", 2},
	{"V4", "v4", 2},
	{"V5P", "v5p", 2},
	{"V5LITE_POD", "v5litepod", 1},
	{"V6E", "v6e", 1},
};

/* "2x2x4" -> 16; 0 when it is no topology. */
static int64_t chips_of(const char *topology)
{
	int64_t chips = 1;
	const char *s = topology;

	for (;;) {
		int64_t side = 0;

		if (!isdigit((unsigned char)*s))
			return 0;
		for (; isdigit((unsigned char)*s); s++) {
			side = side * 10 + (*s - '0');
			if (side > MAX_CHIPS)
				return 0;
		}
		chips *= side;
		if (chips > MAX_CHIPS)
			return 0;
		if (!*s)
			return chips;
		if (*s++ != 'x')
			return 0;
	}
}

const char *tpu_type_of_topology(
	struct arena *a, const char *generation, const char *topology)
{
	int64_t chips = chips_of(topology);

	for (size_t i = 0; chips > 0 && i < ARRAY_LEN(generations); i++)
		if (str_eq(generations[i].generation, generation))
			return arena_printf(a, "%s-%lld", generations[i].prefix,
				(long long)(chips * generations[i].per_chip));
	return "";
}

static const char *read_type(struct dec *d)
{
	const char *type = dec_text(d, "acceleratorType");
	const struct cJSON *config = dec_object(d, "acceleratorConfig");
	struct dec cd;
	const char *generation, *topology;

	/* Older answers give a path: projects/p/locations/z/acceleratorTypes/v3-8. */
	if (*type || d->code != E_OK || !config)
		return str_after_last(type, '/');
	cd = dec_begin(config, d->a, d->e);
	generation = dec_text(&cd, "type");
	topology = dec_text(&cd, "topology");
	d->code = cd.code;
	return tpu_type_of_topology(d->a, generation, topology);
}

/* "projects/p/locations/LOCATION/COLLECTION/NAME" */
static void read_path(
	struct dec *d, const char *collection, const char **location, const char **name)
{
	const char *full = dec_need(d, "name");
	const char *parts[6];
	char *s = arena_strdup(d->a, full), *slash;
	size_t n = 0;

	/* the last part keeps its slashes, and is no name then */
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
		dec_fail(d, "name", "it is not projects/P/locations/L/.../NAME");
		return;
	}
	*location = parts[3];
	*name = parts[5];
}

/* ---- nodes --------------------------------------------------------------- */

static void read_scheduling(struct dec *d, bool *spot, bool *reserved)
{
	const struct cJSON *sched = dec_object(d, "schedulingConfig");
	struct dec sd;
	bool preemptible;

	if (d->code != E_OK || !sched)
		return;
	sd = dec_begin(sched, d->a, d->e);
	preemptible = dec_bool(&sd, "preemptible");
	*spot = dec_bool(&sd, "spot") || preemptible;
	*reserved = dec_bool(&sd, "reserved");
	d->code = sd.code;
}

static void read_data_disks(struct dec *d, struct tpu_node *out)
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
static void read_endpoints(struct dec *d, struct tpu_node *out)
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

enum err_code tpu_node_read(
	const struct cJSON *j, struct arena *a, struct tpu_node *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	read_path(&d, "nodes", &out->location, &out->name);
	out->id = dec_id(&d, "id", false);
	out->accelerator_type = read_type(&d);
	/* A member that holds its default is left out: the default state is this one.
	 */
	out->state = dec_text(&d, "state");
	if (!*out->state)
		out->state = "STATE_UNSPECIFIED";
	out->runtime_version = dec_text(&d, "runtimeVersion");
	out->created = dec_ts(&d, "createTime");
	read_scheduling(&d, &out->spot, &out->reserved);
	read_endpoints(&d, out);
	out->queued_resource = dec_tail(&d, "queuedResource");
	out->multislice = dec_bool(&d, "multisliceNode");
	out->labels = "{}";
	read_data_disks(&d, out);
	return d.code;
}

static enum err_code read_node(
	const struct cJSON *j, struct arena *a, struct tpu_node *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	if (tpu_node_read(j, a, out, e))
		return e->code;
	out->labels = dec_labels(&d, "labels");
	return d.code;
}

static enum err_code put_node(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct tpu_node node = {0};
	const char *key = json_text(json_get(j, "name"), "");
	enum err_code rc = read_node(j, t->arena, &node, e);

	if (rc == E_OK)
		memcpy(gcp_typed_slot(t, key), &node, sizeof(node));
	return rc;
}

static GCP_DELIVER(deliver_nodes, struct tpu_nodes);

/* ---- queued resources ---------------------------------------------------- */

static void read_node_spec(struct dec *spec, struct tpu_queued *out)
{
	const struct cJSON *node = dec_object(spec, "node");
	const struct cJSON *many = dec_object(spec, "multisliceParams");
	size_t i = out->n_nodes;

	out->accelerator_types[i] = "";
	out->node_ids[i] = dec_text(spec, "nodeId");
	out->node_counts[i] = 1;
	if (node && spec->code == E_OK) {
		struct dec nd = dec_begin(node, spec->a, spec->e);
		bool reserved = false, spot = false;

		out->accelerator_types[i] = read_type(&nd);
		read_scheduling(&nd, &spot, &reserved);
		out->spot = out->spot || spot;
		spec->code = nd.code;
	}
	out->multislice = out->multislice || many;
	if (many && spec->code == E_OK) {
		struct dec md = dec_begin(many, spec->a, spec->e);
		int64_t n = dec_i64(&md, "nodeCount");

		spec->code = md.code;
		if (n > 0 && n <= MAX_NODES)
			out->node_counts[i] = n;
	}
	out->n_nodes++;
}

static void read_node_specs(struct dec *d, struct tpu_queued *out)
{
	const struct cJSON *tpu = dec_object(d, "tpu");
	const struct cJSON *list = json_get(tpu, "nodeSpec");
	size_t n = json_len(list);

	if (list && !json_is_array(list))
		dec_fail(d, "tpu", "its nodeSpec is no array");
	out->accelerator_types = arena_alloc(d->a, (n + 1) * sizeof(char *));
	out->node_ids = arena_alloc(d->a, (n + 1) * sizeof(char *));
	out->node_counts = arena_alloc(d->a, (n + 1) * sizeof(int64_t));
	JSON_EACH (j, list) {
		struct dec spec = dec_begin(j, d->a, d->e);

		if (d->code != E_OK)
			return;
		read_node_spec(&spec, out);
		if (spec.code != E_OK)
			d->code = err_wrap(d->e, "\"%s\": nodeSpec", out->name);
	}
}

static void read_queued_state(struct dec *d, struct tpu_queued *out)
{
	const struct cJSON *state = dec_object(d, "state");

	out->state = "STATE_UNSPECIFIED";
	if (d->code == E_OK && state) {
		struct dec sd = dec_begin(state, d->a, d->e);
		const char *s = dec_text(&sd, "state");

		d->code = sd.code;
		if (*s)
			out->state = s;
	}
}

enum err_code tpu_queued_read(
	const struct cJSON *j, struct arena *a, struct tpu_queued *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	read_path(&d, "queuedResources", &out->location, &out->name);
	out->created = dec_ts(&d, "createTime");
	out->spot = dec_object(&d, "spot") != NULL;
	out->guaranteed = dec_object(&d, "guaranteed") != NULL;
	read_queued_state(&d, out);
	read_node_specs(&d, out);
	return d.code;
}

static enum err_code put_queued(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct tpu_queued q = {0};
	const char *key = json_text(json_get(j, "name"), "");
	enum err_code rc = tpu_queued_read(j, t->arena, &q, e);

	if (rc == E_OK)
		memcpy(gcp_typed_slot(t, key), &q, sizeof(q));
	return rc;
}

static GCP_DELIVER(deliver_queued, struct tpu_queueds);

/* ---- zones --------------------------------------------------------------- */

static enum err_code put_location(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct tpu_location l = {.name = dec_name(&d, "locationId")};

	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, l.name), &l, sizeof(l));
	return d.code;
}

static GCP_DELIVER(deliver_locations, struct tpu_locations);

/* ---- lists --------------------------------------------------------------- */

struct kind {
	const char *what, *path, *items;
	size_t size;
	enum err_code (*put)(struct gcp_typed *t, const struct cJSON *j, struct err *e);
	void (*deliver)(struct gcp_typed *t);
};

static const struct kind kind_nodes = {
	.what = "list TPU nodes",
	.path = "/projects/{}/locations/{}/nodes",
	.items = "nodes",
	.size = sizeof(struct tpu_node),
	.put = put_node,
	.deliver = deliver_nodes,
};
static const struct kind kind_queued = {
	.what = "list queued resources",
	.path = "/projects/{}/locations/{}/queuedResources",
	.items = "queuedResources",
	.size = sizeof(struct tpu_queued),
	.put = put_queued,
	.deliver = deliver_queued,
};
static const struct kind kind_locations = {
	.what = "list TPU zones",
	.path = "/projects/{}/locations",
	.items = "locations",
	.size = sizeof(struct tpu_location),
	.put = put_location,
	.deliver = deliver_locations,
};

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	const struct kind *k = t->kind;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *missing = dec_array(&d, "unreachable");

	if (d.code != E_OK || gcp_typed_unreachable(t, missing, e))
		return e->code;
	return gcp_typed_page(l, page, k->items, NULL, k->put, e);
}

/* A path without a place for the location ignores it. */
static enum err_code start(const struct kind *k, struct gcp *g, const char *project,
	const char *location, struct arena *a, struct gcp_result *r, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_TPU, project, k->what, a, r, k->size);

	gcp_url(g, &t->list.call.url, GCP_TPU, k->path, project, location, NULL);
	t->list.on_page = on_page;
	t->kind = k;
	t->deliver = k->deliver;
	return gcp_typed_start(t, e);
}

enum err_code tpu_nodes_start(struct gcp *g, const char *project, struct arena *a,
	struct tpu_nodes *out, struct err *e)
{
	return start(&kind_nodes, g, project, "-", a, &out->r, e);
}

enum err_code tpu_nodes_of_start(struct gcp *g, const char *project, const char *location,
	struct arena *a, struct tpu_nodes *out, struct err *e)
{
	return start(&kind_nodes, g, project, location, a, &out->r, e);
}

enum err_code tpu_queueds_start(struct gcp *g, const char *project, const char *location,
	struct arena *a, struct tpu_queueds *out, struct err *e)
{
	return start(&kind_queued, g, project, location, a, &out->r, e);
}

enum err_code tpu_locations_start(struct gcp *g, const char *project, struct arena *a,
	struct tpu_locations *out, struct err *e)
{
	return start(&kind_locations, g, project, NULL, a, &out->r, e);
}

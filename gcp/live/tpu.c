/* Live check of a TPU node, and of a queued resource with the nodes that it created. */
#include "gcp/live/live.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/compute/slice.h"
#include "gcp/tpu.h"

#include <stdlib.h>
#include <string.h>

static bool look_tpu_is_own_host(struct gcp *g, const struct tpu_node *n)
{
	struct own_host_ask q = {.name = n->name,
		.uid = "",
		.addresses = n->addresses,
		.n_addresses = n->n_endpoints};

	return gcp_own_host(g, &q);
}

/* Of another name or place than requested. */
static enum err_code look_tpu_is_other(
	const struct gcp_thing *t, const char *name, const char *location, struct err *e)
{
	if (str_eq(name, t->name) && str_eq(location, t->location))
		return E_OK;
	return err_set(e, E_DATA, "requested %.60s in %.60s, received %.60s in %.60s",
		t->name, t->location, name, location);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void add_data_disks(const struct cJSON *j, struct sbuf *b)
{
	JSON_EACH (d, json_get(j, "dataDisks")) {
		const char *source = json_text(json_get(d, "sourceDisk"), "");
		bool read = str_eq(json_text(json_get(d, "mode"), ""), "READ_ONLY");

		if (!*source)
			continue;
		live_add_option(b, "data-disk=source", source);
		sbuf_addf(b, ",mode=%s", read ? "read-only" : "read-write");
	}
}

/* gcloud reference, compute tpus tpu-vm create. */
static const char *recreate_node(const struct gcp_thing *t, const struct cJSON *j,
	const struct tpu_node *n, const char *labels, struct arena *a)
{
	const struct cJSON *net = json_get(j, "networkConfig");
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, live_command(t, "create", a));
	live_add_option(&b, "accelerator-type", n->accelerator_type);
	live_add_option(&b, "version", n->runtime_version);
	if (str_eq(n->class, "spot") || str_eq(n->class, "reserved"))
		sbuf_addf(&b, " --%s", n->class);
	sbuf_adds(&b, live_labels_option(labels, a));
	add_data_disks(j, &b);
	live_add_option(&b, "network", json_text(json_get(net, "network"), ""));
	live_add_option(&b, "subnetwork", json_text(json_get(net, "subnetwork"), ""));
	if (net && !json_true(json_get(net, "enableExternalIps")))
		sbuf_adds(&b, " --internal-ips");
	live_add_option(&b, "service-account",
		json_text(json_path(j, "serviceAccount", "email", NULL), ""));
	return arena_strdup(a, b.s);
}

enum err_code live_read_node(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out, struct err *e)
{
	struct tpu_node n = {0};

	if (tpu_node_read(j, a, &n, e))
		return e->code;
	if (look_tpu_is_other(t, n.name, n.location, e))
		return e->code;
	out->uid = n.id;
	out->raw_state = n.state;
	out->state = gcp_state_ours(GCP_NODE, n.state);
	out->type = n.accelerator_type;
	out->created = n.created;
	out->labels = live_labels(j, a);
	out->own_host = look_tpu_is_own_host(g, &n);
	out->managed_by = live_manager(out->labels, "", a);
	out->hosts = (int64_t)n.n_endpoints;
	out->queued = n.queued_resource;
	out->multislice = n.multislice;
	out->spot = str_eq(n.class, "spot");
	out->restart = live_command(t, "start", a);
	out->recreate = recreate_node(t, j, &n, out->labels, a);
	return E_OK;
}

/* ---- queued resources -------------------------------------------------------------------------- */

static bool made(const struct tpu_queued *q, const struct tpu_node *n)
{
	if (str_eq(n->queued_resource, q->name))
		return true;
	for (size_t i = 0; !*n->queued_resource && i < q->n_nodes; i++)
		if (*q->node_ids[i] && str_eq(q->node_ids[i], n->name))
			return true;
	return false;
}

/* The nodes that it created, and those that it requests: a property of one applies to the whole
 * resource. */
static enum err_code look_at_nodes(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, const struct tpu_queued *q, struct arena *a,
	struct gcp_live *out, struct err *e)
{
	struct label_union u = {0};
	struct tpu_nodes list = {0};

	if (gcp_listing_start(
		    &tpu_node_listing, g, t->project, t->location, a, &list.r, e) ||
		gcp_run(g, e))
		return e->code;
	if (list.r.code) {
		*e = list.r.err;
		return e->code = list.r.code;
	}
	if (list.r.scopes.n)
		return err_set(e, E_NET, "its nodes: no answer from %s",
			list.r.scopes.incomplete[0]);
	JSON_EACH (spec, json_path(j, "tpu", "nodeSpec", NULL))
		label_union_add(&u, live_labels(json_get(spec, "node"), a), a);
	for (size_t i = 0; i < list.n; i++) {
		const struct tpu_node *n = &list.v[i];

		if (!made(q, n))
			continue;
		label_union_add(&u, n->labels, a);
		out->own_host = out->own_host || look_tpu_is_own_host(g, n);
		out->hosts += (int64_t)n->n_endpoints;
		out->spot = out->spot || str_eq(n->class, "spot");
		out->multislice = out->multislice || n->multislice;
	}
	out->labels = label_union_text(&u, a);
	out->managed_by = live_manager(out->labels, "", a);
	return E_OK;
}

/* gcloud reference, compute tpus queued-resources create. */
static const char *recreate_queued(const struct gcp_thing *t, const struct cJSON *j,
	const struct tpu_queued *q, struct arena *a)
{
	const struct cJSON *spec = json_first(json_path(j, "tpu", "nodeSpec", NULL));
	const struct cJSON *many = json_get(spec, "multisliceParams");
	const char *version = json_text(
		json_path(spec, "node", "runtimeVersion", NULL), "");
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, live_command(t, "create", a));
	if (q->n_nodes) {
		live_add_option(&b, "node-id", q->node_ids[0]);
		live_add_option(&b, "accelerator-type", q->accelerator_types[0]);
	}
	if (many) {
		sbuf_addf(&b, " --node-count=%lld", (long long)q->node_counts[0]);
		live_add_option(
			&b, "node-prefix", json_text(json_get(many, "nodeIdPrefix"), ""));
	}
	live_add_option(&b, "runtime-version", version);
	if (str_eq(q->class, "spot") || q->guaranteed)
		sbuf_adds(&b, str_eq(q->class, "spot") ? " --spot" : " --guaranteed");
	sbuf_adds(&b, live_labels_option(live_labels(json_get(spec, "node"), a), a));
	return arena_strdup(a, b.s);
}

enum err_code live_read_queued(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out, struct err *e)
{
	struct tpu_queued q = {0};

	if (tpu_queued_read(j, a, &q, e))
		return e->code;
	if (look_tpu_is_other(t, q.name, q.location, e))
		return e->code;
	out->uid = "";
	out->raw_state = q.state;
	out->state = gcp_state_ours(GCP_QUEUED, q.state);
	out->type = q.n_nodes ? q.accelerator_types[0] : "";
	out->created = q.created;
	out->queued = "";
	out->multislice = q.multislice;
	out->spot = str_eq(q.class, "spot");
	out->restart = "";
	out->recreate = recreate_queued(t, j, &q, a);
	return look_at_nodes(g, t, j, &q, a, out, e);
}

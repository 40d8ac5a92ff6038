/* TPU slices that are managed instance groups: their machines, which source "vm" has listed, become
 * one resource. Compute REST reference, instanceGroupManagers and resourcePolicies: a group whose
 * workload policy has a topology of accelerators is one slice; in any other each machine is a TPU
 * of its own. On Kubernetes Engine a node pool with several hosts is one slice, and its label says
 * so. */
#include "base/data/json.h"
#include "base/str.h"
#include "collector/inventory.h"
#include "gcp/compute/compute.h"
#include "gcp/compute/slice.h"

#include <string.h>

struct slice_lists {
	struct q_host_list *hosts; /* sorted by group, then name */
	size_t n_hosts;
	const char **slice_of; /* of each host: resource that it is a part of */
	struct gce_groups groups;
	struct gce_policies policies;
};

static enum err_code slice_ask(struct poll *p, struct err *e)
{
	struct slice_lists *l = p->state = arena_new(p->arena, struct slice_lists);
	struct q_host_list_in in = {.project = p->project};

	if (q_host_list_all(p->db, &in, p->arena, &l->hosts, &l->n_hosts, e))
		return e->code;
	l->slice_of = arena_alloc(p->arena, (l->n_hosts + 1) * sizeof(*l->slice_of));
	if (!l->n_hosts)
		return E_OK;
	return poll_list(p, &gce_group_listing, NULL, &l->groups.r, e)
		? e->code
		: poll_list(p, &gce_policy_listing, NULL, &l->policies.r, e);
}

/* ---- one group --------------------------------------------------------------------------------- */

static const struct gce_group *slice_group(
	struct poll *p, const struct slice_lists *l, const char *path)
{
	for (size_t i = 0; i < l->groups.n; i++) {
		const struct gce_group *g = &l->groups.v[i];

		if (!strcmp(path,
			    arena_printf(p->arena, "%s/%s/instanceGroupManagers/%s",
				    *g->zone ? "zones" : "regions",
				    *g->zone ? g->zone : g->region, g->name)))
			return g;
	}
	return NULL;
}

/* "4x8"; "" if the group has no such policy. A policy is in the region of its group. */
static const char *slice_topology(const struct slice_lists *l, const struct gce_group *g)
{
	const char *place = *g->zone ? g->zone : g->region;

	for (size_t i = 0; *g->policy && i < l->policies.n; i++)
		if (!strcmp(l->policies.v[i].name, g->policy) &&
			str_starts(place, l->policies.v[i].region))
			return l->policies.v[i].topology;
	return "";
}

static bool slice_pool_of_several(const struct q_host_list *host)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	return !json_parse(host->labels, strlen(host->labels), &j, NULL) &&
		str_eq(json_text(json_get(j, "goog-gke-tpu-node-pool-type"), ""),
			"multi-host");
}

static struct gce_host *slice_hosts(
	struct poll *p, const struct q_host_list *rows, size_t n)
{
	struct gce_host *out = arena_alloc(p->arena, n * sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = (struct gce_host){.zone = rows[i].zone,
			.type = rows[i].type,
			.provisioning = rows[i].provisioning,
			.state = rows[i].state,
			.raw_state = rows[i].raw_state,
			.labels = rows[i].labels,
			.created = ts_of_opt(rows[i].created),
			.since = ts_of_opt(rows[i].state_since),
			.ends = ts_of_opt(rows[i].ends)};
	return out;
}

/* A host was recorded as another resource before: as a part of a slice, as a TPU of its own, or, by an
 * older version, as a machine. Its new resource begins when that record ended, because an hour of a
 * host counts once. */
static enum err_code slice_not_before(struct poll *p, const struct q_host_list *host,
	struct q_resource_put_in *r, struct err *e)
{
	struct q_interval_last_end_in in = {.id = arena_printf(p->arena, "%s/tpu/%s/%s",
						    p->project, host->zone, host->name)};
	struct q_interval_last_end row;
	ts_t from = 0;
	bool found;

	if (q_interval_last_end_one(p->db, &in, p->arena, &row, &found, e))
		return e->code;
	if (found && row.ends.set)
		from = row.ends.v;
	if (host->slice && strcmp(host->slice, r->id) != 0)
		from = r->now;
	if (from && (!r->state_since.set || r->state_since.v < from))
		r->state_since = SOME(from);
	return E_OK;
}

/* The hosts of a group as one resource, or one host (g = NULL) as a TPU of its own. */
static enum err_code slice_add(struct poll *p, struct inventory *inv,
	const struct gce_group *g, const char *topology, const struct q_host_list *rows,
	size_t n, struct err *e)
{
	struct q_resource_put_in *r = inventory_add(
		p, inv, "tpu", rows[0].zone, g ? g->name : rows[0].name);
	struct slice_lists *l = p->state;
	struct gce_slice s;

	gce_slice_sum(slice_hosts(p, rows, n), n, g ? g->target_size : -1, p->arena, &s);
	r->uid = g ? g->id : rows[0].uid;
	r->attached_to = rows[0].group_path;
	r->provisioning = rows[0].provisioning;
	r->type = s.type;
	r->state = s.state;
	r->raw_state = s.raw_state;
	r->hosts = SOME(s.hosts);
	r->topology = *topology ? topology : NULL;
	r->target_hosts = g ? SOME(g->target_size) : NONE;
	r->state_since = opt_of_ts(s.since);
	r->ends = opt_of_ts(s.ends);
	r->end_action = "delete";
	/* of unknown labels, those of the first host: a live check refuses them */
	inventory_describe(p, r, s.labels ? s.labels : rows[0].labels, s.created);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].last_seen < r->now)
			r->now = rows[i].last_seen;
		if (!rows[i].complete)
			poll_gap(p, rows[i].zone);
		l->slice_of[&rows[i] - l->hosts] = r->id;
		if (slice_not_before(p, &rows[i], r, e))
			return e->code;
	}
	return E_OK;
}

/* ---- all groups -------------------------------------------------------------------------------- */

static enum err_code slice_add_group(struct poll *p, struct inventory *inv,
	const struct q_host_list *hosts, size_t n, struct err *e)
{
	const struct slice_lists *l = p->state;
	const struct gce_group *g = slice_group(p, l, hosts[0].group_path);
	const char *topology = g ? slice_topology(l, g) : "";

	/* The slice remains as it was while its group cannot be seen. */
	if (!g && inventory_has_gap(p, hosts[0].zone))
		return E_OK;
	if (g && gce_slice_alike(slice_hosts(p, hosts, n), n) &&
		(*topology || slice_pool_of_several(hosts)))
		return slice_add(p, inv, g, topology, hosts, n, e);
	for (size_t i = 0; i < n; i++)
		if (slice_add(p, inv, NULL, "", &hosts[i], 1, e))
			return e->code;
	return E_OK;
}

static enum err_code slice_rows(struct poll *p, struct inventory *inv, struct err *e)
{
	struct slice_lists *l = p->state;
	const struct gcp_result *lists[] = {&l->groups.r, &l->policies.r};

	for (size_t i = 0; l->n_hosts && i < ARRAY_LEN(lists); i++) {
		if (lists[i]->code == E_DENIED)
			p->note = arena_printf(p->arena,
				"each host of a slice is shown as a TPU: %s",
				lists[i]->err.msg);
		else if (poll_result(p, lists[i], e))
			return e->code;
	}
	for (size_t from = 0, to; from < l->n_hosts; from = to) {
		for (to = from + 1; to < l->n_hosts &&
			!strcmp(l->hosts[to].group_path, l->hosts[from].group_path);
			to++)
			;
		if (slice_add_group(p, inv, &l->hosts[from], to - from, e))
			return e->code;
	}
	return E_OK;
}

/* Not before the snapshot is stored: slice_not_before() needs the former resource of a host. */
static enum err_code slice_take(struct poll *p, struct err *e)
{
	const struct slice_lists *l;

	if (inventory_store(p, slice_rows, e))
		return e->code;
	l = p->state;
	for (size_t i = 0; p->items && i < l->n_hosts; i++) {
		struct q_host_slice_in in = {.id = l->hosts[i].id, .slice = l->slice_of[i]};

		if (in.slice && q_host_slice(p->db, &in, e))
			return e->code;
	}
	return E_OK;
}

const struct source source_slice = {
	.name = "slice",
	.group = "instances",
	.doc = "TPU slices that are managed instance groups",
	.after = {&source_vm},
	.ask = slice_ask,
	.take = slice_take,
};

/* TPU slices that are managed instance groups: their machines, which source "vm" has listed, become
 * one resource. Compute REST reference, instanceGroupManagers and resourcePolicies: a group whose
 * workload policy has a topology of accelerators is one slice, unless it has more machines than that; in
 * any other each machine is a TPU of its own. On Kubernetes Engine a node pool with several hosts is one
 * slice, and its label says so. */
#include "base/data/json.h"
#include "base/str.h"
#include "collector/collect.h"
#include "collector/inventory.h"
#include "gcp/compute/compute.h"
#include "gcp/compute/pool.h"
#include "gcp/compute/slice.h"
#include "collector/source/vacant.h"
#include "gcp/gcp.h"

#include <string.h>

/* Labels that Kubernetes Engine sets on the nodes of a pool (Google Kubernetes Engine, "Labels that GKE
 * applies automatically"). */
struct slice_pool {
	bool several;     /* its nodes are one slice */
	const char *path; /* "locations/L/clusters/C/nodePools/NAME"; NULL: not known */
};

/* A group that is a node pool without a policy. */
struct slice_shape {
	const char *group_path;
	const char *topology; /* "": unknown */
	bool asked;
	struct gke_pool pool;
};

struct slice_lists {
	struct q_host_list *hosts; /* sorted by group, then name */
	size_t n_hosts;
	struct slice_pool *pool_of;    /* of each host, as of the first one of its group */
	const char **slice_of;         /* of each host: resource that it is a part of */
	struct q_group_others *others; /* groups that have machines without TPUs */
	size_t n_others;
	struct q_slice_known *known; /* slices of the last poll */
	size_t n_known;
	struct q_gap_list *unseen; /* places whose machines are not known */
	size_t n_unseen;
	struct gce_groups groups;
	struct gce_policies policies;
	struct slice_shape *shapes;
	size_t n_shapes;
	struct vacants vacant;
	bool listed, vacant_asked;
};

static struct slice_pool slice_pool_read(struct poll *p, const char *labels)
{
	static const char *const keys[] = {"goog-k8s-cluster-location",
		"goog-k8s-cluster-name", "goog-k8s-node-pool-name"};
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	const char *v[ARRAY_LEN(keys)];
	struct slice_pool out = {0};
	bool known = true;

	if (json_parse(labels, strlen(labels), &j, NULL))
		return out;
	out.several = str_eq(
		json_text(json_get(j, "goog-gke-tpu-node-pool-type"), ""), "multi-host");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		v[i] = json_text(json_get(j, keys[i]), "");
		known = known && gcp_name_valid(v[i]);
	}
	if (known)
		out.path = arena_printf(p->arena, "locations/%s/clusters/%s/nodePools/%s",
			v[0], v[1], v[2]);
	return out;
}

static enum err_code slice_ask(struct poll *p, struct err *e)
{
	struct slice_lists *l = p->state = arena_new(p->arena, struct slice_lists);
	struct q_host_list_in in = {.project = p->project};
	struct q_group_others_in others = {.project = p->project};
	struct q_slice_known_in known = {.project = p->project};
	struct q_gap_list_in unseen = {.source = source_vm.name, .project = p->project};
	struct q_tpu_project_in may = {.project = p->project};
	struct q_tpu_project row = {0};
	bool found;

	if (q_host_list_all(p->db, &in, p->arena, &l->hosts, &l->n_hosts, e) ||
		q_group_others_all(p->db, &others, p->arena, &l->others, &l->n_others, e) ||
		q_slice_known_all(p->db, &known, p->arena, &l->known, &l->n_known, e) ||
		q_gap_list_all(p->db, &unseen, p->arena, &l->unseen, &l->n_unseen, e) ||
		status_inherit(p, e)) /* the machines are not known */
		return e->code;
	l->slice_of = arena_alloc(p->arena, (l->n_hosts + 1) * sizeof(*l->slice_of));
	l->pool_of = arena_alloc(p->arena, (l->n_hosts + 1) * sizeof(*l->pool_of));
	for (size_t i = 0; i < l->n_hosts; i++)
		l->pool_of[i] = i &&
				!strcmp(l->hosts[i].group_path, l->hosts[i - 1].group_path)
			? l->pool_of[i - 1]
			: slice_pool_read(p, l->hosts[i].labels);
	if (q_tpu_project_one(p->db, &may, p->arena, &row, &found, e))
		return e->code;
	l->listed = row.may;
	if (!row.may)
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

		if (!strcmp(path, vacant_path(p, g)))
			return g;
	}
	return NULL;
}

static const struct q_slice_known *slice_known(
	const struct slice_lists *l, const struct gce_group *g)
{
	for (size_t i = 0; i < l->n_known; i++)
		if (!strcmp(l->known[i].uid, g->id))
			return &l->known[i];
	return NULL;
}

/* Was the place of the policy of this group missing from the list? A list that is refused, or lacks a policy that a group
 * has, hides only what an earlier one has shown: Google deletes no policy that is in use. */
static bool slice_policy_hidden(
	const struct slice_lists *l, const struct gce_group *g, const char *place)
{
	const struct gcp_scopes *gaps = &l->policies.r.scopes;
	const struct q_slice_known *was = slice_known(l, g);

	for (size_t i = 0; l->policies.r.code != E_DENIED && i < gaps->n; i++)
		if (inventory_gap_has(gaps->incomplete[i], place))
			return true;
	return was && was->topology;
}

/* "4x8"; "": it has none; NULL: it cannot be seen. A policy is in the region of its group. */
static const char *slice_topology(struct poll *p, const struct gce_group *g)
{
	const struct slice_lists *l = p->state;
	const char *place = *g->zone ? g->zone : g->region;

	for (size_t i = 0; *g->policy && i < l->policies.n; i++)
		if (!strcmp(l->policies.v[i].name, g->policy) &&
			str_starts(place, l->policies.v[i].region))
			return l->policies.v[i].topology;
	if (*g->policy && slice_policy_hidden(l, g, place))
		return NULL;
	for (size_t i = 0; i < l->n_shapes; i++)
		if (!strcmp(l->shapes[i].group_path, vacant_path(p, g)))
			return l->shapes[i].topology;
	return "";
}

static const struct slice_pool *slice_pool_of(
	const struct slice_lists *l, const struct q_host_list *host)
{
	return &l->pool_of[host - l->hosts];
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

/* The hosts of a group are one slice only if they are alike, and not more than its topology has. Fewer
 * are a slice that is not complete. Returns why they are none; "" if nothing says that they are one. */
static const char *slice_misfit(struct poll *p, const struct gce_group *g,
	const char *topology, const struct q_host_list *hosts, size_t n)
{
	const struct slice_lists *l = p->state;
	int64_t has = n > (size_t)g->target_size ? (int64_t)n : g->target_size;
	int64_t fits = gce_topology_hosts(topology, hosts[0].type);

	if (!*g->policy && !slice_pool_of(l, hosts)->several)
		return "";
	for (size_t i = 0; i < l->n_others; i++)
		if (!strcmp(l->others[i].group_path, hosts[0].group_path))
			return "its group has machines without TPUs";
	if (!gce_slice_alike(slice_hosts(p, hosts, n), n))
		return "the machines of its group differ in zone, type or class";
	if (!*topology)
		return slice_pool_of(l, hosts)->several
			? NULL
			: "the topology of its group is unknown";
	if (!fits)
		return arena_printf(p->arena,
			"the topology of its group, %s, does not consist of %s", topology,
			hosts[0].type);
	return has <= fits
		? NULL
		: arena_printf(p->arena,
			  "its group has %lld machines, and its topology %s has %lld",
			  (long long)has, topology, (long long)fits);
}

/* Pools of two clusters may have one name. */
static bool slice_pool_is_alone(
	const struct slice_lists *l, const struct q_host_list *host, const char *path)
{
	for (size_t i = 0; i < l->n_hosts; i++) {
		const char *other = l->pool_of[i].path;

		if (other && !strcmp(l->hosts[i].zone, host->zone) &&
			strcmp(l->hosts[i].group_path, host->group_path) != 0 &&
			!strcmp(str_after_last(other, '/'), str_after_last(path, '/')))
			return false;
	}
	return true;
}

/* A group of the region and one of its zone may have one name: both are counted. */
static void slice_make_unique(
	struct poll *p, const struct inventory *inv, struct q_resource_put_in *r)
{
	for (size_t i = 0; i + 1 < inv->n; i++)
		if (!strcmp(inv->rows[i].id, r->id)) {
			r->id = arena_printf(p->arena, "%s@%s", r->id, r->uid);
			return;
		}
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

/* The hosts of a group as one resource of the topology `text`, named as the group or, on Kubernetes Engine,
 * as the pool; or one host (g = NULL) as a TPU of its own, for the reason `text`. */
static enum err_code slice_add(struct poll *p, struct inventory *inv,
	const struct gce_group *g, const char *text, const struct q_host_list *rows,
	size_t n, struct err *e)
{
	struct slice_lists *l = p->state;
	const char *pool = g ? slice_pool_of(l, rows)->path : NULL;
	const char *name = !g                                ? rows[0].name
		: pool && slice_pool_is_alone(l, rows, pool) ? str_after_last(pool, '/')
							     : g->name;
	struct q_resource_put_in *r;
	struct gce_slice s;

	for (size_t i = 0; i < n; i++)
		if (!rows[i].complete) {
			poll_gap(p, rows[i].zone);
			return E_OK;
		}
	r = inventory_add(p, inv, "tpu", rows[0].zone, name);
	gce_slice_sum(slice_hosts(p, rows, n), n, g ? g->target_size : -1, p->arena, &s);
	r->uid = g ? g->id : rows[0].uid;
	if (g)
		slice_make_unique(p, inv, r);
	r->attached_to = pool ? pool : rows[0].group_path;
	r->provisioning = rows[0].provisioning;
	r->type = s.type;
	r->state = s.state;
	r->raw_state = s.raw_state;
	r->hosts = SOME(s.hosts);
	r->topology = g && *text ? text : NULL;
	r->alone = !g && *text ? text : NULL;
	r->target_hosts = g ? SOME(g->target_size) : NONE;
	r->state_since = opt_of_ts(s.since);
	r->ends = opt_of_ts(s.ends);
	r->end_action = "delete";
	/* of unknown labels, those of the first host: a live check refuses them */
	inventory_describe(p, r, s.labels ? s.labels : rows[0].labels, s.created);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].last_seen < r->now)
			r->now = rows[i].last_seen;
		l->slice_of[&rows[i] - l->hosts] = r->id;
		if (slice_not_before(p, &rows[i], r, e))
			return e->code;
	}
	return E_OK;
}

/* ---- all groups -------------------------------------------------------------------------------- */

/* The slice that the hosts of a group were, while the group or its topology cannot be seen. */
static const struct q_slice_known *slice_was(
	const struct slice_lists *l, const struct q_host_list *hosts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; hosts[i].slice && k < l->n_known; k++)
			if (!strcmp(l->known[k].id, hosts[i].slice))
				return &l->known[k];
	return NULL;
}

static enum err_code slice_add_group(struct poll *p, struct inventory *inv,
	const struct q_host_list *hosts, size_t n, struct err *e)
{
	const struct slice_lists *l = p->state;
	const struct gce_group *g = slice_group(p, l, hosts[0].group_path);
	const char *topology = g ? slice_topology(p, g) : "";
	const struct q_slice_known *was = slice_was(l, hosts, n);
	bool gap = inventory_has_gap(p, hosts[0].zone);
	/* machines may outlive their group, which one list that lacks it does not prove */
	bool hidden = g ? !topology
			: gap || (was && (was->complete || l->groups.r.code == E_DENIED));
	const char *misfit = "";

	if (hidden && was) {
		inventory_keep(p, inv, was->id);
		if (!gap && !p->note)
			p->note = arena_printf(p->arena,
				"%s stays as it was: the list of %s lacks its own", was->id,
				g ? "policies" : "groups");
	}
	if (hidden)
		return E_OK;
	if (g)
		misfit = slice_misfit(p, g, topology, hosts, n);
	if (!misfit)
		return slice_add(p, inv, g, topology, hosts, n, e);
	for (size_t i = 0; i < n; i++)
		if (slice_add(p, inv, NULL, misfit, &hosts[i], 1, e))
			return e->code;
	return E_OK;
}

/* Was the place, or a zone of it, missing from the list of machines? */
static bool slice_machines_hidden(struct poll *p, const char *place)
{
	const struct slice_lists *l = p->state;

	for (size_t i = 0; i < l->n_unseen; i++) {
		const char *gap = l->unseen[i].location;

		if (!inventory_gap_has(gap, place) && !inventory_gap_has(place, gap))
			continue;
		poll_gap(p, gap);
		return true;
	}
	return false;
}

/* A group that has no machine yet: one row, which costs nothing. While its machines cannot be seen, or are to be of an
 * unknown type, the row stays as it was. */
static void slice_add_vacant(struct poll *p, struct inventory *inv, const struct vacant *v)
{
	const struct gce_group *g = v->group;
	const struct q_slice_known *was = slice_known(p->state, g);
	const char *topology = slice_topology(p, g);
	struct slice_pool pool = slice_pool_read(p, v->labels);
	bool hidden = !v->type || (*v->type && slice_machines_hidden(p, g->place));
	struct q_resource_put_in *r;

	if (hidden && was)
		inventory_keep(p, inv, was->id);
	if (hidden || !*v->type)
		return;
	r = inventory_add(p, inv, "tpu", g->place,
		pool.path && pool.several ? str_after_last(pool.path, '/') : g->name);
	r->uid = g->id;
	slice_make_unique(p, inv, r);
	r->attached_to = pool.path && pool.several ? pool.path : v->path;
	r->provisioning = v->provisioning;
	r->type = g->target_size > 1
		? arena_printf(p->arena, "%lld x %s", (long long)g->target_size, v->type)
		: v->type;
	r->state = "starting";
	r->raw_state = arena_printf(
		p->arena, "0 of %lld creating", (long long)g->target_size);
	r->hosts = SOME(0);
	r->target_hosts = SOME(g->target_size);
	if (!topology)
		r->topology = was ? was->topology : NULL;
	else if (*topology)
		r->topology = topology;
	r->end_action = "delete";
	inventory_describe(p, r, v->labels, g->created);
}

static enum err_code slice_rows(struct poll *p, struct inventory *inv, struct err *e)
{
	struct slice_lists *l = p->state;
	const struct gcp_result *lists[] = {&l->groups.r, &l->policies.r};

	for (size_t i = 0; l->listed && i < ARRAY_LEN(lists); i++) {
		if (lists[i]->code == E_DENIED && !l->n_hosts && !l->n_known)
			return E_OK; /* nothing shows that there are TPUs */
		if (lists[i]->code == E_DENIED)
			p->note = arena_printf(p->arena,
				"slices stay as they were, and each host of a new one is "
				"shown as a TPU: %s",
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
	for (size_t i = 0; i < l->n_known; i++)
		if (l->groups.r.code == E_DENIED && !l->known[i].hosts)
			inventory_keep(p, inv, l->known[i].id);
	for (size_t i = 0; i < l->vacant.n; i++)
		if (l->vacant.v[i].group->target_size)
			slice_add_vacant(p, inv, &l->vacant.v[i]);
	return E_OK;
}

/* ---- node pools without a policy --------------------------------------------------------------- */

/* That of a pool never changes: it is asked for once. Without the permission it is unknown. */
static enum err_code slice_ask_shape(
	struct poll *p, const struct gce_group *g, struct slice_shape *x, struct err *e)
{
	struct slice_lists *l = p->state;
	const struct q_slice_known *was = slice_known(l, g);
	struct gcp_thing pool;
	const char *path = NULL;

	if (was && was->topology) {
		x->topology = was->topology;
		return E_OK;
	}
	for (size_t i = 0; i < l->n_hosts; i++)
		if (!strcmp(l->hosts[i].group_path, x->group_path))
			path = l->pool_of[i].path;
	if (!path || !gcp_pool_of(p->project, path, p->arena, &pool))
		return E_OK;
	x->asked = true;
	poll_await(p, &x->pool.r);
	return poll_started(p, gke_pool_start(p->gcp, &pool, p->arena, &x->pool, e));
}

static enum err_code slice_ask_shapes(struct poll *p, bool *asked, struct err *e)
{
	struct slice_lists *l = p->state;

	l->shapes = arena_alloc(p->arena, (l->groups.n + 1) * sizeof(*l->shapes));
	for (size_t i = 0; i < l->n_hosts && l->n_shapes < l->groups.n; i++) {
		const char *path = l->hosts[i].group_path;
		const struct gce_group *g = slice_group(p, l, path);
		const char *topology = g ? slice_topology(p, g) : NULL;
		struct slice_shape *x = &l->shapes[l->n_shapes];

		if ((i && !strcmp(path, l->hosts[i - 1].group_path)) ||
			!l->pool_of[i].several || !topology || *topology)
			continue;
		l->n_shapes++;
		x->group_path = path;
		x->topology = "";
		if (slice_ask_shape(p, g, x, e))
			return e->code;
		*asked = *asked || x->asked;
	}
	return E_OK;
}

/* Not before the snapshot is stored: slice_not_before() needs the former resource of a host. */
static enum err_code slice_take(struct poll *p, struct err *e)
{
	struct slice_lists *l = p->state;
	bool asked;

	if (l->listed && !l->groups.r.code && !l->vacant_asked) {
		l->vacant_asked = true;
		if (vacant_ask(p, &l->groups, &l->vacant, &asked, e) ||
			slice_ask_shapes(p, &asked, e) || asked)
			return e->code;
	}
	for (size_t i = 0; i < l->n_shapes; i++)
		if (l->shapes[i].asked && !l->shapes[i].pool.r.code)
			l->shapes[i].topology = l->shapes[i].pool.topology;
	if (vacant_take(p, &l->vacant, e) || inventory_store(p, slice_rows, e))
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
	.index = INDEX_MACHINES,
	.after = {&source_vm},
	.ask = slice_ask,
	.take = slice_take,
};

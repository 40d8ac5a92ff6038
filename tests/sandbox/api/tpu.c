/* Cloud TPU v2 and v2alpha1: nodes, queued resources, locations. Shapes after the Cloud TPU REST
 * reference; fields that hold their default are left out, as Google does. */
#include "tests/sandbox/api/tpu.h"

#include "base/str.h"

#include <string.h>

static bool unreachable(const struct world *w, const char *zone)
{
	for (size_t i = 0; i < w->unreachable_tpu.n; i++)
		if (!strcmp(w->unreachable_tpu.v[i], zone))
			return true;
	return false;
}

static bool is_alpha(const struct request *q)
{
	return str_starts(q->path, "/v2alpha1/");
}

static void write_data_disks(const struct request *q, struct jw *w, const struct node *n)
{
	jw_key(w, "dataDisks");
	jw_begin(w, '[');
	for (size_t i = 0; i < n->data_disks.n; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "sourceDisk",
			arena_printf(q->a, "projects/%s/zones/%s/disks/%s", n->project,
				n->zone, n->data_disks.v[i]));
		jw_kstr(w, "mode", "READ_WRITE");
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

static void write_endpoint(
	const struct request *q, struct jw *w, const struct node *n, int64_t i)
{
	jw_begin(w, '{');
	jw_kstr(w, "ipAddress",
		!i && n->internal_ip
			? n->internal_ip
			: arena_printf(q->a, "10.164.0.%lld", (long long)(9 + i)));
	jw_ki64(w, "port", 8470);
	jw_end(w, '}');
}

/* The same in every zone: name, generation, topology. */
static const char *const accelerator_types[][3] = {{"v2-8", "V2", "2x2"},
	{"v2-32", "V2", "4x4"}, {"v3-8", "V3", "2x2"}, {"v3-32", "V3", "4x4"},
	{"v4-8", "V4", "2x2x1"}, {"v4-16", "V4", "2x2x2"},
	{"v5litepod-4", "V5LITE_POD", "2x2"}, {"v5p-8", "V5P", "2x2x1"},
	{"v6e-4", "V6E", "2x2"}};

static const char *generation_of(const char *type)
{
	size_t n = strcspn(type, "-") + 1;

	for (size_t i = 0; i < ARRAY_LEN(accelerator_types); i++)
		if (!strncmp(accelerator_types[i][0], type, n))
			return accelerator_types[i][1];
	return "TYPE_UNSPECIFIED";
}

static void write_accelerator_config(
	struct jw *w, const char *generation, const char *topology)
{
	jw_begin(w, '{');
	jw_kstr(w, "type", generation);
	jw_kstr(w, "topology", topology);
	jw_end(w, '}');
}

void tpu_write_node(const struct request *q, struct jw *w, const struct node *n)
{
	jw_begin(w, '{');
	jw_kstr(w, "name",
		arena_printf(q->a, "projects/%s/locations/%s/nodes/%s", n->project, n->zone,
			n->name));
	jw_kstr(w, "id", n->id);
	jw_kstr(w, "acceleratorType", n->type);
	if (n->topology) {
		jw_key(w, "acceleratorConfig");
		write_accelerator_config(w, generation_of(n->type), n->topology);
	}
	jw_kstr(w, "state", n->state);
	if (!strcmp(n->state, "READY"))
		jw_kstr(w, "health", "HEALTHY");
	jw_kstr(w, "runtimeVersion", "tpu-vm-base");
	jw_kstr(w, "apiVersion", "V2");
	add_utc(w, "createTime", n->created);
	jw_key(w, "schedulingConfig");
	jw_begin(w, '{');
	if (class_is(n, "spot") || class_is(n, "reserved")) {
		jw_key(w, class_is(n, "spot") ? "preemptible" : "reserved");
		jw_bool(w, true);
	}
	if (is_alpha(q) && !class_is(n, "new"))
		jw_kstr(w, "provisioningModel",
			class_is(n, "flex-start") ? "STANDARD" : model_of(CLASS_OF(n)));
	if (is_alpha(q) && end_of_node(q->w, n))
		add_utc(w, "terminationTimestamp", end_of_node(q->w, n));
	jw_end(w, '}');
	if (!strcmp(n->state, "READY")) {
		jw_key(w, "networkEndpoints");
		jw_begin(w, '[');
		for (int64_t i = 0; i < n->hosts; i++)
			write_endpoint(q, w, n, i);
		jw_end(w, ']');
	}
	if (n->data_disks.n)
		write_data_disks(q, w, n);
	jw_key(w, "labels");
	jw_raw(w, n->labels);
	if (n->queued)
		jw_kstr(w, "queuedResource",
			arena_printf(q->a, "projects/%s/locations/%s/queuedResources/%s",
				n->project, n->zone, n->queued));
	if (n->multislice) {
		jw_key(w, "multisliceNode");
		jw_bool(w, true);
	}
	jw_end(w, '}');
}

/* What only v2alpha1 has of a queued resource. */
static void write_model(const struct request *q, struct jw *w, const struct queued *x)
{
	if (!class_is(x, "on-demand"))
		jw_kstr(w, "provisioningModel", model_of(CLASS_OF(x)));
	if (!x->ends && !x->run_limit)
		return;
	jw_key(w, "runDuration");
	jw_begin(w, '{');
	if (x->ends)
		add_utc(w, "terminationTime", x->ends);
	else
		jw_kstr(w, "maxRunDuration",
			arena_printf(q->a, "%llds", (long long)x->run_limit));
	jw_end(w, '}');
}

static void write_queued(const struct request *q, struct jw *w, const struct queued *x)
{
	const char *parent = arena_printf(
		q->a, "projects/%s/locations/%s", x->project, x->zone);

	jw_begin(w, '{');
	jw_kstr(w, "name", arena_printf(q->a, "%s/queuedResources/%s", parent, x->name));
	add_utc(w, "createTime", x->created);
	if (class_is(x, "spot")) {
		jw_key(w, "spot");
		jw_raw(w, "{}");
	}
	if (is_alpha(q))
		write_model(q, w, x);
	jw_key(w, "tpu");
	jw_begin(w, '{');
	jw_key(w, "nodeSpec");
	jw_begin(w, '[');
	jw_begin(w, '{');
	jw_kstr(w, "parent", parent);
	jw_kstr(w, "nodeId", x->node ? x->node : x->name);
	jw_key(w, "node");
	jw_begin(w, '{');
	jw_kstr(w, "acceleratorType", x->type);
	jw_end(w, '}');
	jw_end(w, '}');
	jw_end(w, ']');
	jw_end(w, '}');
	jw_key(w, "state");
	jw_begin(w, '{');
	jw_kstr(w, "state", x->state);
	if (x->error) {
		jw_key(w, "failedData");
		jw_begin(w, '{');
		jw_key(w, "error");
		jw_begin(w, '{');
		jw_ki64(w, "code", 8);
		jw_kstr(w, "message", x->error);
		jw_end(w, '}');
		jw_end(w, '}');
	}
	jw_end(w, '}');
	jw_end(w, '}');
}

struct page {
	size_t from, to, number;
	bool open;
};

/* Is the next item of the list on this page? Opens the array when the first one is. */
static bool on_page(struct page *p, struct jw *w, const char *key)
{
	size_t n = p->number++;

	if (n < p->from || n >= p->to)
		return false;
	if (!p->open) {
		jw_key(w, key);
		jw_begin(w, '[');
		p->open = true;
	}
	return true;
}

static void end_page(const struct request *q, struct jw *w, const struct page *p)
{
	bool all = !strcmp(q->seg[4], "-");

	if (p->open)
		jw_end(w, ']');
	if (all && q->w->unreachable_tpu.n) {
		jw_key(w, "unreachable");
		jw_begin(w, '[');
		for (size_t i = 0; i < q->w->unreachable_tpu.n; i++)
			jw_str(w, q->w->unreachable_tpu.v[i]);
		jw_end(w, ']');
	}
	if (p->number > p->to)
		jw_kstr(w, "nextPageToken", page_token(q, p->to));
}

static bool read_page(const struct request *q, struct response *r, struct page *p)
{
	*p = (struct page){0};
	return page_read(q, r, &p->from, &p->to);
}

/* Of this project, in this location ("-" is all), and reachable? */
static bool wanted(const struct request *q, const char *project, const char *zone)
{
	return !strcmp(project, world_project(q->w, q->seg[2])->id) &&
		(!strcmp(q->seg[4], "-") || !strcmp(q->seg[4], zone)) &&
		!unreachable(q->w, zone);
}

bool tpu_path_fine(const struct request *q, struct response *r)
{
	const char *zone = q->n_seg > 4 ? q->seg[4] : "-";
	bool known = !strcmp(zone, "-");

	if (!world_project(q->w, q->seg[2])) {
		respond_rpc(r, 403, "PERMISSION_DENIED",
			arena_printf(q->a, "Permission denied on resource project %s.",
				q->seg[2]));
		return false;
	}
	for (size_t i = 0; i < q->w->zones.n; i++)
		known |= !strcmp(q->w->zones.v[i], zone);
	if (!known) {
		respond_rpc(r, 403, "PERMISSION_DENIED",
			arena_printf(q->a,
				"Permission denied on 'locations/%s' (or it may not "
				"exist).",
				zone));
		return false;
	}
	if (unreachable(q->w, zone)) {
		respond_rpc(r, 503, "UNAVAILABLE", "The service is currently unavailable.");
		return false;
	}
	return true;
}

void tpu_not_found(const struct request *q, struct response *r, const char *rest)
{
	respond_rpc(r, 404, "NOT_FOUND",
		arena_printf(q->a, "Resource 'projects/%s/locations/%s/%s' was not found",
			q->seg[2], q->seg[4], rest));
}

void serve_nodes(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	struct page p;

	if (!tpu_path_fine(q, r) || !read_page(q, r, &p))
		return;
	jw_begin(&w, '{');
	for (size_t i = 0; i < q->w->n_nodes; i++) {
		const struct node *n = &q->w->nodes[i];

		if (wanted(q, n->project, n->zone) && on_page(&p, &w, "nodes"))
			tpu_write_node(q, &w, n);
	}
	end_page(q, &w, &p);
	jw_end(&w, '}');
}

void serve_queued(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	struct page p;

	if (!tpu_path_fine(q, r) || !read_page(q, r, &p))
		return;
	jw_begin(&w, '{');
	for (size_t i = 0; i < q->w->n_queued; i++) {
		const struct queued *x = &q->w->queued[i];

		if (wanted(q, x->project, x->zone) && on_page(&p, &w, "queuedResources"))
			write_queued(q, &w, x);
	}
	end_page(q, &w, &p);
	jw_end(&w, '}');
}

void serve_node(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	const struct node *n;

	if (!tpu_path_fine(q, r))
		return;
	n = world_node(q->w, q->seg[2], q->seg[4], q->seg[6]);
	if (n)
		tpu_write_node(q, &w, n);
	else
		tpu_not_found(q, r, arena_printf(q->a, "nodes/%s", q->seg[6]));
}

void serve_queued_one(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	const struct queued *x;

	if (!tpu_path_fine(q, r))
		return;
	x = world_queued(q->w, q->seg[2], q->seg[4], q->seg[6]);
	if (x)
		write_queued(q, &w, x);
	else
		tpu_not_found(q, r, arena_printf(q->a, "queuedResources/%s", q->seg[6]));
}

/* ---- places and types -------------------------------------------------------------------------- */

static void write_location(const struct request *q, struct jw *w, const char *zone)
{
	jw_begin(w, '{');
	jw_kstr(w, "name", arena_printf(q->a, "projects/%s/locations/%s", q->seg[2], zone));
	jw_kstr(w, "locationId", zone);
	jw_end(w, '}');
}

void serve_locations(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	if (!tpu_path_fine(q, r))
		return;
	jw_begin(&w, '{');
	jw_key(&w, "locations");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->zones.n; i++)
		write_location(q, &w, q->w->zones.v[i]);
	jw_end(&w, ']');
	jw_end(&w, '}');
}

void serve_location(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	if (tpu_path_fine(q, r))
		write_location(q, &w, q->seg[4]);
}

static void write_accelerator_type(
	const struct request *q, struct jw *w, const char *const type[3])
{
	jw_begin(w, '{');
	jw_kstr(w, "name",
		arena_printf(q->a, "projects/%s/locations/%s/acceleratorTypes/%s",
			q->seg[2], q->seg[4], type[0]));
	jw_kstr(w, "type", type[0]);
	jw_key(w, "acceleratorConfigs");
	jw_begin(w, '[');
	write_accelerator_config(w, type[1], type[2]);
	jw_end(w, ']');
	jw_end(w, '}');
}

void serve_accelerator_types(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	struct page p;

	if (!tpu_path_fine(q, r) || !read_page(q, r, &p))
		return;
	jw_begin(&w, '{');
	for (size_t i = 0; i < ARRAY_LEN(accelerator_types); i++)
		if (on_page(&p, &w, "acceleratorTypes"))
			write_accelerator_type(q, &w, accelerator_types[i]);
	end_page(q, &w, &p);
	jw_end(&w, '}');
}

void serve_accelerator_type(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	if (!tpu_path_fine(q, r))
		return;
	for (size_t i = 0; i < ARRAY_LEN(accelerator_types); i++) {
		if (strcmp(accelerator_types[i][0], q->seg[6]) != 0)
			continue;
		write_accelerator_type(q, &w, accelerator_types[i]);
		return;
	}
	tpu_not_found(q, r, arena_printf(q->a, "acceleratorTypes/%s", q->seg[6]));
}

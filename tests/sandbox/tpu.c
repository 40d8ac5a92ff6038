/* Cloud TPU v2: nodes, queued resources, locations. Shapes after the Cloud TPU REST
 * reference; fields that hold their default are left out, as Google does. */
#include "tests/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

static bool unreachable(const struct world *w, const char *zone)
{
	for (size_t i = 0; i < w->unreachable_tpu.n; i++)
		if (!strcmp(w->unreachable_tpu.v[i], zone))
			return true;
	return false;
}

static void write_node(const struct request *q, struct jw *w, const struct node *n)
{
	jw_begin(w, '{');
	jw_kstr(w, "name",
		arena_printf(q->a, "projects/%s/locations/%s/nodes/%s", n->project, n->zone,
			n->name));
	jw_kstr(w, "id", n->id);
	jw_kstr(w, "acceleratorType", n->type);
	jw_kstr(w, "state", n->state);
	if (!strcmp(n->state, "READY"))
		jw_kstr(w, "health", "HEALTHY");
	jw_kstr(w, "runtimeVersion", "tpu-vm-base");
	jw_kstr(w, "apiVersion", "V2");
	add_utc(w, "createTime", n->created);
	jw_key(w, "schedulingConfig");
	jw_begin(w, '{');
	if (n->spot) {
		jw_key(w, "preemptible");
		jw_bool(w, true);
	}
	jw_end(w, '}');
	if (!strcmp(n->state, "READY")) {
		jw_key(w, "networkEndpoints");
		jw_begin(w, '[');
		for (int64_t i = 0; i < n->hosts; i++)
			jw_raw(w,
				arena_printf(q->a,
					"{\"ipAddress\":\"10.164.0.%lld\",\"port\":8470}",
					(long long)(9 + i)));
		jw_end(w, ']');
	}
	jw_key(w, "labels");
	jw_raw(w, n->labels);
	if (n->queued)
		jw_kstr(w, "queuedResource",
			arena_printf(q->a, "projects/%s/locations/%s/queuedResources/%s",
				n->project, n->zone, n->queued));
	jw_end(w, '}');
}

static void write_queued(const struct request *q, struct jw *w, const struct queued *x)
{
	const char *parent = arena_printf(
		q->a, "projects/%s/locations/%s", x->project, x->zone);

	jw_begin(w, '{');
	jw_kstr(w, "name", arena_printf(q->a, "%s/queuedResources/%s", parent, x->name));
	add_utc(w, "createTime", x->created);
	if (x->spot) {
		jw_key(w, "spot");
		jw_raw(w, "{}");
	}
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
	if (p->open)
		jw_end(w, ']');
	if (q->w->unreachable_tpu.n) {
		jw_key(w, "unreachable");
		jw_begin(w, '[');
		for (size_t i = 0; i < q->w->unreachable_tpu.n; i++)
			jw_str(w, q->w->unreachable_tpu.v[i]);
		jw_end(w, ']');
	}
	if (p->number > p->to)
		jw_kstr(w, "nextPageToken", arena_printf(q->a, "p%zu", p->to));
}

static struct page read_page(const struct request *q)
{
	const char *token = q->param(q, "pageToken"), *size = q->param(q, "pageSize");
	struct page p = {0};

	if (token && *token == 'p')
		p.from = (size_t)strtoull(token + 1, NULL, 10);
	p.to = p.from + (size && *size ? (size_t)strtoull(size, NULL, 10) : 500);
	return p;
}

/* Of this project, in this location ("-" is all), and reachable? */
static bool wanted(const struct request *q, const char *project, const char *zone)
{
	return !strcmp(project, q->seg[2]) &&
		(!strcmp(q->seg[4], "-") || !strcmp(q->seg[4], zone)) &&
		!unreachable(q->w, zone);
}

static bool project_fine(const struct request *q, struct response *r)
{
	if (world_project(q->w, q->seg[2]))
		return true;
	respond_error(r, 403, "forbidden",
		arena_printf(q->a, "Permission denied on resource project %s.", q->seg[2]));
	return false;
}

void serve_nodes(const struct request *q, struct response *r)
{
	struct page p = read_page(q);
	struct jw w = {.b = &r->body};

	if (!project_fine(q, r))
		return;
	jw_begin(&w, '{');
	for (size_t i = 0; i < q->w->n_nodes; i++) {
		const struct node *n = &q->w->nodes[i];

		if (wanted(q, n->project, n->zone) && on_page(&p, &w, "nodes"))
			write_node(q, &w, n);
	}
	end_page(q, &w, &p);
	jw_end(&w, '}');
}

void serve_queued(const struct request *q, struct response *r)
{
	struct page p = read_page(q);
	struct jw w = {.b = &r->body};

	if (!project_fine(q, r))
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

	for (size_t i = 0; i < q->w->n_nodes; i++) {
		const struct node *n = &q->w->nodes[i];

		if (strcmp(n->project, q->seg[2]) || strcmp(n->zone, q->seg[4]) ||
			strcmp(n->name, q->seg[6]))
			continue;
		write_node(q, &w, n);
		return;
	}
	respond_error(r, 404, "notFound",
		arena_printf(q->a,
			"Resource 'projects/%s/locations/%s/nodes/%s' was not found",
			q->seg[2], q->seg[4], q->seg[6]));
}

void serve_locations(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	jw_begin(&w, '{');
	jw_key(&w, "locations");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->zones.n; i++) {
		jw_begin(&w, '{');
		jw_kstr(&w, "name",
			arena_printf(q->a, "projects/%s/locations/%s", q->seg[2],
				q->w->zones.v[i]));
		jw_kstr(&w, "locationId", q->w->zones.v[i]);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
}

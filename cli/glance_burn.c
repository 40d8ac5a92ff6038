#include "cli/glance_burn.h"

#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* The parts of one project, category and currency. */
struct group {
	const char *project, *category;
	const char *currency; /* NULL: without a price */
	int64_t net, parts;
	bool known; /* the price of each */
};

struct groups {
	struct arena *a;
	struct group *v;
	size_t n, cap;
	size_t first; /* of the project that is being read */
};

bool glance_is_asked(const struct app *app, const char *project, size_t len)
{
	const char *p = app->o.project;

	for (; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (strcspn(p, ",") == len && !memcmp(p, project, len))
			return true;
	return !app->o.project;
}

static bool same_currency(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* An id begins with its project, and they come in order. */
static struct group *group_of(
	struct groups *g, const struct q_glance_burn *q, size_t project_len)
{
	const char *project = g->n ? g->v[g->n - 1].project : NULL;

	if (!project || strncmp(project, q->id, project_len) != 0 || project[project_len]) {
		project = arena_strndup(g->a, q->id, project_len);
		g->first = g->n;
	}
	for (size_t i = g->first; i < g->n; i++)
		if (!strcmp(g->v[i].category, q->category) &&
			same_currency(g->v[i].currency, q->currency))
			return &g->v[i];
	g->v = arena_grow(g->a, g->v, g->n, &g->cap, sizeof(*g->v));
	g->v[g->n] = (struct group){.project = project,
		.category = arena_strdup(g->a, q->category),
		.currency = arena_strdup(g->a, q->currency),
		.known = q->currency != NULL};
	return &g->v[g->n++];
}

static enum err_code add_part(
	struct groups *g, const struct q_glance_burn *q, size_t project_len, struct err *e)
{
	struct group *x = group_of(g, q, project_len);

	x->parts++;
	x->known &= q->net.set;
	return !q->net.set || nanos_add(x->net, q->net.v, &x->net)
		? E_OK
		: err_set(e, E_OVERFLOW, "what burns per hour is too much to add up");
}

static enum err_code read_groups(struct app *app, struct groups *g, struct err *e)
{
	struct q_glance_burn q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_glance_burn_open(app->db, &rows, e))
		return e->code;
	while (!rc && q_glance_burn_next(&rows, &q)) {
		size_t len = strcspn(q.id, "/");

		if (glance_is_asked(app, q.id, len))
			rc = add_part(g, &q, len, e);
	}
	return db_rows_end(&rows, rc, e);
}

/* The dearest first, whatever its currency. */
static int by_net(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int order;

	if (a->known != b->known)
		return b->known ? 1 : -1;
	if (a->net != b->net)
		return a->net < b->net ? 1 : -1;
	order = strcmp(a->project, b->project);
	if (!order)
		order = strcmp(a->category, b->category);
	return order || !a->known ? order : strcmp(a->currency, b->currency);
}

static void add_group(struct glance_burn *s, const struct group *x)
{
	size_t i = 0;
	int64_t a_day;

	if (!x->known) {
		s->unknown += x->parts;
		return;
	}
	while (i < s->n && strcmp(s->currency[i], x->currency) != 0)
		i++;
	if (i == GLANCE_CURRENCIES)
		return;
	if (i == s->n)
		s->currency[s->n++] = x->currency;
	if (__builtin_mul_overflow(x->net, 24, &a_day) ||
		!nanos_add(s->hour[i], x->net, &s->hour[i]) ||
		!nanos_add(s->day[i], a_day, &s->day[i]))
		s->hour[i] = s->day[i] = INT64_MAX;
}

enum err_code glance_burn_read(struct app *app, struct glance_burn *out, struct err *e)
{
	struct groups g = {.a = &app->arena};

	*out = (struct glance_burn){.n = 0};
	if (read_groups(app, &g, e))
		return e->code;
	if (g.n)
		qsort(g.v, g.n, sizeof(*g.v), by_net);
	for (size_t i = 0; i < g.n; i++)
		add_group(out, &g.v[i]);
	return E_OK;
}

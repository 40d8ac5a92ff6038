#include "cli/screen/glance_burn.h"

#include "base/money.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* Burn of one project, category and currency. */
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
	size_t first; /* of the present project */
};

bool glance_is_asked(const struct app *app, const char *project)
{
	const char *p = app->o.project;
	size_t len = strlen(project);

	for (; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (strcspn(p, ",") == len && !memcmp(p, project, len))
			return true;
	return !app->o.project;
}

/* An id begins with its project, and the ids are in order. */
static struct group *group_of(struct groups *g, const struct q_glance_burn *q)
{
	size_t len = strcspn(q->id, "/");
	struct group *x;

	if (g->n &&
		(strncmp(g->v[g->n - 1].project, q->id, len) != 0 ||
			g->v[g->n - 1].project[len]))
		g->first = g->n;
	for (size_t i = g->first; i < g->n; i++)
		if (!strcmp(g->v[i].category, q->category) &&
			str_eq(g->v[i].currency, q->currency))
			return &g->v[i];
	g->v = arena_grow(g->a, g->v, g->n, &g->cap, sizeof(*g->v));
	x = &g->v[g->n++];
	*x = (struct group){.project = arena_printf(g->a, "%.*s", (int)len, q->id),
		.category = arena_strdup(g->a, q->category),
		.currency = arena_strdup(g->a, q->currency),
		.known = q->currency != NULL};
	return x;
}

static bool add_part(struct groups *g, const struct q_glance_burn *q)
{
	struct group *x = group_of(g, q);

	x->parts++;
	x->known &= q->net.set;
	return !q->net.set || nanos_add(x->net, q->net.v, &x->net);
}

/* The most expensive first, whatever its currency. */
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
	struct q_glance_burn q;
	struct db_rows rows;
	bool fits = true;

	*out = (struct glance_burn){.n = 0};
	if (q_glance_burn_open(app->db, &rows, e))
		return e->code;
	while (fits && q_glance_burn_next(&rows, &q))
		fits = add_part(&g, &q);
	if (db_rows_close(&rows, e))
		return e->code;
	if (!fits)
		return err_set(e, E_OVERFLOW, "the burn per hour: the sum does not fit");
	if (g.n)
		qsort(g.v, g.n, sizeof(*g.v), by_net);
	for (size_t i = 0; i < g.n; i++)
		if (glance_is_asked(app, g.v[i].project))
			add_group(out, &g.v[i]);
	return E_OK;
}

#include "cli/screen/glance_burn.h"

#include "base/money.h"
#include "base/str.h"
#include "rules/derive/derive.h"

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
	struct app *app;
	struct group *v;
	size_t n, cap;
	size_t first; /* of the project that is being read */
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

/* An id begins with its project, and they come in order. */
static struct group *group_of(struct groups *g, const struct derived_burn *b)
{
	if (g->n && strcmp(g->v[g->n - 1].project, b->project) != 0)
		g->first = g->n;
	for (size_t i = g->first; i < g->n; i++)
		if (!strcmp(g->v[i].category, b->category) &&
			str_eq(g->v[i].currency, b->currency))
			return &g->v[i];
	g->v = arena_grow(&g->app->arena, g->v, g->n, &g->cap, sizeof(*g->v));
	g->v[g->n] = (struct group){.project = b->project,
		.category = b->category,
		.currency = b->currency,
		.known = b->currency != NULL};
	return &g->v[g->n++];
}

static enum err_code add_part(void *ctx, const struct derived_burn *b, struct err *e)
{
	struct groups *g = ctx;
	struct group *x;

	if (!glance_is_asked(g->app, b->project))
		return E_OK;
	x = group_of(g, b);
	x->parts++;
	x->known &= b->net.set;
	return !b->net.set || nanos_add(x->net, b->net.v, &x->net)
		? E_OK
		: err_set(e, E_OVERFLOW, "what burns per hour is too much to add up");
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
	struct groups g = {.app = app};

	*out = (struct glance_burn){.n = 0};
	if (derive_each_burn(app->derivation, add_part, &g, e))
		return e->code;
	if (g.n)
		qsort(g.v, g.n, sizeof(*g.v), by_net);
	for (size_t i = 0; i < g.n; i++)
		add_group(out, &g.v[i]);
	return E_OK;
}

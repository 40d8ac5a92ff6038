#include "cli/screen/glance_budgets.h"

#include "cli/config/config.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

static enum err_code fill_percent(struct app *app, struct glance_budget *g, struct err *e)
{
	struct q_glance_percent_in in = {
		.expected = g->b->expected.v, .amount = g->b->amount};
	struct q_glance_percent q;
	bool found;

	if (!g->b->expected.set)
		return E_OK;
	if (q_glance_percent_one(app->db, &in, &app->arena, &q, &found, e))
		return e->code;
	g->percent_100 = SOME(q.percent_100);
	return E_OK;
}

/* Those of which it is not known come last. */
static int by_percent(const void *pa, const void *pb)
{
	const struct glance_budget *a = pa, *b = pb;

	if (a->percent_100.set != b->percent_100.set)
		return b->percent_100.set ? 1 : -1;
	if (a->percent_100.v != b->percent_100.v)
		return a->percent_100.v < b->percent_100.v ? 1 : -1;
	return strcmp(a->b->name, b->b->name);
}

enum err_code glance_budgets_read(
	struct app *app, struct glance_budget **out, size_t *n, struct err *e)
{
	struct derived_budget *list;
	struct glance_budget *v;

	*n = 0;
	if (!app->cfg->settings.n_budgets)
		return E_OK;
	if (derive_budget_list(app->derivation, &list, n, e))
		return e->code;
	v = arena_alloc(&app->arena, (*n + 1) * sizeof(*v));
	for (size_t i = 0; i < *n; i++) {
		v[i] = (struct glance_budget){.b = &list[i]};
		if (fill_percent(app, &v[i], e))
			return e->code;
	}
	qsort(v, *n, sizeof(*v), by_percent);
	*out = v;
	return E_OK;
}

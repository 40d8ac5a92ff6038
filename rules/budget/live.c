/* What a budget is made of: parts of what runs. */
#include "base/str.h"
#include "rules/derive/budget.h"

#include <stdlib.h>
#include <string.h>

/* A part of something that runs. */
struct live_row {
	const char *project, *id;
	const char *cur; /* NULL: without a price */
	struct opt_i64 net, since;
	bool advised;
	struct opt_i64 holds; /* the condition, of it; absent: only a bill can tell */
};

/* Parts of one resource follow each other: is this the first of those that count here? */
static bool another(struct budget_work *w, const char **last, const char *id)
{
	if (*last && !strcmp(*last, id))
		return false;
	*last = arena_strdup(&w->d->arena, id);
	return true;
}

/* The number of a currency in w->live; BUDGET_CURRENCIES when there are too many. */
static size_t live_currency(struct budget_work *w, const char *cur)
{
	size_t i = 0;

	while (i < w->n_live && strcmp(w->live[i].cur, cur) != 0)
		i++;
	if (i < w->n_live || i == BUDGET_CURRENCIES)
		return i;
	w->live[w->n_live].cur = arena_strdup(&w->d->arena, cur);
	if (newest_rate(w->d, cur, &w->live[w->n_live].rate, &w->failed))
		w->live[w->n_live].rate = 0;
	return w->n_live++;
}

static void keep_part(
	struct budget_work *w, const char *project_name, struct live_part part)
{
	size_t at = budget_project_of(w, project_name);
	struct budget_project *p = &w->projects[at];

	p->parts = arena_grow(&w->d->arena, p->parts, p->n, &p->cap, sizeof(*p->parts));
	p->parts[p->n++] = part;
	w->advised += part.advised && another(w, &w->last_advised, w->last_id);
}

static void add_live(struct budget_work *w, const struct live_row *r)
{
	struct live_part part = {
		.since = r->since.set ? r->since.v : TS_NONE, .advised = r->advised};

	if (!r->holds.set) {
		w->undecided += another(w, &w->last_undecided, r->id);
		return;
	}
	if (!r->holds.v)
		return;
	w->resources += another(w, &w->last_id, r->id);
	if (!r->cur) { /* what a grant covers costs nothing all the same */
		if (!r->net.set)
			w->unpriced += another(w, &w->last_unpriced, r->id);
		return;
	}
	part.per_hour = r->net.v;
	part.currency = live_currency(w, r->cur);
	if (!part.per_hour)
		return;
	if (part.currency == BUDGET_CURRENCIES) {
		w->no_rate = arena_strdup(&w->d->arena, r->cur);
		return;
	}
	keep_part(w, r->project, part);
}

/* ---- with a condition: by SQL ------------------------------------------------------------------ */

static struct opt_i64 number(const struct db_cursor *c, int column)
{
	return db_cursor_type(c, column) == DB_NULL ? NONE : SOME(db_cursor_i64(c, column));
}

static void add_row(struct budget_work *w, const struct db_cursor *c)
{
	struct live_row r = {.project = db_cursor_text(c, 0),
		.id = db_cursor_text(c, 1),
		.cur = db_cursor_text(c, 2),
		.net = number(c, 3),
		.since = number(c, 4),
		.advised = db_cursor_i64(c, 5) != 0,
		.holds = number(c, 6)};

	add_live(w, &r);
}

static enum err_code select_live(struct budget_work *w, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	sbuf_adds(
		&sql, "SELECT project, id, currency, net_n, since_n, advised, CASE WHEN ");
	budget_add_where(&sql, w->b);
	sbuf_adds(&sql, " THEN 1 WHEN NOT ");
	budget_add_where(&sql, w->b);
	sbuf_adds(&sql, " THEN 0 END FROM live_costs_exact ORDER BY project, id");
	rc = budget_select(w, sql.s, add_row, e);
	sbuf_done(&sql);
	return rc;
}

/* ---- without one: all of it -------------------------------------------------------------------- */

static int by_project(const void *pa, const void *pb)
{
	const struct fact *a = *(const struct fact *const *)pa,
			  *b = *(const struct fact *const *)pb;
	int order = strcmp(a->project, b->project);

	return order ? order : strcmp(a->id, b->id);
}

static void add_fact(struct budget_work *w, const struct fact *f)
{
	for (size_t i = 0; i < f->n_parts; i++) {
		struct live_row r = {.project = f->project,
			.id = f->id,
			.since = f->running_since.set ? f->running_since : f->created,
			.advised = f->advised,
			.holds = SOME(1)};
		struct burn b;

		if (!fact_burn(f, &f->parts[i], &b))
			continue;
		r.cur = b.cur;
		r.net = b.net;
		add_live(w, &r);
	}
}

/* As the view live_costs_exact has it. */
static void add_all(struct budget_work *w)
{
	const struct deriving *d = w->d;
	const struct fact **v = arena_alloc(&w->d->arena, (d->n_facts + 1) * sizeof(*v));

	for (size_t i = 0; i < d->n_facts; i++)
		v[i] = &d->facts[i];
	if (d->n_facts)
		qsort(v, d->n_facts, sizeof(*v), by_project);
	for (size_t i = 0; i < d->n_facts; i++)
		add_fact(w, v[i]);
}

enum err_code budget_sum_live(struct budget_work *w, struct err *e)
{
	if (w->b->where && select_live(w, e))
		return e->code;
	if (!w->b->where)
		add_all(w);
	if (w->failed.code)
		*e = w->failed;
	return w->failed.code;
}

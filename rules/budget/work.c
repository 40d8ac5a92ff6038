/* Shared by the parts of one budget: currencies, projects, and SQL with its condition. */
#include "base/str.h"
#include "rules/budget/internal.h"
#include "rules/vocab/condition.h"

#include <string.h>

const char budget_too_large[] = "the figures exceed 9.2 billion";

static void budget_note_rate(struct budget_work *w, const char *from, int64_t rate)
{
	struct converted *c = NULL;

	for (size_t i = 0; !c && i < w->converted.n; i++)
		if (str_eq(w->converted.v[i].from, from))
			c = &w->converted.v[i];
	if (!c) {
		c = arena_push(&w->d->arena, &w->converted);
		*c = (struct converted){arena_strdup(&w->d->arena, from), rate, rate};
	}
	c->lowest = rate < c->lowest ? rate : c->lowest;
	c->highest = rate > c->highest ? rate : c->highest;
}

bool budget_exchange(
	struct budget_work *w, int64_t amount, const char *from, int64_t rate, int64_t *out)
{
	const char *to = w->b->amount.cur;

	if (strcmp(from, to) != 0 && amount)
		budget_note_rate(w, from, rate);
	return price_exchange(amount, from, rate, to, w->rate, out);
}

/* ---- projects -------------------------------------------------------------------------- */

size_t budget_project_of(struct budget_work *w, const char *name)
{
	size_t *at = strmap_get(&w->by_name, name);

	if (at)
		return *at;
	strmap_put(&w->by_name, name, w->projects.n);
	*arena_push(&w->d->arena, &w->projects) = (struct budget_project){
		.name = arena_strdup(&w->d->arena, name),
		.from = INT64_MAX,
		.billed = INT64_MAX};
	return w->projects.n - 1;
}

/* ---- condition ------------------------------------------------------------------------- */

const char *budget_where(const struct budget_work *w)
{
	return arena_printf(&w->d->arena, "(%s)", w->b->where ? w->b->where : "1 = 1");
}

enum err_code budget_break(struct budget_work *w, struct err *e)
{
	struct err *why = &w->failed;

	if (why->code != E_USAGE && why->code != E_LIMIT) {
		if (why->code)
			*e = *why;
		return why->code;
	}
	/* The error names costs, because the author of the condition thinks of them. */
	if (why->code == E_USAGE && w->b->where)
		(void)!condition_check(w->d->db, view_find("costs"), w->b->where, why);
	w->broken = arena_strdup(&w->d->arena, why->msg);
	*why = (struct err){0};
	return E_OK;
}

enum err_code budget_select(struct budget_work *w, const char *sql,
	void (*row)(struct budget_work *w, const struct db_cursor *c), struct err *e)
{
	struct db_cursor c = {0};
	bool more = false;

	if (!(w->b->where && condition_shape(w->b->where, &w->failed)) &&
		!db_cursor_open_rule(w->d->db, sql, false, &c, &w->failed))
		while (!w->failed.code && !db_cursor_step(&c, &more, &w->failed) && more)
			row(w, &c);
	if (c.stmt)
		db_cursor_close(&c);
	return budget_break(w, e);
}

void budget_work_done(struct budget_work *w)
{
	if (w->condition.stmt)
		db_cursor_close(&w->condition);
	ref_sums_done(&w->before.sums);
	ref_sums_done(&w->days.sums);
	ref_sums_done(&w->after.sums);
	ref_sums_done(&w->sums);
	ref_sums_done(&w->names);
	strmap_done(&w->by_name);
	sbuf_done(&w->last_id);
	sbuf_done(&w->last_lapsing);
	sbuf_done(&w->last_undecided);
	sbuf_done(&w->last_unpriced);
}

/* Burn of a budget's running resources. */
#include "base/str.h"
#include "rules/budget/internal.h"

#include <stdlib.h>
#include <string.h>

/* Parts of one resource follow each other: is this the first of those that count here? */
static bool budget_another(struct budget_work *w, const char **last, const char *id)
{
	if (*last && !strcmp(*last, id))
		return false;
	*last = arena_strdup(&w->d->arena, id);
	return true;
}

/* The currency in w->live; NULL when there are too many. */
static const char *budget_live_currency(struct budget_work *w, const char *cur)
{
	struct budget_sum *s = w->live;

	while (s < w->live + w->n_live && strcmp(s->cur, cur) != 0)
		s++;
	if (s == w->live + ARRAY_LEN(w->live))
		return NULL;
	if (s == w->live + w->n_live) {
		w->n_live++;
		s->cur = arena_strdup(&w->d->arena, cur);
		if (newest_rate(w->d, cur, &s->rate, &w->failed))
			s->rate = 0;
	}
	return s->cur;
}

/* `holds` is the result of the condition; absent: only a bill can decide. Covered resources cost
 * nothing, even without a price. */
static void budget_add_live(struct budget_work *w, const char *project, const char *id,
	struct live_part part, struct opt_i64 net, struct opt_i64 holds)
{
	struct budget_project *p;
	const char *cur = part.cur;
	size_t at;

	if (!holds.set)
		w->undecided += budget_another(w, &w->last_undecided, id);
	if (!holds.set || !holds.v)
		return;
	w->resources += budget_another(w, &w->last_id, id);
	if (!cur && !net.set)
		w->unpriced += budget_another(w, &w->last_unpriced, id);
	part.cur = cur ? budget_live_currency(w, cur) : NULL;
	part.per_hour = net.v;
	if (!cur || !part.per_hour)
		return;
	if (!part.cur) {
		w->no_rate = arena_strdup(&w->d->arena, cur);
		return;
	}
	at = budget_project_of(w, project);
	p = &w->projects[at];
	p->parts = arena_grow(&w->d->arena, p->parts, p->n, &p->cap, sizeof(*p->parts));
	p->parts[p->n++] = part;
}

/* ---- with a condition: by SQL ------------------------------------------------------------------ */

static struct opt_i64 budget_number(const struct db_cursor *c, int column)
{
	return db_cursor_type(c, column) == DB_NULL ? NONE : SOME(db_cursor_i64(c, column));
}

static void budget_add_row(struct budget_work *w, const struct db_cursor *c)
{
	struct opt_i64 since = budget_number(c, 4);
	struct live_part part = {.cur = db_cursor_text(c, 2),
		.since = since.set ? since.v : TS_NONE,
		.advised = db_cursor_i64(c, 5) != 0};

	budget_add_live(w, db_cursor_text(c, 0), db_cursor_text(c, 1), part,
		budget_number(c, 3), budget_number(c, 6));
}

static enum err_code budget_select_live(struct budget_work *w, struct err *e)
{
	const char *where = budget_where(w);

	return budget_select(w,
		arena_printf(&w->d->arena,
			"SELECT project, id, currency, net_n, since_n, advised, "
			"CASE WHEN %s THEN 1 WHEN NOT %s THEN 0 END "
			"FROM live_costs_exact ORDER BY project, id",
			where, where),
		budget_add_row, e);
}

/* ---- without a condition: all ------------------------------------------------------------------ */

static int budget_by_project(const void *pa, const void *pb)
{
	const struct fact *a = *(const struct fact *const *)pa,
			  *b = *(const struct fact *const *)pb;
	int order = strcmp(a->project, b->project);

	return order ? order : strcmp(a->id, b->id);
}

static void budget_add_fact(struct budget_work *w, const struct fact *f)
{
	struct opt_i64 since = f->running_since.set ? f->running_since : f->created;

	for (size_t i = 0; i < f->n_parts; i++) {
		struct row_burn_part b;

		if (fact_burn(f, &f->parts[i], &b))
			budget_add_live(w, f->project, f->id,
				(struct live_part){.cur = b.currency,
					.since = since.set ? since.v : TS_NONE,
					.advised = f->advised},
				b.net, SOME(1));
	}
}

/* Same rows as the view live_costs_exact. */
static void budget_add_all(struct budget_work *w)
{
	const struct deriving *d = w->d;
	const struct fact **v = arena_alloc(&w->d->arena, (d->n_facts + 1) * sizeof(*v));

	for (size_t i = 0; i < d->n_facts; i++)
		v[i] = &d->facts[i];
	if (d->n_facts)
		qsort(v, d->n_facts, sizeof(*v), budget_by_project);
	for (size_t i = 0; i < d->n_facts; i++)
		budget_add_fact(w, v[i]);
}

enum err_code budget_sum_live(struct budget_work *w, struct err *e)
{
	if (w->b->where && budget_select_live(w, e))
		return e->code;
	if (!w->b->where)
		budget_add_all(w);
	if (w->failed.code)
		*e = w->failed;
	return w->failed.code;
}

/* ---- burn -------------------------------------------------------------------------------------- */

/* Burn in one currency. False when the sum does not fit. */
static bool budget_burn_in(struct budget_work *w, const struct live_part *parts, size_t n,
	const char *cur, struct budget_burn *out)
{
	ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;

	for (size_t i = 0; i < n; i++) {
		const struct live_part *part = &parts[i];
		ts_t from = part->since > out->from ? part->since : out->from;

		if (part->cur != cur)
			continue;
		if (!nanos_add(out->per_hour, part->per_hour, &out->per_hour))
			return false;
		if (!part->advised)
			out->kept += part->per_hour;
		if (until > from)
			out->at_least += (__int128)part->per_hour * (until - from);
		w->late += part->since > out->from;
	}
	return true;
}

/* Rate of these parts in the budget's currency: each currency is rounded once. */
static void budget_burn_of(struct budget_work *w, const struct live_part *parts, size_t n,
	ts_t from, struct budget_burn *out)
{
	*out = (struct budget_burn){.from = from};
	for (size_t i = 0; i < w->n_live; i++) {
		struct budget_burn one = {.from = from};
		int64_t per_hour, kept, rate = w->live[i].rate;
		const char *cur = w->live[i].cur;

		if (!budget_burn_in(w, parts, n, cur, &one)) {
			w->broken = budget_too_large;
			return;
		}
		if (!budget_exchange(w, one.per_hour, cur, rate, &per_hour) ||
			!budget_exchange(w, one.kept, cur, rate, &kept)) {
			w->no_rate = cur;
			return;
		}
		if (!nanos_add(out->per_hour, per_hour, &out->per_hour))
			w->broken = budget_too_large;
		out->kept += kept;
		if (one.per_hour) /* the same seconds, at the converted rate */
			out->at_least += one.at_least / one.per_hour * per_hour +
				one.at_least % one.per_hour * per_hour / one.per_hour;
	}
}

static int budget_by_since(const void *pa, const void *pb)
{
	const struct live_part *a = pa, *b = pb;

	return (a->since > b->since) - (a->since < b->since);
}

static void budget_add_burn(
	struct budget_work *w, const struct live_part *parts, size_t n, ts_t billed_until)
{
	w->burns = arena_grow(
		&w->d->arena, w->burns, w->f.n, &w->cap_burns, sizeof(*w->burns));
	budget_burn_of(w, parts, n, budget_unbilled_from(&w->f, billed_until),
		&w->burns[w->f.n++]);
	w->f.burns = w->burns;
}

/* One burn since the project's newest billed usage. A project that has never been billed burned
 * nothing before it began: one burn for each moment at which a part began. */
void budget_add_burns(struct budget_work *w, struct budget_project *p)
{
	size_t *at = strmap_get(&w->billed->until->by_name, p->name);

	p->first_burn = w->f.n;
	if (at) {
		budget_add_burn(w, p->parts, p->n, w->billed->until->v[*at]);
	} else if (p->n) {
		qsort(p->parts, p->n, sizeof(*p->parts), budget_by_since);
		for (size_t i = 0, end; i < p->n; i = end) {
			for (end = i + 1;
				end < p->n && p->parts[end].since == p->parts[i].since;)
				end++;
			budget_add_burn(w, &p->parts[i], end - i, p->parts[i].since);
		}
	}
	p->n_burns = w->f.n - p->first_burn;
}

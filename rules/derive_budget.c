/* Budgets: what is billed and what runs, brought together for rules/budget.c. */
#include "rules/derive_budget.h"

#include "base/civil.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdio.h>
#include <string.h>

#define QUERY_MS 10000
/* How far an estimate may be off where none could be compared with a bill yet, in thousandths:
 * the largest discount that Google takes off a list price by itself (sustained use of N1). */
#define ERROR_ASSUMED 300

/* ---- currencies ------------------------------------------------------------------------ */

enum err_code newest_rate(struct deriving *d, const char *cur, int64_t *out, struct err *e)
{
	struct q_newest_rate_in in = {.currency = cur};
	struct q_newest_rate row;
	bool found = true;

	*out = NANOS;
	if (!strcmp(cur, "USD"))
		return E_OK;
	if (q_newest_rate_one(d->db, &in, &d->arena, &row, &found, e))
		return e->code;
	*out = found ? row.rate : 0;
	return E_OK;
}

bool budget_exchange(
	struct budget_work *w, int64_t amount, const char *from, int64_t rate, int64_t *out)
{
	if (!strcmp(from, w->b->amount.cur) || !amount) {
		*out = amount;
		return true;
	}
	w->converted = arena_strdup(&w->d->arena, from);
	if (!strcmp(from, "USD"))
		rate = NANOS;
	w->converted_rate = rate;
	return rate > 0 && w->rate > 0 && nanos_muldiv(amount, w->rate, rate, out);
}

/* ---- projects -------------------------------------------------------------------------- */

static struct budget_project *project(struct budget_work *w, const char *name)
{
	struct arena *a = &w->d->arena;
	size_t *at = strmap_get(&w->by_name, name);

	if (at)
		return &w->projects[*at];
	w->projects = arena_grow(a, w->projects, w->n, &w->cap, sizeof(*w->projects));
	w->projects[w->n] = (struct budget_project){
		.name = arena_strdup(a, name), .oldest = w->d->o->now};
	strmap_put(&w->by_name, name, w->n);
	return &w->projects[w->n++];
}

static enum err_code load_billed(struct deriving *d, struct billed *out, struct err *e)
{
	struct q_billed_until_in in = {d->o->now - BUDGET_LAG_MAX - HOUR_SECONDS};
	struct q_billed_projects known;
	struct q_billed_until q;
	struct q_billing_any any;
	struct db_rows rows;
	size_t cap = 0;

	if (q_billing_any_one(d->db, &d->arena, &any, &out->bill, e) ||
		q_billed_projects_open(d->db, &rows, e))
		return e->code;
	while (q_billed_projects_next(&rows, &known)) {
		out->v = arena_grow(&d->arena, out->v, out->n, &cap, sizeof(*out->v));
		strmap_put(&out->by_name, known.project, out->n);
		out->v[out->n++] = TS_NONE;
	}
	if (db_rows_close(&rows, e) || q_billed_until_open(d->db, &in, &rows, e))
		return e->code;
	while (q_billed_until_next(&rows, &q)) {
		size_t *at = strmap_get(&out->by_name, q.project);

		if (at)
			out->v[*at] = q.until;
	}
	return db_rows_close(&rows, e);
}

/* ---- what a condition selects ---------------------------------------------------------- */

/* On lines of its own, so that a comment in it does not swallow ours. */
void budget_add_where(struct sbuf *b, const struct budget *budget)
{
	sbuf_addf(b, "(\n%s\n)", budget->where ? budget->where : "1 = 1");
}

enum err_code budget_select(struct budget_work *w, const char *sql,
	void (*row)(struct budget_work *w, const struct db_cursor *c), struct err *e)
{
	struct db_cursor c = {0};
	struct err why = {0};
	bool more = false;

	if (!db_cursor_open(w->d->db, sql, QUERY_MS, &c, &why))
		while (!db_cursor_step(&c, &more, &why) && more)
			row(w, &c);
	if (c.stmt)
		db_cursor_close(&c);
	if (why.code == E_USAGE || why.code == E_LIMIT) {
		w->broken = arena_strdup(&w->d->arena, why.msg);
		return E_OK;
	}
	if (why.code && e)
		*e = why;
	return why.code;
}

static void add_spent(struct budget_work *w, const struct db_cursor *c)
{
	const char *name = db_cursor_type(c, 0) == DB_NULL ? "" : db_cursor_text(c, 0);
	struct budget_project *p = project(w, name);
	int64_t amount = db_cursor_i64(c, 3);

	if ((!w->b->gross && !nanos_add(amount, db_cursor_i64(c, 4), &amount)) ||
		!budget_exchange(
			w, amount, db_cursor_text(c, 1), db_cursor_i64(c, 2), &amount) ||
		!nanos_add(p->spent, amount, &p->spent) ||
		!nanos_add(w->spent, amount, &w->spent))
		w->no_rate = arena_strdup(&w->d->arena, db_cursor_text(c, 1));
}

/* The bill from `first` to before `end`, which are values of the column. */
static enum err_code sum_lines(struct budget_work *w, const char *view, const char *column,
	int64_t first, int64_t end, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	if (first >= end)
		return E_OK;
	sbuf_addf(&sql,
		"SELECT project, currency, rate, CAST(SUM(cost_n) AS BIGINT), "
		"CAST(SUM(credits_n) AS BIGINT) FROM %s WHERE %s >= %lld AND %s < %lld "
		"AND ",
		view, column, (long long)first, column, (long long)end);
	budget_add_where(&sql, w->b);
	sbuf_adds(&sql, " GROUP BY project, currency, rate");
	rc = budget_select(w, sql.s, add_spent, e);
	sbuf_done(&sql);
	return rc;
}

struct budget_days budget_days(const struct budget_work *w)
{
	const struct tz *tz = w->d->o->settings->tz;
	struct budget_days r = {tz_day(tz, w->f.starts), tz_day(tz, w->f.ends), 0, 0};

	r.first += tz_day_start(tz, r.first) < w->f.starts;
	r.from = tz_day_start(tz, r.first);
	r.until = tz_day_start(tz, r.end);
	if (r.first >= r.end) {
		r.first = r.end;
		r.from = r.until = w->f.ends;
	}
	return r;
}

static enum err_code sum_spent(struct budget_work *w, struct err *e)
{
	struct budget_days days = budget_days(w);

	if (sum_lines(w, BUDGET_HOURS, w->f.starts, days.from, e) ||
		sum_lines(w, BUDGET_DAYS, days.first, days.end, e))
		return e->code;
	return sum_lines(w, BUDGET_HOURS, days.until, w->f.ends, e);
}

/* Parts of one resource follow each other: is this the first of those that count here? */
static bool another(struct budget_work *w, const char **last, const char *id)
{
	if (*last && !strcmp(*last, id))
		return false;
	*last = arena_strdup(&w->d->arena, id);
	return true;
}

static int64_t live_rate(struct budget_work *w, const char *cur)
{
	if (!w->live_cur || strcmp(w->live_cur, cur) != 0) {
		w->live_cur = arena_strdup(&w->d->arena, cur);
		if (newest_rate(w->d, cur, &w->live_rate, NULL))
			w->live_rate = 0;
	}
	return w->live_rate;
}

static void keep_part(
	struct budget_work *w, const char *project_name, struct live_part part)
{
	struct budget_project *p = project(w, project_name);

	if (!part.per_hour)
		return;
	p->parts = arena_grow(&w->d->arena, p->parts, p->n, &p->cap, sizeof(*p->parts));
	p->parts[p->n++] = part;
	if (part.since < p->oldest)
		p->oldest = part.since;
	w->advised += part.advised && another(w, &w->last_advised, w->last_id);
}

/* One part of something that runs. */
static void add_live(struct budget_work *w, const struct db_cursor *c)
{
	const char *id = db_cursor_text(c, 1), *cur = db_cursor_text(c, 2);
	struct live_part part = {.since = TS_NONE, .advised = db_cursor_i64(c, 5) != 0};

	if (db_cursor_type(c, 6) == DB_NULL) {
		w->undecided += another(w, &w->last_undecided, id);
		return;
	}
	if (!db_cursor_i64(c, 6))
		return;
	w->resources += another(w, &w->last_id, id);
	if (!cur) {
		w->unpriced += another(w, &w->last_unpriced, id);
		return;
	}
	if (db_cursor_type(c, 4) != DB_NULL)
		part.since = db_cursor_i64(c, 4);
	if (!budget_exchange(
		    w, db_cursor_i64(c, 3), cur, live_rate(w, cur), &part.per_hour)) {
		w->no_rate = arena_strdup(&w->d->arena, cur);
		return;
	}
	keep_part(w, db_cursor_text(c, 0), part);
}

static enum err_code sum_live(struct budget_work *w, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	sbuf_adds(
		&sql, "SELECT project, id, currency, net_n, since_n, advised, CASE WHEN ");
	budget_add_where(&sql, w->b);
	sbuf_adds(&sql, " THEN 1 WHEN NOT ");
	budget_add_where(&sql, w->b);
	sbuf_adds(&sql, " THEN 0 END FROM live_costs_exact ORDER BY project, id");
	rc = budget_select(w, sql.s, add_live, e);
	sbuf_done(&sql);
	return rc;
}

/* ---- bringing both together ------------------------------------------------------------ */

static ts_t billed_until(const struct budget_work *w, const struct budget_project *p)
{
	size_t *at = strmap_get(&w->billed->by_name, p->name);

	/* What was never billed burned nothing before it began. */
	return at ? w->billed->v[*at] : p->oldest;
}

/* False when the sum does not fit. */
static bool burn_of(
	struct budget_work *w, const struct budget_project *p, struct budget_burn *out)
{
	*out = (struct budget_burn){
		.from = budget_unbilled_from(&w->f, billed_until(w, p))};
	for (size_t i = 0; i < p->n; i++) {
		const struct live_part *part = &p->parts[i];
		ts_t from = part->since > out->from ? part->since : out->from;
		ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;

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

static enum err_code put_parts(
	struct budget_work *w, const struct budget_burn *burns, struct err *e)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct budget_project *p = &w->projects[i];
		struct q_budget_part_put_in in = {.name = w->b->name,
			.project = p->name,
			.spent = p->spent,
			.currency = w->b->amount.cur};
		size_t *at = strmap_get(&w->billed->by_name, p->name);
		ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;

		if (at && w->billed->v[*at] != TS_NONE)
			in.billed_until = SOME(w->billed->v[*at]);
		if (burns && p->n) {
			in.unbilled_from = SOME(burns[i].from);
			in.per_hour = SOME(burns[i].per_hour);
			if (nanos_muldiv(burns[i].per_hour,
				    until > burns[i].from ? until - burns[i].from : 0,
				    HOUR_SECONDS, &in.unbilled.v))
				in.unbilled.set = true;
		}
		if (q_budget_part_put(w->d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

static void fill_row(const struct budget_work *w, const struct budget_figures *g,
	struct q_budget_put_in *in)
{
	in->unbilled = SOME(g->unbilled);
	in->expected = SOME(g->expected);
	in->forecast = SOME(g->forecast);
	in->forecast_if_stopped = SOME(g->forecast_if_stopped);
	in->forecast_low = g->forecast_low;
	/* What has no price may cost anything. */
	in->forecast_high = w->unpriced || w->undecided ? NONE : g->forecast_high;
	in->reached = g->reached;
	in->forecast_reached = g->forecast_reached;
	in->runs_out = g->runs_out;
	in->runs_out_if_stopped = g->runs_out_if_stopped;
	in->safe_per_day = g->safe_per_day;
}

static enum err_code put_budget(struct budget_work *w, struct err *e)
{
	struct budget_burn *burns = arena_alloc(&w->d->arena, (w->n + 1) * sizeof(*burns));
	struct q_budget_put_in in = {.name = w->b->name,
		.period = budget_per_name(w->b->per),
		.starts = w->f.starts,
		.ends = w->f.ends,
		.amount = w->b->amount.nanos,
		.currency = w->b->amount.cur,
		.converted = w->converted != NULL};
	struct budget_figures g;
	bool fits = true;

	for (size_t i = 0; i < w->n; i++)
		fits = burn_of(w, &w->projects[i], &burns[i]) && fits;
	w->f.burns = burns;
	w->f.n = w->n;
	if (!w->broken && !w->no_rate && w->billed->bill)
		w->f.spent = SOME(w->spent);
	if (!w->broken)
		in.unpriced = SOME((int64_t)w->unpriced);
	in.spent = w->f.spent;
	if (!w->broken && !w->no_rate) {
		if (!fits || !budget_figures(&w->f, &g))
			w->broken = "the figures are beyond 9.2 billion";
		else
			fill_row(w, &g, &in);
	}
	in.basis = budget_basis(w);
	if (q_budget_put(w->d->db, &in, e))
		return e->code;
	return w->broken || w->no_rate ? E_OK : put_parts(w, burns, e);
}

static enum err_code derive_one(struct deriving *d, const struct budget *b,
	const struct billed *billed, struct err *e)
{
	struct budget_work w = {.d = d, .b = b, .billed = billed};
	enum err_code rc;

	w.f = (struct budget_facts){
		.budget = b, .now = d->o->now, .error = SOME(ERROR_ASSUMED)};
	budget_period(b, d->o->settings->tz, d->o->now, &w.f.starts, &w.f.ends);
	rc = newest_rate(d, b->amount.cur, &w.rate, e);
	if (!rc)
		rc = sum_spent(&w, e);
	if (!rc && !w.broken && !w.no_rate && w.spent >= b->amount.nanos)
		rc = budget_find_passed(&w, e);
	if (!rc)
		rc = sum_live(&w, e);
	if (!rc)
		rc = put_budget(&w, e);
	strmap_done(&w.by_name);
	return rc ? err_wrap(e, "budget %s", b->name) : E_OK;
}

static enum err_code put_today(struct deriving *d, struct err *e)
{
	char date[DATE_BUF];
	struct q_today_put_in in = {
		date_format(tz_day(d->o->settings->tz, d->o->now), date)};

	return q_today_clear(d->db, e) ? e->code : q_today_put(d->db, &in, e);
}

enum err_code derive_budgets(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct billed billed = {0};
	enum err_code rc = E_OK;

	if (q_budget_clear(d->db, e) || q_budget_part_clear(d->db, e) ||
		q_advised_clear(d->db, e) || put_today(d, e))
		return e->code;
	if (!s->n_budgets)
		return E_OK;
	if (q_advised_fill(d->db, e) || load_billed(d, &billed, e))
		rc = e->code;
	for (size_t i = 0; !rc && i < s->n_budgets; i++)
		rc = derive_one(d, &s->budgets[i], &billed, e);
	strmap_done(&billed.by_name);
	return rc;
}

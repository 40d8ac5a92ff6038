/* What tells the invoice from the calendar month, and Pacific days from those of the zone. Hours of usage
 * are many. Of the days of the zone in which the Pacific month begins and ends only the part is read by
 * hour that is of one month there and of another in the zone; the rest is what the day has beside it. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/month/internal.h"

#include <stdlib.h>
#include <string.h>

#define NO_DAY INT64_MIN

/* What an account is billed on one invoice. */
struct part {
	size_t ledger;
	const char *invoice;
	struct charges sums;
};

/* A begin or end of the month. */
struct edge {
	bool head;
	ts_t pacific, zone; /* it, there and in the zone */
	int64_t day; /* of the zone, one end of which is `zone`; NO_DAY: it is read by hour */
	ts_t starts, ends; /* of that day */
	struct part *v;    /* of the hours between `pacific` and `zone` */
	size_t n, cap;
};

static enum err_code too_large(struct err *e)
{
	return err_set(e, E_OVERFLOW, "the costs of the month do not fit");
}

/* ---- strays -------------------------------------------------------------------------------- */

static struct stray *stray_of(
	struct monthly *m, struct strays *x, size_t ledger, day_t day, const char *invoice)
{
	for (size_t i = x->n; i-- > 0;)
		if (x->v[i].ledger == ledger && x->v[i].day == day &&
			!strcmp(x->v[i].invoice, invoice))
			return &x->v[i];
	x->v = arena_grow(m->a, x->v, x->n, &x->cap, sizeof(*x->v));
	x->v[x->n] = (struct stray){
		.ledger = ledger, .day = day, .invoice = arena_strdup(m->a, invoice)};
	return &x->v[x->n++];
}

static bool is_ours(const struct monthly *m, const char *invoice)
{
	return !strcmp(invoice, m->invoice);
}

static enum err_code add_stray(
	struct monthly *m, struct strays *x, const struct part *p, ts_t hour, struct err *e)
{
	struct ledger *l = &m->ledgers[p->ledger];
	struct stray *s = stray_of(m, x, p->ledger, tz_day(m->pacific, hour), p->invoice);
	struct charges *all = is_ours(m, p->invoice) ? &l->late : &l->other;

	if (month_add(&s->sums, p->sums.cost, p->sums.credits, e))
		return e->code;
	return month_add(all, p->sums.cost, p->sums.credits, e);
}

static size_t ledger_at(struct monthly *m, const char *account, const char *currency)
{
	return (size_t)(month_ledger(m, account, currency) - m->ledgers);
}

static enum err_code read_hours(struct monthly *m, struct strays *x,
	const struct edge *begin, const struct edge *end, struct err *e)
{
	struct q_month_strays_in in = {.month = m->invoice,
		.from = m->pacific_from,
		.to = m->pacific_to,
		.but = begin->day,
		.and_but = end->day};
	struct q_month_strays q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_strays_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_strays_next(&rows, &q)) {
		struct part p = {ledger_at(m, q.account, q.currency), q.invoice_month,
			{q.cost, q.credits}};

		rc = add_stray(m, x, &p, q.hour, e);
	}
	return db_rows_end(&rows, rc, e);
}

/* ---- head and tail ------------------------------------------------------------------------- */

static void set_day(const struct monthly *m, struct edge *g)
{
	day_t day = tz_day(m->tz, g->pacific);

	g->day = NO_DAY;
	g->starts = tz_day_start(m->tz, day);
	g->ends = tz_day_start(m->tz, day + 1);
	if (g->pacific == g->zone || (g->zone != g->starts && g->zone != g->ends))
		return;
	/* each part is of one Pacific day */
	if (tz_day(m->pacific, g->starts) == tz_day(m->pacific, g->pacific - 1) &&
		tz_day(m->pacific, g->pacific) == tz_day(m->pacific, g->ends - 1))
		g->day = day;
}

static bool negate(struct charges *x)
{
	return nanos_sub(0, x->cost, &x->cost) && nanos_sub(0, x->credits, &x->credits);
}

/* Hours that the zone's month has and the Pacific one has not, or the other way round. */
static enum err_code add_shift(
	struct monthly *m, const struct edge *g, const struct part *p, struct err *e)
{
	struct ledger *l = &m->ledgers[p->ledger];
	struct charges x = p->sums;

	if ((g->zone < g->pacific) != g->head && !negate(&x))
		return too_large(e);
	return month_add(g->head ? &l->head : &l->tail, x.cost, x.credits, e);
}

static enum err_code add_parts(struct monthly *m, struct edge *g, struct err *e)
{
	struct q_month_slice q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_slice_open(m->db, &rows, e))
		return e->code;
	while (!rc && q_month_slice_next(&rows, &q)) {
		g->v = arena_grow(m->a, g->v, g->n, &g->cap, sizeof(*g->v));
		g->v[g->n] = (struct part){ledger_at(m, q.account, q.currency),
			arena_strdup(m->a, q.invoice_month), {q.cost, q.credits}};
		rc = add_shift(m, g, &g->v[g->n++], e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code read_between(struct monthly *m, struct edge *g, struct err *e)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};
	ts_t from = g->zone < g->pacific ? g->zone : g->pacific;
	ts_t to = g->zone < g->pacific ? g->pacific : g->zone;
	enum err_code rc;

	if (from == to)
		return E_OK;
	if (month_sum_hours(m, from, to, &sums, e) || ref_sums_show(m->db, &sums, e))
		return e->code;
	rc = add_parts(m, g, e);
	ref_sums_hide(m->db);
	return rc;
}

/* ---- the rest of those days ---------------------------------------------------------------- */

/* A part of the day, before or from `pacific` on, of one account and invoice: is it a stray? */
static enum err_code add_if_stray(struct monthly *m, struct strays *x, const struct edge *g,
	bool before, const struct part *p, struct err *e)
{
	bool in_month = before != g->head;

	if (is_ours(m, p->invoice) == in_month)
		return E_OK;
	return add_stray(m, x, p, before ? g->starts : g->pacific, e);
}

/* Without what was read of it by hour. */
static bool take_out(const struct edge *g, struct part *p)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].ledger == p->ledger && !strcmp(g->v[i].invoice, p->invoice))
			return nanos_sub(p->sums.cost, g->v[i].sums.cost, &p->sums.cost) &&
				nanos_sub(p->sums.credits, g->v[i].sums.credits,
					&p->sums.credits);
	return true;
}

static enum err_code add_rest(
	struct monthly *m, struct strays *x, const struct edge *g, struct err *e)
{
	struct q_month_day_in in = {.day = g->day};
	struct q_month_day q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_day_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_day_next(&rows, &q)) {
		struct part p = {ledger_at(m, q.account, q.currency), q.invoice_month,
			{q.cost, q.credits}};

		if (!take_out(g, &p))
			rc = too_large(e);
		/* nothing is left, or nothing that makes a difference */
		else if (p.sums.cost || p.sums.credits)
			rc = add_if_stray(m, x, g, g->zone == g->ends, &p, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code read_day(
	struct monthly *m, struct strays *x, const struct edge *g, struct err *e)
{
	if (g->day == NO_DAY)
		return E_OK;
	for (size_t i = 0; i < g->n; i++)
		if (add_if_stray(m, x, g, g->zone == g->starts, &g->v[i], e))
			return e->code;
	return add_rest(m, x, g, e);
}

static int by_day(const void *pa, const void *pb)
{
	const struct stray *a = pa, *b = pb;

	if (a->ledger != b->ledger)
		return a->ledger < b->ledger ? -1 : 1;
	if (a->day != b->day)
		return a->day < b->day ? -1 : 1;
	return strcmp(a->invoice, b->invoice);
}

enum err_code month_read_strays(struct monthly *m, struct strays *x, struct err *e)
{
	struct edge begin = {.head = true, .pacific = m->pacific_from, .zone = m->from};
	struct edge end = {.pacific = m->pacific_to, .zone = m->to};

	set_day(m, &begin);
	set_day(m, &end);
	if (read_hours(m, x, &begin, &end, e) || read_between(m, &begin, e) ||
		read_between(m, &end, e) || read_day(m, x, &begin, e) ||
		read_day(m, x, &end, e))
		return e->code;
	if (x->n)
		qsort(x->v, x->n, sizeof(*x->v), by_day);
	return E_OK;
}

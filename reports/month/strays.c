/* Differences between the invoice and the calendar month, and between Pacific days and days of the
 * zone. There are many hours of usage. Therefore, of the days of the zone in which the Pacific
 * month begins and ends, only the hours that are in one month there and in another in the zone are
 * read by hour; the other hours are the difference from the sum of the day. */
#include "base/money.h"
#include "db_sql.h"
#include "reports/month/internal.h"

#include <stdlib.h>
#include <string.h>

#define NO_DAY INT64_MIN

/* Charges of an account on one invoice, in one hour if they are read by hour. */
struct part {
	size_t ledger;
	const char *invoice;
	ts_t hour;
	struct charges sums;
};

struct parts {
	struct part *v;
	size_t n, cap;
};

/* Beginning or end of the month. */
struct edge {
	bool head;
	ts_t pacific,
		zone; /* the instant, in the Pacific zone and in the configured zone */
	int64_t day; /* the day of the zone that begins or ends at `zone`; NO_DAY: it is read by
		      * hour */
	ts_t starts, ends;  /* of that day */
	struct parts parts; /* of the hours between `pacific` and `zone` */
};

/* Adds the rows of month_strays, month_slice or month_day. */
static void strays_read_parts(struct monthly *m, struct db_rows rows, struct parts *out)
{
	while (db_rows_step(&rows)) {
		const struct ledger *l = month_ledger(
			m, db_rows_cell(&rows, 0).text, db_rows_cell(&rows, 1).text);

		*arena_push(m->a, out) = (struct part){.ledger = (size_t)(l - m->ledgers),
			.invoice = arena_strdup(m->a, db_rows_cell(&rows, 2).text),
			.hour = db_rows_cell(&rows, 3).v.v,
			.sums = {db_rows_cell(&rows, 4).v.v, db_rows_cell(&rows, 5).v.v}};
	}
}

/* ---- strays -------------------------------------------------------------------------------- */

static struct stray *stray_of(
	struct monthly *m, struct strays *x, size_t ledger, day_t day, const char *invoice)
{
	for (size_t i = x->n; i-- > 0;)
		if (x->v[i].ledger == ledger && x->v[i].day == day &&
			!strcmp(x->v[i].invoice, invoice))
			return &x->v[i];
	*arena_push(m->a, x) = (struct stray){
		.ledger = ledger, .day = day, .invoice = arena_strdup(m->a, invoice)};
	return &x->v[x->n - 1];
}

static bool strays_is_ours(const struct monthly *m, const char *invoice)
{
	return !strcmp(invoice, m->invoice);
}

static void add_stray(struct monthly *m, struct strays *x, const struct part *p, ts_t hour)
{
	struct ledger *l = &m->ledgers[p->ledger];
	struct stray *s = stray_of(m, x, p->ledger, tz_day(m->pacific, hour), p->invoice);
	struct charges *all = strays_is_ours(m, p->invoice) ? &l->late : &l->other;

	month_add(m, &s->sums, p->sums.cost, p->sums.credits);
	month_add(m, all, p->sums.cost, p->sums.credits);
}

static void read_hours(struct monthly *m, struct strays *x, const struct edge *begin,
	const struct edge *end)
{
	struct parts parts = {0};

	strays_read_parts(m,
		q_month_strays_read(m, .month = m->invoice, .from = m->pacific_from,
			.to = m->pacific_to, .but = begin->day, .and_but = end->day),
		&parts);
	for (size_t i = 0; i < parts.n; i++)
		add_stray(m, x, &parts.v[i], parts.v[i].hour);
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
	/* each part lies in one Pacific day */
	if (tz_day(m->pacific, g->starts) == tz_day(m->pacific, g->pacific - 1) &&
		tz_day(m->pacific, g->pacific) == tz_day(m->pacific, g->ends - 1))
		g->day = day;
}

/* Hours in the month of the zone but not in the Pacific month, or the reverse. */
static void add_shift(struct monthly *m, const struct edge *g, const struct part *p)
{
	struct ledger *l = &m->ledgers[p->ledger];
	struct charges x = p->sums;

	if ((g->zone < g->pacific) != g->head &&
		(!nanos_sub(0, x.cost, &x.cost) || !nanos_sub(0, x.credits, &x.credits))) {
		err_first(m->e, E_OVERFLOW, MONTH_TOO_LARGE);
		return;
	}
	month_add(m, g->head ? &l->head : &l->tail, x.cost, x.credits);
}

static void read_between(struct monthly *m, struct edge *g)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};
	ts_t from = g->zone < g->pacific ? g->zone : g->pacific;
	ts_t to = g->zone < g->pacific ? g->pacific : g->zone;

	if (from == to)
		return;
	bill_sums_add(&sums, q_month_hours_read(m, .from = from, .to = to), MONTH_TOO_LARGE,
		m->e);
	if (m->e->code || ref_sums_show(m->db, &sums, m->e))
		return;
	strays_read_parts(m, q_month_slice_read(m), &g->parts);
	ref_sums_hide(m->db);
	for (size_t i = 0; i < g->parts.n; i++)
		add_shift(m, g, &g->parts.v[i]);
}

/* ---- remainder of those days --------------------------------------------------------------- */

/* Reports whether a part of the day, before or after `pacific`, of one account and invoice is a
 * stray. */
static void add_if_stray(struct monthly *m, struct strays *x, const struct edge *g,
	bool before, const struct part *p)
{
	bool in_month = before != g->head;

	if (strays_is_ours(m, p->invoice) == in_month)
		return;
	add_stray(m, x, p, before ? g->starts : g->pacific);
}

/* Subtracts the hours that were read. */
static bool take_out(const struct edge *g, struct part *p)
{
	for (size_t i = 0; i < g->parts.n; i++) {
		const struct part *x = &g->parts.v[i];

		if (x->ledger == p->ledger && !strcmp(x->invoice, p->invoice))
			return nanos_sub(p->sums.cost, x->sums.cost, &p->sums.cost) &&
				nanos_sub(
					p->sums.credits, x->sums.credits, &p->sums.credits);
	}
	return true;
}

static void strays_read_day(struct monthly *m, struct strays *x, const struct edge *g)
{
	struct parts day = {0};

	if (g->day == NO_DAY)
		return;
	for (size_t i = 0; i < g->parts.n; i++)
		add_if_stray(m, x, g, g->zone == g->starts, &g->parts.v[i]);
	strays_read_parts(m, q_month_day_read(m, .day = g->day), &day);
	for (size_t i = 0; i < day.n; i++) {
		struct part *p = &day.v[i];

		if (!take_out(g, p)) {
			err_first(m->e, E_OVERFLOW, MONTH_TOO_LARGE);
			return;
		}
		/* the difference is zero, or it does not matter */
		if (p->sums.cost || p->sums.credits)
			add_if_stray(m, x, g, g->zone == g->ends, p);
	}
}

static int strays_by_day(const void *pa, const void *pb)
{
	const struct stray *a = pa, *b = pb;

	if (a->ledger != b->ledger)
		return a->ledger < b->ledger ? -1 : 1;
	if (a->day != b->day)
		return a->day < b->day ? -1 : 1;
	return strcmp(a->invoice, b->invoice);
}

void month_read_strays(struct monthly *m, struct strays *x)
{
	struct edge begin = {.head = true, .pacific = m->pacific_from, .zone = m->from};
	struct edge end = {.pacific = m->pacific_to, .zone = m->to};

	set_day(m, &begin);
	set_day(m, &end);
	read_hours(m, x, &begin, &end);
	read_between(m, &begin);
	read_between(m, &end);
	strays_read_day(m, x, &begin);
	strays_read_day(m, x, &end);
	if (x->n)
		qsort(x->v, x->n, sizeof(*x->v), strays_by_day);
}

/* What Google billed in the last days, summed up by day and category. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"
#include "rules/bill/days.h"
#include "rules/bill/known.h"

#include <stdlib.h>
#include <string.h>

/* One day's lines of a category and currency. */
struct group {
	const char *category, *currency;
	int64_t cost, credits, promo;
	struct opt_i64 known; /* up to when, of the account that is known least */
};

struct reading {
	struct daily *d;
	day_t first[SPANS], last[SPANS];
	struct bill_known known;
	day_t day; /* of the groups */
	ts_t ends;
	struct group *v;
	size_t n, cap;
	/* the account's day, which many lines have in common */
	const struct bill_project *project;
	struct opt_i64 until;
};

/* How final a day's cost is: Google goes on writing for days, and what was not looked at since
 * is not final at all. As in the view costs, but for a bill that ends early. */
static const char *status_of(const struct daily *d, ts_t ends, struct opt_i64 known)
{
	return rec_status_name(bill_end_status(&d->bill.end, ends, known, d->now));
}

static int finality(const char *status)
{
	return !strcmp(status, "partial") ? 0 : !strcmp(status, "settling") ? 1 : 2;
}

static day_t month_start(const struct daily *d)
{
	int year, month, day;

	civil_from_day(d->today, &year, &month, &day);
	return civil_to_day(year, month, 1);
}

/* First and last day of each span. */
static void span_days(const struct daily *d, day_t first[SPANS], day_t last[SPANS])
{
	for (int i = 0; i < SPANS; i++)
		last[i] = d->today - 1;
	first[SPAN_YESTERDAY] = d->today - 1;
	first[SPAN_DAY_BEFORE] = last[SPAN_DAY_BEFORE] = d->today - 2;
	first[SPAN_7_DAYS] = d->today - 7;
	first[SPAN_30_DAYS] = d->today - DAILY_BILL_DAYS;
	first[SPAN_MONTH] = month_start(d);
	last[SPAN_MONTH] = d->today;
}

static struct daily_bill_row *row_of(
	struct daily *d, const char *category, const char *currency)
{
	struct daily_bill *b = &d->bill;
	struct daily_bill_row *r;

	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->rows[i].category, category) &&
			!strcmp(b->rows[i].currency, currency))
			return &b->rows[i];
	b->rows = arena_grow(d->a, b->rows, b->n, &b->cap, sizeof(*b->rows));
	r = &b->rows[b->n++];
	*r = (struct daily_bill_row){.category = category, .currency = currency};
	return r;
}

/* Groups come by day and currency; the least final of a day's accounts decides. */
static bool add_day(struct reading *x, const struct group *g, const char *status)
{
	struct daily_bill *b = &x->d->bill;
	struct daily_bill_day *day = b->n_days ? &b->days[b->n_days - 1] : NULL;

	if (!day || day->day != x->day || strcmp(day->currency, g->currency) != 0) {
		b->days = arena_grow(
			x->d->a, b->days, b->n_days, &b->cap_days, sizeof(*b->days));
		day = &b->days[b->n_days++];
		*day = (struct daily_bill_day){
			.day = x->day, .currency = g->currency, .status = status};
	}
	if (finality(status) < finality(day->status))
		day->status = status;
	return nanos_add(day->cost, g->cost, &day->cost) &&
		nanos_add(day->credits, g->credits, &day->credits) &&
		nanos_add(day->promo, g->promo, &day->promo);
}

static bool add_group(struct reading *x, const struct group *g)
{
	struct daily *d = x->d;
	struct daily_bill_row *r = row_of(d, g->category, g->currency);
	const char *status = status_of(d, x->ends, g->known);
	int64_t net;

	if (!nanos_add(g->cost, g->credits, &net) ||
		!sums_add(&d->bill.seen, d->a, r->currency, 0))
		return false;
	for (int i = 0; i < SPANS; i++) {
		if (x->day < x->first[i] || x->day > x->last[i])
			continue;
		d->bill.any[i] = true;
		d->bill.open[i] |= strcmp(status, "settled") != 0;
		if (!nanos_add(r->net[i], net, &r->net[i]) ||
			!sums_add(&d->bill.net[i], d->a, r->currency, net))
			return false;
	}
	if (x->day == d->today - 1 &&
		!(nanos_add(r->cost, g->cost, &r->cost) &&
			nanos_add(r->credits, g->credits, &r->credits) &&
			nanos_add(r->promo, g->promo, &r->promo)))
		return false;
	return x->day < d->today - DAILY_BILL_DAYS || add_day(x, g, status);
}

static int by_currency(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int order = strcmp(a->currency, b->currency);

	return order ? order : strcmp(a->category, b->category);
}

/* All lines of the day are read. */
static bool end_day(struct reading *x)
{
	if (x->n)
		qsort(x->v, x->n, sizeof(*x->v), by_currency);
	for (size_t i = 0; i < x->n; i++)
		if (!add_group(x, &x->v[i]))
			return false;
	x->n = 0;
	return true;
}

static void begin_day(struct reading *x, day_t day)
{
	x->day = day;
	x->ends = tz_day_start(x->d->tz, day + 1);
	x->project = NULL;
}

static struct group *group_of(struct reading *x, const char *category, const char *currency)
{
	struct group *g;

	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->v[i].category, category) &&
			!strcmp(x->v[i].currency, currency))
			return &x->v[i];
	x->v = arena_grow(x->d->a, x->v, x->n, &x->cap, sizeof(*x->v));
	g = &x->v[x->n++];
	*g = (struct group){.category = category, .currency = currency};
	return g;
}

static bool add_line(struct reading *x, const struct bill_row *r)
{
	struct group *g = group_of(x, r->sku->category, r->charge->currency);

	if (r->project != x->project)
		x->until = bill_known_day(&x->known, r->project->account, r->day);
	x->project = r->project;
	if (x->until.set && (!g->known.set || x->until.v < g->known.v))
		g->known = x->until;
	return nanos_add(g->cost, r->cost, &g->cost) &&
		nanos_add(g->credits, r->credits, &g->credits) &&
		nanos_add(g->promo, r->promo, &g->promo);
}

static enum err_code read_lines(struct reading *x, day_t first, struct err *e)
{
	struct daily *d = x->d;
	struct bill_days days;
	struct bill_row r;
	bool fits = true;

	if (bill_known_days(d->db, d->a, first, d->today, &x->known, e) ||
		bill_days_open(d->db, first, d->today, d->a, &days, e))
		return e->code;
	while (fits && bill_days_next(&days, &r)) {
		if (r.day != x->day) {
			fits = end_day(x);
			begin_day(x, r.day);
		}
		fits = fits && add_line(x, &r);
	}
	fits = fits && end_day(x);
	return bill_days_close(
		&days, fits ? E_OK : daily_overflow(e, "what was billed"), e);
}

/* The most expensive of a currency first. */
static int by_net(const void *pa, const void *pb)
{
	const struct daily_bill_row *a = pa, *b = pb;
	int order = strcmp(a->currency, b->currency);

	if (order)
		return order;
	if (a->net[SPAN_30_DAYS] != b->net[SPAN_30_DAYS])
		return a->net[SPAN_30_DAYS] < b->net[SPAN_30_DAYS] ? 1 : -1;
	return strcmp(a->category, b->category);
}

enum err_code daily_read_bill_end(struct daily *d, struct err *e)
{
	struct q_daily_billed_ever ever;

	return bill_end_read(d->db, d->tz, d->now, d->a, &d->bill.end, e)
		? e->code
		: q_daily_billed_ever_one(d->db, d->a, &ever, &d->bill.ever, e);
}

enum err_code daily_read_bill(struct daily *d, struct err *e)
{
	day_t month = month_start(d), first = d->today - DAILY_BILL_DAYS;
	struct reading x = {.d = d};

	span_days(d, x.first, x.last);
	if (read_lines(&x, month < first ? month : first, e))
		return e->code;
	if (d->bill.n)
		qsort(d->bill.rows, d->bill.n, sizeof(*d->bill.rows), by_net);
	/* A day that has no bill yet is still to come. */
	for (int i = 0; i < SPANS; i++)
		if (d->bill.end.old ||
			(i != SPAN_DAY_BEFORE && !d->bill.any[SPAN_YESTERDAY]))
			d->bill.open[i] = true;
	return E_OK;
}

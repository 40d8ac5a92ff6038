/* Billed cost of the last days, summed by day and category. */
#include "base/time/civil.h"
#include "base/money.h"
#include "reports/daily/internal.h"
#include "rules/bill/days.h"

#include <stdlib.h>
#include <string.h>

struct reading {
	struct daily *d;
	day_t first[SPANS], last[SPANS];
	struct bill_known known;
	day_t day;    /* present day; it can have lines in several currencies */
	size_t begin; /* of bill.days */
	ts_t ends;
	/* day of the account, shared by many lines */
	const struct q_bill_projects *project;
	enum rec_status status;
};

day_t daily_today(const struct report_ask *ask)
{
	return tz_day(ask->settings->tz, ask->until == TS_NONE ? ask->now : ask->until);
}

day_t daily_month_start(day_t today)
{
	int year, month, day;

	civil_from_day(today, &year, &month, &day);
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
	first[SPAN_MONTH] = daily_month_start(d->today);
	last[SPAN_MONTH] = d->today;
}

static struct daily_bill_row *billed_row_of(
	struct daily *d, const char *category, const char *currency)
{
	struct daily_bill *b = &d->bill;
	struct daily_bill_row *r;

	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->rows[i].category, category) &&
			!strcmp(b->rows[i].currency, currency))
			return &b->rows[i];
	r = arena_append(d->a, b->rows, b->n, b->cap);
	*r = (struct daily_bill_row){.category = category, .currency = currency};
	return r;
}

static struct daily_bill_day *billed_day_of(struct reading *x, const char *currency)
{
	struct daily_bill *b = &x->d->bill;

	for (size_t i = x->begin; i < b->n_days; i++)
		if (!strcmp(b->days[i].currency, currency))
			return &b->days[i];
	*arena_append(x->d->a, b->days, b->n_days, b->cap_days) = (struct daily_bill_day){
		.day = x->day, .currency = currency, .final = REC_SETTLED};
	return &b->days[b->n_days - 1];
}

static bool in_span(const struct reading *x, int span)
{
	return x->day >= x->first[span] && x->day <= x->last[span];
}

/* The day has the status of its least final account. */
static bool billed_add_line(struct reading *x, const struct bill_row *l)
{
	struct daily_bill_row *r = billed_row_of(
		x->d, l->sku->category, l->charge->currency);
	struct daily_bill_day *day = billed_day_of(x, l->charge->currency);
	bool yesterday = x->day == x->d->today - 1;
	int64_t net;

	if (l->project != x->project)
		x->status = bill_end_status(&x->d->bill.end, x->ends,
			bill_known_day(&x->known, l->project->account, l->day), x->d->now);
	x->project = l->project;
	if (x->status < day->final)
		day->final = x->status;
	if (!nanos_add(l->cost, l->credits, &net))
		return false;
	for (int i = 0; i < SPANS; i++)
		if (in_span(x, i) && !nanos_add(r->net[i], net, &r->net[i]))
			return false;
	return (!yesterday ||
		       (nanos_add(r->cost, l->cost, &r->cost) &&
			       nanos_add(r->credits, l->credits, &r->credits) &&
			       nanos_add(r->promo, l->promo, &r->promo))) &&
		nanos_add(day->cost, l->cost, &day->cost) &&
		nanos_add(day->credits, l->credits, &day->credits) &&
		nanos_add(day->promo, l->promo, &day->promo);
}

static int by_currency(const void *pa, const void *pb)
{
	const struct daily_bill_day *a = pa, *b = pb;

	return strcmp(a->currency, b->currency);
}

/* End of the lines of a day. */
static bool billed_end_day(struct reading *x)
{
	struct daily_bill *b = &x->d->bill;

	if (b->n_days > x->begin)
		qsort(b->days + x->begin, b->n_days - x->begin, sizeof(*b->days),
			by_currency);
	for (; x->begin < b->n_days; x->begin++) {
		struct daily_bill_day *day = &b->days[x->begin];
		int64_t net;

		day->status = rec_status_name(day->final);
		if (!nanos_add(day->cost, day->credits, &net) ||
			!sums_add(&b->seen, x->d->a, day->currency, 0))
			return false;
		for (int i = 0; i < SPANS; i++) {
			if (!in_span(x, i))
				continue;
			b->any[i] = true;
			b->open[i] |= day->final != REC_SETTLED;
			if (!sums_add(&b->net[i], x->d->a, day->currency, net))
				return false;
		}
	}
	return true;
}

static void billed_read_lines(struct reading *x, day_t first)
{
	struct daily *d = x->d;
	struct bill_days days;
	struct bill_row r;
	bool fits = true;

	if (bill_known_days(d->db, d->a, first, d->today, &x->known, d->e) ||
		bill_days_open(d->db, first, d->today, d->a, &days, d->e))
		return;
	while (fits && bill_days_next(&days, &r)) {
		if (r.day != x->day) {
			fits = billed_end_day(x);
			x->day = r.day;
			x->ends = tz_day_start(d->tz, r.day + 1);
			x->project = NULL;
		}
		fits = fits && billed_add_line(x, &r);
	}
	fits = fits && billed_end_day(x);
	if (!bill_days_close(&days, E_OK, d->e) && !fits)
		daily_overflow(d, "the billed cost");
}

/* The largest of its amounts, without its sign. */
static uint64_t billed_size(const struct daily_bill_row *r)
{
	uint64_t most = 0;

	for (int i = 0; i < SPANS; i++) {
		uint64_t v = r->net[i] < 0 ? -(uint64_t)r->net[i] : (uint64_t)r->net[i];

		most = v > most ? v : most;
	}
	return most;
}

/* The largest of a currency first, costs and refunds: a short list must not hide it. */
static int billed_by_size(const void *pa, const void *pb)
{
	const struct daily_bill_row *a = pa, *b = pb;
	int order = strcmp(a->currency, b->currency);

	if (order)
		return order;
	if (billed_size(a) != billed_size(b))
		return billed_size(a) < billed_size(b) ? 1 : -1;
	return strcmp(a->category, b->category);
}

void daily_read_bill_end(struct daily *d)
{
	d->bill.end = bill_end_read(DB_READER(d), d->tz, d->now);
	d->bill.ever = q_any_row_row(d, .table = "project_day") != NULL;
}

void daily_read_bill(struct daily *d)
{
	day_t month = daily_month_start(d->today), first = d->today - DAILY_BILL_DAYS;
	struct reading x = {.d = d};

	span_days(d, x.first, x.last);
	billed_read_lines(&x, month < first ? month : first);
	if (d->bill.n)
		qsort(d->bill.rows, d->bill.n, sizeof(*d->bill.rows), billed_by_size);
	/* A day without a bill can still get one. */
	for (int i = 0; i < SPANS; i++)
		if (d->bill.end.old ||
			(i != SPAN_DAY_BEFORE && !d->bill.any[SPAN_YESTERDAY]))
			d->bill.open[i] = true;
}

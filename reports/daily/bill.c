/* What Google billed, by day and category: what the report says of it. */
#include "base/time/civil.h"
#include "base/money.h"
#include "reports/daily/internal.h"

#include <stdlib.h>
#include <string.h>

#define DAYS_SEEN 7

bool daily_bill_ends(const struct daily *d)
{
	return d->bill.end.old &&
		(!d->billing_unread || d->billing_from == TS_NONE ||
			d->bill.end.newest < d->billing_from - 2 * DAY_SECONDS);
}

/* ---- by category ------------------------------------------------------------------------------- */

enum {
	M_CATEGORY,
	M_YESTERDAY,
	M_DAY_BEFORE,
	M_7,
	M_30,
	M_MONTH,
	M_CURRENCY,
	N_MONEY,
};
static const struct doc_column money_columns[N_MONEY] = {
	[M_CATEGORY] = {"category", "category", DOC_TEXT, 0, 0},
	[M_YESTERDAY] = {"net_yesterday", "yesterday", DOC_MONEY, -1, 0},
	[M_DAY_BEFORE] = {"net_day_before", "day before", DOC_MONEY, -1, 3},
	[M_7] = {"net_7d", "7 days", DOC_MONEY, -1, 1},
	[M_30] = {"net_30d", "30 days", DOC_MONEY, -1, 2},
	[M_MONTH] = {"net_month", "month", DOC_MONEY, -1, 0},
	[M_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

/* What was not looked at, or has no bill yet, is not known to be nothing. */
static struct doc_cell span_cell(
	const struct daily *d, int span, int64_t net, const char *currency)
{
	struct doc_cell c = cell_money(d->bill.any[span] ? SOME(net) : NONE, currency);

	return c.type && d->bill.open[span] ? cell_partial(c) : c;
}

static void fill_spans(const struct daily *d, struct doc_cell *c, const char *category,
	const int64_t net[SPANS], const char *currency)
{
	c[M_CATEGORY] = cell_text(category);
	for (int i = 0; i < SPANS; i++)
		c[M_YESTERDAY + i] = span_cell(d, i, net[i], currency);
	c[M_CURRENCY] = cell_text(currency);
}

static bool all_zero(const int64_t v[SPANS])
{
	for (int i = 0; i < SPANS; i++)
		if (v[i])
			return false;
	return true;
}

static void add_categories(struct daily *d)
{
	struct doc_section *s = doc_section(d->doc, "money", "Billed, after credits",
		money_columns, ARRAY_LEN(money_columns));

	s->brief = true;
	s->more = "tpucost cost --by category --since 30d";
	s->empty = NO_BILLING_DATA;
	s->note = !d->bill.ever || daily_bill_ends(d) ? NULL
		: !d->bill.any[SPAN_YESTERDAY]        ? "No billing data for yesterday yet."
						      : NULL;
	for (size_t i = 0; i < d->bill.n; i++) {
		const struct daily_bill_row *r = &d->bill.rows[i];
		struct doc_row *row = doc_row(d->doc, s);

		fill_spans(d, row->cells, r->category, r->net, r->currency);
		row->folded = all_zero(r->net);
	}
	for (size_t i = 0; i < d->bill.seen.n; i++) {
		const char *currency = d->bill.seen.v[i].currency;
		struct doc_row *row = doc_row(d->doc, s);
		int64_t net[SPANS];

		for (int k = 0; k < SPANS; k++)
			net[k] = sums_of(&d->bill.net[k], currency).v;
		row->total = true;
		row->folded = daily_lines_in(s, M_CURRENCY, currency) == 1;
		fill_spans(d, row->cells, "together", net, currency);
	}
}

/* ---- yesterday, for programs ------------------------------------------------------------------- */

static void add_yesterday(struct daily *d)
{
	static const struct doc_column columns[] = {
		{"category", NULL, DOC_TEXT, 0, 0},
		{"cost", NULL, DOC_MONEY, -1, 0},
		{"credits", NULL, DOC_MONEY, -1, 0},
		{"net", NULL, DOC_MONEY, -1, 0},
		{"promo", NULL, DOC_MONEY, -1, 0},
		{"currency", NULL, DOC_TEXT, 0, 0},
	};
	struct doc_section *s = doc_section(
		d->doc, "yesterday_by_category", NULL, columns, ARRAY_LEN(columns));

	for (size_t i = 0; d->bill.any[SPAN_YESTERDAY] && i < d->bill.n; i++) {
		const struct daily_bill_row *r = &d->bill.rows[i];
		const int64_t v[] = {r->cost, r->credits, r->net[SPAN_YESTERDAY], r->promo};
		struct doc_cell *c;

		if (!r->cost && !r->credits)
			continue;
		c = doc_row(d->doc, s)->cells;
		c[0] = cell_text(r->category);
		for (size_t k = 0; k < ARRAY_LEN(v); k++)
			c[k + 1] = cell_partial(cell_money(SOME(v[k]), r->currency));
		c[5] = cell_text(r->currency);
	}
}

/* ---- by day ------------------------------------------------------------------------------------ */

enum { D_DAY, D_NET, D_COST, D_CREDITS, D_PROMO, D_STATUS, D_CURRENCY, N_DAY };
static const struct doc_column day_columns[N_DAY] = {
	[D_DAY] = {"day", "day", DOC_TEXT, 0, 0},
	[D_NET] = {"net", "net", DOC_MONEY, -1, 0},
	[D_COST] = {"cost", "before credits", DOC_MONEY, -1, 1},
	[D_CREDITS] = {"credits", "credits", DOC_MONEY, -1, 2},
	[D_PROMO] = {"promo", NULL, DOC_MONEY, -1, 0},
	[D_STATUS] = {"status", "status", DOC_TEXT, 0, 1},
	[D_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

static const struct daily_bill_day *day_of(
	const struct daily *d, day_t day, const char *currency)
{
	for (size_t i = 0; i < d->bill.n_days; i++)
		if (d->bill.days[i].day == day &&
			!strcmp(d->bill.days[i].currency, currency))
			return &d->bill.days[i];
	return NULL;
}

static void fill_day(
	struct daily *d, struct doc_cell *c, day_t day, const char *currency, day_t newest)
{
	const struct daily_bill_day *known = day_of(d, day, currency);
	/* between days that are billed nothing was; after them nobody knows */
	struct daily_bill_day none = {.status = "settled"};
	ts_t ends = tz_day_start(d->tz, day + 1);
	char date[DATE_BUF];
	int64_t net;

	c[D_DAY] = cell_text(arena_strdup(d->a, date_format(day, date)));
	c[D_CURRENCY] = cell_text(currency);
	if (!known && (day > newest || bill_end_before(&d->bill.end, ends)))
		return;
	if (!known)
		known = &none;
	c[D_NET] = cell_money(
		nanos_add(known->cost, known->credits, &net) ? SOME(net) : NONE, currency);
	c[D_COST] = cell_money(SOME(known->cost), currency);
	c[D_CREDITS] = cell_money(SOME(known->credits), currency);
	c[D_PROMO] = cell_money(SOME(known->promo), currency);
	c[D_STATUS] = known == &none ? (struct doc_cell){0} : cell_text(known->status);
	if (strcmp(known->status, "settled") != 0)
		for (int i = D_NET; i <= D_PROMO; i++)
			c[i] = cell_partial(c[i]);
}

static void add_yesterday_sums(struct daily *d)
{
	static const struct doc_column columns[] = {
		{"day", NULL, DOC_TEXT, 0, 0},
		{"cost", NULL, DOC_MONEY, -1, 0},
		{"credits", NULL, DOC_MONEY, -1, 0},
		{"net", NULL, DOC_MONEY, -1, 0},
		{"promo", NULL, DOC_MONEY, -1, 0},
		{"status", NULL, DOC_TEXT, 0, 0},
		{"currency", NULL, DOC_TEXT, 0, 0},
	};
	struct doc_section *s = doc_section(
		d->doc, "yesterday", NULL, columns, ARRAY_LEN(columns));

	for (size_t i = 0; i < d->bill.n_days; i++) {
		const struct daily_bill_day *x = &d->bill.days[i];
		struct doc_cell all[N_DAY] = {0}, *c;

		if (x->day != d->today - 1)
			continue;
		fill_day(d, all, x->day, x->currency, x->day);
		c = doc_row(d->doc, s)->cells;
		c[0] = all[D_DAY];
		c[1] = all[D_COST];
		c[2] = all[D_CREDITS];
		c[3] = all[D_NET];
		c[4] = all[D_PROMO];
		c[5] = all[D_STATUS];
		c[6] = all[D_CURRENCY];
	}
}

/* A month's budget of everything: what a day of it may cost. */
static void add_mark(struct daily *d, struct doc_section *s, const struct sums *all)
{
	for (size_t i = 0; i < d->ask->settings->n_budgets; i++) {
		const struct budget *b = &d->ask->settings->budgets[i];
		ts_t starts, ends;
		int64_t share;

		if (b->per != BUDGET_MONTH || b->where || all->n != 1 ||
			strcmp(b->amount.cur, all->v[0].currency) != 0)
			continue;
		budget_period(b, d->tz, d->now, &starts, &ends);
		if (!nanos_muldiv(b->amount.nanos, 1,
			    tz_day(d->tz, ends) - tz_day(d->tz, starts), &share))
			continue;
		s->chart.mark = SOME(share);
		s->chart.mark_title = arena_printf(d->a, "budget %s, a day of it", b->name);
		doc_fact(d->doc, "budget_per_day", NULL,
			cell_money(SOME(share), b->amount.cur));
		return;
	}
}

static void days_in(struct daily *d, struct doc_section *s, const char *currency)
{
	day_t oldest = d->today, newest = d->today - DAILY_BILL_DAYS - 1;

	for (size_t i = 0; i < d->bill.n_days; i++) {
		const struct daily_bill_day *x = &d->bill.days[i];

		if (strcmp(x->currency, currency) != 0)
			continue;
		oldest = x->day < oldest ? x->day : oldest;
		newest = x->day > newest ? x->day : newest;
	}
	for (day_t day = oldest; day < d->today; day++) {
		struct doc_row *row = doc_row(d->doc, s);

		fill_day(d, row->cells, day, currency, newest);
		row->folded = day < d->today - DAYS_SEEN;
	}
}

static void add_days(struct daily *d)
{
	struct doc_section *s = doc_section(
		d->doc, "days", "Day by day", day_columns, ARRAY_LEN(day_columns));
	const struct sums *all = &d->bill.seen;

	s->more = "tpucost cost --since 30d";
	for (size_t i = 0; i < all->n; i++)
		days_in(d, s, all->v[i].currency);
	if (!s->n)
		return;
	s->chart.title = "Net, the last 30 days";
	s->chart.label = D_DAY;
	s->chart.value = D_NET;
	add_mark(d, s, all);
}

void daily_add_money(struct daily *d)
{
	add_categories(d);
	add_yesterday_sums(d);
	add_yesterday(d);
	add_days(d);
}

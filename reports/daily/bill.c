/* Billed cost by day and by category. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "reports/daily/internal.h"

#include <string.h>

bool daily_bill_ends(const struct daily *d)
{
	return d->bill.end.old &&
		(bill_end_stale(&d->bill.end) == TS_NONE ||
			d->bill.end.newest < d->bill.end.read - 2 * DAY_SECONDS);
}

/* ---- by category ------------------------------------------------------------------------------- */

/* Category, then the spans in their order, then the currency. */
static const struct doc_column money_columns[] = {
	{"category", "category", DOC_TEXT},
	{"net_yesterday", "yesterday", DOC_MONEY, -1},
	{"net_day_before", "day before", DOC_MONEY, -1, 3},
	{"net_7d", "7 days", DOC_MONEY, -1, 1},
	{"net_30d", "30 days", DOC_MONEY, -1, 2},
	{"net_month", "month", DOC_MONEY, -1},
	{"currency", NULL, DOC_TEXT},
};

/* A span without a bill is unknown, not zero. */
static struct doc_row *add_spans(struct daily *d, struct doc_section *s,
	const char *category, const int64_t net[SPANS], const char *currency)
{
	struct doc_row *row = doc_row(s);
	struct doc_cell *c = row->cells;

	c[0] = cell_text(category);
	for (int i = 0; i < SPANS; i++) {
		c[i + 1] = cell_money(d->bill.any[i] ? SOME(net[i]) : NONE, currency);
		if (d->bill.open[i])
			c[i + 1] = cell_partial(c[i + 1]);
	}
	c[SPANS + 1] = cell_text(currency);
	return row;
}

static bool all_zero(const int64_t v[SPANS])
{
	for (int i = 0; i < SPANS; i++)
		if (v[i])
			return false;
	return true;
}

const char *daily_cost_command(const struct daily *d, const char *by)
{
	return arena_printf(d->a, "tpucost cost %s--since %s --until %s", by,
		date_text(d->a, d->today - DAILY_BILL_DAYS), date_text(d->a, d->today));
}

static void money_add_categories(struct daily *d)
{
	struct doc_section *s = doc_section(d->doc, "money", "Billed, after credits",
		money_columns, ARRAY_LEN(money_columns));
	bool alone;

	s->brief = true;
	s->more = daily_cost_command(d, "--by category ");
	s->most = 2;
	s->empty = NO_BILLING_DATA;
	s->note = daily_bill_ends(d) ? bill_end_note(&d->bill.end, d->doc)
		: d->bill.ever && !d->bill.any[SPAN_YESTERDAY]
		? arena_printf(d->a, "No billing data for %s yet.", daily_yesterday(d))
		: NULL;
	for (size_t i = 0; i < d->bill.n; i++) {
		const struct daily_bill_row *r = &d->bill.rows[i];

		add_spans(d, s, r->category, r->net, r->currency)->folded = all_zero(
			r->net);
	}
	alone = daily_lines(s, SPANS + 1) == 1;
	for (size_t i = 0; i < d->bill.seen.n; i++) {
		const char *currency = d->bill.seen.v[i].currency;
		struct doc_row *row;
		int64_t net[SPANS];

		for (int k = 0; k < SPANS; k++)
			net[k] = sums_of(&d->bill.net[k], currency).v;
		row = add_spans(d, s, "together", net, currency);
		row->total = true;
		row->folded = alone;
	}
}

/* ---- by day ------------------------------------------------------------------------------------ */

static const struct doc_column day_columns[] = {
	{"day", "day"},
	{"net", "net"},
	{"cost", "before credits", .rank = 1},
	{"credits", "credits", .rank = 2},
	{"promo"},
	{"status", "status", .rank = 1},
	{"currency"},
};

/* For programs: yesterday, in total and by category. */
static const struct doc_column yesterday_columns[] = {
	{"day"}, {"cost"}, {"credits"}, {"net"}, {"promo"}, {"status"}, {"currency"}};
static const struct doc_column category_columns[] = {
	{"category"}, {"cost"}, {"credits"}, {"net"}, {"promo"}, {"currency"}};

static struct doc_row *money_add_amounts(struct doc_section *s, int64_t cost,
	int64_t credits, int64_t promo, const char *currency, bool partial)
{
	struct doc_row *row = doc_row(s);

	*doc_at(s, row, "cost") = cell_money(SOME(cost), currency);
	*doc_at(s, row, "credits") = cell_money(SOME(credits), currency);
	*doc_at(s, row, "promo") = cell_money(SOME(promo), currency);
	*doc_at(s, row, "currency") = cell_text(currency);
	section_net(s, row, partial);
	return row;
}

static void money_add_day(
	struct daily *d, struct doc_section *s, const struct daily_bill_day *x)
{
	struct doc_row *row = money_add_amounts(s, x->cost, x->credits, x->promo,
		x->currency, !str_eq(x->status, "settled") && x->status);

	*doc_at(s, row, "day") = cell_text(date_text(d->a, x->day));
	*doc_at(s, row, "status") = cell_text(x->status);
}

static void add_yesterday(struct daily *d)
{
	struct doc_section *day = doc_section_like(d->doc, "yesterday", NULL, "costs",
		yesterday_columns, ARRAY_LEN(yesterday_columns));
	struct doc_section *s = doc_section_like(d->doc, "yesterday_by_category", NULL,
		"costs", category_columns, ARRAY_LEN(category_columns));

	for (size_t i = 0; i < d->bill.n_days; i++)
		if (d->bill.days[i].day == d->today - 1)
			money_add_day(d, day, &d->bill.days[i]);
	for (size_t i = 0; d->bill.any[SPAN_YESTERDAY] && i < d->bill.n; i++) {
		const struct daily_bill_row *r = &d->bill.rows[i];

		if (r->cost || r->credits)
			*doc_at(s,
				money_add_amounts(s, r->cost, r->credits, r->promo,
					r->currency, true),
				"category") = cell_text(r->category);
	}
}

/* Daily share of a monthly budget that covers all costs. */
static void money_add_mark(struct daily *d, struct doc_section *s, const struct sums *all)
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
		s->chart.mark_title = arena_printf(d->a, "budget %s per day", b->name);
		doc_fact(d->doc, "budget_per_day", NULL,
			cell_money(SOME(share), b->amount.cur));
		return;
	}
}

/* A day without cost before the newest billed day cost nothing; a later one is unknown. */
static void days_in(struct daily *d, struct doc_section *s, const char *currency)
{
	const struct daily_bill_day *of[DAILY_BILL_DAYS + 1] = {NULL};
	day_t first = d->today - DAILY_BILL_DAYS, oldest = d->today, newest = first - 1;

	for (size_t i = 0; i < d->bill.n_days; i++) {
		const struct daily_bill_day *x = &d->bill.days[i];

		if (strcmp(x->currency, currency) != 0)
			continue;
		of[x->day - first] = x;
		oldest = x->day < oldest ? x->day : oldest;
		newest = x->day > newest ? x->day : newest;
	}
	for (day_t day = oldest; day < d->today; day++) {
		bool nothing = day <= newest &&
			!bill_end_before(&d->bill.end, tz_day_start(d->tz, day + 1));
		struct doc_row *row;

		if (of[day - first]) {
			money_add_day(d, s, of[day - first]);
		} else if (nothing) {
			money_add_day(d, s,
				&(struct daily_bill_day){.day = day, .currency = currency});
		} else {
			row = doc_row(s);
			*doc_at(s, row, "day") = cell_text(date_text(d->a, day));
			*doc_at(s, row, "currency") = cell_text(currency);
		}
		s->rows[s->n - 1].folded = true; /* only in the chart */
	}
}

static void money_add_days(struct daily *d)
{
	struct doc_section *s = doc_section_like(
		d->doc, "days", "Day by day", "costs", day_columns, ARRAY_LEN(day_columns));
	const struct sums *all = &d->bill.seen;

	s->more = daily_cost_command(d, "");
	for (size_t i = 0; i < all->n; i++)
		days_in(d, s, all->v[i].currency);
	if (!s->n)
		return;
	s->chart.title = "Net, the last 30 days";
	s->chart.label = 0;
	s->chart.value = 1;
	money_add_mark(d, s, all);
}

void daily_add_money(struct daily *d)
{
	money_add_categories(d);
	add_yesterday(d);
	money_add_days(d);
}

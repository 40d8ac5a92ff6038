/* Burn by category, per hour and per day, and the estimated cost of today so far. */
#include "base/money.h"
#include "base/time/civil.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

static const struct doc_column burn_columns[] = {
	{"category", "category"},
	{"resources", "number", .rank = 1},
	{"net_per_hour", "net an hour", .status = STATUS_ESTIMATE},
	{"gross_per_hour", .status = STATUS_ESTIMATE},
	{"net_per_day", "net a day", .status = STATUS_ESTIMATE},
	{"gross_per_day", .status = STATUS_ESTIMATE},
	{"currency"},
};
#define BURN_SUMS 2 /* columns from here on are also those of sums */

static void burn_fill(const struct doc_section *s, struct doc_row *row,
	struct opt_i64 gross, const struct sum *net)
{
	static const char *const a_day[] = {"gross_per_day", "net_per_day"};
	static const char *const an_hour[] = {"gross_per_hour", "net_per_hour"};
	const struct opt_i64 hours[] = {gross, SOME(net->nanos)};

	for (size_t i = 0; i < ARRAY_LEN(hours); i++) {
		struct opt_i64 day = hours[i];

		day.set = day.set && !__builtin_mul_overflow(day.v, 24, &day.v);
		*doc_at(s, row, an_hour[i]) = cell_estimate(
			cell_rate(hours[i], net->currency));
		*doc_at(s, row, a_day[i]) = cell_estimate(cell_money(day, net->currency));
	}
	*doc_at(s, row, "currency") = cell_text(net->currency);
}

static void read_burn(struct daily *d, struct doc_section *s)
{
	bool fits = true;
	struct doc_row *row;
	struct db_rows rows = q_daily_burn_read(d, .projects = d->ask->projects);

	while ((row = doc_read(s, &rows))) {
		const char *currency = doc_at(s, row, "currency")->text;
		const struct doc_cell *net = doc_at(s, row, "net_per_hour");

		row->folded = net->type && !net->v; /* free */
		if (!currency)
			d->unknown_prices += (size_t)doc_at(s, row, "resources")->v;
		else
			fits &= sums_add(&d->burn_gross, d->a, currency,
					doc_at(s, row, "gross_per_hour")->v) &&
				sums_add(&d->burn_net, d->a, currency, net->v);
	}
	if (!fits)
		daily_overflow(d, "the burn per hour");
}

static void add_totals(struct daily *d, struct doc_section *s)
{
	bool alone = daily_lines(s, s->n_columns - 1) <= 1;

	for (size_t i = 0; i < d->burn_net.n; i++) {
		const struct sum *net = &d->burn_net.v[i];
		struct doc_row *row = doc_row(s);

		row->total = true;
		row->folded = alone;
		*doc_at(s, row, "category") = cell_text("together");
		burn_fill(s, row, sums_of(&d->burn_gross, net->currency), net);
	}
}

/* Totals in a section of their own, for programs. */
static void add_sums(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "burn_per_hour", NULL, "burn",
		burn_columns + BURN_SUMS, ARRAY_LEN(burn_columns) - BURN_SUMS);

	for (size_t i = 0; i < d->burn_net.n; i++)
		burn_fill(s, doc_row(s), sums_of(&d->burn_gross, d->burn_net.v[i].currency),
			&d->burn_net.v[i]);
}

/* Estimated cost of the running resources since midnight or since their start, until now or until they were last seen.
 * Resources that were stopped today are not included. */
static void today_so_far(struct daily *d, struct sums *out)
{
	struct q_daily_burning_rows rows = q_daily_burning_rows(
		d, .midnight = tz_day_start(d->tz, d->present));
	bool fits = true;

	for (size_t i = 0; i < rows.n; i++) {
		const struct q_daily_burning *q = &rows.v[i];
		ts_t until = q->last_seen.set ? q->last_seen.v : d->now;
		int64_t nanos;

		if (q->since <= until)
			fits &= nanos_muldiv(
					q->net, until - q->since, HOUR_SECONDS, &nanos) &&
				sums_add(out, d->a, q->currency, nanos);
	}
	if (!fits)
		daily_overflow(d, "the cost of today");
}

static void add_today(struct daily *d)
{
	static const struct doc_column columns[] = {
		{"net", NULL, DOC_MONEY, -1, 0},
		{"currency", NULL, DOC_TEXT, 0, 0},
	};
	struct doc_section *s = doc_section(
		d->doc, "today_estimate", NULL, columns, ARRAY_LEN(columns));
	struct sums today = {0};

	today_so_far(d, &today);
	for (size_t i = 0; i < today.n; i++) {
		struct doc_cell *c = doc_row(s)->cells;

		c[0] = cell_estimate(
			cell_money(SOME(today.v[i].nanos), today.v[i].currency));
		c[1] = cell_text(today.v[i].currency);
	}
	if (today.n) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		sums_words(&today, "", &b);
		doc_find(d->doc, "burn")->note = arena_printf(d->a,
			"Running resources have cost about %s today%s.", b.s,
			d->inventory_unread ? ", until they were last polled" : "");
	}
}

void daily_add_burn(struct daily *d)
{
	struct doc_section *s = doc_section_like(
		d->doc, "burn", "Burn now", "burn", burn_columns, ARRAY_LEN(burn_columns));

	s->more = "tpucost burn";
	s->most = 1;
	read_burn(d, s);
	s->empty = !d->polled || (d->unsure && !s->n) ? "Not known."
		: d->unsure                           ? "Nothing known."
						      : "No resource costs money.";
	add_totals(d, s);
	add_sums(d);
	if (!d->ask->projects)
		add_today(d);
}

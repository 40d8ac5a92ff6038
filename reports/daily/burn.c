/* What burns now, by category, per hour and day, and what today has cost so far by that. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

enum {
	B_CATEGORY,
	B_RESOURCES,
	B_NET,
	B_GROSS,
	B_NET_DAY,
	B_GROSS_DAY,
	B_CURRENCY,
	N_BURN
};
static const struct doc_column burn_columns[N_BURN] = {
	[B_CATEGORY] = {"category", "category", DOC_TEXT, 0, 0},
	[B_RESOURCES] = {"resources", "number", DOC_INT, 0, 1},
	[B_NET] = {"net_per_hour", "net", DOC_RATE, -1, 0},
	[B_GROSS] = {"gross_per_hour", NULL, DOC_RATE, -1, 0},
	[B_NET_DAY] = {"net_per_day", "net a day", DOC_MONEY, -1, 0},
	[B_GROSS_DAY] = {"gross_per_day", NULL, DOC_MONEY, -1, 0},
	[B_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

static struct opt_i64 a_day(struct opt_i64 v)
{
	int64_t out;

	return v.set && !__builtin_mul_overflow(v.v, 24, &out) ? SOME(out) : NONE;
}

static void fill(struct doc_cell *c, const char *category, struct opt_i64 gross,
	struct opt_i64 net, const char *currency)
{
	c[B_CATEGORY] = cell_text(category);
	c[B_NET] = cell_estimate(cell_rate(net, currency));
	c[B_GROSS] = cell_estimate(cell_rate(gross, currency));
	c[B_NET_DAY] = cell_estimate(cell_money(a_day(net), currency));
	c[B_GROSS_DAY] = cell_estimate(cell_money(a_day(gross), currency));
	c[B_CURRENCY] = cell_text(currency);
}

static enum err_code read_burn(struct daily *d, struct doc_section *s, struct err *e)
{
	struct q_daily_burn q;
	struct db_rows rows;
	bool fits = true;

	if (q_daily_burn_open(d->db, &rows, e))
		return e->code;
	while (fits && q_daily_burn_next(&rows, &q)) {
		const char *currency = arena_strdup(d->a, q.currency);
		struct doc_row *row = doc_row(d->doc, s);

		fill(row->cells, arena_strdup(d->a, q.category), q.gross, q.net, currency);
		row->cells[B_RESOURCES] = cell_int(q.resources);
		row->folded = currency && q.net.set && !q.net.v; /* free */
		if (!currency)
			d->unknown_prices += (size_t)q.resources;
		else
			fits = sums_add(&d->burn_gross, d->a, currency, q.gross.v) &&
				sums_add(&d->burn_net, d->a, currency, q.net.v);
	}
	if (db_rows_close(&rows, e))
		return e->code;
	return fits ? E_OK : daily_overflow(e, "what burns per hour");
}

static void add_totals(struct daily *d, struct doc_section *s)
{
	for (size_t i = 0; i < d->burn_net.n; i++) {
		const struct sum *net = &d->burn_net.v[i];
		struct doc_row *row = doc_row(d->doc, s);

		row->total = true;
		row->folded = daily_lines_in(s, B_CURRENCY, net->currency) <= 1;
		fill(row->cells, "together", sums_of(&d->burn_gross, net->currency),
			SOME(net->nanos), net->currency);
	}
}

/* The same for programs, in a place of its own. */
static void add_sums(struct daily *d)
{
	struct doc_section *s = doc_section(
		d->doc, "burn_per_hour", NULL, burn_columns + B_NET, N_BURN - B_NET);

	for (size_t i = 0; i < d->burn_net.n; i++) {
		const struct sum *net = &d->burn_net.v[i];
		struct doc_cell c[N_BURN] = {0};
		struct doc_row *row = doc_row(d->doc, s);

		fill(c, NULL, sums_of(&d->burn_gross, net->currency), SOME(net->nanos),
			net->currency);
		for (int k = B_NET; k < N_BURN; k++)
			row->cells[k - B_NET] = c[k];
	}
}

/* What runs now, since midnight or since it began, until now or until it was last seen: what was
 * stopped today is not in it. */
static enum err_code today_so_far(struct daily *d, struct sums *out, struct err *e)
{
	struct q_daily_burning_in in = {.midnight = tz_day_start(d->tz, d->today)};
	struct q_daily_burning q;
	struct db_rows rows;
	bool fits = true;

	if (q_daily_burning_open(d->db, &in, &rows, e))
		return e->code;
	while (fits && q_daily_burning_next(&rows, &q)) {
		ts_t until = q.last_seen.set ? q.last_seen.v : d->now;
		int64_t nanos;

		if (q.since > until)
			continue;
		fits = nanos_muldiv(q.net, until - q.since, HOUR_SECONDS, &nanos) &&
			sums_add(out, d->a, arena_strdup(d->a, q.currency), nanos);
	}
	if (db_rows_close(&rows, e))
		return e->code;
	return fits ? E_OK : daily_overflow(e, "what today has cost");
}

static enum err_code add_today(struct daily *d, struct err *e)
{
	static const struct doc_column columns[] = {
		{"net", NULL, DOC_MONEY, -1, 0},
		{"currency", NULL, DOC_TEXT, 0, 0},
	};
	struct doc_section *s = doc_section(
		d->doc, "today_estimate", NULL, columns, ARRAY_LEN(columns));
	struct sums today = {0};

	if (today_so_far(d, &today, e))
		return e->code;
	for (size_t i = 0; i < today.n; i++) {
		struct doc_cell *c = doc_row(d->doc, s)->cells;

		c[0] = cell_estimate(
			cell_money(SOME(today.v[i].nanos), today.v[i].currency));
		c[1] = cell_text(today.v[i].currency);
	}
	if (today.n) {
		struct sbuf b = SBUF_INIT;

		sums_words(&today, "", &b);
		doc_find(d->doc, "burn")->note = arena_printf(d->a,
			"At list prices, after grants. Today %s about %s, of what "
			"%s.",
			d->inventory_unread ? "until it was last seen" : "so far", b.s,
			d->inventory_unread ? "ran then" : "still runs");
		sbuf_done(&b);
	}
	return E_OK;
}

enum err_code daily_add_burn(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(d->doc, "burn", "Burn now, per hour",
		burn_columns, ARRAY_LEN(burn_columns));

	s->note = "At list prices, after grants.";
	s->more = "tpucost burn";
	if (read_burn(d, s, e))
		return e->code;
	s->empty = !d->polled || (d->unsure && !s->n) ? "Nothing is known."
		: d->unsure                           ? "Nothing that is known of."
						      : "Nothing burns money.";
	add_totals(d, s);
	add_sums(d);
	return add_today(d, e);
}

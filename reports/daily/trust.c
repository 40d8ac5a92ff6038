/* Can it be trusted: how old it is, what is missing, what changed, how far estimates were off. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

#define CLOCK_SKEW 300 /* seconds: what was noted later than that was by a wrong clock */
#define RESTATED_SINCE (7 * DAY_SECONDS)

/* ---- sources ----------------------------------------------------------------------------------- */

static void note_age(ts_t *from, ts_t success)
{
	if (success < *from) /* TS_NONE is before everything: never */
		*from = success;
}

static void note_source(struct daily *d, const struct daily_source *s, ts_t *inventory,
	ts_t *billing, bool there)
{
	if (s->inventory) {
		d->polled = true;
		d->unsure |= s->stale;
		d->inventory_unread |= s->unread;
		if (there)
			note_age(inventory, s->last_success);
	} else if (!strcmp(s->source, "billing")) {
		d->billing_unread |= s->unread;
		if (there)
			note_age(billing, s->last_success);
	}
}

/* Stale and unread are as in the view sources. */
enum err_code daily_read_sources(struct daily *d, struct err *e)
{
	ts_t inventory = INT64_MAX, billing = INT64_MAX;
	struct q_daily_sources q;
	struct db_rows rows;

	if (q_daily_sources_open(d->db, &rows, e))
		return e->code;
	while (q_daily_sources_next(&rows, &q)) {
		ts_t success = q.last_success.set ? q.last_success.v : TS_NONE, oldest,
		     read;
		struct daily_source *s;

		d->sources = arena_grow(d->a, d->sources, d->n_sources, &d->cap_sources,
			sizeof(*d->sources));
		s = &d->sources[d->n_sources++];
		oldest = d->now - 3 * q.seconds;
		read = !strcmp(q.state, "partial") ? q.last_attempt : success;
		*s = (struct daily_source){.source = arena_strdup(d->a, q.source),
			.project = arena_strdup(d->a, q.project),
			.state = arena_strdup(d->a, q.state),
			.error = arena_strdup(d->a, q.error),
			.fix = arena_strdup(d->a, q.fix),
			.last_success = success,
			.inventory = q.inventory,
			.stale = q.there &&
				(success < oldest || success > d->now + CLOCK_SKEW),
			.unread = q.there && (read < oldest || read > d->now + CLOCK_SKEW)};
		note_source(d, s, &inventory, &billing, q.there);
	}
	d->inventory_from = inventory == INT64_MAX ? TS_NONE : inventory;
	d->billing_from = billing == INT64_MAX ? TS_NONE : billing;
	return db_rows_close(&rows, e);
}

static const struct doc_column source_columns[] = {
	{"source", "source", DOC_TEXT, 0, 0},
	{"project", "project", DOC_TEXT, 0, 1},
	{"state", "state", DOC_TEXT, 0, 2},
	{"last_success", "last complete", DOC_TIME, 0, 0},
	{"age", "age", DOC_DURATION, 0, 1},
	{"stale", NULL, DOC_FLAG, 0, 0},
	{"unread", NULL, DOC_FLAG, 0, 0},
	{"error", NULL, DOC_TEXT, 0, 0},
	{"fix", NULL, DOC_TEXT, 0, 0},
};

static void list_sources(struct daily *d)
{
	struct doc_section *s = doc_section(d->doc, "sources", "Not read as it should be",
		source_columns, ARRAY_LEN(source_columns));

	s->tone = TONE_WARN;
	s->more = "tpucost sources";
	for (size_t i = 0; i < d->n_sources; i++) {
		const struct daily_source *x = &d->sources[i];
		struct doc_row *row = doc_row(d->doc, s);
		struct doc_cell *c = row->cells;

		c[0] = cell_text(x->source);
		c[1] = cell_text(x->project);
		c[2] = cell_text(x->state);
		c[3] = cell_time(x->last_success);
		if (x->last_success != TS_NONE && x->last_success <= d->now)
			c[4] = cell_duration(d->now - x->last_success);
		c[5] = cell_flag(x->stale);
		c[6] = cell_flag(x->unread);
		c[7] = cell_text(x->error);
		c[8] = cell_text(x->fix);
		row->folded = !x->stale && !x->error;
		row->detail = x->error;
	}
}

static enum err_code add_gaps(struct daily *d, struct err *e)
{
	static const struct doc_column columns[] = {
		{"location", "place", DOC_TEXT, 0, 0},
		{"source", "source", DOC_TEXT, 0, 0},
		{"project", "project", DOC_TEXT, 0, 1},
		{"since", "since", DOC_TIME, 0, 0},
	};
	struct doc_section *s = doc_section(
		d->doc, "gaps", "Places that do not answer", columns, ARRAY_LEN(columns));
	struct q_daily_gaps q;
	struct db_rows rows;

	s->tone = TONE_WARN;
	s->more = "tpucost sql \"SELECT * FROM gaps\"";
	if (q_daily_gaps_open(d->db, &rows, e))
		return e->code;
	while (q_daily_gaps_next(&rows, &q)) {
		struct doc_cell *c = doc_row(d->doc, s)->cells;

		c[0] = cell_text(arena_strdup(d->a, q.location));
		c[1] = cell_text(arena_strdup(d->a, q.source));
		c[2] = cell_text(arena_strdup(d->a, q.project));
		c[3] = cell_time(q.since);
	}
	return db_rows_close(&rows, e);
}

enum err_code daily_add_sources(struct daily *d, struct err *e)
{
	list_sources(d);
	return add_gaps(d, e);
}

/* ---- what changed ------------------------------------------------------------------------------ */

struct restated {
	const char *date, *currency, *month, *source;
	int64_t old_net, new_net;
	ts_t at;
};

static const struct doc_column restated_columns[] = {
	{"day", "day", DOC_TEXT, 0, 0},
	{"old_net", "from", DOC_MONEY, -1, 0},
	{"new_net", "to", DOC_MONEY, -1, 0},
	{"change", "change", DOC_MONEY, -1, 1},
	{"noticed", "noticed", DOC_TIME, 0, 1},
	{"invoice_month", NULL, DOC_TEXT, 0, 0},
	{"source", NULL, DOC_TEXT, 0, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static void add_restated(struct daily *d, struct doc_section *s, const struct restated *r)
{
	struct doc_row *row;
	int64_t change;

	if (!r->date || r->old_net == r->new_net ||
		!nanos_sub(r->new_net, r->old_net, &change))
		return;
	row = doc_row(d->doc, s);
	row->cells[0] = cell_text(r->date);
	row->cells[1] = cell_money(SOME(r->old_net), r->currency);
	row->cells[2] = cell_money(SOME(r->new_net), r->currency);
	row->cells[3] = cell_money(SOME(change), r->currency);
	row->cells[4] = cell_time(r->at);
	row->cells[5] = cell_text(r->month);
	row->cells[6] = cell_text(r->source);
	row->cells[7] = cell_text(r->currency);
}

static bool same(const struct restated *r, const struct q_daily_restatements *q)
{
	return r->date && !strcmp(r->date, q->date) && !strcmp(r->currency, q->currency) &&
		!strcmp(r->month, q->invoice_month) && !strcmp(r->source, q->source);
}

/* A day that changed again and again is one change: from what it was first to what it is now. */
static enum err_code add_restatements(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(d->doc, "restatements",
		"Days that Google changed since", restated_columns,
		ARRAY_LEN(restated_columns));
	struct q_daily_restatements_in in = {.since = d->now - RESTATED_SINCE};
	struct q_daily_restatements q;
	struct restated r = {0};
	struct db_rows rows;
	bool fits = true;

	s->more = "tpucost sql \"SELECT * FROM restatements\"";
	if (q_daily_restatements_open(d->db, &in, &rows, e))
		return e->code;
	while (fits && q_daily_restatements_next(&rows, &q)) {
		if (!same(&r, &q)) {
			add_restated(d, s, &r);
			r = (struct restated){.date = arena_strdup(d->a, q.date),
				.currency = arena_strdup(d->a, q.currency),
				.month = arena_strdup(d->a, q.invoice_month),
				.source = arena_strdup(d->a, q.source)};
			fits = nanos_add(q.old_cost, q.old_credits, &r.old_net);
		}
		r.at = q.at;
		fits = fits && nanos_add(q.new_cost, q.new_credits, &r.new_net);
	}
	add_restated(d, s, &r);
	if (db_rows_close(&rows, e))
		return e->code;
	return fits ? E_OK : daily_overflow(e, "a day that was changed");
}

/* ---- estimates --------------------------------------------------------------------------------- */

static const struct doc_column error_columns[] = {
	{"day", NULL, DOC_TEXT, 0, 0},
	{"estimate", NULL, DOC_MONEY, -1, 0},
	{"billed", NULL, DOC_MONEY, -1, 0},
	{"percent", NULL, DOC_PERCENT, 2, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static struct opt_i64 percent_off(int64_t estimate, int64_t billed)
{
	int64_t off, hundredths, nanos;

	if (billed <= 0 || !nanos_sub(estimate, billed, &off) ||
		!nanos_muldiv(off, 10000, billed, &hundredths) ||
		__builtin_mul_overflow(hundredths, NANOS / 100, &nanos))
		return NONE;
	return SOME(nanos);
}

static void say_errors(
	struct daily *d, const struct sums *estimates, const struct sums *billed)
{
	for (size_t i = 0; i < billed->n; i++) {
		const struct sum *b = &billed->v[i];
		struct opt_i64 off = percent_off(
			sums_of(estimates, b->currency).v, b->nanos);
		char num[NANOS_BUF];

		if (!off.set)
			continue;
		if (!off.v)
			doc_note(d->doc,
				"Estimates were as the bill on the last days that "
				"can be compared%s%s.",
				billed->n > 1 ? ", in " : "",
				billed->n > 1 ? b->currency : "");
		else
			doc_note(d->doc,
				"Estimates were %s %% %s the bill%s%s on the last days "
				"that "
				"can be compared.",
				nanos_format_fixed(off.v < 0 ? -off.v : off.v, 1, num),
				off.v < 0 ? "below" : "above", billed->n > 1 ? " in " : "",
				billed->n > 1 ? b->currency : "");
	}
}

static enum err_code add_errors(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(
		d->doc, "estimate_errors", NULL, error_columns, ARRAY_LEN(error_columns));
	struct sums estimates = {0}, billed = {0};
	struct q_daily_errors q;
	struct db_rows rows;
	bool fits = true;

	if (q_daily_errors_open(d->db, &rows, e))
		return e->code;
	while (fits && q_daily_errors_next(&rows, &q)) {
		const char *currency = arena_strdup(d->a, q.currency);
		struct doc_cell *c = doc_row(d->doc, s)->cells;

		c[0] = cell_text(arena_strdup(d->a, q.day));
		c[1] = cell_estimate(cell_money(SOME(q.estimate), currency));
		c[2] = cell_money(SOME(q.billed), currency);
		c[3] = cell_percent(daily_decimal(q.percent_100, 100));
		c[4] = cell_text(currency);
		fits = sums_add(&estimates, d->a, currency, q.estimate) &&
			sums_add(&billed, d->a, currency, q.billed);
	}
	if (db_rows_close(&rows, e))
		return e->code;
	if (!fits)
		return daily_overflow(e, "the estimates of last week");
	say_errors(d, &estimates, &billed);
	return E_OK;
}

enum err_code daily_add_trust(struct daily *d, struct err *e)
{
	if (daily_add_sources(d, e) || add_restatements(d, e) || add_errors(d, e))
		return e->code;
	if (d->unknown_prices)
		doc_note(d->doc,
			"Of %zu that %s the price is not known: no sum has them. tpucost "
			"ps "
			"--where \"price_source = 'unknown'\"",
			d->unknown_prices, daily_plural(d->unknown_prices, "runs", "run"));
	return E_OK;
}

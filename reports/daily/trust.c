/* Quality of the data: age, gaps, changed days, and the error of the estimates. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/cause.h"
#include "reports/daily/internal.h"
#include "rules/price/account.h"

#define RESTATED_SINCE (7 * DAY_SECONDS)

/* ---- sources ----------------------------------------------------------------------------------- */

void daily_read_sources(struct daily *d)
{
	ts_t from = INT64_MAX;
	struct q_daily_inventory_rows polled = q_daily_inventory_rows(d);

	d->sources = q_daily_sources_rows(d);
	d->only_project = polled.n == 1 ? polled.v[0].project : NULL;
	for (size_t i = 0; i < polled.n; i++) {
		const struct q_daily_inventory *p = &polled.v[i];

		(void)strmap_put(&d->inventory, p->project, i);
		d->polled = true;
		d->unsure |= p->stale != 0;
		d->inventory_unread |= p->unread != 0;
		/* TS_NONE is before everything: never */
		if (p->never)
			from = TS_NONE;
		else if (p->since.set && p->since.v < from)
			from = p->since.v;
	}
	d->inventory_from = from == INT64_MAX ? TS_NONE : from;
}

static const struct doc_column source_columns[] = {
	{"source", "source"},
	{"project", "project", .rank = 1},
	{"state", "state", .rank = 2},
	{"last_success", "last complete"},
	{"age", "age", DOC_DURATION, .rank = 1},
	{"stale"},
	{"unread"},
	{"error"},
	{"fix"},
};

/* Sources with the same cause are one row, unless it is an action to take; data formats have all of them. */
static void trust_group(struct daily *d, struct doc_section *s)
{
	const char **causes = arena_alloc(d->a, (s->n + 1) * sizeof(*causes));
	const size_t *sizes;

	for (size_t i = 0; i < s->n; i++)
		causes[i] = s->rows[i].detail ? cause_of(s->rows[i].detail, d->a) : NULL;
	sizes = cause_groups(causes, s->n, d->a);
	for (size_t i = 0; i < s->n; i++) {
		s->rows[i].folded |= !sizes[i] || daily_has_cause(d, causes[i]);
		if (sizes[i] > 1)
			s->rows[i].detail = s->rows[i].line = arena_printf(
				d->a, "%zu sources: %s", sizes[i], causes[i]);
	}
}

/* A screen names one source for each cause without an action; there may be 100,000 sources. */
static void list_causes(struct daily *d, struct doc_section *s)
{
	struct strmap at = {0}; /* cause -> its row */
	size_t *sizes = arena_alloc(d->a, (d->sources.n + 1) * sizeof(*sizes));

	for (size_t i = 0; i < d->sources.n; i++) {
		const struct q_daily_sources *q = &d->sources.v[i];
		const char *cause = q->error ? cause_of(q->error, d->a) : NULL;
		size_t *same = cause ? strmap_get(&at, cause) : NULL;
		struct doc_row *row;

		if (!cause || daily_has_cause(d, cause) ||
			!daily_concerns(d, daily_source_project(d, q->project)))
			continue;
		if (same) {
			row = &s->rows[*same];
			row->detail = row->line = arena_printf(
				d->a, "%zu sources: %s", ++sizes[*same], cause);
			continue;
		}
		(void)strmap_put(&at, cause, s->n);
		sizes[s->n] = 1;
		row = doc_row(s);
		row->cells[0] = cell_text(q->source);
		row->cells[1] = cell_text(q->project);
		row->detail = q->error;
	}
	strmap_done(&at);
}

static void list_sources(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "sources", "Sources with problems",
		"sources", source_columns, ARRAY_LEN(source_columns));
	struct doc_row *row;
	struct db_rows rows;

	s->tone = TONE_WARN;
	s->more = "tpucost sources";
	if (d->ask->glance) {
		list_causes(d, s);
		return;
	}
	rows = q_daily_sources_cells_read(d);
	while ((row = doc_read(s, &rows))) {
		row->detail = doc_at(s, row, "error")->text;
		row->folded = !doc_at(s, row, "stale")->v && !row->detail;
		if (d->ask->projects &&
			!daily_concerns(d,
				daily_source_project(d, doc_at(s, row, "project")->text)))
			s->n--;
	}
	trust_group(d, s);
}

static void add_gaps(struct daily *d)
{
	static const struct doc_column columns[] = {
		{"location", "location"},
		{"source", "source"},
		{"project", "project", .rank = 1},
		{"since", "since"},
	};
	struct doc_section *s = doc_section_like(d->doc, "gaps", "Unreachable locations",
		"gaps", columns, ARRAY_LEN(columns));
	struct doc_row *row;
	struct db_rows rows = q_daily_gaps_read(d);

	s->tone = TONE_WARN;
	s->more = "tpucost sql \"SELECT * FROM gaps\"";
	while ((row = doc_read(s, &rows)))
		if (!daily_concerns(d, doc_at(s, row, "project")->text))
			s->n--;
}

void daily_add_sources(struct daily *d)
{
	list_sources(d);
	add_gaps(d);
}

/* ---- changed days ------------------------------------------------------------------------------ */

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

/* Several changes of a day are shown as one, from the first amount to the present one; without the invoice month or
 * the source if they differ. */
static void add_restatements(struct daily *d)
{
	struct doc_section *s = doc_section(d->doc, "restatements",
		"Billed days that Google changed", restated_columns,
		ARRAY_LEN(restated_columns));
	struct q_daily_restatements_rows rows = q_daily_restatements_rows(
		d, .since = d->now - RESTATED_SINCE);

	s->more = "tpucost sql \"SELECT * FROM restatements\"";
	for (size_t i = 0, end; i < rows.n; i = end) {
		const struct q_daily_restatements *q = &rows.v[i], *to = q;
		const char *month = q->invoice_month, *source = q->source;
		int64_t change;
		struct doc_cell *c;

		for (end = i + 1; end < rows.n && str_eq(rows.v[end].day, q->day) &&
			str_eq(rows.v[end].currency, q->currency);
			end++) {
			to = &rows.v[end];
			month = str_eq(month, to->invoice_month) ? month : NULL;
			source = str_eq(source, to->source) ? source : NULL;
		}
		if (!nanos_sub(to->new_net, q->old_net, &change)) {
			daily_overflow(d, "the changed amount of a day");
			return;
		}
		if (!change)
			continue;
		c = doc_row(s)->cells;
		c[0] = cell_text(q->day);
		c[1] = cell_money(SOME(q->old_net), q->currency);
		c[2] = cell_money(SOME(to->new_net), q->currency);
		c[3] = cell_money(SOME(change), q->currency);
		c[4] = cell_time(to->noticed);
		c[5] = cell_text(month);
		c[6] = cell_text(source);
		c[7] = cell_text(q->currency);
	}
}

/* ---- estimates --------------------------------------------------------------------------------- */

static const struct doc_column error_columns[] = {
	{"day"},
	{"estimate", .status = STATUS_ESTIMATE},
	{"billed"},
	{"percent", .digits = 2},
	{"currency"},
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
				"On the last comparable days, estimates were equal to the "
				"bill%s%s.",
				billed->n > 1 ? ", in " : "",
				billed->n > 1 ? b->currency : "");
		else
			doc_note(d->doc,
				"On the last comparable days, estimates were %s %% %s the "
				"bill%s%s.",
				nanos_format_fixed(off.v < 0 ? -off.v : off.v, 1, num),
				off.v < 0 ? "below" : "above", billed->n > 1 ? " in " : "",
				billed->n > 1 ? b->currency : "");
	}
}

static void add_errors(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "estimate_errors", NULL,
		"estimate_errors", error_columns, ARRAY_LEN(error_columns));
	struct sums estimates = {0}, billed = {0};
	bool fits = true;
	struct doc_row *row;
	struct db_rows rows = q_daily_errors_read(d);

	while ((row = doc_read(s, &rows))) {
		const struct doc_cell *c = doc_at(s, row, "estimate");

		fits &= sums_add(&estimates, d->a, c->text, c->v) &&
			sums_add(&billed, d->a, c->text, doc_at(s, row, "billed")->v);
	}
	if (!fits)
		daily_overflow(d, "the estimates of last week");
	say_errors(d, &estimates, &billed);
}

void daily_add_trust(struct daily *d)
{
	const char *no_rate;

	daily_add_sources(d);
	add_restatements(d);
	add_errors(d);
	doc_note_list(d->doc, DB_READER(d), d->ask->projects, d->now);
	if (d->unknown_prices)
		doc_note(d->doc,
			"The sums leave out %zu %s with unknown price: tpucost ps "
			"--where \"price_source = 'unknown'\"",
			d->unknown_prices,
			daily_plural(d->unknown_prices, "resource", "resources"));
	if (!d->e->code &&
		!account_rate_missing(
			d->db, d->ask->settings->currency, d->a, &no_rate, d->e) &&
		no_rate)
		doc_note(d->doc, "Note: %s.", no_rate);
}

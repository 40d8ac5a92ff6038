/* Savings of actions. */
#include "reports/message/message.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/shared.h"
#include "rules/enforce/action.h"

struct receipts {
	struct q_action_receipts_rows rows; /* oldest first */
	size_t unknown;                     /* with an unknown price */
	struct sums sums;
};

static struct opt_i64 receipt_saved(const struct q_action_receipts *q)
{
	int64_t nanos;

	return q->saves.set &&
			nanos_muldiv(q->saves.v, q->stops - q->ended, HOUR_SECONDS, &nanos)
		? SOME(nanos)
		: NONE;
}

static struct receipts receipts_read(
	const struct db_reader *r, ts_t since, ts_t until, ts_t now)
{
	struct receipts out = {0};
	bool fits = true;

	if (there_are_actions(r))
		out.rows = q_action_receipts_rows(r, .since = since, .until = until,
			.last = until < now ? until : now);
	for (size_t i = 0; i < out.rows.n; i++) {
		const struct q_action_receipts *q = &out.rows.v[i];
		struct opt_i64 saved = receipt_saved(q);

		out.unknown += !saved.set;
		if (saved.set)
			fits &= sums_add(&out.sums, r->a, q->currency, saved.v);
	}
	if (!fits)
		err_first(r->e, E_OVERFLOW, "the sum of the savings is too large");
	return out;
}

/* ---- text -------------------------------------------------------------------------------------- */

static const struct doc_column columns[] = {
	{"id", NULL, DOC_INT},
	{"resource", NULL, DOC_CODE},
	{"name", "machine"},
	{"project", "project", .rank = 3},
	{"rule", "rule", .rank = 2},
	{"action", "action", .rank = 1},
	{"ended", "when"},
	{"saves_per_hour", "cost", .rank = 1},
	{"hours", "hours since", DOC_DECIMAL, 1, .rank = 1},
	{"saved", "would have cost", DOC_MONEY, -1},
	{"currency"},
	{"until", NULL, DOC_TIME},
	{"since_then", "since then", DOC_TEXT, .rank = 2},
};

static void add_receipt(struct doc_section *s, const struct q_action_receipts *q)
{
	struct doc_row *row = doc_row(s);

	*doc_at(s, row, "id") = cell_int(q->id);
	*doc_at(s, row, "resource") = cell_code(q->resource);
	*doc_at(s, row, "name") = cell_text(q->display_name);
	*doc_at(s, row, "project") = cell_text(q->project);
	*doc_at(s, row, "rule") = cell_text(q->rule);
	*doc_at(s, row, "action") = cell_text(verb_past(verb_of(q->verb)));
	*doc_at(s, row, "ended") = cell_time(q->ended);
	*doc_at(s, row, "hours") = cell_decimal(nano_hours(SOME(q->stops - q->ended)));
	*doc_at(s, row, "until") = cell_time(q->since_then ? q->stops : TS_NONE);
	*doc_at(s, row, "since_then") = cell_text(q->since_then);
	*doc_at(s, row, "saves_per_hour") = cell_estimate(cell_rate(q->saves, q->currency));
	*doc_at(s, row, "saved") = cell_estimate(cell_money(receipt_saved(q), q->currency));
	*doc_at(s, row, "currency") = cell_text(q->currency);
}

/* Cost per hour of all machines that are still stopped; a machine may have been stopped twice. */
static struct opt_i64 rate_of_all(const struct receipts *r, const char *currency)
{
	struct opt_i64 all = SOME(0);

	for (size_t i = 0; i < r->rows.n; i++) {
		const struct q_action_receipts *q = &r->rows.v[i];

		if (receipt_saved(q).set && !q->since_then && str_eq(q->currency, currency))
			all = opt_add(all, q->saves);
	}
	return all;
}

static void receipts_add_total(
	struct doc_section *s, const struct receipts *r, const struct sum *sum)
{
	struct doc_row *row = doc_row(s);

	row->total = true;
	*doc_at(s, row, "saves_per_hour") = cell_estimate(
		cell_rate(rate_of_all(r, sum->currency), sum->currency));
	*doc_at(s, row, "name") = cell_text("all");
	*doc_at(s, row, "saved") = cell_estimate(
		cell_money(SOME(sum->nanos), sum->currency));
	*doc_at(s, row, "currency") = cell_text(sum->currency);
}

void receipts_section(const struct db_reader *reader, ts_t since, ts_t until,
	const char *title, struct doc *d)
{
	struct doc_section *s = doc_section_like(
		d, "receipts", title, "actions", columns, ARRAY_LEN(columns));
	struct receipts r = receipts_read(reader, since, until, d->now);

	s->tone = TONE_GOOD;
	s->more = "tpucost audit";
	s->note =
		"Cost of each by now at its last price, until it ran again or was deleted.";
	for (size_t i = 0; i < r.rows.n; i++)
		add_receipt(s, &r.rows.v[i]);
	for (size_t i = 0; i < r.sums.n; i++)
		receipts_add_total(s, &r, &r.sums.v[i]);
}

void receipts_say(const struct db_reader *reader, ts_t since, ts_t until, const char *when,
	struct doc *d)
{
	struct receipts r = receipts_read(reader, since, until, d->now);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sums_words(&r.sums, "", &b);
	if (r.rows.n)
		doc_note(d, "tpucost saved %s%s %s: %zu machine%s stopped or deleted%s.",
			r.sums.n ? "about " : "an unknown amount", b.s, when, r.rows.n,
			r.rows.n == 1 ? "" : "s",
			r.unknown && r.sums.n ? ", some at an unknown price" : "");
}

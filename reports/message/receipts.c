#include "reports/message/receipts.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/sums.h"
#include "reports/there.h"
#include "rules/enforce/action.h"

/* Texts are the arena's; those that nobody knows are NULL. */
struct receipt {
	int64_t action;
	const char *rule, *resource, *name, *project, *currency;
	enum verb verb;
	ts_t at, until;       /* what it saved is counted from and to */
	const char *ended_by; /* what ended it: "started again" "gone"; NULL: it goes on */
	struct opt_i64 saves, saved; /* nanos an hour, nanos */
};

struct receipts {
	struct receipt *v; /* oldest first */
	size_t n, cap;
	size_t unknown; /* of which nobody knows the price */
	struct sums sums;
};

static ts_t earliest(ts_t a, struct opt_i64 b)
{
	return b.set && b.v < a ? b.v : a;
}

/* Whichever came first ended it. */
static const char *what_ended(const struct q_action_receipts *q, ts_t until)
{
	if (q->again.set && q->again.v <= until)
		return "started again";
	return q->gone.set && q->gone.v <= until ? "gone" : NULL;
}

static struct receipt receipt_of(
	const struct q_action_receipts *q, ts_t until, struct arena *a)
{
	struct receipt r = {.action = q->action,
		.rule = arena_strdup(a, q->rule),
		.resource = arena_strdup(a, q->resource),
		.name = arena_strdup(a, q->name),
		.project = arena_strdup(a, q->project),
		.currency = arena_strdup(a, q->currency),
		.verb = verb_of(q->verb),
		.at = q->ended,
		.saves = q->currency ? q->saves : NONE};
	int64_t nanos;

	r.until = earliest(earliest(until, q->gone), q->again);
	if (r.until < r.at)
		r.until = r.at;
	r.ended_by = what_ended(q, r.until);
	if (r.saves.set && nanos_muldiv(r.saves.v, r.until - r.at, HOUR_SECONDS, &nanos))
		r.saved = SOME(nanos);
	return r;
}

static enum err_code read_all(struct db *db, ts_t since, ts_t until, ts_t now,
	struct arena *a, struct receipts *out, struct err *e)
{
	struct q_action_receipts_in in = {.since = since, .until = until};
	struct q_action_receipts q;
	struct db_rows rows;
	bool fits = true, any;

	*out = (struct receipts){0};
	if (there_are_actions(db, a, &any, e))
		return e->code;
	if (!any)
		return E_OK;
	if (q_action_receipts_open(db, &in, &rows, e))
		return e->code;
	while (q_action_receipts_next(&rows, &q)) {
		struct receipt r = receipt_of(&q, until < now ? until : now, a);

		out->v = arena_grow(a, out->v, out->n, &out->cap, sizeof(r));
		out->v[out->n++] = r;
		out->unknown += !r.saved.set;
		if (r.saved.set)
			fits &= sums_add(&out->sums, a, r.currency, r.saved.v);
	}
	if (db_rows_close(&rows, e))
		return e->code;
	return fits
		? E_OK
		: err_set(e, E_OVERFLOW, "what was saved by actions is too much to add up");
}

/* ---- saying ------------------------------------------------------------------------------------ */

enum {
	COL_ID,
	COL_RESOURCE,
	COL_NAME,
	COL_PROJECT,
	COL_RULE,
	COL_ACTION,
	COL_AT,
	COL_RATE,
	COL_HOURS,
	COL_SAVED,
	COL_CURRENCY,
	COL_UNTIL,
	COL_ENDED_BY,
	COLS,
};

static const struct doc_column columns[COLS] = {
	[COL_ID] = {"id", NULL, DOC_INT, 0, 0},
	[COL_RESOURCE] = {"resource", NULL, DOC_CODE, 0, 0},
	[COL_NAME] = {"name", "what", DOC_TEXT, 0, 0},
	[COL_PROJECT] = {"project", "project", DOC_TEXT, 0, 3},
	[COL_RULE] = {"rule", "rule", DOC_TEXT, 0, 2},
	[COL_ACTION] = {"action", "action", DOC_TEXT, 0, 1},
	[COL_AT] = {"ended", "when", DOC_TIME, 0, 0},
	[COL_RATE] = {"saves_per_hour", "cost", DOC_RATE, -1, 1},
	[COL_HOURS] = {"hours", "hours since", DOC_DECIMAL, 1, 1},
	[COL_SAVED] = {"saved", "would have cost", DOC_MONEY, -1, 0},
	[COL_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
	[COL_UNTIL] = {"until", NULL, DOC_TIME, 0, 0},
	[COL_ENDED_BY] = {"since_then", "since then", DOC_TEXT, 0, 2},
};

static void add_receipt(struct doc *d, struct doc_section *s, const struct receipt *r)
{
	struct doc_cell *c = doc_row(d, s)->cells;
	int64_t hours;

	c[COL_ID] = cell_int(r->action);
	c[COL_RESOURCE] = cell_code(r->resource);
	c[COL_NAME] = cell_text(r->name);
	c[COL_PROJECT] = cell_text(r->project);
	c[COL_RULE] = cell_text(r->rule);
	c[COL_ACTION] = cell_text(verb_past(r->verb));
	c[COL_AT] = cell_time(r->at);
	if (nanos_muldiv(r->until - r->at, NANOS, HOUR_SECONDS, &hours))
		c[COL_HOURS] = cell_decimal(SOME(hours));
	c[COL_UNTIL] = cell_time(r->ended_by ? r->until : TS_NONE);
	c[COL_ENDED_BY] = cell_text(r->ended_by);
	if (!r->currency)
		return;
	c[COL_RATE] = cell_estimate(cell_rate(r->saves, r->currency));
	c[COL_SAVED] = cell_estimate(cell_money(r->saved, r->currency));
	c[COL_CURRENCY] = cell_text(r->currency);
}

/* What all that is still off would cost an hour; a machine can have been stopped twice. */
static struct opt_i64 rate_of_all(const struct receipts *r, const char *currency)
{
	int64_t all = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].saved.set && !r->v[i].ended_by &&
			str_eq(r->v[i].currency, currency) &&
			!nanos_add(all, r->v[i].saves.v, &all))
			return NONE;
	return SOME(all);
}

static void add_total(struct doc *d, struct doc_section *s, const struct receipts *r,
	const struct sum *sum)
{
	struct doc_row *row = doc_row(d, s);

	row->total = true;
	row->cells[COL_RATE] = cell_estimate(
		cell_rate(rate_of_all(r, sum->currency), sum->currency));
	row->cells[COL_NAME] = cell_text("all");
	row->cells[COL_SAVED] = cell_estimate(cell_money(SOME(sum->nanos), sum->currency));
	row->cells[COL_CURRENCY] = cell_text(sum->currency);
}

static void add_section(const struct receipts *r, struct doc *d, const char *title)
{
	struct doc_section *s = doc_section(d, "receipts", title, columns, COLS);

	s->tone = TONE_GOOD;
	s->more = "tpucost audit";
	s->note = "What each would have cost by now at the price that it had, until it ran "
		  "again or was gone.";
	for (size_t i = 0; i < r->n; i++)
		add_receipt(d, s, &r->v[i]);
	for (size_t i = 0; i < r->sums.n; i++)
		add_total(d, s, r, &r->sums.v[i]);
}

static void add_note(const struct receipts *r, const char *when, struct doc *d)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sums_words(&r->sums, "", &b);
	doc_note(d, "tpucost saved %s%s %s: %zu machine%s stopped or deleted%s.",
		r->sums.n ? "about " : "an amount that is not known", b.s, when, r->n,
		r->n == 1 ? "" : "s",
		r->unknown && r->sums.n ? ", some at a price that is not known" : "");
}

enum err_code receipts_section(struct db *db, ts_t since, ts_t until, const char *title,
	struct doc *d, struct err *e)
{
	struct receipts r;

	if (read_all(db, since, until, d->now, d->arena, &r, e))
		return e->code;
	add_section(&r, d, title);
	return E_OK;
}

enum err_code receipts_say(struct db *db, ts_t since, ts_t until, const char *when,
	struct doc *d, struct err *e)
{
	struct receipts r;

	if (read_all(db, since, until, d->now, d->arena, &r, e))
		return e->code;
	if (r.n)
		add_note(&r, when, d);
	return E_OK;
}

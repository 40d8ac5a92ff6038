/* Seven whole days beside the seven before. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/access.h"
#include "reports/message/receipts.h"
#include "reports/weekly/internal.h"
#include "rules/bill/known.h"
#include "rules/bill/reconcile.h"

#include <string.h>

enum err_code weekly_period(struct report_ask *ask, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	ts_t until = ask->until == TS_NONE ? ask->now : ask->until;
	day_t end = tz_day(tz, until);

	if (end > tz_day(tz, ask->now)) {
		err_set(e, E_USAGE, "report weekly: --until is in the future");
		return err_fix(
			e, "the newest week ends with yesterday: leave --until out for it");
	}
	ask->since = tz_day_start(tz, end - 7);
	ask->until = tz_day_start(tz, end);
	return E_OK;
}

static enum err_code read_span(struct weekly *w, struct err *e)
{
	struct q_bill_span q;
	bool found;

	if (q_bill_span_one(w->db, w->a, &q, &found, e))
		return e->code;
	if (!found || !q.first.set)
		w->unknown = NO_BILLING_DATA;
	else if (q.first.v > w->last)
		w->unknown = arena_printf(w->a,
			"The billing data begins on %s, after this week.",
			date_text(w->a, (day_t)q.first.v));
	else if (q.last.v < w->first)
		w->unknown = arena_printf(w->a,
			"The billing data ends on %s: what this week cost is not known.",
			date_text(w->a, (day_t)q.last.v));
	if (w->unknown)
		return E_OK;
	w->before_known = q.first.v <= w->from;
	w->billed_first = (day_t)q.first.v;
	w->billed_last = (day_t)q.last.v;
	if (!w->before_known)
		doc_note(w->doc,
			"The billing data begins on %s: there is no whole week before to "
			"compare with.",
			date_text(w->a, (day_t)q.first.v));
	if (q.last.v < w->last)
		doc_note(w->doc,
			"The billing data ends on %s; the days after it are missing.",
			date_text(w->a, (day_t)q.last.v));
	return E_OK;
}

static const struct doc_column day_columns[] = {
	{"day", "day", DOC_TEXT, 0, 0},
	{"net", "net", DOC_MONEY, -1, 0},
	{"cost", "before credits", DOC_MONEY, -1, 1},
	{"credits", "credits", DOC_MONEY, -1, 1},
	{"currency", NULL, DOC_TEXT, 0, 0},
	{"status", "status", DOC_TEXT, 0, 2},
};

/* One day in one currency. */
struct billed_day {
	day_t day;
	const char *currency;
	struct opt_i64 known; /* up to when its costs are; absent: as far as they will be */
	int64_t cost, credits;
};

static void add_day(struct weekly *w, struct doc_section *s, const struct billed_day *x)
{
	enum rec_status status = rec_status_at(
		tz_day_start(w->ask->settings->tz, x->day + 1),
		x->known.set ? x->known.v : w->ask->now, w->ask->now);
	struct opt_i64 net = opt_add(SOME(x->cost), SOME(x->credits));
	struct week_sum *sum = weekly_sum(w, x->currency);
	struct doc_row *row = doc_row(w->doc, s);
	struct doc_cell *c = row->cells;

	status = bill_end_status(
		&w->end, tz_day_start(w->ask->settings->tz, x->day + 1), status);
	row->folded = true;
	c[0] = cell_text(date_text(w->a, x->day));
	c[1] = cell_money(net, sum->currency);
	c[2] = cell_money(SOME(x->cost), sum->currency);
	c[3] = cell_money(SOME(x->credits), sum->currency);
	c[4] = cell_text(sum->currency);
	c[5] = cell_text(rec_status_name(status));
	if (status != REC_SETTLED)
		for (int i = 1; i < 4; i++)
			c[i] = cell_partial(c[i]);
	if (x->day < w->first) {
		sum->before = opt_add(sum->before, net);
		return;
	}
	sum->cost = opt_add(sum->cost, SOME(x->cost));
	sum->credits = opt_add(sum->credits, SOME(x->credits));
	sum->partial |= status != REC_SETTLED || w->ends_early;
}

/* The day was not over where the bill ends. */
static bool is_beyond(const struct weekly *w, day_t day)
{
	return w->end.old && w->end.newest < tz_day_start(w->ask->settings->tz, day + 1);
}

/* A day between others that nothing was billed for cost nothing, unless the bill ends before it. */
static void add_each(
	struct weekly *w, struct doc_section *s, const struct billed_day *v, size_t n)
{
	size_t currencies = w->n_sums;

	for (day_t day = w->from; day <= w->last; day++)
		for (size_t i = 0; i < currencies; i++) {
			struct billed_day x = {.day = day, .currency = w->sums[i].currency};
			bool found = false;

			if (day < w->billed_first || day > w->billed_last)
				continue;
			for (size_t at = 0; at < n; at++)
				if (v[at].day == day &&
					!strcmp(v[at].currency, x.currency)) {
					x = v[at];
					found = true;
				}
			if (found || !is_beyond(w, day))
				add_day(w, s, &x);
		}
}

struct billed_days {
	struct bill_known known;
	struct billed_day *v;
	size_t n, cap;
};

/* Rows of the accounts of a day and currency follow each other: the account that is furthest behind
 * says how final the day is. */
static enum err_code keep_day(
	struct weekly *w, struct billed_days *b, const struct q_week_days *q, struct err *e)
{
	struct opt_i64 until = bill_known_day(&b->known, q->account, (day_t)q->day);
	const char *currency = weekly_sum(w, q->currency)->currency;
	struct billed_day *x = b->n ? &b->v[b->n - 1] : NULL;

	if (!x || x->day != q->day || x->currency != currency) {
		b->v = arena_grow(w->a, b->v, b->n, &b->cap, sizeof(*b->v));
		x = &b->v[b->n++];
		*x = (struct billed_day){.day = (day_t)q->day, .currency = currency};
	}
	if (until.set && (!x->known.set || until.v < x->known.v))
		x->known = until;
	if (nanos_add(x->cost, q->cost, &x->cost) &&
		nanos_add(x->credits, q->credits, &x->credits))
		return E_OK;
	return err_set(e, E_OVERFLOW, "the costs of a day are too large");
}

static enum err_code read_days(struct weekly *w, struct billed_days *b, struct err *e)
{
	struct q_week_days_in in = {.first = w->from, .last = w->last};
	struct q_week_days q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (bill_known_days(w->db, w->a, w->from, w->last, &b->known, e) ||
		q_week_days_open(w->db, &in, &rows, e))
		return e->code;
	while (!rc && q_week_days_next(&rows, &q))
		rc = keep_day(w, b, &q, e);
	return db_rows_end(&rows, rc, e);
}

static enum err_code add_days(struct weekly *w, struct err *e)
{
	struct doc_section *s = doc_section(
		w->doc, "days", "Fourteen days", day_columns, ARRAY_LEN(day_columns));
	struct billed_days b = {0};

	if (w->unknown)
		return E_OK;
	s->chart.title = "Net cost by day";
	s->chart.label = 0;
	s->chart.value = 1;
	if (read_days(w, &b, e))
		return e->code;
	add_each(w, s, b.v, b.n);
	return E_OK;
}

/* ---- the sums, which stand first ----------------------------------------------------------- */

static const struct doc_column sum_columns[] = {
	{"currency", "currency", DOC_TEXT, 0, 3},
	{"net", "this week", DOC_MONEY, -1, 0},
	{"net_before", "week before", DOC_MONEY, -1, 0},
	{"change", "change", DOC_MONEY, -1, 0},
	{"cost", "before credits", DOC_MONEY, -1, 1},
	{"credits", "credits", DOC_MONEY, -1, 2},
};

static void fill_sums(struct weekly *w, struct doc_section *s, struct sbuf *headline)
{
	s->brief = true;
	s->empty = w->unknown ? w->unknown : "Nothing was billed in these days.";
	if (w->ends_early && !w->unknown) {
		s->note = "Days are missing: not compared with the week before.";
		bill_end_say(&w->end, w->doc, headline);
	}
	for (size_t i = 0; i < w->n_sums; i++) {
		const struct week_sum *sum = &w->sums[i];
		struct opt_i64 net = opt_add(sum->cost, sum->credits);
		struct opt_i64 before = w->before_known ? sum->before : NONE;
		struct opt_i64 change = w->ends_early ? NONE : opt_sub(net, before);
		struct doc_cell *c = doc_row(w->doc, s)->cells;

		c[0] = cell_text(sum->currency);
		c[1] = cell_money(net, sum->currency);
		c[2] = cell_money(before, sum->currency);
		c[3] = cell_money(change, sum->currency);
		c[4] = cell_money(sum->cost, sum->currency);
		c[5] = cell_money(sum->credits, sum->currency);
		if (sum->partial)
			for (int k = 1; k < 6; k++)
				if (k != 2)
					c[k] = cell_partial(c[k]);
		if (!net.set) {
			sbuf_addf(headline, "What the week cost in %s does not fit. ",
				sum->currency);
			continue;
		}
		sbuf_addf(headline, "The week cost %s net%s",
			money_words(w->a, net.v, sum->currency),
			sum->partial ? " so far" : "");
		if (change.set)
			sbuf_addf(headline, ", %s on the week before",
				change_text(w->a, change.v, sum->currency));
		if (change.set && sum->mover && sum->moved)
			sbuf_addf(headline, "; what changed most is %s (%s)", sum->mover,
				change_text(w->a, sum->moved, sum->currency));
		sbuf_adds(headline, ". ");
	}
	if (!w->n_sums)
		sbuf_addf(headline, "%s ", s->empty);
}

/* It stands first: what follows is to be read in its light. */
static void say_stale(struct weekly *w, struct sbuf *headline)
{
	const char *text = stale_text(w->doc, &w->watched, w->ends);

	if (text)
		sbuf_addf(headline, "%s: what %s not counted. ", text,
			w->watched.unread ? "ran later is not known and is"
					  : "could not be seen is");
}

static void set_subject(struct weekly *w)
{
	const char *stale = stale_text(w->doc, &w->watched, w->ends);
	struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "[tpucost] week %s to %s:", date_text(w->a, w->first),
		date_text(w->a, w->last));
	if (stale && w->watched.unread)
		sbuf_addf(&b, " %s,", stale);
	for (size_t i = 0; i < w->n_sums; i++) {
		const struct week_sum *sum = &w->sums[i];
		struct opt_i64 net = opt_add(sum->cost, sum->credits);
		struct opt_i64 change = opt_sub(net, sum->before);

		if (!net.set)
			continue;
		sbuf_addf(&b, "%s %s%s", i ? "," : "",
			money_words(w->a, net.v, sum->currency),
			sum->partial ? " so far" : "");
		if (w->before_known && change.set && !w->ends_early)
			sbuf_addf(&b, " (%s)", change_text(w->a, change.v, sum->currency));
	}
	if (w->n_sums && w->ends_early)
		sbuf_addf(&b, ", bill ends %s",
			date_text(w->a, tz_day(w->ask->settings->tz, w->end.newest - 1)));
	if (!w->n_sums)
		sbuf_adds(&b, w->unknown ? " cost not known" : " nothing was billed");
	w->doc->subject = arena_strdup(w->a, b.s);
	sbuf_done(&b);
}

static enum err_code add_all(struct weekly *w, struct sbuf *headline, struct err *e)
{
	struct doc_section *sums = doc_section(
		w->doc, "sums", "Cost", sum_columns, ARRAY_LEN(sum_columns));

	if (bill_end_read(w->db, w->ask->settings->tz, w->ask->now, w->a, &w->end, e) ||
		period_watched(w->db, w->ask->settings, w->ask->now, &w->watched, e))
		return e->code;
	w->ends_early = w->end.old && w->end.newest < w->ends;
	bill_end_fact(&w->end, w->doc, NULL);
	if (read_span(w, e) || add_days(w, e) || weekly_costs(w, e))
		return e->code;
	say_stale(w, headline);
	fill_sums(w, sums, headline);
	set_subject(w);
	if (period_read(w->db, w->ask->settings, w->ask->now, w->starts, w->ends, w->a,
		    &w->period, e))
		return e->code;
	weekly_owners(w);
	weekly_tpus(w, headline);
	if (!w->before_known) {
		hide_column(w->doc, "net_before");
		hide_column(w->doc, "change");
	} else if (w->ends_early) {
		hide_column(w->doc, "change");
	}
	return weekly_others(w, e);
}

enum err_code weekly_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	struct report_ask own = *ask;
	cleanup(db_tx_end) struct db_tx tx = {0};
	cleanup(sbuf_done) struct sbuf headline = SBUF_INIT;
	struct weekly w = {.ask = ask,
		.db = ask->db,
		.a = a,
		.doc = doc_new(a, "weekly", tz, ask->now)};

	if (weekly_period(&own, e) || db_begin(ask->db, &tx, e))
		return e->code;
	w.starts = own.since;
	w.ends = own.until;
	w.first = tz_day(tz, own.since);
	w.last = tz_day(tz, own.until) - 1;
	w.from = w.first - 7;
	w.doc->title = arena_printf(a, "tpucost weekly report, %s to %s",
		date_text(a, w.first), date_text(a, w.last));
	doc_fact(w.doc, "first_day", NULL, cell_text(date_text(a, w.first)));
	doc_fact(w.doc, "last_day", NULL, cell_text(date_text(a, w.last)));
	if (access_fact(w.doc, ask->db, "Rests on", e) || add_all(&w, &headline, e) ||
		receipts_say(ask->db, w.starts, w.ends, "in these days", w.doc, e))
		return err_wrap(e, "weekly report");
	while (headline.len && headline.s[headline.len - 1] == ' ')
		sbuf_trunc(&headline, headline.len - 1);
	w.doc->headline = arena_strdup(a, headline.s);
	*out = w.doc;
	return db_commit(&tx, e);
}

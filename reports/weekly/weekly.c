/* Seven whole days, compared with the previous seven. */
#include "base/money.h"
#include "base/time/tz.h"
#include "db/answer.h"
#include "db_sql.h"
#include "reports/access.h"
#include "reports/message/message.h"
#include "reports/weekly/internal.h"
#include "rules/bill/days.h"
#include "rules/bill/reconcile.h"

enum err_code weekly_period(struct report_ask *ask, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	ts_t until = ask->until == TS_NONE ? ask->now : ask->until;
	day_t end = tz_day(tz, until);

	if (end > tz_day(tz, ask->now)) {
		err_set(e, E_USAGE, "report weekly: --until is in the future");
		return err_fix(e, "the newest week ends yesterday: omit --until to get it");
	}
	ask->since = tz_day_start(tz, end - 7);
	ask->until = tz_day_start(tz, end);
	return E_OK;
}

void weekly_question(const struct report_ask *ask, struct billing_question *q)
{
	const struct tz *tz = ask->settings->tz;
	struct report_ask own = *ask;
	struct err ignored;
	day_t end;

	if (weekly_period(&own, &ignored))
		own.until = ask->now;
	end = tz_day(tz, own.until);
	*q = (struct billing_question){.time = ASK_DAY,
		.resource = true,
		.from = tz_day_start(tz, end - WEEK_DAYS),
		.until = tz_day_start(tz, end)};
}

static void read_span(struct weekly *w)
{
	const struct q_bill_span *q = q_bill_span_row(w);
	const struct tz *tz = w->ask->settings->tz;
	struct opt_i64 since;

	if (!q || !q->first.set)
		w->unknown = NO_BILLING_DATA;
	else if (q->first.v > w->last)
		w->unknown = arena_printf(w->a,
			"The billing data begins on %s, after this week.",
			date_text(w->a, (day_t)q->first.v));
	else if (q->last.v < w->first)
		w->unknown = arena_printf(w->a,
			"The billing data ends on %s: the cost of this week is unknown.",
			date_text(w->a, (day_t)q->last.v));
	if (w->unknown)
		return;
	since = bill_begins(tz, q->since);
	w->before_known = q->first.v <= w->from &&
		(!since.set || since.v <= tz_day_start(tz, w->from));
	w->billed_first = (day_t)q->first.v;
	w->billed_last = (day_t)q->last.v;
	if (!w->before_known)
		doc_note(w->doc,
			"The billing data begins on %s: the previous week is incomplete "
			"and not compared.",
			date_text(
				w->a, since.set ? tz_day(tz, since.v) : (day_t)q->first.v));
	if (q->last.v < w->last)
		doc_note(w->doc,
			"The billing data ends on %s; the days after it are missing.",
			date_text(w->a, (day_t)q->last.v));
}

static void weekly_add_day(
	struct weekly *w, struct doc_section *s, day_t day, struct week_sum *sum)
{
	const struct billed_day *x = &sum->days[day - w->from];
	ts_t ends = tz_day_start(w->ask->settings->tz, day + 1);
	enum rec_status status = bill_end_status(&w->end, ends, x->known, w->ask->now);
	struct doc_row *row = doc_row(s);
	struct opt_i64 net;

	row->folded = true;
	*doc_at(s, row, "day") = cell_text(date_text(w->a, day));
	*doc_at(s, row, "cost") = cell_money(SOME(x->cost), sum->currency);
	*doc_at(s, row, "credits") = cell_money(SOME(x->credits), sum->currency);
	*doc_at(s, row, "currency") = cell_text(sum->currency);
	*doc_at(s, row, "status") = cell_text(rec_status_name(status));
	net = section_net(s, row, status != REC_SETTLED);
	if (day < w->first) {
		sum->before = opt_add(sum->before, net);
		return;
	}
	sum->cost = opt_add(sum->cost, SOME(x->cost));
	sum->credits = opt_add(sum->credits, SOME(x->credits));
	sum->partial |= status != REC_SETTLED || w->ends_early;
}

/* The account that is furthest behind determines how final the day is. */
static void weekly_read_days(struct weekly *w)
{
	struct q_bill_account_days_rows rows = q_bill_account_days_rows(
		w, .first = w->from, .last = w->last, .by_currency = 1);
	struct bill_known known;

	if (bill_known_days(w->db, w->a, w->from, w->last, &known, w->e))
		return;
	for (size_t i = 0; i < rows.n; i++) {
		const struct q_bill_account_days *q = &rows.v[i];
		struct opt_i64 until = bill_known_day(&known, q->account, (day_t)q->day);
		struct billed_day *x = &weekly_sum(w, q->currency)->days[q->day - w->from];

		x->billed = true;
		if (until.set && (!x->known.set || until.v < x->known.v))
			x->known = until;
		if (!nanos_add(x->cost, q->cost, &x->cost) ||
			!nanos_add(x->credits, q->credits, &x->credits))
			err_first(w->e, E_OVERFLOW, "the costs of a day are too large");
	}
}

static void weekly_add_days(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "days", "Fourteen days", "costs",
		section_days + 1, SECTION_DAYS - 1);

	if (w->unknown)
		return;
	s->chart.title = "Net cost by day";
	s->chart.label = 0;
	s->chart.value = 1;
	weekly_read_days(w);
	/* A day without charges between other days has cost zero, unless the bill ends before
	 * it. */
	for (day_t day = w->from; day <= w->last; day++) {
		ts_t ends = tz_day_start(w->ask->settings->tz, day + 1);
		bool nothing = day >= w->billed_first && day <= w->billed_last &&
			!bill_end_before(&w->end, ends);

		for (size_t i = 0; i < w->n_sums; i++)
			if (nothing || w->sums[i].days[day - w->from].billed)
				weekly_add_day(w, s, day, &w->sums[i]);
	}
}

/* ---- sums, which come first ---------------------------------------------------------------- */

static const struct doc_column sum_columns[] = {
	{"currency", "currency", .rank = 3},
	{"net", "this week"},
	{"net_before", "week before", DOC_MONEY, -1},
	{"change", "change"},
	{"cost", "before credits", .rank = 1},
	{"credits", "credits", .rank = 2},
};

/* "The week cost 25.00 USD net so far, more than the week before." */
static void weekly_say_week(struct weekly *w, const struct doc_section *s, struct sbuf *b)
{
	struct sums nets = {0};
	bool partial = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct doc_cell *net = doc_at(s, &s->rows[i], "net");

		if (net->type)
			(void)!sums_add(&nets, w->a, net->text, net->v);
		partial |= net->status == STATUS_PARTIAL;
	}
	sbuf_adds(b, "The week cost ");
	sums_say(&nets, w->ask->settings->currency, " net", b);
	sbuf_adds(b, !nets.n ? "too much to be summed" : partial ? " so far" : "");
	if (nets.n && s->n == 1 && doc_at(s, s->rows, "change")->type) {
		int64_t change = doc_at(s, s->rows, "change")->v;

		sbuf_addf(b, ", %s the week before",
			change > 0           ? "more than"
				: change < 0 ? "less than"
					     : "as much as");
	}
	sbuf_addc(b, '.');
}

static void fill_sums(struct weekly *w, struct doc_section *s)
{
	s->brief = true;
	s->empty = w->unknown ? w->unknown : "No usage was billed in these days.";
	if (w->ends_early && !w->unknown)
		s->note = arena_printf(w->a,
			"%s Some days are missing: not compared with the week before.",
			bill_end_note(&w->end, w->doc));
	for (size_t i = 0; i < w->n_sums; i++) {
		const struct week_sum *sum = &w->sums[i];
		struct doc_row *row = doc_row(s);

		*doc_at(s, row, "currency") = cell_text(sum->currency);
		*doc_at(s, row, "net_before") = cell_money(sum->before, sum->currency);
		*doc_at(s, row, "cost") = cell_money(sum->cost, sum->currency);
		*doc_at(s, row, "credits") = cell_money(sum->credits, sum->currency);
		weekly_amounts(w, s, row);
		if (doc_at(s, row, "change")->type && sum->mover && sum->moved)
			row->detail = arena_printf(w->a, "The largest change is %s (%s).",
				sum->mover, change_text(w->a, sum->moved, sum->currency));
	}
}

static void weekly_headline(struct weekly *w, const struct doc_section *s)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (s->n)
		weekly_say_week(w, s, &b);
	else
		sbuf_adds(&b, s->empty);
	w->doc->headline = arena_strdup(w->a, b.s);
}

static void weekly_set_subject(struct weekly *w, const struct doc_section *s)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "[tpucost] week %s to %s:", date_text(w->a, w->first),
		date_text(w->a, w->last));
	for (size_t i = 0; i < s->n; i++) {
		const struct doc_cell *net = doc_at(s, &s->rows[i], "net"),
				      *change = doc_at(s, &s->rows[i], "change");

		if (!net->type)
			continue;
		sbuf_addf(&b, "%s %s%s", i ? "," : "", money_words(w->a, net->v, net->text),
			net->status == STATUS_PARTIAL ? " so far" : "");
		if (change->type)
			sbuf_addf(&b, " (%s)", change_text(w->a, change->v, net->text));
	}
	if (s->n && w->ends_early)
		sbuf_addf(&b, ", bill ends %s",
			date_text(w->a, tz_day(w->ask->settings->tz, w->end.newest - 1)));
	if (!s->n)
		sbuf_adds(&b, w->unknown ? " cost unknown" : " no usage billed");
	w->doc->subject = arena_strdup(w->a, b.s);
}

/* Final costs do not depend on how old the bill is. */
static bool weekly_is_final(const struct weekly *w)
{
	for (size_t i = 0; i < w->n_sums; i++)
		if (w->sums[i].partial)
			return false;
	return w->n_sums > 0;
}

static void weekly_add_all(struct weekly *w)
{
	struct doc_section *sums = doc_section_like(
		w->doc, "sums", "Cost", "costs", sum_columns, ARRAY_LEN(sum_columns));
	struct billing_question q;

	w->end = bill_end_read(DB_READER(w), w->ask->settings->tz, w->ask->now);
	if (period_watched(w->db, w->ask->settings, w->ask->now, &w->watched, w->e))
		return;
	w->ends_early = w->end.old && w->end.newest < w->ends;
	bill_end_fact(&w->end, w->doc, NULL);
	read_span(w);
	weekly_add_days(w);
	weekly_question(w->ask, &q);
	weekly_costs(w, &q);
	fill_sums(w, sums);
	weekly_headline(w, sums);
	weekly_set_subject(w, sums);
	if (period_read(w->db, w->ask->settings, w->ask->now, w->starts, w->ends, w->a,
		    &w->period, w->e))
		return;
	weekly_owners(w);
	doc_note_list(w->doc, DB_READER(w), NULL, w->ask->now);
	weekly_tpus(w);
	if (!w->before_known) {
		hide_column(w->doc, "net_before");
		hide_column(w->doc, "change");
	} else if (w->ends_early) {
		hide_column(w->doc, "change");
	}
	doc_begin_stale(w->doc, &w->watched, w->ends,
		weekly_is_final(w) ? TS_NONE : bill_end_stale(&w->end));
	weekly_others(w);
}

enum err_code weekly_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	struct report_ask own = *ask;
	struct err first = {0};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct weekly w = {.ask = ask,
		.e = &first,
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
	access_fact(DB_READER(&w), w.doc, "Based on");
	weekly_add_all(&w);
	receipts_say(DB_READER(&w), w.starts, w.ends, "in these days", w.doc);
	if (first.code) {
		*e = first;
		return err_wrap(e, "weekly report");
	}
	*out = w.doc;
	return db_commit(&tx, e);
}

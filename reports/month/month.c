/* Report of an invoice month, reconciled with Google's bill and with the calendar month. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/access.h"
#include "reports/month/internal.h"
#include "reports/message/message.h"

#include <stdio.h>
#include <string.h>

static bool month_read_month(const char *text, int *year, int *month)
{
	int end = 0;

	return sscanf(text, "%4d-%2d%n", year, month, &end) == 2 && end == 7 &&
		!text[end] && *month >= 1 && *month <= 12 && *year >= 2000;
}

enum err_code month_period(struct report_ask *ask, struct err *e)
{
	int year, month;

	if (!ask->month || month_read_month(ask->month, &year, &month))
		return E_OK;
	return err_set(e, E_USAGE, "--month '%s' is not a valid month (expected YYYY-MM)",
		ask->month);
}

/* ---- the month and its finality ------------------------------------------------------------ */

static void set_month(struct monthly *m)
{
	int day;

	if (!m->ask->month || !month_read_month(m->ask->month, &m->year, &m->month))
		civil_from_day(tz_day(m->pacific, m->ask->now), &m->year, &m->month, &day);
	m->label = arena_printf(m->a, "%04d-%02d", m->year, m->month);
	m->invoice = arena_printf(m->a, "%04d%02d", m->year, m->month);
	m->first = month_first(m->year, m->month);
	m->last = month_first(m->year, m->month + 1) - 1;
	m->from = tz_day_start(m->tz, m->first);
	m->to = tz_day_start(m->tz, m->last + 1);
	m->pacific_from = tz_day_start(m->pacific, m->first);
	m->pacific_to = tz_day_start(m->pacific, m->last + 1);
}

static void set_status(struct monthly *m)
{
	const struct month_final *f = &m->final;

	m->final = month_final_read(
		DB_READER(m), m->tz, m->pacific, m->first, m->last, m->ask->now);
	if (m->e->code)
		return;
	doc_fact(m->doc, "month", NULL, cell_text(m->label));
	doc_fact(m->doc, "invoice_month", NULL, cell_text(m->invoice));
	doc_fact(m->doc, "status", "Status", cell_text(f->name));
	/* TS_NONE is less than any time */
	doc_fact(m->doc, "known_until", "Costs known up to",
		cell_time(f->known < f->end.newest ? f->known : f->end.newest));
	doc_fact(m->doc, "billing_read", "Bill read", cell_time(f->known));
	bill_end_fact(&f->end, m->doc, NULL);
	doc_fact(m->doc, "closes", "Google adds to it until about", cell_time(f->closes));
	access_fact(DB_READER(m), m->doc, "Based on");
}

/* ---- the headline -------------------------------------------------------------------------- */

/* Note on both ends of the bill, and on what was not read of it, unless the headline has it. */
static const char *month_note(const struct monthly *m)
{
	const struct month_final *f = &m->final;
	const char *begins = f->status == MONTH_PARTIAL ? NULL : f->begins;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (begins)
		sbuf_addf(&b, "T%s.", begins + 1);
	if (f->ends_early)
		sbuf_addf(&b, "%s%s", b.len ? " " : "", bill_end_note(&f->end, m->doc));
	if (f->end.lacks && f->status != MONTH_SETTLED)
		sbuf_addf(&b, "%sThe bill was not read completely in the last poll: %s.",
			b.len ? " " : "", f->end.lacks);
	return b.len ? arena_strdup(m->a, b.s) : NULL;
}

static void month_add_nothing(const struct monthly *m, struct sbuf *b)
{
	const struct q_bill_span *q = q_bill_span_row(m);

	if (!q || !q->first.set)
		sbuf_adds(b, NO_BILLING_DATA);
	else if (!q->invoice)
		sbuf_addf(b,
			"The invoice of %s is unknown: no row of the bill has an invoice "
			"month; costs by day: tpucost cost",
			m->label);
	else if (strcmp(m->invoice, q->invoice) < 0)
		sbuf_addf(b,
			"The billing data begins with the invoice of %.4s-%s: the invoice "
			"of %s is unknown.",
			q->invoice, q->invoice + 4, m->label);
	else
		sbuf_addf(
			b, "The billing data has no lines on the invoice of %s.", m->label);
}

/* "4.00 HKD so far (A)" */
static const char *month_amount(
	const struct monthly *m, const struct ledger *l, int64_t net)
{
	return arena_printf(m->a, "%s%s%s%s%s", money_words(m->a, net, l->currency),
		m->final.status == MONTH_SETTLED ? "" : " so far", m->accounts ? " (" : "",
		!m->accounts          ? ""
			: *l->account ? l->account
				      : "unknown account",
		m->accounts ? ")" : "");
}

/* The headline has one amount, the largest in the currency of the reports; the subject has all. */
static void month_set_headline(struct monthly *m)
{
	const char *currency = m->ask->settings->currency;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, sums = SBUF_INIT;
	const struct ledger *one = NULL;
	int64_t most = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct ledger *l = &m->ledgers[i];
		struct opt_i64 net = opt_add(
			SOME(l->invoice.cost), SOME(l->invoice.credits));

		if (!l->invoiced || !net.set)
			continue;
		sbuf_addf(&sums, "%s%s", n++ ? ", " : "", month_amount(m, l, net.v));
		if (one &&
			(!str_eq(l->currency, currency) ||
				(str_eq(one->currency, currency) && net.v <= most)))
			continue;
		one = l;
		most = net.v;
	}
	if (one) {
		sbuf_addf(&b, "The invoice of %s is %s", m->label,
			month_amount(m, one, most));
		if (n > 1)
			sbuf_addf(&b, ", with %zu more amount%s below", n - 1,
				n > 2 ? "s" : "");
		sbuf_addf(&b, "%s%s.", m->final.reason ? "; " : ", and final",
			m->final.reason ? m->final.reason : "");
		doc_find(m->doc, "invoice")->note = month_note(m);
	} else {
		month_add_nothing(m, &b);
	}
	m->doc->headline = arena_strdup(m->a, b.s);
	m->doc->subject = arena_printf(
		m->a, "[tpucost] invoice %s: %s", m->label, one ? sums.s : "no data");
}

/* The invoice of the previous month may not be final either. */
static void note_last(struct monthly *m)
{
	int year, month, day;

	civil_from_day(tz_day(m->pacific, m->ask->now), &year, &month, &day);
	if (m->ask->month || day >= CLOSES_ON)
		return;
	if (!--month) {
		month = 12;
		year--;
	}
	doc_note(m->doc,
		"The invoice of %04d-%02d is not final yet: tpucost report month --month "
		"%04d-%02d",
		year, month, year, month);
}

/* ---- other sections ------------------------------------------------------------------------ */

static const struct doc_column restated_columns[] = {
	{"day", "day"},
	{"old_net", "was"},
	{"new_net", "is"},
	{"change", "change"},
	{"noticed", "noticed", .rank = 1},
	{"source", "source", .rank = 3},
	{"currency"},
};

static void month_add_restatements(struct monthly *m)
{
	struct doc_section *s = doc_section_like(m->doc, "restatements",
		"Days that changed", "restatements", restated_columns,
		ARRAY_LEN(restated_columns));

	s->more = "tpucost sql \"SELECT * FROM restatements\"";
	section_rest(s, q_month_restatements_read(m, .month = m->invoice));
}

enum err_code month_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	cleanup(tz_free_ptr) struct tz *pacific = NULL;
	cleanup(db_tx_end) struct db_tx tx = {0};
	cleanup(ref_sums_done) struct ref_sums bill = {0};
	struct err first = {0};
	struct monthly m = {.ask = ask,
		.e = &first,
		.db = ask->db,
		.a = a,
		.tz = ask->settings->tz,
		.bill = &bill,
		.doc = doc_new(a, "month", ask->settings->tz, ask->now)};

	if (tz_open(PACIFIC, &pacific, e) || db_begin(ask->db, &tx, e))
		return err_wrap(e, "report of a month");
	m.pacific = pacific;
	set_month(&m);
	m.doc->title = arena_printf(a, "tpucost report of the invoice month %s", m.label);
	set_status(&m);
	month_sum_bill(&m);
	month_invoice(&m);
	month_calendar(&m);
	month_add_restatements(&m);
	period_coupons(DB_READER(&m), m.doc,
		"The amount of this invoice that they paid is in its line of PROMOTION "
		"credits.");
	receipts_say(DB_READER(&m), m.from, m.to, "in the calendar month", m.doc);
	month_set_headline(&m);
	if (first.code) {
		*e = first;
		return err_wrap(e, "report of %s", m.label);
	}
	doc_begin_stale(m.doc, &(struct watched){.until = TS_NONE}, m.to,
		m.final.status == MONTH_SETTLED ? TS_NONE : bill_end_stale(&m.final.end));
	note_last(&m);
	month_group(&m);
	*out = m.doc;
	return db_commit(&tx, e);
}

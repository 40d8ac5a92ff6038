/* The report of a month: the invoice by Google's field, the calendar month in two zones, and
 * every nano-unit between them. */
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW INT64_C(1795219200) /* 2026-11-21T00:00Z */
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)
#define UNITS(n) ((int64_t)((n)*1000) * 1000000)
/* November 2026: in Hong Kong (UTC+8), and in Pacific time, which changes on the 1st */
#define HK_FROM INT64_C(1793462400) /* 2026-10-31T16:00Z */
#define HK_TO INT64_C(1796054400)   /* 2026-11-30T16:00Z */
#define PT_FROM INT64_C(1793516400) /* 2026-11-01T07:00Z */
#define PT_TO INT64_C(1796112000)   /* 2026-12-01T08:00Z */
#define CLOSED INT64_C(1796457600)  /* 2026-12-05T08:00Z */

static struct cost_world w;

static int setup(void **state)
{
	cost_world_open(&w, "Asia/Hong_Kong", NOW);
	return 0;
}

static void clear(ts_t now)
{
	cost_world_clear(&w);
	w.now = now;
	w.settings.credits = NULL;
	w.settings.n_credits = 0;
	tempdb_exec(&w.t,
		"DELETE FROM restatement; DELETE FROM billing_day; UPDATE "
		"billing_table SET looked = 0");
}

/* The export has these days of account A, and was looked at then. */
static void looked(ts_t at)
{
	for (ts_t day = HK_FROM / DAY; day <= PT_TO / DAY; day++) {
		tempdb_execf(&w.t,
			"INSERT OR IGNORE INTO billing_day VALUES (1, 1, 'A', %lld);"
			"UPDATE billing_table SET looked = %lld",
			(long long)day, (long long)at);
	}
}

static struct doc *month(const char *which)
{
	struct doc *d;

	cost_derive(&w);
	d = report_make(&w, "month", ASK(.month = which), &w.t.a);
	assert_headline(d->headline);
	return d;
}

#define TIE "step,day,invoice_month,net"

static void the_invoice_has_what_google_put_on_it(void **state)
{
	struct doc *d;

	clear(NOW);
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(10), .credits = -UNITS(4));
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(5), .project = "q",
		.category = "disk", .credits = -UNITS(1),
		.credit_type = "SUSTAINED_USAGE_DISCOUNT");
	BILL(&w, .hour = PT_FROM + 2 * DAY, .cost = UNITS(2), .category = "other",
		.cost_type = "tax", .account_level = true);
	BILL(&w, .hour = PT_FROM + 2 * DAY, .cost = 1, .cost_type = "rounding_error",
		.account_level = true);
	BILL(&w, .hour = PT_FROM + 2 * DAY, .cost = -UNITS(3), .cost_type = "adjustment",
		.category = "disk", .account_level = true);
	/* of November by its day, and on another invoice */
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(700), .invoice = "202610");
	d = month(NULL);
	assert_string_equal(d->title, "tpucost report of the invoice month 2026-11");
	report_expect(d, "invoice", "account,line,amount",
		"A|adjustments|-3 USD*\n"
		"A|usage|15 USD*\n"
		"A|rounding|0.000000001 USD*\n"
		"A|tax|2 USD*\n"
		"A|credits: PROMOTION|-4 USD*\n"
		"A|credits: SUSTAINED_USAGE_DISCOUNT|-1 USD*\n"
		"A|subtotal, without tax|7.000000001 USD*\n"
		"A|total|9.000000001 USD*");
	report_expect(d, "projects", "project,net,cost,credits,promo",
		"p|6 USD*|10 USD*|-4 USD*|-4 USD*\n"
		"q|4 USD*|5 USD*|-1 USD*|0 USD*\n"
		"-|-0.999999999 USD*|-0.999999999 USD*|0 USD*|0 USD*");
	report_expect(d, "services", "service,net",
		"Compute Engine|7.000000001 USD*\nInvoice|2 USD*");
	report_expect(d, "skus", "sku,sku_id,net",
		"N1 Instance Core|cpu|6.000000001 USD*\n"
		"Tax|other|2 USD*\n"
		"SSD backed PD Capacity|disk|1 USD*");
	assert_string_equal(d->headline,
		"The invoice of 2026-11 is 9.00 USD so far; Google adds usage until about "
		"2026-12-05.");
	assert_string_equal(doc_find(d, "invoice")->note,
		"The bill ends at 2026-11-02 16:00, 18d 16h ago: later usage is not on "
		"it.");
	assert_string_equal(d->subject, "[tpucost] invoice 2026-11: 9.00 USD so far");
	/* one account needs no name */
	assert_null(doc_find(d, "skus")->columns[0].title);
	/* the console's figures are named */
	assert_contains(doc_find(d, "invoice")->rows[7].detail, "Cost table: Total");
	assert_true(doc_find(d, "invoice")->rows[7].total);
}

static void usage_of_one_month_on_the_invoice_of_another(void **state)
{
	struct doc *d;

	clear(NOW);
	BILL(&w, .hour = PT_FROM, .cost = UNITS(10));
	BILL(&w, .hour = PT_FROM - HOUR, .cost = UNITS(1)); /* the last hour of October */
	BILL(&w, .hour = PT_FROM - 60 * DAY, .cost = UNITS(2), .credits = -UNITS(1));
	BILL(&w, .hour = PT_TO - HOUR, .cost = UNITS(4), .invoice = "202612");
	BILL(&w, .hour = HK_TO - HOUR, .cost = UNITS(8), .invoice = "202612");
	BILL(&w, .hour = PT_TO, .cost = UNITS(16), .invoice = "202612");
	BILL(&w, .hour = PT_TO, .cost = UNITS(64)); /* the first hour of December */
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(32), .invoice = "");
	d = month("2026-11");
	report_expect(d, "calendar", TIE,
		"invoice|-|-|76 USD*\n"
		"other-month|2026-09-02|202611|-1 USD*\n"
		"other-month|2026-10-31|202611|-1 USD*\n"
		"other-month|2026-12-01|202611|-64 USD*\n"
		"other-invoice|2026-11-01|-|32 USD*\n" /* a day of 25 hours */
		"other-invoice|2026-11-30|202612|12 USD*\n"
		"pacific|-|-|54 USD*\n"
		"zone-start|-|-|1 USD*\n"
		"zone-end|-|-|-4 USD*\n"
		"zone|-|-|51 USD*");
	report_expect(d, "calendar", "cost,credits",
		"77 USD*|-1 USD*\n-2 USD*|1 USD*\n-1 USD*|0 USD*\n-64 USD*|0 USD*\n32 "
		"USD*|0 USD*\n"
		"12 USD*|0 USD*\n54 USD*|0 USD*\n1 USD*|0 USD*\n-4 USD*|0 USD*\n"
		"51 USD*|0 USD*");
	assert_string_equal(doc_find(d, "calendar")->rows[5].cells[2].text,
		"2026-11-30, on invoice 2026-12");
	assert_string_equal(doc_find(d, "calendar")->rows[7].detail,
		"2026-11-01 00:00 to 2026-11-01 15:00 is the month before in Pacific "
		"time.");
	assert_string_equal(doc_find(d, "calendar")->rows[8].detail,
		"2026-12-01 00:00 to 2026-12-01 16:00 is this month in Pacific time.");
	/* an invoice of before, and of nothing */
	d = month("2026-10");
	report_expect(d, "calendar", TIE,
		"invoice|-|-|0 USD*\n"
		"other-invoice|2026-10-31|202611|1 USD*\n"
		"pacific|-|-|1 USD*\nzone-start|-|-|0 USD*\nzone-end|-|-|-1 USD*\n"
		"zone|-|-|0 USD*");
	assert_contains(doc_find(d, "calendar")->rows[0].detail, "no line on that invoice");
}

/* Its months begin after those of Pacific time. */
static void a_zone_behind_pacific_time(void **state)
{
	struct cost_world own = {0};
	struct doc *d;

	cost_world_open(&own, "Pacific/Honolulu", NOW);
	BILL(&own, .hour = PT_FROM - HOUR, .cost = UNITS(4));
	BILL(&own, .hour = PT_FROM - HOUR, .cost = UNITS(64), .invoice = "202610");
	BILL(&own, .hour = PT_FROM, .cost = UNITS(1));
	BILL(&own, .hour = PT_FROM + 2 * HOUR, .cost = UNITS(2), .invoice = "202610");
	BILL(&own, .hour = PT_FROM + 3 * HOUR, .cost = UNITS(8));
	BILL(&own, .hour = PT_TO + HOUR, .cost = UNITS(16));
	BILL(&own, .hour = PT_TO + HOUR, .cost = UNITS(128), .invoice = "202612");
	BILL(&own, .hour = PT_TO + 2 * HOUR, .cost = UNITS(32));
	cost_derive(&own);
	d = report_make(&own, "month", ASK(.month = "2026-11"), &w.t.a);
	report_expect(d, "calendar", TIE,
		"invoice|-|-|61 USD*\n"
		"other-month|2026-10-31|202611|-4 USD*\n"
		"other-month|2026-12-01|202611|-48 USD*\n"
		"other-invoice|2026-11-01|202610|2 USD*\n"
		"pacific|-|-|11 USD*\n"
		"zone-start|-|-|-3 USD*\n"
		"zone-end|-|-|144 USD*\n"
		"zone|-|-|152 USD*");
	tempdb_close(&own.t);
}

static size_t times(const char *s, const char *part)
{
	size_t n = 0;

	while ((s = strstr(s, part)))
		s += strlen(part), n++;
	return n;
}

/* In each section of each form, also in a mail on a phone, which hides columns. */
static void account_above_its_rows(const struct doc *d)
{
	static const struct {
		const char *form;
		size_t times; /* the sections; for Slack the invoice, as text and as block */
	} forms[] = {{"text", 6}, {"html", 6}, {"slack", 2}, {"markdown", 8}};
	const struct format_opts o = {.mail = true};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		doc_format_find(forms[i].form)->render(d, &o, &b);
		assert_int_equal(times(b.s, "account A:"), forms[i].times);
		assert_int_equal(times(b.s, "account B:"), forms[i].times);
	}
}

static void accounts_and_currencies_are_never_added(void **state)
{
	struct doc *d;

	clear(NOW);
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(1));
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(2), .account = "B");
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(4), .currency = "HKD");
	BILL(&w, .hour = PT_FROM + DAY, .cost = -UNITS(1000), .account = "B",
		.currency = "HKD");
	d = month("2026-11");
	report_expect(d, "invoice", "account,line,amount",
		"A|usage|4 HKD*\nA|subtotal, without tax|4 HKD*\nA|total|4 HKD*\n"
		"A|usage|1 USD*\nA|subtotal, without tax|1 USD*\nA|total|1 USD*\n"
		"B|usage|-1000 HKD*\nB|subtotal, without tax|-1000 HKD*\n"
		"B|total|-1000 HKD*\n"
		"B|usage|2 USD*\nB|subtotal, without tax|2 USD*\nB|total|2 USD*");
	report_expect(
		d, "skus", "account,net", "A|4 HKD*\nA|1 USD*\nB|-1000 HKD*\nB|2 USD*");
	assert_contains(d->headline,
		"The invoice of 2026-11 is 2.00 USD so far (B), with 3 more amounts "
		"below; ");
	assert_contains(d->subject,
		"4.00 HKD so far (A), 1.00 USD so far (A), -1000.00 HKD so far (B), 2.00 "
		"USD so far (B)");
	assert_int_equal(doc_find(d, "days")->chart.value, -1);
	account_above_its_rows(d);
	assert_string_equal(doc_find(d, "calendar")->rows[4].command,
		"tpucost cost --since 2026-11-01 --until 2026-12-01 --by currency --where "
		"'account = '\\''A'\\'''");
	assert_string_equal(
		doc_find(d, "skus")->more, "tpucost cost --month 2026-11 --by account,sku");
}

static void what_is_below_the_top_is_one_row(void **state)
{
	struct doc *d;
	const struct doc_section *s;

	clear(NOW);
	for (int i = 0; i < 23; i++) {
		char sku[16];

		snprintf(sku, sizeof(sku), "s%02d", i);
		tempdb_execf(&w.t,
			"INSERT OR IGNORE INTO sku (service_id, service, sku_id, sku) "
			"VALUES ('x', 'X', '%s', 'Sku %s')",
			sku, sku);
		BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(30 - i), .category = sku,
			.credits = -1);
	}
	d = month("2026-11");
	s = doc_find(d, "skus");
	assert_int_equal(s->n, 21);
	assert_string_equal(s->rows[20].cells[1].text, "3 more SKUs");
	assert_nanos_eq(s->rows[20].cells[5].v, UNITS(27));
	assert_nanos_eq(s->rows[20].cells[7].v, -3);
}

/* A fact, as people see it. */
static const char *fact(const struct doc *d, const char *key)
{
	struct sbuf b = SBUF_INIT;
	const char *out;

	for (size_t i = 0; i < d->n_facts; i++) {
		const struct doc_cell *c = &d->facts[i].cell;

		if (strcmp(d->facts[i].key, key) != 0)
			continue;
		if (c->type == DOC_TIME)
			doc_time_text(d, c->v, &b);
		else
			sbuf_adds(&b, c->text);
	}
	out = arena_strdup(&w.t.a, b.s);
	sbuf_done(&b);
	return out;
}

/* Only a final month does not depend on the age of the bill. */
static void an_old_bill_is_said_first(void **state)
{
	struct doc *d;

	clear(NOW);
	BILL(&w, .hour = PT_FROM - 20 * DAY, .cost = UNITS(2), .invoice = "202610");
	BILL(&w, .hour = NOW - 2 * DAY, .cost = UNITS(1));
	looked(NOW - HOUR);
	tempdb_execf(&w.t,
		"INSERT OR IGNORE INTO billing_day VALUES (1, 1, 'A', %lld), (1, 1, 'A', "
		"20000);"
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items) VALUES ('billing', 't', 'failed', %lld, %lld, 1)",
		(long long)(PT_FROM / DAY - 20), (long long)NOW, (long long)(NOW - DAY));
	d = month(NULL);
	assert_string_equal(d->headline,
		"DATA STALE since 2026-11-20 08:00 (bill); last known: The invoice of "
		"2026-11 is 1.00 USD so far; Google adds usage until about 2026-12-05.");
	assert_string_equal(d->subject,
		"[tpucost] DATA STALE since 2026-11-20 08:00; invoice 2026-11: 1.00 USD so "
		"far");
	assert_int_equal(d->tone, TONE_BAD);
	d = month("2026-10");
	assert_string_equal(d->headline, "The invoice of 2026-10 is 2.00 USD, and final.");
	tempdb_exec(&w.t, "DELETE FROM source_status");
}

static void how_final_it_is(void **state)
{
	struct doc *d;

	clear(PT_TO - 1);
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(1));
	looked(PT_TO - 1);
	d = month(NULL);
	report_expect(d, "invoice", "amount", "1 USD*\n1 USD*\n1 USD*");
	assert_contains(d->headline, "; Google adds usage until");
	w.now = PT_TO;
	looked(PT_TO);
	d = month(NULL); /* December, Pacific time: the last one is not final */
	assert_string_equal(d->title, "tpucost report of the invoice month 2026-12");
	assert_contains(d->notes[0], "The invoice of 2026-11 is not final yet");
	assert_contains(d->headline, "no lines on the invoice of 2026-12");
	d = month("2026-11");
	assert_int_equal(d->n_notes, 0);
	assert_contains(d->headline, "; Google adds usage until");
	w.now = CLOSED;
	d = month("2026-11"); /* looked at before it was closed */
	assert_contains(d->headline, "ends before 2026-12-05");
	report_expect(d, "invoice", "amount", "1 USD*\n1 USD*\n1 USD*");
	looked(CLOSED);
	d = month("2026-11"); /* looked at, and nothing came for four weeks */
	assert_contains(doc_find(d, "invoice")->note,
		"The newest usage on the bill is from 2026-11-02 16:00, 33d ago");
	assert_contains(d->headline, "ends before 2026-12-05");
	assert_string_equal(fact(d, "known_until"), "2026-11-02 16:00");
	assert_string_equal(fact(d, "billing_newest_usage"), "2026-11-02 16:00");
	assert_string_equal(fact(d, "billing_read"), "2026-12-05 16:00");
	report_expect(d, "invoice", "amount", "1 USD*\n1 USD*\n1 USD*");
	report_expect(d, "days", "day,net,status", "2026-11-02|1 USD*|partial");
	BILL(&w, .hour = PT_TO - HOUR);
	looked(CLOSED);
	d = month("2026-11");
	assert_contains(d->headline, "is 1.00 USD, and final.");
	assert_string_equal(fact(d, "known_until"), "2026-12-01 16:00");
	report_expect(d, "invoice", "amount", "1 USD\n1 USD\n1 USD");
	assert_int_equal(month(NULL)->n_notes, 0);
}

static void a_bill_that_begins_within_the_month_is_partial(void **state)
{
	static const char first[] = "DELETE FROM billing_day WHERE day < %lld";
	struct doc *d;

	clear(CLOSED);
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(1));
	BILL(&w, .hour = PT_TO - HOUR);
	looked(CLOSED);
	tempdb_execf(&w.t, first, (long long)PT_FROM / DAY);
	d = month("2026-11"); /* a file with just that month */
	assert_string_equal(fact(d, "status"), "settled");
	tempdb_execf(&w.t, first, (long long)PT_FROM / DAY + 1);
	d = month("2026-11");
	assert_string_equal(fact(d, "status"), "partial");
	assert_string_equal(d->headline,
		"The invoice of 2026-11 is 1.00 USD so far; the billing data begins on "
		"2026-11-02; earlier usage, if any, is not in it.");
	report_expect(d, "invoice", "amount", "1 USD*\n1 USD*\n1 USD*");
	/* one of several */
	tempdb_exec(&w.t, "INSERT INTO billing_day VALUES (1, 2, 'B', 20000)");
	d = month("2026-11");
	assert_contains(d->headline, "the billing data of A begins on 2026-11-02;");
	w.now = PT_TO - 1; /* the month has not ended */
	d = month("2026-11");
	assert_string_equal(fact(d, "status"), "open");
	assert_contains(d->headline, "; Google adds usage until");
	assert_string_equal(doc_find(d, "invoice")->note,
		"The billing data of A begins on 2026-11-02; earlier usage, if any, is "
		"not in it.");
	w.now = CLOSED;
	tempdb_execf(&w.t, first, (long long)PT_TO / DAY); /* A is not of this month */
	assert_string_equal(fact(month("2026-11"), "status"), "settled");
}

/* Account B is in a table of its own, which was looked at before the month was closed. */
static void the_account_that_is_furthest_behind_decides(void **state)
{
	struct doc *d;

	clear(CLOSED);
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(1));
	BILL(&w, .hour = PT_TO - DAY, .cost = UNITS(2), .account = "B");
	BILL(&w, .hour = PT_TO - HOUR);
	BILL(&w, .hour = PT_TO - HOUR, .account = "B");
	looked(CLOSED);
	tempdb_exec(&w.t,
		"INSERT OR IGNORE INTO billing_table (table_id, name, location, "
		"last_modified_ms, row_count) VALUES (2, 'u', 'US', 0, 0);"
		"INSERT INTO billing_day SELECT 2, 1, 'B', day FROM billing_day "
		"WHERE day > (SELECT MAX(day) FROM billing_day) - 3;"
		"INSERT INTO billing_day VALUES (2, 2, 'B', 20000)");
	looked(CLOSED);
	tempdb_exec(&w.t,
		"UPDATE billing_table SET looked = looked - 2 * 86400 WHERE table_id = 2");
	d = month("2026-11");
	assert_string_equal(fact(d, "billing_read"), "2026-12-03 16:00");
	assert_contains(d->headline, "ends before 2026-12-05");
	report_expect(d, "days", "account,day,net,status",
		"A|2026-11-02|1 USD|settled\nB|2026-11-30|2 USD*|settling");
	tempdb_exec(&w.t,
		"DELETE FROM billing_day WHERE table_id = 2;"
		"DELETE FROM billing_table WHERE table_id = 2");
}

static void nothing_is_said_not_shown_as_zero(void **state)
{
	struct doc *d;

	clear(NOW);
	d = month(NULL);
	assert_string_equal(d->headline, NO_BILLING_DATA);
	assert_null(strstr(report_all(d, &w.t.a), "0 USD"));
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(1));
	d = month("2026-09");
	assert_string_equal(d->headline,
		"The billing data begins with the invoice of 2026-11: the invoice of "
		"2026-09 is unknown.");
	assert_null(strstr(report_all(d, &w.t.a), "0 USD"));
}

static void a_month_is_written_in_one_way(void **state)
{
	static const char *const wrong[] = {"2026-13", "2026-00", "202611", "2026-1",
		"2026-11-01", "nov", "", "1999-01", "2026-11x", "-026-11"};
	const struct report_kind *k = report_kind_find("month");

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct report_ask ask = {.month = wrong[i]};
		struct err e = {0};

		assert_err(k->period(&ask, &e), e, E_USAGE, "expected YYYY-MM");
	}
}

static void restatements_and_coupons_stand_beside_it(void **state)
{
	static const struct credit coupon[] = {{.name = "trial",
		.amount = {300 * INT64_C(1000000000), "USD"},
		.starts = TS_NONE,
		.expires = NOW + 9 * DAY}};
	struct doc *d;

	clear(NOW);
	w.settings.credits = coupon;
	w.settings.n_credits = 1;
	BILL(&w, .hour = PT_FROM + DAY, .cost = UNITS(50), .credits = -UNITS(50));
	BILL(&w, .hour = 1795003200, .cost = UNITS(13.05));
	BILL(&w, .hour = 1795003200, .cost = UNITS(2), .invoice = "202610");
	tempdb_exec(&w.t,
		"INSERT INTO restatement VALUES (1795190000, '2026-11-18', '202611', "
		"'USD', 't', 12300000000, 0, 13050000000, 0), (1795190000, '2026-11-18', "
		"'202610', 'USD', 't', 1000000000, 0, 2000000000, 0)");
	d = month(NULL);
	report_expect(d, "restatements", "day,old_net,new_net,change",
		"2026-11-18|14.3 USD|15.05 USD|0.75 USD");
	report_expect(
		d, "credits", "name,amount,used,left", "trial|300 USD|50 USD|250 USD");
}

/* ---- any world ties ------------------------------------------------------------------------ */

struct want {
	int64_t invoice, pacific, zone;
};

static int64_t total_of(const struct doc_section *s, const char *account,
	const char *currency, const char *step, int64_t *all)
{
	int64_t found = 0;

	*all = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct doc_cell *c = s->rows[i].cells;

		if (strcmp(c[0].text, account) != 0 || strcmp(c[8].text, currency) != 0)
			continue;
		if (!strcmp(c[1].text, step))
			return found = c[5].v;
		if (!s->rows[i].total || !strcmp(c[1].text, "invoice"))
			*all += c[5].v;
	}
	return found;
}

static void any_bill_ties_to_the_nano_unit(void **state)
{
	static const char *const accounts[] = {"A", "B"},
				 *const currencies[] = {"USD", "JPY"};
	static const char *const invoices[] = {"202610", "202611", "202612"};

	srandom(7);
	for (int round = 0; round < 6; round++) {
		struct want want[2][2] = {0};
		struct doc *d;

		clear(NOW);
		for (int i = 0; i < 150; i++) {
			long r = random();
			ts_t hour = HK_FROM - 3 * DAY + random() % (38 * 24) * HOUR;
			int64_t cost = random() % 2000000000 - 500000000;
			int64_t credits = r & 8 ? -(random() % 900000000) : 0;
			struct want *x = &want[r & 1][r >> 1 & 1];
			const char *invoice = invoices[(r >> 8) % 3];

			BILL(&w, .hour = hour, .cost = cost, .credits = credits,
				.account = accounts[r & 1],
				.currency = currencies[r >> 1 & 1], .invoice = invoice,
				.category = r & 16 ? "disk" : "cpu");
			if (!strcmp(invoice, "202611"))
				x->invoice += cost + credits;
			if (hour >= PT_FROM && hour < PT_TO)
				x->pacific += cost + credits;
			if (hour >= HK_FROM && hour < HK_TO)
				x->zone += cost + credits;
		}
		d = month("2026-11");
		for (int i = 0; i < 4; i++) {
			const struct doc_section *s = doc_find(d, "calendar");
			const struct want *x = &want[i & 1][i >> 1];
			const char *account = accounts[i & 1], *cur = currencies[i >> 1];
			int64_t rows;

			assert_nanos_eq(
				total_of(s, account, cur, "invoice", &rows), x->invoice);
			assert_nanos_eq(
				total_of(s, account, cur, "pacific", &rows), x->pacific);
			assert_nanos_eq(rows, x->pacific);
			assert_nanos_eq(total_of(s, account, cur, "zone", &rows), x->zone);
			assert_nanos_eq(rows, x->zone);
		}
	}
}

static void sums_that_do_not_fit_are_refused(void **state)
{
	struct report_ask ask = {.db = w.t.db,
		.settings = &w.settings,
		.now = NOW,
		.since = TS_NONE,
		.until = TS_NONE};
	struct doc *d;
	struct err e = {0};

	clear(NOW);
	BILL(&w, .hour = PT_FROM, .cost = INT64_MAX - 5);
	BILL(&w, .hour = PT_FROM + 2 * DAY, .cost = UNITS(1));
	cost_derive(&w);
	assert_err(month_build(&ask, &w.t.a, &d, &e), e, E_OVERFLOW,
		"the costs of the month are too large");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_invoice_has_what_google_put_on_it),
		cmocka_unit_test(usage_of_one_month_on_the_invoice_of_another),
		cmocka_unit_test(a_zone_behind_pacific_time),
		cmocka_unit_test(accounts_and_currencies_are_never_added),
		cmocka_unit_test(what_is_below_the_top_is_one_row),
		cmocka_unit_test(an_old_bill_is_said_first),
		cmocka_unit_test(how_final_it_is),
		cmocka_unit_test(a_bill_that_begins_within_the_month_is_partial),
		cmocka_unit_test(the_account_that_is_furthest_behind_decides),
		cmocka_unit_test(nothing_is_said_not_shown_as_zero),
		cmocka_unit_test(a_month_is_written_in_one_way),
		cmocka_unit_test(restatements_and_coupons_stand_beside_it),
		cmocka_unit_test(any_bill_ties_to_the_nano_unit),
		cmocka_unit_test(sums_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

/* The daily report's money: spans, currencies, what is not known, budgets, what changed. */
#include "base/money.h"
#include "tests/support/assert.h"
#include "tests/support/world/daily_world.h"
#include "tests/support/unit.h"

#include <string.h>

static int clear(void **state)
{
	dw_clear();
	dw_polled();
	return 0;
}

static size_t row_of(
	const char *section, const char *key, const char *value, const char *currency)
{
	const struct doc_section *s = doc_find(dw.doc, section);

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(dw_cell(section, i, key), value) &&
			!strcmp(dw_cell(section, i, "currency"), currency))
			return i;
	fail_msg("%s has no row %s %s", section, value, currency);
	return 0;
}

static void money(
	const char *category, const char *currency, const char *key, const char *want)
{
	dw_is("money", row_of("money", "category", category, currency), key, want);
}

static void spans_begin_and_end_where_they_say(void **state)
{
	static const int days[] = {0, 1, 2, 7, 8, 20, 21, 30, 31};

	/* so many days ago, so many thousandths: every sum tells what is in it */
	for (size_t i = 0; i < ARRAY_LEN(days); i++)
		dw_bill(days[i], "cpu", "USD", NANOS << i, 0);
	dw_build();
	money("cpu", "USD", "net_yesterday", "2.00 USD*");
	money("cpu", "USD", "net_day_before", "4.00 USD*");
	money("cpu", "USD", "net_7d", "14.00 USD*");
	money("cpu", "USD", "net_30d", "254.00 USD*");
	/* November 1st is twenty days ago; today counts as far as it is billed */
	money("cpu", "USD", "net_month", "63.00 USD*");
	money("together", "USD", "net_30d", "254.00 USD*");
	assert_true(dw_row("money", 1)->total);
	assert_true(dw_row("money", 1)->folded); /* the sum of a single line */
}

static void categories_and_currencies_stay_apart(void **state)
{
	dw_bill(1, "cpu", "USD", 5 * NANOS, -2 * NANOS);
	dw_bill(1, "disk", "USD", 7 * NANOS, 0);
	dw_bill(1, "cpu", "HKD", 11 * NANOS, 0);
	dw_bill(1, "ip", "USD", 3 * NANOS, -3 * NANOS);
	dw_build();
	dw_rows("money", 6);
	money("cpu", "USD", "net_yesterday", "3.00 USD*");
	money("disk", "USD", "net_yesterday", "7.00 USD*");
	money("together", "USD", "net_yesterday", "10.00 USD*");
	money("together", "HKD", "net_yesterday", "11.00 HKD*");
	assert_true(dw_row("money", row_of("money", "category", "ip", "USD"))->folded);
	assert_false(
		dw_row("money", row_of("money", "category", "together", "USD"))->folded);
	assert_false(
		dw_row("money", row_of("money", "category", "together", "HKD"))->folded);
	dw_rows("yesterday", 2);
	dw_is("yesterday", row_of("yesterday", "day", "2026-11-20", "USD"), "cost",
		"15.00 USD*");
	dw_is("yesterday", 1, "credits", "-5.00 USD*");
	dw_is("yesterday", 1, "net", "10.00 USD*");
	dw_is("yesterday", 1, "promo", "-5.00 USD*");
	dw_is("yesterday", 1, "status", "partial");
	dw_rows("yesterday_by_category", 4);
	assert_non_null(
		strstr(dw.doc->subject, "11.00 HKD + 10.00 USD so far on Fri 20 Nov"));
}

/* Text shows two of them. */
static void a_refund_is_not_below_a_small_cost(void **state)
{
	dw_bill(1, "cpu", "USD", 50 * NANOS, 0);
	dw_bill(1, "ip", "USD", 2 * NANOS, 0);
	dw_bill(0, "other", "USD", -70 * NANOS, 0); /* only in the month */
	dw_bill(9, "disk", "USD", 60 * NANOS, -59 * NANOS);
	dw_build();
	dw_is("money", 0, "category", "other");
	dw_is("money", 1, "category", "cpu");
	dw_is("money", 2, "category", "ip");
	dw_is("money", 3, "category", "disk");
}

/* All of it paid by credits is not that there is no bill. */
static void nothing_to_pay_is_a_figure(void **state)
{
	dw_bill(1, "cpu", "USD", 5 * NANOS, -5 * NANOS);
	dw_build();
	assert_true(dw_row("money", 0)->folded);
	assert_false(dw_row("money", 1)->folded);
	money("together", "USD", "net_yesterday", "0.00 USD*");
	assert_null(strstr(dw_render("text"), "No billing data"));
}

/* Half of yesterday is billed: it is not a final amount, and not less than the day before. */
static void a_day_that_grows_is_not_compared(void **state)
{
	struct report_ask ask = {.db = dw.t.db, .settings = &dw.settings, .now = DW_NOW};
	struct err e = {0};

	ask.until = tz_day_start(dw.t.tz, tz_day(dw.t.tz, DW_NOW) - 6);
	dw_bill(1, "cpu", "USD", 5 * NANOS, 0);
	dw_bill(2, "cpu", "USD", 10 * NANOS, 0);
	dw_bill(7, "cpu", "USD", 7 * NANOS, 0);
	dw_build();
	assert_string_equal(dw.doc->subject, "[tpucost] p: 5.00 USD so far on Fri 20 Nov");
	assert_ok(daily_period(&ask, &e), e);
	assert_ok(daily_build(&ask, &dw.t.a, &dw.doc, &e), e);
	assert_string_equal(dw.doc->subject, "[tpucost] p: 7.00 USD on Sat 14 Nov");
}

/* Costs are those of the day on which it was due, what runs is the present. */
static void a_late_report_is_of_its_day(void **state)
{
	struct report_ask ask = {.db = dw.t.db,
		.settings = &dw.settings,
		.now = DW_NOW,
		.until = tz_day_start(dw.t.tz, tz_day(dw.t.tz, DW_NOW) - 1)};
	struct err e = {0};

	dw_bill(1, "cpu", "USD", 5 * NANOS, 0);
	dw_bill(2, "cpu", "USD", 2 * NANOS, 0);
	dw_bill(3, "cpu", "USD", NANOS, 0);
	dw_build();
	assert_null(strstr(dw_render("text"), "This report is late"));
	assert_ok(daily_period(&ask, &e), e);
	assert_ok(daily_build(&ask, &dw.t.a, &dw.doc, &e), e);
	assert_non_null(strstr(dw.doc->subject, "2.00 USD so far on Thu 19 Nov"));
	assert_string_equal(dw.doc->title, "tpucost daily report, 2026-11-20");
	dw_is("money", 0, "net_yesterday", "2.00 USD*");
	dw_is("yesterday", 0, "day", "2026-11-19");
	dw_rows("days", 2);
	assert_non_null(strstr(
		dw_render("markdown"), "This report is late. It was due on 2026-11-20"));
	dw_clear();
	dw_source("billing", "failed", DW_NOW - 2 * 86400, "HTTP 500", NULL);
	dw_bill(4, "cpu", "USD", NANOS, 0);
	dw_build();
	ask.db = dw.t.db;
	assert_ok(daily_build(&ask, &dw.t.a, &dw.doc, &e), e);
	assert_non_null(strstr(dw_render("text"), "No billing data for 2026-11-19 yet."));
}

/* A day between two that are billed cost nothing; of one after the last nobody knows. */
static void days_are_drawn_without_gaps(void **state)
{
	const struct doc_section *s;

	dw_bill(29, "cpu", "USD", 2 * NANOS, 0);
	dw_bill(3, "cpu", "USD", NANOS, 0);
	dw_build();
	s = doc_find(dw.doc, "days");
	dw_rows("days", 29);
	dw_is("days", 0, "day", "2026-10-23");
	dw_is("days", 0, "net", "2.00 USD");
	dw_is("days", 0, "status", "settled");
	dw_is("days", 1, "net", "0.00 USD");
	dw_is("days", 1, "status", "-");
	dw_is("days", 26, "net", "1.00 USD*");
	dw_is("days", 26, "status", "settling");
	dw_is("days", 27, "net", "unknown");
	dw_is("days", 28, "day", "2026-11-20");
	assert_true(s->rows[21].folded);
	assert_true(s->rows[28].folded); /* only the chart has them */
	assert_string_equal(s->columns[s->chart.label].key, "day");
	assert_string_equal(s->columns[s->chart.value].key, "net");
	assert_false(s->chart.mark.set);
	dw_is("money", 0, "net_yesterday", "unknown");
	dw_rows("yesterday", 0);
	/* it was read a minute ago all the same */
	assert_string_equal(doc_find(dw.doc, "money")->note,
		"The bill ends at 2026-11-19 00:00, 2d 8h ago: later usage is not on it.");
	assert_non_null(strstr(dw.doc->subject, "bill ends Wed 18 Nov"));
	assert_int_equal(dw.doc->tone, TONE_WARN);
	assert_non_null(
		strstr(dw_render("json"), ", newest usage 2026-11-19 00:00, 2d 8h old"));
	assert_non_null(strstr(
		dw_render("json"), "\"billing_newest_usage\":\"2026-11-18T16:00:00Z\""));
	dw_is("money", 0, "net_30d", "3.00 USD*");
}

/* The least final account of a day decides. */
static void a_day_is_as_final_as_what_was_looked_at(void **state)
{
	dw_bill(9, "cpu", "USD", NANOS, 0);
	dw_bill(9, "disk", "USD", NANOS, 0);
	dw_build(); /* nothing came since */
	dw_is("days", 0, "status", "settling");
	dw_bill(1, "cpu", "USD", NANOS, 0);
	dw_build();
	dw_is("days", 0, "status", "settled");
	/* another table was looked at 25 hours after the day, and then never again */
	tempdb_exec(&dw.t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, looked) SELECT 2, 'u', 'US', 0, 0, MIN(ends) + 90000 FROM "
		"calendar;INSERT INTO billing_day (table_id, unit, account, day) SELECT 2, "
		"day, 'A', day FROM calendar");
	dw_build();
	dw_is("days", 0, "status", "settling");
	tempdb_exec(&dw.t, "UPDATE billing_table SET looked = looked - 90000");
	dw_build();
	dw_is("days", 0, "status", "partial");
	dw_is("days", 0, "net", "2.00 USD*");
}

static void a_months_budget_is_drawn_as_a_day_of_it(void **state)
{
	static const struct budget budgets[] = {
		{.name = "cpu", .amount = {30 * NANOS, "USD"}, .where = "category = 'cpu'"},
		{.name = "day", .amount = {30 * NANOS, "USD"}, .per = BUDGET_DAY},
		{.name = "other", .amount = {30 * NANOS, "HKD"}},
		{.name = "month", .amount = {60 * NANOS, "USD"}},
	};
	const struct doc_section *s;

	dw.settings.budgets = budgets;
	dw.settings.n_budgets = ARRAY_LEN(budgets);
	dw_bill(1, "cpu", "USD", NANOS, 0);
	dw_build();
	s = doc_find(dw.doc, "days");
	assert_true(s->chart.mark.set);
	assert_int_equal(s->chart.mark.v, 2 * NANOS); /* November has 30 days */
	assert_string_equal(s->chart.mark_title, "budget month per day");
	assert_non_null(strstr(dw_render("json"),
		"\"budget_per_day\":2,\"budget_per_day_currency\":\"USD\""));
	/* beside another currency it would be drawn there as well */
	dw_bill(1, "cpu", "HKD", NANOS, 0);
	dw_build();
	assert_false(doc_find(dw.doc, "days")->chart.mark.set);
}

static void budgets_say_what_the_budget_command_says(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"spent, unbilled, expected, forecast, forecast_if_stopped, reached, "
		"runs_out, converted, basis) VALUES ('month', 'month', 0, 1796054400, "
		"200000000000, 'USD', 100000000000, 20000000000, 120250000000, "
		"300000000000, 150000000000, 50, 1795500000, 0, 'words'),"
		"('full', 'day', 0, 1796054400, 10000000000, 'USD', NULL, NULL, "
		"11000000000, NULL, NULL, 100, 1795200000, 0, 'words'),"
		"('over', 'custom', 0, 1795132800, 10000000000, 'USD', 0, 0, 1000000000, "
		"1000000000, 500000000, 0, NULL, 0, 'doubts about what runs'),"
		"('riddle', 'custom', 0, 1795132800, 10000000000, 'USD', NULL, NULL, "
		"NULL, NULL, NULL, 0, NULL, 0, 'unknown: why')");
	dw_build();
	dw_rows("budgets", 4);
	dw_is("budgets", 0, "name", "full");
	dw_is("budgets", 0, "spent", "unknown");
	dw_is("budgets", 0, "percent", "110.0 %~");
	dw_is("budgets", 1, "spent", "100.00 USD");
	dw_is("budgets", 1, "expected", "120.25 USD~");
	dw_is("budgets", 1, "percent", "60.1 %~");
	assert_int_equal(dw_row("budgets", 1)->cells[4].v, 60100000000); /* as the view */
	dw_is("budgets", 1, "forecast", "300.00 USD~");
	dw_is("budgets", 1, "runs_out", "2026-11-24 14:00");
	assert_string_equal(dw_row("budgets", 1)->detail,
		"about 300.00 USD at the end, about 150.00 USD if the advised stops are "
		"made now");
	assert_null(dw_row("budgets", 0)->detail);
	assert_string_equal(dw_row("budgets", 2)->detail, "ended 2026-11-20 08:00");
	assert_string_equal(dw_row("budgets", 3)->detail, "unknown: why");
}

static void grants_say_how_long_and_how_much(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO grant_state (line, name, zone, type, family, provisioning, "
		"granted_chips, used_chips, free_chips, starts, until, "
		"covered_chip_seconds, saved, currency) VALUES (1, 'trc', 'a', 'v3-8', "
		"'v3', 'on-demand', 20, 4, 16, 0, 1795219200 + 216000, 3600 * 480, "
		"1000000000, 'USD'),(2, 'next', 'a', NULL, 'v4', 'spot', 32, 0, 32, "
		"1795219201, NULL, 0, NULL, NULL),(3, 'old', 'a', 'v2-8', 'v2', 'spot', 4, "
		"0, 4, 0, 1795219200 - 172801, 0, 0, 'USD'),(4, 'just', 'a', 'v2-8', 'v2', "
		"'spot', 4, 0, 4, 0, 1795219200, 0, 0, 'USD');INSERT INTO grant_end VALUES "
		"('trc', 1795219200 + 216000, NULL, 4, 0, '', NULL, 0, 'USD');INSERT INTO "
		"coverage_part VALUES ('x', 'trc', 0, 1, 3600 * 96, 1, 'covered', NULL, "
		"10, 0, 'USD'),('y', NULL, 0, 1, 3600 * 8, 0, 'wrong-zone', NULL, "
		"7000000000, 7000000000, 'USD')");
	dw_build();
	dw_rows("grants", 4);
	dw_is("grants", 0, "days_left", "2.5");
	dw_is("grants", 0, "used_chips", "4");
	dw_is("grants", 0, "covered_chip_hours", "480");
	dw_is("grants", 0, "saved", "1.00 USD~");
	dw_is("grants", 1, "type", "v4");
	dw_is("grants", 1, "days_left", "-");
	assert_string_equal(dw_row("grants", 1)->detail, "begins 2026-11-21 08:00");
	assert_true(dw_row("grants", 2)->folded);
	assert_false(dw_row("grants", 3)->folded);
	dw_is("grants", 3, "days_left", "0.0");
	assert_string_equal(dw_row("grants", 3)->detail, "ended 2026-11-21 08:00");
	assert_string_equal(doc_find(dw.doc, "grants")->note,
		"Yesterday 96.0 chip-hours were covered, 8.0 were not.");
	dw_rows("coverage_yesterday", 2);
	dw_is("coverage_yesterday", 1, "net", "7.00 USD~");
	dw_is("coverage_yesterday", 1, "chip_hours", "8.0000");
	assert_non_null(strstr(dw.doc->subject, ", grant 2 days left"));
	/* watched until after midnight, which was eight hours ago; and until before it */
	tempdb_exec(&dw.t, "UPDATE source_status SET last_success = 1795219200 - 28800");
	dw_build();
	assert_true(strstr(doc_find(dw.doc, "grants")->note, "Yesterday 96.0"));
	tempdb_exec(&dw.t, "UPDATE source_status SET last_success = 1795219200 - 28801");
	dw_build();
	assert_string_equal(doc_find(dw.doc, "grants")->note,
		"Yesterday at least 96.0 chip-hours were covered, 8.0 were not.");
}

static void credit_and_quotas_are_what_is_left(void **state)
{
	struct q_quota_put_in of = {.service = "compute.googleapis.com",
		.metric = "CPUS",
		.location = "global",
		.limit_value = SOME(128),
		.is_default = SOME(1),
		.used = SOME(98)};

	tempdb_exec(&dw.t,
		"INSERT INTO credit_state (name, amount, used, currency, expires, "
		"runs_out, safe_per_day, burn, ends_text) VALUES ('trial', 300000000000, "
		"228000000000, 'USD', 1795305600, 1795300000, 1, 1, 'later'),('spent', "
		"300000000000, 228000000000, 'USD', NULL, 1794000000, 1, 1, 'about used up "
		"by unbilled use'),('other', 100000000000, NULL, 'HKD', NULL, NULL, NULL, "
		"NULL, NULL)");
	tempdb_put_quota(&dw.t, of);
	of.metric = "LOW", of.limit_value = SOME(100), of.used = SOME(69);
	tempdb_put_quota(&dw.t, of);
	of.metric = "NONE", of.limit_value = SOME(-1);
	tempdb_put_quota(&dw.t, of);
	of = (struct q_quota_put_in){.source = "tpu-quota",
		.service = "tpu.googleapis.com",
		.metric = "v3",
		.location = "a",
		.limit_value = SOME(40),
		.is_default = SOME(0)};
	tempdb_put_quota(&dw.t, of);
	of.metric = "v4", of.limit_value = SOME(8), of.is_default = SOME(1);
	tempdb_put_quota(&dw.t, of);
	dw_build();
	dw_is("credits", 0, "name", "other");
	dw_is("credits", 0, "left", "unknown");
	dw_is("credits", 1, "runs_out", "2026-11-07 05:20~");
	assert_string_equal(dw_row("credits", 1)->detail, "about used up by unbilled use");
	dw_is("credits", 2, "left", "72.00 USD");
	dw_is("credits", 2, "runs_out", "2026-11-22 06:26~");
	assert_null(dw_row("credits", 2)->detail);
	dw_is("credits", 2, "expires", "2026-11-22 08:00");
	dw_rows("quotas", 2);
	dw_is("quotas", 0, "metric", "CPUS");
	dw_is("quotas", 0, "percent", "77 %");
	assert_int_equal(dw_row("quotas", 0)->cells[4].v, 76600000000); /* as the view */
	dw_is("quotas", 1, "metric", "v3");
	assert_true(dw_row("quotas", 1)->folded); /* nobody knows how much is used */
}

static void a_day_that_changed_twice_is_one_change(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO restatement VALUES (1795219200 - 200000, '2026-11-18', "
		"'202611', 'USD', 't', 13000000000, -700000000, 14000000000, "
		"-700000000),(1795219200 - 100000, '2026-11-18', '202611', 'USD', 't', "
		"14000000000, -700000000, 13750000000, -700000000),(1795219200 - 100, "
		"'2026-11-17', '202611', 'USD', 't', 5, 0, 6, 0),(1795219200 - 50, "
		"'2026-11-17', '202611', 'USD', 't', 6, 0, 5, 0),(1795219200 - 604801, "
		"'2026-11-16', '202611', 'USD', 't', 5, 0, 6, 0),(1795219200 - 99, "
		"'2026-11-18', '202612', 'USD', 't', 0, 0, 20000000, 0),(1795219200 - 98, "
		"'2026-11-18', '202612', 'USD', 't', 20000000, 0, 0, 0)");
	tempdb_bill_restated(&dw.t);
	dw_build();
	dw_rows("restatements", 1);
	dw_is("restatements", 0, "invoice_month", "-");
	dw_is("restatements", 0, "source", "t");
	dw_is("restatements", 0, "day", "2026-11-18");
	dw_is("restatements", 0, "old_net", "12.30 USD");
	dw_is("restatements", 0, "new_net", "13.05 USD");
	dw_is("restatements", 0, "change", "0.75 USD");
}

static void it_says_how_far_estimates_were_off(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO estimate_error VALUES ('2026-11-15', 'USD', 103000000000, "
		"100000000000, 0, NULL, NULL), ('2026-11-16', 'USD', 50000000000, "
		"50000000000, 0, NULL, NULL)");
	dw_build();
	dw_rows("estimate_errors", 2);
	dw_is("estimate_errors", 0, "percent", "3.00 %");
	assert_string_equal(dw.doc->notes[0],
		"On the last comparable days, estimates were 2.0 % above the bill.");
	tempdb_exec(&dw.t, "UPDATE estimate_error SET estimate = 60000000000");
	dw_build();
	assert_string_equal(dw.doc->notes[0],
		"On the last comparable days, estimates were 20.0 % below the bill.");
}

static void messages_that_were_lost_are_shown_for_a_week(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO notification (message, channel, recipient, kind, dedup, "
		"critical, subject, body, refs, state, attempts, fence, created, finished, "
		"error, lost_told, format, perhaps_sent) VALUES ('m', 'lab', '', 'daily', "
		"'a', 0, 'The news', '', '', 'dead', 7, 0, 0, 1795219200 - 604800, 'HTTP "
		"404', 0, 'json', 0),('m', 'lab', '', 'daily', 'd', 0, 'More news', '', "
		"'', 'dead', 7, 0, 0, 1795219200, 'HTTP 404', 0, 'json', 0),('m', 'mail', "
		"'', 'daily', 'e', 0, 'More news', '', '', 'dead', 7, 0, 0, 1795219200, "
		"'HTTP 404', 0, 'json', 0),('m', 'lab', '', 'daily', 'b', 0, 'Older', '', "
		"'', 'dead', 7, 0, 0, 1795219200 - 604801, 'HTTP 404', 0, 'json', 0),('m', "
		"'lab', '', 'daily', 'c', 0, 'Sent', '', '', 'sent', 1, 0, 0, 1795219200, "
		"NULL, 0, 'json', 0)");
	dw_build();
	dw_rows("lost_messages", 3);
	dw_is("lost_messages", 0, "channel", "mail");
	assert_string_equal(dw_row("lost_messages", 0)->detail, "HTTP 404");
	dw_is("lost_messages", 1, "subject", "More news");
	dw_is("lost_messages", 1, "channel", "lab");
	assert_string_equal(dw_row("lost_messages", 1)->detail, "HTTP 404");
	/* the same of the same channel is read once, and stands in its column all the same */
	dw_is("lost_messages", 2, "subject", "The news");
	dw_is("lost_messages", 2, "error", "HTTP 404");
	assert_null(dw_row("lost_messages", 2)->detail);
}

static void what_does_not_add_up_is_an_error(void **state)
{
	struct report_ask ask = {
		.db = dw.t.db, .settings = &dw.settings, .now = DW_NOW, .until = TS_NONE};
	struct err e = {0};
	struct doc *d;

	dw_bill(1, "cpu", "USD", INT64_MAX, 0);
	dw_bill(1, "disk", "USD", 1, 0);
	assert_int_equal(daily_build(&ask, &dw.t.a, &d, &e), E_OVERFLOW);
	assert_string_equal(e.msg, "daily report: the billed cost: the sum does not fit");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(spans_begin_and_end_where_they_say, clear),
		cmocka_unit_test_setup(categories_and_currencies_stay_apart, clear),
		cmocka_unit_test_setup(a_refund_is_not_below_a_small_cost, clear),
		cmocka_unit_test_setup(nothing_to_pay_is_a_figure, clear),
		cmocka_unit_test_setup(a_day_that_grows_is_not_compared, clear),
		cmocka_unit_test_setup(a_late_report_is_of_its_day, clear),
		cmocka_unit_test_setup(days_are_drawn_without_gaps, clear),
		cmocka_unit_test_setup(a_day_is_as_final_as_what_was_looked_at, clear),
		cmocka_unit_test_setup(a_months_budget_is_drawn_as_a_day_of_it, clear),
		cmocka_unit_test_setup(budgets_say_what_the_budget_command_says, clear),
		cmocka_unit_test_setup(grants_say_how_long_and_how_much, clear),
		cmocka_unit_test_setup(credit_and_quotas_are_what_is_left, clear),
		cmocka_unit_test_setup(a_day_that_changed_twice_is_one_change, clear),
		cmocka_unit_test_setup(it_says_how_far_estimates_were_off, clear),
		cmocka_unit_test_setup(messages_that_were_lost_are_shown_for_a_week, clear),
		cmocka_unit_test_setup(what_does_not_add_up_is_an_error, clear),
	};

	return cmocka_run_group_tests(tests, dw_setup, tempdb_teardown);
}

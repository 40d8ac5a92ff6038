/* Coupons: what is used of them and when they run out, in any currency. The arithmetic stands
 * beside each figure. A pd-ssd of 730 GiB in us-central1 costs 0.17 USD an hour. */
#include "base/time/civil.h"
#include "db/rollup/rollup.h"
#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T12:00:00Z */
#define NOW INT64_C(1795262400)
#define HOUR INT64_C(3600)
#define USD(x) ((int64_t)(x)*NANOS)

static struct cost_world w;
static struct credit credit;

static int setup(void **state)
{
	cost_world_open(&w, "UTC", NOW);
	credit = (struct credit){.name = "trial",
		.amount = {.nanos = USD(27), .cur = "USD"},
		.starts = NOW - 10 * DAY_SECONDS,
		.expires = NOW + 4 * DAY_SECONDS};
	w.settings.credits = &credit;
	w.settings.n_credits = 1;
	return 0;
}

static void expect(const char *want)
{
	cost_derive(&w);
	cost_expect(&w,
		"SELECT IFNULL(used, '-') || ' ' || IFNULL(\"left\", '-') || ' ' || "
		"IFNULL(runs_out, '-') || ' ' || IFNULL(safe_per_day, '-') FROM credits",
		want);
}

static void what_is_left_goes_at_the_present_burn(void **state)
{
	BILL(&w, .hour = NOW - 11 * DAY_SECONDS, .cost = USD(9), .credits = -USD(9));
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(10));
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(5),
		.credit_type = "FREE_TIER");
	/* 17 left, nothing burns; 4 days */
	expect("10.0 17.0 - 4.25");
	/* 17 / 0.17 = 100 h since the end of what is billed, 4 h ago; (17 - 4 x 0.17) / 4 days */
	RUN(&w, .name = "d");
	expect("10.0 17.0 2026-11-25T12:00:00Z 4.08");
	cost_expect(&w, "SELECT ends_text FROM credits",
		"used up about 2026-11-25 12:00 UTC, expires 2026-11-25 12:00 UTC");
	RUN(&w, .name = "x", .type = "no-such-disk");
	expect("10.0 17.0 - 4.08");
}

/* Without an inventory it is not known that nothing runs. */
static void what_was_never_read_may_use_the_credit(void **state)
{
	static const char figures[] =
		"SELECT IFNULL(unbilled, '-') || ' ' || IFNULL(burn, '-') || ' ' || "
		"IFNULL(unread, '-') FROM credit_state";
	static const char poll[] =
		"INSERT OR REPLACE INTO source_status (source, project, state, "
		"last_attempt, last_success, items, poll_group) VALUES ('vm', 'p', '%s', "
		"%lld, %s, 0, 'instances')";

	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(10));
	expect("10.0 17.0 - 4.25");
	cost_expect(&w, figures, "- - 1");
	tempdb_execf(&w.t, poll, "failed", (long long)NOW, "NULL");
	cost_derive(&w);
	cost_expect(&w, figures, "- - 1");
	tempdb_execf(&w.t, poll, "ok", (long long)NOW, "1795262400");
	cost_derive(&w);
	cost_expect(&w, figures, "0 0 -");
	/* as elsewhere, what is known to run is estimated although other sources failed */
	tempdb_execf(&w.t, poll, "failed", (long long)NOW, "NULL");
	RUN(&w, .name = "d");
	expect("10.0 17.0 2026-11-25T12:00:00Z 4.08");
	cost_expect(&w, figures, "680000000 170000000 -");
}

static void a_credit_lasts_longer_when_something_ends_by_itself(void **state)
{
	BILL(&w, .hour = NOW - HOUR, .cost = USD(10), .credits = -USD(10));
	RUN(&w, .name = "d");
	RUN(&w, .name = "e", .ends = NOW + 20 * HOUR, .since = NOW);
	/* 20 x 0.34 = 6.8; 10.2 / 0.17 = 60 h more */
	expect("10.0 17.0 2026-11-24T20:00:00Z 4.25");
	cost_expect(&w, "SELECT burn FROM credit_state", "340000000");
	/* of what is left, nothing is used up */
	tempdb_execf(&w.t, "UPDATE resource SET ends = %lld", (long long)NOW + 20 * HOUR);
	expect("10.0 17.0 - 4.25");
}

/* 10 USD are billed up to 50 hours ago; a disk of 0.17 USD an hour is used since then. */
static void what_is_not_billed_yet_is_used_as_well(void **state)
{
	BILL(&w, .hour = NOW - 51 * HOUR, .cost = USD(10), .credits = -USD(10));
	RUN(&w, .name = "d", .since = NOW - 60 * HOUR);
	credit.amount.nanos = USD(10) + 8500000000; /* 8.50: 50 h */
	expect("10.0 8.5 2026-11-21T12:00:00Z 0.0");
	cost_expect(&w, "SELECT unbilled || ' ' || days_left FROM credits", "8.5 0.0");
	cost_expect(&w, "SELECT ends_text FROM credits", "about used up by unbilled use");
	credit.amount.nanos = USD(10) + 8670000000; /* an hour more */
	expect("10.0 8.67 2026-11-21T13:00:00Z 0.0425");
	credit.amount.nanos = USD(12); /* since when, nobody says */
	expect("10.0 2.0 2026-11-21T12:00:00Z 0.0");
	/* what has no price costs even more; a disk of 50 h does not use up more than 8.50 alone */
	RUN(&w, .name = "x", .type = "no-such-disk");
	credit.amount.nanos = USD(10) + 8500000000;
	expect("10.0 8.5 2026-11-21T12:00:00Z 0.0");
	cost_expect(&w, "SELECT ends_text FROM credits WHERE unbilled IS NULL",
		"about used up by unbilled use");
	credit.amount.nanos++;
	expect("10.0 8.500000001 - 0.0");
}

static void an_hour_is_not_counted_before_there_was_anything(void **state)
{
	BILL(&w, .hour = NOW - 51 * HOUR, .cost = USD(10), .credits = -USD(10));
	RUN(&w, .name = "d", .since = NOW - 2 * HOUR);
	expect("10.0 17.0 2026-11-25T14:00:00Z 4.165");
	/* before the coupon began somebody else paid */
	credit.starts = NOW - HOUR;
	cost_derive(&w);
	cost_expect(&w, "SELECT unbilled FROM credits", "0.17");
}

static void of_a_bill_that_is_late_fourteen_days_count(void **state)
{
	credit.starts = NOW - 20 * DAY_SECONDS;
	BILL(&w, .hour = NOW - 16 * DAY_SECONDS, .cost = USD(10), .credits = -USD(10));
	RUN(&w, .name = "d", .since = NOW - 17 * DAY_SECONDS);
	cost_derive(&w);
	cost_expect(&w, "SELECT unbilled FROM credits", "57.12");
}

static void a_coupon_in_the_currency_of_the_bill_goes_at_its_rate(void **state)
{
	credit.amount = (struct money){.nanos = USD(146), .cur = "HKD"};
	BILL(&w, .hour = NOW - 5 * HOUR, .currency = "HKD", .rate = USD(8), .cost = USD(10),
		.credits = -USD(10));
	/* 136 / (0.17 x 8) = 100 h, 4 of them over; (136 - 5.44) / 4 days */
	RUN(&w, .name = "d");
	expect("10.0 136.0 2026-11-25T12:00:00Z 32.64");
	/* two disks: 50 h */
	RUN(&w, .name = "e");
	expect("10.0 136.0 2026-11-23T10:00:00Z 31.28");
}

static void credits_in_another_currency_are_converted(void **state)
{
	credit.amount = (struct money){.nanos = USD(96), .cur = "HKD"};
	/* 10 USD at 8, and 10 HKD */
	BILL(&w, .hour = NOW - 6 * HOUR, .cost = USD(10), .credits = -USD(10));
	BILL(&w, .hour = NOW - 5 * HOUR, .currency = "HKD", .rate = USD(8), .cost = USD(10),
		.credits = -USD(10));
	expect("90.0 6.0 - 1.5");
}

static void without_a_rate_nothing_is_known(void **state)
{
	memcpy(credit.amount.cur, "HKD", 4);
	RUN(&w, .name = "d");
	BILL(&w, .hour = NOW - 5 * HOUR, .currency = "HKD", .rate = -1, .cost = USD(10),
		.credits = -USD(10));
	expect("10.0 17.0 - 4.25"); /* the burn is in dollars */
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(10));
	expect("- - - -");
}

/* The hours of its first day and the days after it do not add up to a number: that is an error. */
static void what_cannot_be_added_is_refused(void **state)
{
	struct derive_opts o = {
		.settings = &w.settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	for (int i = 0; i < 2; i++)
		BILL(&w, .hour = credit.starts + i * DAY_SECONDS, .cost = USD(5000000000),
			.credits = -USD(5000000000));
	assert_ok(rollup_all(w.t.db, w.t.tz, &e), e);
	assert_err(derive(w.t.db, &o, &e), e, E_OVERFLOW, "promotions in USD");
}

/* It begins and ends at noon: of those two days only some hours count. A bit for each line, so
 * that the sum tells which of them are in it. */
static void hours_at_both_ends_count_as_they_lie(void **state)
{
	const ts_t starts = NOW - 10 * DAY_SECONDS, ends = NOW - 5 * DAY_SECONDS;
	const ts_t hours[] = {starts - DAY_SECONDS, starts - HOUR, starts,
		starts + 11 * HOUR, starts + 12 * HOUR, ends - 13 * HOUR, ends - 12 * HOUR,
		ends - HOUR, ends, ends + DAY_SECONDS};

	credit.amount.nanos = USD(1000);
	credit.starts = starts;
	credit.expires = ends;
	for (size_t i = 0; i < ARRAY_LEN(hours); i++)
		BILL(&w, .hour = hours[i], .cost = USD(1 << i), .credits = -USD(1 << i));
	expect("252.0 748.0 - 0.0"); /* bits 2 to 7 */
	credit.starts = TS_NONE;
	expect("255.0 745.0 - 0.0");
	credit.expires = TS_NONE;
	expect("1023.0 -23.0 - -");
	credit.starts = starts;
	expect("1020.0 -20.0 - -");
	/* within a day */
	credit.starts = starts + HOUR;
	credit.expires = starts + 12 * HOUR;
	expect("8.0 992.0 - 0.0");
}

static void the_end_of_a_coupon_is_no_day_to_spend(void **state)
{
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(10));
	credit.expires = NOW + HOUR; /* not 24 x 17 */
	expect("10.0 17.0 - 17.0");
	credit.expires = NOW;
	expect("10.0 17.0 - 0.0");
	credit.expires = TS_NONE;
	expect("10.0 17.0 - -");
	credit.expires = NOW + 9 * DAY_SECONDS;
	credit.amount.nanos = USD(10); /* used up */
	RUN(&w, .name = "d");
	expect("10.0 0.0 - 0.0");
}

static void a_coupon_that_expired_before_the_bill_is_unknown(void **state)
{
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(10));
	tempdb_execf(&w.t,
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES (1, 1, 'a', "
		"%lld)",
		(long long)(NOW / DAY_SECONDS) - 1);
	credit.expires = (NOW / DAY_SECONDS - 1) * DAY_SECONDS;
	expect("- - - -");
	credit.expires += HOUR;
	expect("0.0 27.0 - 0.0");
	/* it began before: the figures are bounds */
	cost_expect(&w, "SELECT billed_from || ' ' || ends_text FROM credits",
		"2026-11-20T00:00:00Z expired 2026-11-20 01:00 UTC; more may be used: the "
		"bill begins "
		"2026-11-20 00:00 UTC");
	credit.expires = TS_NONE;
	cost_derive(&w);
	cost_expect(&w, "SELECT ends_text FROM credits",
		"more may be used: the bill begins 2026-11-20 00:00 UTC");
	credit.starts = TS_NONE;
	cost_derive(&w);
	cost_expect(&w, "SELECT billed_from IS NOT NULL FROM credits", "1");
	credit.starts = (NOW / DAY_SECONDS - 1) * DAY_SECONDS;
	cost_derive(&w);
	cost_expect(
		&w, "SELECT billed_from IS NULL AND ends_text IS NULL FROM credits", "1");
	/* no more can be used than all of it */
	credit.starts--;
	credit.amount.nanos = USD(10);
	cost_derive(&w);
	cost_expect(&w,
		"SELECT billed_from IS NOT NULL AND ends_text = 'used up' FROM credits",
		"1");
}

static void only_a_valid_coupon_can_be_spent(void **state)
{
	static const char said[] = "SELECT state || ': ' || ends_text FROM credits";

	BILL(&w, .hour = NOW - HOUR, .cost = USD(10), .credits = -USD(10));
	RUN(&w, .name = "d");
	expect("10.0 17.0 2026-11-25T16:00:00Z 4.25");
	cost_expect(&w, "SELECT state FROM credits", "valid");
	credit.expires = NOW - HOUR;
	expect("0.0 27.0 - 0.0");
	cost_expect(&w, said, "expired: expired 2026-11-21 11:00 UTC");
	/* 27 / 0.17 = 158.8 h since its beginning; 27 / 10 days */
	credit.starts = NOW + 10 * DAY_SECONDS;
	credit.expires = NOW + 20 * DAY_SECONDS;
	expect("0.0 27.0 2026-12-08T02:49:25Z 2.7");
	cost_expect(&w, said,
		"not-started: begins 2026-12-01 12:00 UTC, used up about 2026-12-08 02:49 "
		"UTC, "
		"expires 2026-12-11 12:00 UTC");
	credit.starts = NOW - 10 * DAY_SECONDS;
	credit.amount.nanos = USD(9); /* the bill used more */
	expect("10.0 -1.0 - 0.0");
	cost_expect(&w, said, "used-up: used up");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
/* A promotion is one coupon's: the one that expires first, as long as it lasts. */
static void coupons_that_overlap_share_what_was_paid(void **state)
{
	struct credit both[2] = {credit, credit};

	both[0].name = "later";
	both[0].expires = NOW + 30 * DAY_SECONDS;
	both[1].name = "sooner";
	both[1].amount.nanos = USD(12);
	w.settings.credits = both;
	w.settings.n_credits = 2;
	BILL(&w, .hour = NOW - 6 * HOUR, .cost = USD(10), .credits = -USD(10));
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10), .credits = -USD(10));
	cost_derive(&w);
	cost_expect(&w,
		"SELECT group_concat(name || ' ' || used || ' ' || \"left\", '; ') FROM "
		"(SELECT * FROM credits ORDER BY name)",
		"later 8.0 19.0; sooner 12.0 0.0");
	cost_expect(&w,
		"SELECT group_concat(name || ' ' || promo, '; ') FROM "
		"(SELECT * FROM credit_part ORDER BY name)",
		"later -8000000000; sooner -12000000000");
}

#define PROJECTS                                                                           \
	"SELECT group_concat(name || ' ' || IFNULL(project, '-') || ' ' || IFNULL(used, "  \
	"'-') "                                                                            \
	"|| ' ' || IFNULL(share_percent, '-'), '; ') FROM (SELECT * FROM credit_projects " \
	"ORDER BY name, project)"

/* In units of its currency; of two at a time nobody knows which paid. */
static void a_project_has_its_share_of_a_coupon(void **state)
{
	struct credit both[2] = {credit, credit};

	BILL(&w, .hour = NOW - 9 * DAY_SECONDS, .cost = USD(2), .credits = -USD(2));
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(4), .credits = -USD(4));
	BILL(&w, .project = "q", .hour = NOW - 5 * HOUR, .cost = USD(1),
		.credits = -USD(1));
	BILL(&w, .project = "q", .hour = NOW - 5 * HOUR, .currency = "HKD", .rate = USD(8),
		.cost = USD(8), .credits = -USD(8));
	BILL(&w, .project = "r", .hour = NOW - 11 * DAY_SECONDS, .cost = USD(1),
		.credits = -USD(1));
	cost_derive(&w);
	cost_expect(&w, PROJECTS, "trial p 6.0 75.0; trial q 2.0 25.0");
	/* the other one has a project of its own */
	both[1].name = "old";
	both[1].starts = NOW - 12 * DAY_SECONDS;
	both[1].expires = credit.starts;
	w.settings.credits = both;
	w.settings.n_credits = 2;
	cost_derive(&w);
	cost_expect(&w, PROJECTS, "old r 1.0 100.0; trial p 6.0 75.0; trial q 2.0 25.0");
	both[1].expires++;
	cost_derive(&w);
	cost_expect(&w, PROJECTS, "old r - -; trial p - -; trial q - -");
	/* what has no rate is not known of that project */
	w.settings.n_credits = 1;
	BILL(&w, .project = "q", .hour = NOW - 5 * HOUR, .currency = "SGD", .rate = -1,
		.cost = USD(1), .credits = -USD(1));
	cost_derive(&w);
	cost_expect(&w, PROJECTS, "trial p 6.0 -; trial q - -");
}

/* More was taken back than an amount can be: nothing of it is used. */
static void what_was_taken_back_is_not_used_up(void **state)
{
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = 0, .credits = INT64_MAX);
	cost_derive(&w);
	cost_expect(&w, "SELECT ends_text FROM credits", "expires 2026-11-25 12:00 UTC");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_left_goes_at_the_present_burn),
		TEST(a_credit_lasts_longer_when_something_ends_by_itself),
		TEST(what_was_never_read_may_use_the_credit),
		TEST(what_is_not_billed_yet_is_used_as_well),
		TEST(an_hour_is_not_counted_before_there_was_anything),
		TEST(of_a_bill_that_is_late_fourteen_days_count),
		TEST(coupons_that_overlap_share_what_was_paid),
		TEST(a_coupon_in_the_currency_of_the_bill_goes_at_its_rate),
		TEST(credits_in_another_currency_are_converted),
		TEST(without_a_rate_nothing_is_known),
		TEST(hours_at_both_ends_count_as_they_lie),
		TEST(what_cannot_be_added_is_refused),
		TEST(the_end_of_a_coupon_is_no_day_to_spend),
		TEST(only_a_valid_coupon_can_be_spent),
		TEST(a_coupon_that_expired_before_the_bill_is_unknown),
		TEST(what_was_taken_back_is_not_used_up),
		TEST(a_project_has_its_share_of_a_coupon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Budgets from stored facts: a bill and what runs. The arithmetic stands beside each figure. A
 * pd-ssd of 730 GiB in us-central1 costs 0.17 USD an hour. */
#include "rules/budget/budget.h"

#include "base/sbuf.h"
#include "base/time/civil.h"
#include "db/internal.h"
#include "rules/derive/internal.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T12:00:00Z, a Saturday */
#define NOW INT64_C(1795262400)
#define HOUR INT64_C(3600)
#define TODAY (NOW - 12 * HOUR)
#define USD(x) ((int64_t)(x)*NANOS)

static struct cost_world w;
static struct budget budget;

static int setup(void **state)
{
	cost_world_open(&w, "UTC", NOW);
	budget = (struct budget){.name = "b",
		.amount = {.nanos = USD(100), .cur = "USD"},
		.alert_at = {{50, 80, 100}, 3},
		.forecast_at = {{100}, 1}};
	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	return 0;
}

static void expect(const char *columns, const char *want)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "SELECT %s FROM budget_state", columns);
	cost_expect(&w, sql, want);
}

static void expect_basis(const char *part)
{
	char got[2048];

	tempdb_text(&w.t, "SELECT basis FROM budget_state", got, sizeof(got));
	if (!strstr(got, part))
		fail_msg("no \"%s\" in: %s", part, got);
}

#define FIGURES                                                         \
	"IFNULL(spent, '-') || ' ' || IFNULL(unbilled, '-') || ' ' || " \
	"IFNULL(expected, '-') || ' ' || IFNULL(forecast, '-')"

static void a_month_is_what_is_billed_and_what_runs_since(void **state)
{
	BILL(&w, .hour = TODAY - 21 * 24 * HOUR, .cost = USD(7)); /* 31 October */
	BILL(&w, .hour = TODAY - 20 * 24 * HOUR, .cost = USD(10), .credits = -USD(3));
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(20)); /* until 08:00: 4 h */
	RUN(&w, .name = "d");
	cost_derive(&w);
	/* 27; 4 x 0.17; and 228 hours left x 0.17 = 38.76 */
	expect(FIGURES, "27000000000 680000000 27680000000 66440000000");
	cost_expect(&w,
		"SELECT percent || ' ' || forecast_percent || ' ' || spent || ' ' || "
		"forecast FROM budgets",
		"27.6 66.4 27.0 66.44");
	cost_expect(&w, "SELECT starts || ' ' || ends || ' ' || period FROM budgets",
		"2026-11-01T00:00:00Z 2026-12-01T00:00:00Z month");
	expect("IFNULL(runs_out, 'never') || unpriced || converted", "never00");
	expect_basis("bill until 2026-11-21 08:00; what ran since, and 1 running resource");
	budget.gross = true;
	cost_derive(&w);
	expect("spent", "30000000000");
}

/* A v3-8 costs 8 USD an hour there, an n1-standard-4 0.19 (0.189999) and a disk 0.17. */
static void a_machine_burns_until_it_ends_by_itself(void **state)
{
	RUN(&w, .name = "d", .since = NOW - 72 * HOUR);
	RUN(&w, .name = "t", .kind = "tpu", .type = "v3-8", .ends = NOW + 10 * HOUR,
		.since = NOW);
	cost_derive(&w);
	/* 72 x 0.17 = 12.24; 228 x 0.17 = 38.76; 10 x 8 = 80 */
	expect("unbilled || ' ' || forecast || ' ' || forecast_if_stopped",
		"12240000000 131000000000 51000000000");
	/* of 82.76 that are left, 81.7 at 8.17 an hour and 1.06 at 0.17: 58447.06 s */
	budget.amount.nanos = USD(95);
	cost_derive(&w);
	expect("runs_out - 1795262400", "58448");
	cost_expect(&w, "SELECT name || ' ' || ends FROM resources WHERE ends IS NOT NULL",
		"t 2026-11-21T22:00:00Z");
	/* it was to end an hour ago and still runs: nobody knows when it ends */
	tempdb_execf(&w.t, "UPDATE resource SET ends = %lld WHERE name = 't'",
		(long long)NOW - HOUR);
	budget.amount.nanos = USD(100);
	cost_derive(&w);
	expect("forecast", "1875000000000"); /* 12.24 + 228 x 8.17 */
	cost_expect(&w, "SELECT COUNT(ends) FROM resources", "0");
}

/* The disks of a machine that is stopped are still charged; of one that is deleted, only those that
 * are not deleted with it. */
static void disks_end_with_a_machine_that_is_deleted_with_them(void **state)
{
	static const char *const ends[][2] = {{NULL, ""}, {"gone", "gone"}, {"", ""},
		{"gone kept-by-name elsewhere", "gone"}};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		cost_world_clear(&w);
		RUN(&w, .name = "m", .kind = "vm", .type = "n1-standard-4", .since = NOW,
			.ends = NOW + HOUR, .end_disks = ends[i][0]);
		RUN(&w, .name = "gone", .since = NOW, .attached_to = "m");
		RUN(&w, .name = "kept", .since = NOW, .attached_to = "m");
		/* of that name, but of another machine or zone */
		RUN(&w, .name = "kept-by-name", .since = NOW, .attached_to = "n");
		RUN(&w, .name = "elsewhere", .zone = "us-central1-c", .since = NOW,
			.attached_to = "m");
		cost_derive(&w);
		cost_expect(&w,
			"SELECT IFNULL(group_concat(name || ' ' || ends), '') FROM "
			"resources WHERE kind = 'disk' AND ends IS NOT NULL",
			*ends[i][1] ? "gone 2026-11-21T13:00:00Z" : "");
		/* 0.189999 for an hour; 228 x 0.17 for each disk, or 0.17 */
		expect("forecast", *ends[i][1] ? "116639999000" : "155229999000");
	}
}

static void days_are_of_the_zone(void **state)
{
	tz_free(w.t.tz);
	assert_int_equal(tz_open("Asia/Hong_Kong", &w.t.tz, NULL), 0);
	w.settings.tz = w.t.tz;
	budget.per = BUDGET_DAY; /* 20 November 16:00 to 21 November 16:00 UTC */
	BILL(&w, .hour = TODAY - 9 * HOUR, .cost = USD(1)); /* 15:00 */
	BILL(&w, .hour = TODAY - 8 * HOUR, .cost = USD(2)); /* 16:00 */
	BILL(&w, .hour = NOW - 1 * HOUR, .cost = USD(4));
	BILL(&w, .hour = NOW + 4 * HOUR, .cost = USD(8)); /* tomorrow there */
	cost_derive(&w);
	expect("spent || ' ' || starts || ' ' || ends", "6000000000 1795190400 1795276800");
	/* a zone of half hours: its day begins at 18:30 UTC, the usage hour 18:00 before it */
	tz_free(w.t.tz);
	assert_int_equal(tz_open("Asia/Kolkata", &w.t.tz, NULL), 0);
	w.settings.tz = w.t.tz;
	BILL(&w, .hour = TODAY - 6 * HOUR, .cost = USD(16));
	BILL(&w, .hour = TODAY - 5 * HOUR, .cost = USD(32));
	cost_derive(&w);
	expect("spent", "44000000000"); /* 4 + 8 + 32 */
}

static void yesterdays_hours_are_not_todays(void **state)
{
	budget.per = BUDGET_DAY;
	BILL(&w, .hour = TODAY - 5 * HOUR, .cost = USD(1)); /* until yesterday 20:00 */
	RUN(&w, .name = "d");
	cost_derive(&w);
	expect(FIGURES, "0 2040000000 2040000000 4080000000"); /* 12 h; 12 h more */
}

static int add_row(void *ctx, int n, char **v, char **names)
{
	for (int i = 0; i < n; i++)
		sbuf_addf(ctx, "%s=%s ", names[i], v[i] ? v[i] : "NULL");
	sbuf_addc(ctx, '\n');
	return 0;
}

/* The rows of all tables but charge_part. */
static void add_all(struct sbuf *b)
{
	char sql[80];

	for (int i = 0; i < db_n_derived_tables; i++) {
		if (i == DERIVED_CHARGE_PART)
			continue;
		snprintf(sql, sizeof(sql), "SELECT * FROM %s", db_derived_tables[i].name);
		sbuf_addf(b, "%s\n", sql);
		assert_int_equal(
			sqlite3_exec(w.t.db->sq, sql, add_row, b, NULL), SQLITE_OK);
	}
}

/* When all tables are derived at once, what only derivations read is freed. The charges are, too, although the
 * condition of the budget has read them. */
static void rows_are_computed_after_all_are_derived(void **state)
{
	const struct derive_opts o = {
		.settings = &w.settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	cleanup(sbuf_done) struct sbuf one = SBUF_INIT, all = SBUF_INIT;
	struct err e = {0};

	budget.where =
		"region = 'us-central1' AND name IN (SELECT resource FROM grant_plan "
		"WHERE delete_command IS NULL) OR category = 'disk'";
	RUN(&w, .name = "runs", .since = NOW - HOUR);
	RUN(&w, .name = "t", .kind = "tpu", .type = "v3-8", .since = NOW - 3 * HOUR);
	cost_derive(&w);
	add_all(&one);
	assert_ok(derive(w.t.db, &o, &e), e);
	add_all(&all);
	assert_non_null(strstr(all.s, "unbilled="));
	assert_string_equal(all.s, one.s);
	assert_int_equal(
		sqlite3_exec(w.t.db->sq, "SELECT * FROM charge_part", NULL, NULL, NULL),
		SQLITE_ERROR);
}

static void a_custom_period_is_cut_to_the_hour(void **state)
{
	budget.per = BUDGET_CUSTOM;
	budget.starts = TODAY - 43 * HOUR; /* 19 November 05:00 */
	budget.ends = TODAY + 3 * HOUR;
	BILL(&w, .hour = TODAY - 44 * HOUR, .cost = USD(1));
	BILL(&w, .hour = TODAY - 43 * HOUR, .cost = USD(2), .credits = -USD(1));
	BILL(&w, .hour = TODAY - 24 * HOUR, .cost = USD(4));
	BILL(&w, .hour = TODAY - 1 * HOUR, .cost = USD(8));
	BILL(&w, .hour = TODAY + 2 * HOUR, .cost = USD(16));
	BILL(&w, .hour = TODAY + 3 * HOUR, .cost = USD(32));
	cost_derive(&w);
	expect("spent", "29000000000");
	budget.where = "category = 'disk'";
	cost_derive(&w);
	expect("spent", "0");
	budget.where = "cost > 3"; /* lines of hours and of days */
	cost_derive(&w);
	expect("spent", "28000000000");
	budget.where = NULL;
	budget.starts = TODAY - 24 * HOUR; /* within one day */
	budget.ends = TODAY - 23 * HOUR;
	cost_derive(&w);
	expect("spent", "4000000000");
	budget.ends = TODAY; /* one whole day */
	cost_derive(&w);
	expect("spent", "12000000000");
}

/* The bill begins later: 0 would be wrong. */
static void a_period_before_the_bill_is_unknown(void **state)
{
	budget.per = BUDGET_CUSTOM;
	budget.starts = TODAY - 400 * 24 * HOUR;
	budget.ends = TODAY - 2 * 24 * HOUR;
	BILL(&w, .hour = TODAY - 5 * HOUR, .cost = USD(1));
	cost_derive(&w);
	expect("spent", "0"); /* it is not known when the bill begins */
	tempdb_execf(&w.t,
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES (1, 1, 'a', "
		"%lld)",
		(long long)TODAY / 86400 - 2);
	cost_derive(&w);
	expect(FIGURES, "- - - -");
	expect_basis("unknown: the bill begins after the period");
	tempdb_execf(&w.t,
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES (1, 1, 'b', "
		"%lld)",
		(long long)TODAY / 86400 - 1);
	cost_derive(&w);
	expect_basis("unknown: the bill of billing account b begins after the period");
	/* partly: of b, the last hour */
	RUN(&w, .name = "d", .since = NOW - HOUR);
	budget.ends = TODAY - 23 * HOUR;
	cost_derive(&w);
	expect("spent || ' ' || (forecast_high IS NULL)", "0 1");
	expect_basis("the bill of billing account b begins at 2026-11-20 00:00, after the "
		     "period did: the figures are lower bounds");
	budget.starts = TODAY - 24 * HOUR;
	cost_derive(&w);
	expect("(basis LIKE '%begins%') || (forecast_high IS NULL)", "00");
}

static void the_end_of_the_period_is_the_latest_moment(void **state)
{
	budget.per = BUDGET_CUSTOM;
	budget.starts = TODAY - 24 * HOUR;
	budget.ends = TODAY - 20 * HOUR + HOUR / 2;
	budget.amount.nanos = USD(3);
	BILL(&w, .hour = TODAY - 20 * HOUR, .cost = USD(3));
	cost_derive(&w);
	cost_expect(&w, "SELECT runs_out = ends FROM budgets", "1");
}

static void a_hundred_percent_is_reached(void **state)
{
	BILL(&w, .hour = TODAY - 20 * HOUR, .cost = USD(10));
	budget.amount.nanos = USD(10) + 1;
	cost_derive(&w);
	cost_expect(
		&w, "SELECT percent || ' ' || forecast_percent FROM budgets", "99.9 99.9");
	budget.amount.nanos = USD(10);
	cost_derive(&w);
	cost_expect(&w, "SELECT percent || ' ' || forecast_percent FROM budgets",
		"100.0 100.0");
	/* so is every other threshold, also where the product does not fit */
	budget.amount.nanos = USD(20) + 1;
	cost_derive(&w);
	cost_expect(
		&w, "SELECT percent || ' ' || IFNULL(reached, 0) FROM budgets", "49.9 0");
	budget.amount.nanos = USD(20);
	cost_derive(&w);
	cost_expect(&w, "SELECT percent || ' ' || reached FROM budgets", "50.0 50");
	BILL(&w, .hour = TODAY - 19 * HOUR, .cost = USD(399999990));
	budget.amount.nanos = USD(800000000);
	cost_derive(&w);
	cost_expect(&w, "SELECT percent || ' ' || reached FROM budgets", "50.0 50");
}

static void each_project_counts_from_its_own_newest_usage(void **state)
{
	BILL(&w, .hour = NOW - 3 * HOUR, .cost = USD(1));                 /* 2 h */
	BILL(&w, .project = "q", .hour = NOW - 7 * HOUR, .cost = USD(2)); /* 6 h */
	BILL(&w, .project = "r", .hour = NOW - 400 * HOUR, .cost = USD(4));
	BILL(&w, .hour = NOW, .cost_type = "tax", .cost = USD(8), .account_level = true);
	RUN(&w, .name = "a");
	RUN(&w, .project = "q", .name = "b");
	RUN(&w, .project = "r", .name = "c", .since = NOW - 72 * HOUR);
	cost_derive(&w);
	/* 15; (2 + 6 + 72) x 0.17 = 13.6; 228 x 0.51 = 116.28 */
	expect(FIGURES, "15000000000 13600000000 28600000000 144880000000");
	cost_expect(&w,
		"SELECT group_concat(IFNULL(project, '-') || ' ' || spent || ' ' || "
		"IFNULL(unbilled_from, '-') || ' ' || IFNULL(unbilled, '-'), '; ') "
		"FROM (SELECT * FROM budget_parts ORDER BY project)",
		"- 8.0 - -; p 1.0 2026-11-21T10:00:00Z 0.34; "
		"q 2.0 2026-11-21T06:00:00Z 1.02; r 4.0 2026-11-07T12:00:00Z 12.24");
	/* 100 - 28.6 = 71.4 at 0.51 an hour: 140 h */
	cost_expect(&w, "SELECT runs_out FROM budgets", "2026-11-27T08:00:00Z");
	expect_basis("1 project without usage on the bill of the last 14 days");
}

/* Google bills the TPU 15 hours later than the disk: neither is lost, nor counted twice. */
static void each_service_counts_from_its_own_newest_usage(void **state)
{
	BILL(&w, .hour = NOW - 6 * HOUR, .cost = USD(1));
	RUN(&w, .name = "d");
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8", .since = NOW - 30 * HOUR);
	budget.amount.nanos = USD(10000);
	cost_derive(&w);
	/* no TPU on the bill: a day longer than the disk, of which 5 h are left: 5 x 0.17 + 29 x 8 */
	expect("spent || ' ' || unbilled", "1000000000 232850000000");
	BILL(&w, .hour = NOW - 21 * HOUR, .cost = USD(80), .category = "tpu");
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "81000000000 160850000000"); /* 20 h */
	expect_basis(
		"bill until 2026-11-20 16:00 to 2026-11-21 07:00, depending on project "
		"and service; what ran");
	cost_expect(&w, "SELECT unbilled_from FROM budget_parts", "2026-11-20T16:00:00Z");
	budget.where = "category = 'tpu'";
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "80000000000 160000000000");
}

/* The bill stays away, from both: neither end moves, and each hour counts once. */
static void an_end_days_ago_is_found_for_each_service(void **state)
{
	char want[64];

	budget.amount.nanos = USD(10000);
	RUN(&w, .name = "d");
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8", .since = NOW - 60 * HOUR);
	BILL(&w, .hour = NOW - 51 * HOUR, .cost = USD(1)); /* the disk: 50 h */
	BILL(&w, .hour = NOW - 57 * HOUR, .cost = USD(1), .category = "tpu"); /* 56 h */
	for (int later = 0; later < 100; later += 3) {
		w.now = NOW + later * HOUR;
		cost_derive(&w);
		snprintf(want, sizeof(want), "%lld",
			(50 + later) * 170000000LL + (56 + later) * 8000000000LL);
		expect("unbilled", want);
	}
	/* nothing runs any more: where the bill ends is known all the same */
	tempdb_exec(&w.t, "DELETE FROM resource");
	cost_derive(&w);
	cost_expect(&w, "SELECT billed_until FROM budget_parts", "2026-11-19T10:00:00Z");
}

/* Not what is on the bill is missing, but what the budget counts. */
static void a_bill_of_others_has_an_end(void **state)
{
	cost_derive(&w);
	expect_basis("no bill was read");
	BILL(&w, .project = "r", .hour = NOW - 400 * HOUR, .cost = USD(4));
	cost_derive(&w);
	expect_basis("bill, which has no usage of the last 14 days; running");
	BILL(&w, .hour = NOW - 3 * HOUR, .cost = USD(1)); /* 2 h */
	BILL(&w, .project = "q", .hour = NOW - 7 * HOUR, .cost = USD(2));
	budget.where = "category = 'gpu'";
	cost_derive(&w);
	expect_basis("bill until 2026-11-21 06:00 to 2026-11-21 10:00, depending on "
		     "project and service; no cost on it counts in this period; running "
		     "resources");
	budget.where = "project = 'r'";
	cost_derive(&w);
	expect_basis("depending on project and service; no usage of the budget's projects "
		     "in the "
		     "last 14 days; running resources");
	budget.where = "project = 'p'";
	cost_derive(&w);
	expect_basis("bill until 2026-11-21 10:00; running resources");
}

/* A tax line of the day is no usage. */
static void only_usage_says_until_when_usage_is_billed(void **state)
{
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(1));
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(2), .cost_type = "adjustment");
	RUN(&w, .name = "a");
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "3000000000 680000000");
}

static void what_was_never_billed_burned_nothing_before_it_began(void **state)
{
	BILL(&w, .project = "q", .hour = NOW - 5 * HOUR, .cost = USD(1));
	RUN(&w, .name = "new", .since = NOW - 10 * HOUR);
	cost_derive(&w);
	expect(FIGURES, "1000000000 1700000000 2700000000 41460000000");
	/* each for itself: 72 x 0.17 beside them, and not 72 x 0.34 */
	RUN(&w, .name = "old", .since = NOW - 72 * HOUR);
	RUN(&w, .name = "newest", .since = NOW - HOUR);
	cost_derive(&w);
	/* 1.7 + 12.24 + 0.17 = 14.11; 228 x 0.51 = 116.28 */
	expect(FIGURES, "1000000000 14110000000 15110000000 131390000000");
	expect("forecast_low", "92273000000"); /* 1 + 0.7 x (14.11 + 116.28) = 92.273 */
	cost_expect(&w,
		"SELECT unbilled || ' ' || net_per_hour || ' ' || unbilled_from FROM "
		"budget_parts WHERE project = 'p'",
		"14.11 0.51 2026-11-07T12:00:00Z");
	/* 0.11 above 15, at 0.51 an hour: since 776.47 s */
	budget.amount.nanos = USD(15);
	cost_derive(&w);
	expect("runs_out", "1795261624");
}

static void without_a_bill_the_figures_are_lower_bounds(void **state)
{
	RUN(&w, .name = "a", .since = NOW - 72 * HOUR);
	cost_derive(&w);
	/* 72 x 0.17 = 12.24; 228 x 0.17 = 38.76 */
	expect(FIGURES, "- 12240000000 12240000000 51000000000");
	expect_basis("no bill was read");
	memcpy(budget.amount.cur, "HKD", 4);
	cost_derive(&w);
	expect(FIGURES, "- - - -");
	expect_basis("unknown: amounts are in USD and the bill has no rate to HKD");
}

static void polled(const char *state, const char *success)
{
	tempdb_execf(&w.t,
		"INSERT OR REPLACE INTO source_status (source, project, state, "
		"last_attempt, last_success, items, poll_group) "
		"VALUES ('vm', 'p', '%s', %lld, %s, 0, 'instances')",
		state, (long long)NOW, success);
}

#define HIGH "IFNULL(forecast_high, 'not known') || ' ' || forecast"

static void what_was_never_read_may_cost_anything(void **state)
{
	BILL(&w, .hour = NOW - 100 * HOUR, .cost = USD(7));
	/* a bill that was imported, and nobody looked at what runs */
	cost_derive(&w);
	expect(HIGH, "not known 7000000000");
	expect_basis(
		"running resources have not been read yet: the figures are lower bounds");
	/* looked, and never saw all of it */
	polled("partial", "NULL");
	cost_derive(&w);
	expect(HIGH, "not known 7000000000");
	expect_basis("some running resources have not been read completely yet");
	/* saw all, and nothing is there */
	polled("ok", "1795262400");
	cost_derive(&w);
	expect(HIGH, "7000000000 7000000000");
	expect_basis("no running resource counts now");
	/* three intervals of an hour ago, and a second more */
	polled("failed", "1795251599");
	cost_derive(&w);
	expect_basis("running resources were last read completely at 2026-11-21 08:59");
}

static void other_currencies_are_converted_at_the_rate_on_the_bill(void **state)
{
	/* 7.8 HKD a USD last week, 8 today */
	BILL(&w, .hour = NOW - 170 * HOUR, .currency = "HKD", .rate = INT64_C(7800000000),
		.cost = USD(78));
	BILL(&w, .hour = NOW - 11 * HOUR, .currency = "HKD", .rate = USD(8),
		.cost = USD(80));
	RUN(&w, .name = "a");
	cost_derive(&w);
	/* 10 + 10; 10 h x 0.17 */
	expect("spent || ' ' || unbilled || ' ' || converted", "20000000000 1700000000 1");
	expect_basis("HKD converted to USD at the rates on the bill, 1 USD = 7.8 to 8 HKD");
	memcpy(budget.amount.cur, "HKD", 4);
	cost_derive(&w);
	/* 158; 10 h x 0.17 x 8 */
	expect("spent || ' ' || unbilled || ' ' || converted",
		"158000000000 13600000000 1");
	expect_basis("USD converted to HKD at the rate on the bill, 1 USD = 8 HKD, the "
		     "newest one");
	memcpy(budget.amount.cur, "EUR", 4);
	cost_derive(&w);
	expect(FIGURES, "- - - -");
	/* an account in euro as well: HKD go through USD */
	BILL(&w, .hour = NOW - 11 * HOUR, .currency = "EUR", .rate = INT64_C(800000000),
		.cost = USD(1));
	cost_derive(&w);
	expect("spent", "17000000000"); /* 10 x 0.8 + 10 x 0.8 + 1 */
	/* every rate is named */
	memcpy(budget.amount.cur, "USD", 4);
	cost_derive(&w);
	expect_basis("HKD converted to USD at the rates on the bill, 1 USD = 7.8 to 8 HKD");
	expect_basis("EUR converted to USD at the rate on the bill, 1 USD = 0.8 EUR");
}

static void without_a_rate_nothing_is_converted(void **state)
{
	BILL(&w, .hour = NOW - 2 * HOUR, .currency = "HKD", .rate = -1, .cost = USD(80));
	cost_derive(&w);
	expect(FIGURES, "- - - -");
	expect_basis("amounts are in HKD and the bill has no rate to USD");
	memcpy(budget.amount.cur, "HKD", 4);
	cost_derive(&w);
	expect("spent || ' ' || unbilled || converted", "80000000000 00");
	/* another one without a rate is not added as if it were the same */
	BILL(&w, .hour = NOW - 2 * HOUR, .currency = "SGD", .rate = -1, .cost = USD(1));
	cost_derive(&w);
	expect(FIGURES, "- - - -");
}

static void a_condition_is_asked_of_what_runs_too(void **state)
{
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	BILL(&w, .hour = NOW - 2 * HOUR, .category = "disk", .cost = USD(2));
	BILL(&w, .hour = NOW - 2 * HOUR, .category = "disk", .cost = USD(4),
		.zone = "europe-west4-a");
	RUN(&w, .name = "a");
	RUN(&w, .kind = "vm", .name = "m", .type = "n1-standard-1");
	budget.where = "category = 'disk' AND region = 'us-central1'";
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "2000000000 170000000");
	budget.where = "service = 'Cloud TPU'";
	cost_derive(&w);
	expect("spent || ' ' || unbilled || ' ' || forecast", "0 0 0");
	/* what only a bill can tell */
	budget.where = "sku LIKE 'SSD%'";
	cost_derive(&w);
	expect("spent || ' ' || unbilled || ' ' || IFNULL(forecast_high, '-')",
		"6000000000 0 -");
	expect_basis("for 2 resources only a bill can decide");
	budget.where = "day >= '2026-11-21'";
	cost_derive(&w);
	expect("spent || ' ' || (unbilled > 0)", "7000000000 1");
}

/* The account of a project now; of one that was not read, that of its newest day on the bill. */
static void a_condition_on_the_account_is_asked_of_what_runs(void **state)
{
	for (int i = 0; i < 3; i++)
		BILL(&w, .hour = NOW - (2 + 48 * i) * HOUR, .cost = USD(1 << i),
			.account = i == 1 ? "B"
				: i       ? "C"
					  : "A");
	RUN(&w, .name = "a");
	budget.where = "account = 'A'";
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "1000000000 170000000");
	budget.where = "costs.account IN ('B', 'C')";
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "6000000000 0");
	tempdb_exec(&w.t, "INSERT INTO project_billing VALUES ('p', 'B', 1, 1)");
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "6000000000 170000000");
	tempdb_exec(&w.t, "UPDATE project_billing SET account = ''");
	cost_derive(&w);
	expect("spent || ' ' || unbilled", "6000000000 0");
}

static void a_condition_on_list_prices_is_asked_of_what_runs(void **state)
{
	static const char *const holds[] = {"list_cost > 0.16 AND list_cost < 0.18",
		"savings = 0", "consumption_model = 'Default' OR consumption_model IS NULL",
		"costs.list_cost = cost + savings"};

	BILL(&w, .hour = NOW - 2 * HOUR, .cost = NANOS / 100 * 17);
	RUN(&w, .name = "a");
	for (size_t i = 0; i < ARRAY_LEN(holds); i++) {
		budget.where = holds[i];
		cost_derive(&w);
		expect("spent || ' ' || unbilled", "170000000 170000000");
	}
}

static void what_has_no_price_makes_lower_bounds(void **state)
{
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	RUN(&w, .name = "a");
	RUN(&w, .name = "x", .type = "no-such-disk");
	cost_derive(&w);
	expect("unpriced || ' ' || unbilled || ' ' || IFNULL(forecast_high, '-')",
		"1 170000000 -");
	expect_basis("1 resource has no price: the figures are lower bounds");
}

static void advised_stops_make_the_second_forecast(void **state)
{
	budget.amount.nanos = USD(10000);
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	BILL(&w, .hour = NOW - 2 * HOUR, .category = "tpu");
	RUN(&w, .name = "a");
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8"); /* 8 USD/h, no grant */
	RUN(&w, .kind = "tpu", .name = "keep", .type = "v3-8",
		.labels = "{\"tpucost-keep\": \"\"}");
	cost_derive(&w);
	/* 1 + 16.17 + 228 x 16.17 against 228 x 8.17 */
	expect("forecast || ' ' || forecast_if_stopped", "3703930000000 1879930000000");
	cost_expect(
		&w, "SELECT group_concat(id) FROM advised_stop", "p/tpu/us-central1-b/t");
	/* on hold until a second from now, and until now */
	tempdb_exec(&w.t,
		"INSERT INTO hold SELECT 'p/tpu/us-central1-b/t', 0, now + 1, '' FROM "
		"as_of");
	cost_derive(&w);
	cost_expect(&w, "SELECT COUNT(*) FROM advised_stop", "0");
	tempdb_exec(&w.t, "UPDATE hold SET until = until - 1");
	cost_derive(&w);
	cost_expect(&w, "SELECT COUNT(*) FROM advised_stop", "1");
	budget.amount.nanos = USD(
		2000); /* 1982.83 more at 16.17: 122.624 h; never at 8.17 */
	cost_derive(&w);
	cost_expect(&w,
		"SELECT runs_out || ' ' || IFNULL(runs_out_if_stopped, '-') FROM budgets",
		"2026-11-26T14:37:27Z -");
}

static void what_a_grant_covers_is_not_advised_to_stop(void **state)
{
	struct grant grant = {.name = "g",
		.zone = "us-central1-b",
		.type = "v3-8",
		.family = "v3",
		.unit = GRANT_DEVICES,
		.count = 1,
		.chips = 4,
		.provisioning = "on-demand",
		.starts = TS_NONE,
		.until = TS_NONE};

	w.settings.grants = &grant;
	w.settings.n_grants = 1;
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8");
	RUN(&w, .kind = "tpu", .name = "spot", .type = "v3-8", .provisioning = "spot");
	cost_derive(&w);
	w.settings.n_grants = 0;
	cost_expect(&w, "SELECT group_concat(id) FROM advised_stop",
		"p/tpu/us-central1-b/spot");
	/* it may be the one that is covered: neither free nor to be stopped, and of no price */
	w.settings.n_grants = 1;
	tempdb_exec(&w.t, "UPDATE resource SET provisioning = 'unknown' WHERE name = 't'");
	cost_derive(&w);
	w.settings.n_grants = 0;
	cost_expect(&w, "SELECT group_concat(id) FROM advised_stop",
		"p/tpu/us-central1-b/spot");
	cost_expect(&w,
		"SELECT IFNULL(covered, '-') || ' ' || why || ' ' || "
		"IFNULL(gross_per_hour, "
		"'-') || ' ' || IFNULL(net_per_hour, '-') || ' ' || price_source FROM "
		"resources WHERE name = 't'",
		"- provisioning-unknown - - unknown");
	/* a reserved one has the price of its reservation */
	tempdb_exec(&w.t, "UPDATE resource SET provisioning = 'reserved' WHERE name = 't'");
	cost_derive(&w);
	cost_expect(&w,
		"SELECT covered || ' ' || why || ' ' || IFNULL(gross_per_hour, '-') || ' ' "
		"|| price_source FROM resources WHERE name = 't'",
		"0 no-grant - unknown");
	expect("unpriced", "1");
}

static void what_a_grant_covers_is_paid_from_its_end_on(void **state)
{
	struct grant grants[2] = {{.name = "g",
		.zone = "us-central1-b",
		.type = "v3-8",
		.family = "v3",
		.unit = GRANT_DEVICES,
		.count = 1,
		.chips = 4,
		.provisioning = "on-demand",
		.starts = TS_NONE,
		.until = NOW + 100 * HOUR}};

	w.settings.grants = grants;
	w.settings.n_grants = 1;
	RUN(&w, .name = "d", .since = NOW - 72 * HOUR);
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8");
	cost_derive(&w);
	/* 12.24 of the disk, 228 x 0.17 = 38.76, and 128 x 8 = 1024 */
	expect("unbilled || ' ' || forecast || ' ' || forecast_if_stopped",
		"12240000000 1075000000000 1075000000000");
	expect_basis(
		"and 2 running resources, of which 1 TPU becomes paid when the grant ends");
	/* of 82.76 that are left, 17 at 0.17 an hour and 65.76 at 8.17: 28976.25 s */
	budget.amount.nanos = USD(95);
	cost_derive(&w);
	expect("runs_out - 1795262400", "388977");
	/* another one covers it 4 hours later: 4 x 8 */
	grants[1] = grants[0];
	grants[1].name = "next";
	grants[1].starts = NOW + 104 * HOUR;
	grants[1].until = TS_NONE;
	w.settings.n_grants = 2;
	cost_derive(&w);
	expect("forecast", "83000000000");
	/* it ends by itself after 3 of them */
	tempdb_execf(&w.t, "UPDATE resource SET ends = %lld WHERE name = 't'",
		(long long)NOW + 103 * HOUR);
	cost_derive(&w);
	expect("forecast", "75000000000");
	/* before the grant does, and after the period */
	for (int hours = 90; hours <= 100; hours += 10) {
		tempdb_execf(&w.t, "UPDATE resource SET ends = %lld WHERE name = 't'",
			(long long)NOW + hours * HOUR);
		cost_derive(&w);
		expect("forecast", "51000000000");
	}
	tempdb_exec(&w.t, "UPDATE resource SET ends = NULL");
	grants[0].until = NOW + 228 * HOUR;
	cost_derive(&w);
	expect("forecast || ' ' || (basis LIKE '%becomes paid%')", "51000000000 0");
	w.settings.n_grants = 0;
}

/* It was created long ago, and started again. */
static void what_was_started_lately_burns_since_then(void **state)
{
	BILL(&w, .project = "q", .hour = NOW - 5 * HOUR, .cost = USD(1));
	RUN(&w, .name = "a", .since = NOW - 2 * HOUR);
	tempdb_exec(&w.t, "UPDATE resource SET created = created - 864000");
	cost_derive(&w);
	expect("unbilled", "340000000"); /* 2 x 0.17 */
}

static ts_t since = TS_NONE;

/* All tables, or one by itself: each is the first to read what they share. */
static enum err_code derive_tables(void *ctx, struct err *e)
{
	struct derive_opts o = {
		.settings = &w.settings, .now = NOW, .since = since, .until = TS_NONE};
	const int *table = ctx;

	if (!table)
		return derive(w.t.db, &o, e);
	if (derive_begin(w.t.db, &o, e))
		return e->code;
	return db_derived_need(w.t.db, UINT64_C(1) << *table, e);
}

static void sweep_tables(void)
{
	cost_derive(&w);
	for (int i = 0; i < db_n_derived_tables; i++)
		faultstmt_sweep_both(w.t.db, derive_tables, NULL, &i);
	assert_true(faultstmt_sweep_both(w.t.db, derive_tables, NULL, NULL) > 40);
}

/* A rate that cannot be read is not one that is not known. */
static void a_statement_that_fails_is_an_error(void **state)
{
	static const struct price_override euros = {.family = "v3",
		.zone = "us-central1-b",
		.per_chip_hour = {.nanos = NANOS, .cur = "EUR"}};
	static const struct credit credits[] = {{.name = "a",
							.amount = {USD(9), "USD"},
							.starts = TS_NONE,
							.expires = TS_NONE},
		{.name = "b",
			.amount = {USD(9), "USD"},
			.starts = TS_NONE,
			.expires = NOW}};

	w.settings.prices = &euros;
	w.settings.n_prices = 1;
	w.settings.credits = credits;
	w.settings.n_credits = 1;
	BILL(&w, .project = "p", .hour = NOW - 5 * HOUR, .currency = "EUR", .rate = USD(2),
		.cost = USD(1), .category = "tpu");
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8");
	sweep_tables();
	w.settings.n_credits = 2; /* shared hour by hour */
	since = NOW - DAY_SECONDS;
	sweep_tables();
	since = TS_NONE;
	w.settings.n_prices = 0;
	expect("unbilled", "8000000000"); /* 4 h x 4 chips, 2 EUR a dollar */
}

/* West of UTC, the first day of the bill begins in the month before: nothing of it is known, or only its end. */
static void the_month_before_the_bill_is_not_zero(void **state)
{
	static const char spent[] = "SELECT group_concat(COALESCE(spent, '-'), ' ') FROM "
				    "(SELECT spent FROM budget_past ORDER BY starts)";
	cleanup(tz_free_ptr) struct tz *west = NULL;
	struct tz *utc = w.t.tz;
	struct err e = {0};

	assert_ok(tz_open("America/Los_Angeles", &west, &e), e);
	w.settings.tz = w.t.tz = west;
	since = NOW - 50 * DAY_SECONDS; /* 2026-10-02 */
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(1));
	tempdb_exec(&w.t,
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES "
		"(1, 1, 'a', 20758)"); /* 2026-11-01 */
	cost_derive(&w);
	assert_ok(derive_tables(NULL, &e), e);
	cost_expect(&w, spent, "- 1000000000");
	BILL(&w, .hour = INT64_C(1793491200), .cost = USD(2)); /* 17:00 of October 31 */
	cost_derive(&w);
	assert_ok(derive_tables(NULL, &e), e);
	cost_expect(&w, spent, "2000000000 1000000000");
	w.t.tz = utc;
	since = TS_NONE;
}

/* An hour belongs to its own month only; a bit for each, so that the sum tells which are in it. */
static void months_that_are_over_have_their_own_hours(void **state)
{
	const ts_t sep = INT64_C(1788220800), oct = sep + 30 * DAY_SECONDS,
		   nov = oct + 31 * DAY_SECONDS;
	const ts_t hours[] = {sep, oct - HOUR, oct, nov - HOUR, nov, NOW - 5 * HOUR};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(hours); i++)
		BILL(&w, .hour = hours[i], .cost = USD(1 << i));
	tempdb_exec(&w.t,
		"INSERT INTO billing_unit (table_id, unit, row_count, exported, "
		"ingested) VALUES (1, 1, 1, 0, 0);INSERT INTO billing_day "
		"(table_id, unit, account, day) VALUES (1, 1, 'A', 20697)");
	cost_derive(&w);
	since = sep + 20 * DAY_SECONDS;
	assert_ok(derive_tables(NULL, &e), e);
	since = TS_NONE;
	cost_expect(&w,
		"SELECT group_concat(date(starts, 'unixepoch') || ' ' || date(ends, "
		"'unixepoch') || ' ' || spent, ', ') FROM (SELECT * FROM budget_past ORDER "
		"BY starts)",
		"2026-09-01 2026-10-01 3000000000, 2026-10-01 2026-11-01 12000000000, "
		"2026-11-01 2026-12-01 48000000000");
}

/* One way asks by SQL, the other one does not. */
static void a_condition_that_holds_of_all_is_as_none(void **state)
{
	static const struct budget both[] = {
		{.name = "all",
			.amount = {.nanos = USD(10000), .cur = "USD"},
			.per = BUDGET_MONTH},
		{.name = "each",
			.amount = {.nanos = USD(10000), .cur = "USD"},
			.per = BUDGET_MONTH,
			.where = "1 = 1"}};
	const char *figures =
		"SELECT COUNT(*) FROM (SELECT spent, unbilled, expected, forecast, "
		"forecast_low, forecast_high, forecast_if_stopped, runs_out, unpriced, "
		"basis FROM budget_state GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)";

	w.settings.budgets = both;
	w.settings.n_budgets = 2;
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	RUN(&w, .name = "a");
	RUN(&w, .name = "x", .type = "no-such-disk");
	RUN(&w, .project = "p-2", .name = "b", .since = NOW - HOUR);
	RUN(&w, .kind = "vm", .name = "m", .type = "n1-standard-1");
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8");
	cost_derive(&w);
	cost_expect(&w, figures, "1");
	cost_expect(&w,
		"SELECT COUNT(*) || ' ' || SUM(n) FROM (SELECT project, COUNT(*) AS n FROM "
		"budget_part GROUP BY project, spent, unbilled_from, per_hour, unbilled)",
		"2 4");
}

static void an_idle_machine_is_advised_to_stop_unless_a_tpu_is_near(void **state)
{
	RUN(&w, .kind = "vm", .name = "m", .type = "n1-standard-1");
	RUN(&w, .kind = "vm", .name = "busy", .type = "n1-standard-1");
	cost_derive(&w);
	cost_expect(&w, "SELECT COUNT(*) FROM advised_stop", "0"); /* not known */
	tempdb_exec(&w.t,
		"INSERT INTO metric (project, metric, subject, at, value, idle_since, "
		"series) VALUES ('p', 'compute.googleapis.com/instance/cpu/utilization', "
		"'m', 1795262340, 0, 1795258800, 1), ('p', "
		"'compute.googleapis.com/instance/cpu/utilization', 'busy', 1795262340, "
		"900000000, NULL, 1)");
	cost_derive(&w);
	cost_expect(
		&w, "SELECT group_concat(id) FROM advised_stop", "p/vm/us-central1-b/m");
	RUN(&w, .kind = "tpu", .name = "t", .type = "v3-8",
		.labels = "{\"tpucost-keep\": \"\"}");
	cost_derive(&w);
	cost_expect(&w, "SELECT COUNT(*) FROM advised_stop", "0");
}

static void one_that_is_over_says_with_which_hour(void **state)
{
	budget.amount.nanos = USD(10);
	for (int day = 1; day <= 3; day++)
		for (int hour = 0; hour < 4; hour++)
			BILL(&w, .hour = TODAY - (5 - day) * 24 * HOUR + hour * HOUR,
				.cost = USD(1));
	cost_derive(&w); /* the tenth: 19 November 01:00 to 02:00 */
	cost_expect(&w, "SELECT runs_out || ' ' || reached FROM budgets",
		"2026-11-19T02:00:00Z 100");
	budget.amount.nanos = USD(12); /* all of it, and no more */
	cost_derive(&w);
	cost_expect(&w, "SELECT runs_out FROM budgets", "2026-11-19T04:00:00Z");
	budget.where = "cost > 0";
	budget.per = BUDGET_CUSTOM;
	budget.starts = TODAY - 4 * 24 * HOUR + 3 * HOUR;
	budget.ends = TODAY + 30 * 24 * HOUR;
	budget.amount.nanos = USD(1); /* in the piece of the first day */
	cost_derive(&w);
	cost_expect(&w, "SELECT runs_out FROM budgets", "2026-11-17T04:00:00Z");
	/* of an hour that is not over yet, no later than now */
	BILL(&w, .hour = NOW, .cost = USD(5));
	budget.starts = NOW;
	cost_derive(&w);
	cost_expect(&w, "SELECT runs_out FROM budgets", "2026-11-21T12:00:00Z");
}

static void a_condition_that_is_wrong_makes_one_budget_unknown(void **state)
{
	static const char *const bad[] = {"no_such > 1", "1) OR (1", "cost >", "(1",
		"1; DELETE FROM usage", "(SELECT MAX(cost) FROM usage) > 0",
		"load_extension('x')",
		"0 IN (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
		"SELECT n FROM r)",
		"1 -- x"};
	struct budget list[2];

	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	RUN(&w, .name = "a");
	w.settings.budgets = list;
	w.settings.n_budgets = 2;
	list[0] = list[1] = budget;
	list[0].name = "a";
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		list[0].where = bad[i];
		cost_derive(&w);
		cost_expect(&w,
			"SELECT SUBSTR(basis, 1, 8) || IFNULL(expected, '-') "
			"FROM budget_state WHERE name = 'a'",
			"unknown:-");
		cost_expect(&w, "SELECT expected FROM budget_state WHERE name = 'b'",
			"1170000000");
	}
	cost_expect(&w, "SELECT COUNT(*) FROM usage", "1");
}

static void sums_that_do_not_fit_are_not_known(void **state)
{
	for (int i = 0; i < 3; i++)
		BILL(&w, .hour = NOW - 2 * HOUR, .cost = INT64_MAX / 2 - 1,
			.category = i ? "cpu" : "disk", .project = i == 2 ? "q" : "p");
	cost_derive(&w);
	expect("IFNULL(expected, '-') || ' ' || IFNULL(spent, '-')", "- -");
}

/* Two that cost six tenths each of what fits, in the last hour of a period. */
static void rates_that_do_not_fit_are_not_known(void **state)
{
	static const struct price_override much = {.family = "v3",
		.zone = "us-central1-b",
		.per_chip_hour = {.nanos = INT64_MAX / 20 * 3, .cur = "USD"}};

	w.settings.prices = &much;
	w.settings.n_prices = 1;
	budget.per = BUDGET_CUSTOM;
	budget.starts = NOW;
	budget.ends = NOW + HOUR;
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	RUN(&w, .kind = "tpu", .name = "a", .type = "v3-8", .since = NOW);
	cost_derive(&w);
	expect("forecast", "5534023222112865480");
	RUN(&w, .kind = "tpu", .name = "b", .type = "v3-8", .since = NOW);
	cost_derive(&w);
	expect(FIGURES, "- - - -");
	expect_basis("the figures exceed 9.2 billion");
	w.settings.n_prices = 0;
}

/* The budgets anew, with what estimates of settled days came to: newest day first. */
static enum err_code fill_budgets(void *ctx, const char *table, struct err *e)
{
	struct row_as_of now = {
		.now = NOW, .timezone = "UTC", .currency = "USD", .today = ""};

	if (!strcmp(table, "as_of"))
		return derived_put_as_of(w.t.db, &now, e);
	return strcmp(table, "budget_state") ? E_OK : derive_budgets(ctx, e);
}

static void with_errors(size_t n, struct row_estimate_error *errors)
{
	struct derive_opts o = {.settings = &w.settings, .now = NOW};
	struct deriving d = {.db = w.t.db, .o = &o, .errors = {.v = errors, .n = n}};
	struct err e = {0};

	assert_ok(db_fill_derived(w.t.db, fill_budgets, NULL, &d, &e), e);
	assert_ok(derive_load(&d, &e), e);
	derive_prices(&d);
	derive_verdicts(&d);
	assert_ok(derive_past(&d, &e), e);
	assert_ok(derive_charges(&d, &e), e);
	assert_ok(db_derived_all(w.t.db, NULL, &e), e);
	derive_done(&d);
}

#define ERRORS(...)                                                      \
	with_errors(sizeof((struct row_estimate_error[]){__VA_ARGS__}) / \
			sizeof(struct row_estimate_error),               \
		(struct row_estimate_error[]){__VA_ARGS__})
#define ERROR(ago, cur, gave, bill)                                                        \
	{                                                                                  \
		.day = #ago " days ago", .currency = cur, .estimate = gave, .billed = bill \
	}

#define RANGE "forecast_low || ' ' || forecast_high"

static void the_range_is_that_of_last_weeks_errors(void **state)
{
	BILL(&w, .hour = NOW - 2 * HOUR, .cost = USD(1));
	RUN(&w, .name = "a");
	cost_derive(&w);
	/* estimated: 229 x 0.17 = 38.93; 30 % of it 11.679 */
	expect(RANGE, "28251000000 51609000000");
	expect_basis("no settled day to compare estimates with yet: the range assumes an "
		     "error of 30 %");
	/* 4 % too high, 10 % too low; 25.1 of 25 */
	ERRORS(ERROR(4, "USD", 15600, 15000), ERROR(5, "USD", 9000, 10000));
	expect(RANGE, "36037000000 43823000000");
	expect_basis("estimates for the last 2 settled days were 1.6 % too low and 10.0 % "
		     "off on the worst of them");
	/* days without a bill say nothing, and no more than seven are taken */
	ERRORS(ERROR(4, "USD", 105, 100), ERROR(5, "USD", 50, 0), ERROR(6, "USD", 105, 100),
		ERROR(7, "USD", 105, 100), ERROR(8, "USD", 105, 100),
		ERROR(9, "USD", 105, 100), ERROR(10, "USD", 105, 100),
		ERROR(11, "USD", 105, 100), ERROR(12, "USD", 900, 100));
	expect_basis("the last 7 settled days were 5.0 % too high and 5.0 % off");
	expect(RANGE, "37983500000 41876500000");
	/* so wrong that only what is billed is certain; in two currencies there is no mean */
	ERRORS(ERROR(4, "HKD", 1, 1), ERROR(4, "USD", 900, 100));
	expect(RANGE, "1000000000 78860000000");
	expect_basis("the last 1 settled day were 100.0 % off");
}

static void what_began_only_now_counts_from_then(void **state)
{
	BILL(&w, .hour = NOW - 11 * HOUR, .cost = USD(1));
	RUN(&w, .name = "a", .since = NOW - HOUR);
	cost_derive(&w);
	ERRORS(ERROR(4, "USD", 100, 100));
	/* 1 h, and 228 h to come */
	expect("unbilled || ' ' || " RANGE, "170000000 39930000000 39930000000");
}

/* Billed until 08:00, deleted at 11:00: its three hours are not taken back. */
static void what_was_stopped_still_counts(void **state)
{
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(1));
	RUN(&w, .name = "gone");
	RUN(&w, .name = "long-gone");
	RUN(&w, .name = "off", .kind = "vm", .type = "n1-standard-1", .state = "stopped");
	tempdb_exec(&w.t,
		"DELETE FROM resource WHERE kind = 'disk'; UPDATE resource_interval SET "
		"ends = CASE name WHEN 'gone' THEN 1795258800 ELSE 1795244400 END");
	cost_derive(&w);
	expect(FIGURES, "1000000000 510000000 1510000000 1510000000");
	expect_basis("bill until 2026-11-21 08:00; what ran since; no running resource "
		     "counts now; no settled day to compare estimates with yet");
	cost_expect(
		&w, "SELECT unbilled || ' ' || net_per_hour FROM budget_parts", "0.51 0.0");
	budget.where = "resource = 'gone'";
	cost_derive(&w);
	expect("unbilled", "510000000");
	budget.where = "resource = 'other'";
	cost_derive(&w);
	expect("unbilled", "0");
}

static void every_public_column_is_there(void **state)
{
	w.settings.n_budgets = 0;
	cost_derive(&w);
	cost_expect(&w, "SELECT COUNT(*) FROM budgets", "0");
	cost_expect(&w, "SELECT COUNT(*) FROM budget_parts", "0");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_month_is_what_is_billed_and_what_runs_since),
		TEST(a_machine_burns_until_it_ends_by_itself),
		TEST(disks_end_with_a_machine_that_is_deleted_with_them),
		TEST(days_are_of_the_zone),
		TEST(yesterdays_hours_are_not_todays),
		TEST(rows_are_computed_after_all_are_derived),
		TEST(a_custom_period_is_cut_to_the_hour),
		TEST(a_period_before_the_bill_is_unknown),
		TEST(the_end_of_the_period_is_the_latest_moment),
		TEST(a_hundred_percent_is_reached),
		TEST(each_project_counts_from_its_own_newest_usage),
		TEST(each_service_counts_from_its_own_newest_usage),
		TEST(an_end_days_ago_is_found_for_each_service),
		TEST(a_bill_of_others_has_an_end),
		TEST(only_usage_says_until_when_usage_is_billed),
		TEST(what_was_never_billed_burned_nothing_before_it_began),
		TEST(without_a_bill_the_figures_are_lower_bounds),
		TEST(what_was_never_read_may_cost_anything),
		TEST(the_month_before_the_bill_is_not_zero),
		TEST(other_currencies_are_converted_at_the_rate_on_the_bill),
		TEST(without_a_rate_nothing_is_converted),
		TEST(a_condition_is_asked_of_what_runs_too),
		TEST(a_condition_on_the_account_is_asked_of_what_runs),
		TEST(a_condition_on_list_prices_is_asked_of_what_runs),
		TEST(what_has_no_price_makes_lower_bounds),
		TEST(advised_stops_make_the_second_forecast),
		TEST(what_a_grant_covers_is_not_advised_to_stop),
		TEST(what_a_grant_covers_is_paid_from_its_end_on),
		TEST(what_was_started_lately_burns_since_then),
		TEST(a_statement_that_fails_is_an_error),
		TEST(months_that_are_over_have_their_own_hours),
		TEST(a_condition_that_holds_of_all_is_as_none),
		TEST(an_idle_machine_is_advised_to_stop_unless_a_tpu_is_near),
		TEST(one_that_is_over_says_with_which_hour),
		TEST(a_condition_that_is_wrong_makes_one_budget_unknown),
		TEST(sums_that_do_not_fit_are_not_known),
		TEST(rates_that_do_not_fit_are_not_known),
		TEST(the_range_is_that_of_last_weeks_errors),
		TEST(what_began_only_now_counts_from_then),
		TEST(what_was_stopped_still_counts),
		TEST(every_public_column_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

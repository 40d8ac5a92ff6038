/* Costs by day and project beside the mean of the week before: exact, per currency, over
 * complete days only. */
#include "base/time/civil.h"
#include "db/rollup/rollup.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)
#define DAY(n) (NOW - (n)*DAY_SECONDS)

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, looked) VALUES (1, 'a.b.c', 'US', 0, 0, 1795219200);INSERT "
		"INTO billed_resource (resource_ref, resource, global_name) VALUES (1, '', "
		"'');INSERT INTO billed_project VALUES (1, 'p', '7', 'A');INSERT INTO "
		"billed_project VALUES (2, 'q', '8', 'A');INSERT INTO billed_project "
		"VALUES (3, '', '', 'A');INSERT INTO billed_project VALUES (4, 'p', '9', "
		"'A');INSERT INTO sku VALUES (1, '6F81-5844-456A', 'Compute Engine', 'S', "
		"'X');INSERT INTO place VALUES (1, '', '', '');INSERT INTO charge "
		"(charge_ref, invoice_month, cost_type, currency, usage_unit, rate) VALUES "
		"(1, '202611', 'regular', 'USD', 'hour', 0);INSERT INTO charge "
		"(charge_ref, invoice_month, cost_type, currency, usage_unit, rate) VALUES "
		"(2, "
		"'202611', 'regular', 'HKD', 'hour', 0);INSERT INTO charge (charge_ref, "
		"invoice_month, cost_type, currency, usage_unit, rate) VALUES (3, "
		"'202611', 'tax', 'USD', '', 0);");
	return 0;
}

static void clear(void)
{
	tempdb_exec(&t, "DELETE FROM usage; DELETE FROM billing_day");
}

/* Cost and promotion of one hour. */
static void put(int project, int charge, ts_t hour, int64_t cost, int64_t promo)
{
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO billing_day VALUES (1, 1, 'A', %lld);"
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, %lld, 1, %d, 1, 1, %d, 0, 0, %lld, 0, 1);"
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"SELECT 1, 1, %lld, 1, %d, 1, 1, %d, 1, 0, 0, %lld, 0 "
		"WHERE %lld <> 0",
		(long long)hour / DAY_SECONDS, (long long)hour, project, charge,
		(long long)cost, (long long)hour, project, charge, (long long)promo,
		(long long)promo);
}

static void run(void)
{
	struct settings settings = {.tz = t.tz, .currency = "USD"};
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	if (rollup_all(t.db, t.tz, &e) || derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

#define MEANS                                                                              \
	"SELECT group_concat(net || ' ' || days_7d || ' ' || COALESCE(mean_7d, '-') || ' " \
	"' || "                                                                            \
	"COALESCE(ratio, '-') || ' ' || status, char(10)) FROM (SELECT * FROM "            \
	"daily_costs "                                                                     \
	"WHERE project = 'p' AND currency = 'USD' ORDER BY day)"

static void the_mean_is_of_the_days_before(void **state)
{
	clear();
	put(1, 1, DAY(9), 1000000000, 0);
	put(1, 1, DAY(8), 2000000000, 0);
	put(1, 1, DAY(7), 4000000000, -1000000000); /* net 3 */
	put(1, 1, DAY(5), 6000000000, 0);
	put(1, 1, DAY(2) - 3600, 30000000000, 0); /* the last hour of day 3 */
	run();
	/* before day 5: (1 + 2 + 3) / 3; before day 3: (1 + 2 + 3 + 6) / 4 */
	expect(MEANS,
		"1.0 0 - - settled\n"
		"2.0 1 - - settled\n"
		"3.0 2 - - settled\n"
		"6.0 3 2.0 3.0 settled\n"
		"30.0 4 3.0 10.0 settling");
	expect("SELECT cost || ' ' || credits || ' ' || net FROM daily_costs WHERE day = "
	       "'2026-11-14'",
		"4.0 -1.0 3.0");
}

/* Eight days of different length before: the eighth back does not count. */
static void a_week_is_seven_days(void **state)
{
	clear();
	for (int i = 1; i <= 8; i++)
		put(1, 1, DAY(3 + i), i * INT64_C(1000000000), 0);
	put(1, 1, DAY(3), 8000000000, 0);
	run();
	/* 1 + ... + 7 = 28 over 7 */
	expect("SELECT days_7d || ' ' || mean_7d || ' ' || peak_7d || ' ' || ratio "
	       "FROM daily_costs WHERE day = '2026-11-18'",
		"7 4.0 7.0 2.0");
}

static void a_mean_is_rounded_half_to_even_once(void **state)
{
	/* nanos of days 7, 6, 5, 4 before day 3, and their mean */
	static const struct {
		int64_t v[4], mean;
		size_t n;
	} rows[] = {
		{{1, 1, 2, 0}, 1, 3},      /* 4/3 = 1.33 */
		{{1, 2, 2, 0}, 2, 3},      /* 5/3 = 1.67 */
		{{1, 1, 1, 3}, 2, 4},      /* 6/4 = 1.5 */
		{{1, 1, 4, 4}, 2, 4},      /* 10/4 = 2.5 */
		{{-1, -1, -1, -3}, -2, 4}, /* -1.5 */
		{{-1, -1, -4, -4}, -2, 4}, /* -2.5 */
		{{-1, -2, -2, 0}, -2, 3},  /* -1.67 */
		{{5, -5, 0, 0}, 0, 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char want[64];

		clear();
		for (size_t k = 0; k < rows[i].n; k++)
			put(1, 1, DAY(7 - (int64_t)k), rows[i].v[k], 0);
		put(1, 1, DAY(3), 10, 0);
		run();
		snprintf(want, sizeof(want), "%lld", (long long)rows[i].mean);
		expect("SELECT CAST(ROUND(mean_7d * 1e9) AS INTEGER) FROM daily_costs "
		       "WHERE day = '2026-11-18'",
			want);
		/* a ratio to nothing or less says nothing */
		expect("SELECT ratio IS NULL FROM daily_costs WHERE day = '2026-11-18'",
			rows[i].mean > 0 ? "0" : "1");
	}
}

static void days_that_are_not_complete_are_shown_and_never_averaged(void **state)
{
	clear();
	for (int i = 1; i <= 5; i++)
		put(1, 1, DAY(i), 1000000000, 0);
	put(1, 1, NOW - DAY_SECONDS + 3600, 1000000000, 0); /* yesterday has 2 */
	run();
	/* known up to midnight: yesterday is partial, the day before is settling */
	expect("SELECT group_concat(status) FROM (SELECT * FROM daily_costs ORDER BY day)",
		"settled,settled,settling,settling,partial");
	/* the export was not looked at for two days: only day 5 and 4 are complete */
	tempdb_exec(&t, "UPDATE billing_table SET looked = 1795219200 - 2 * 86400");
	run();
	expect("SELECT group_concat(status || days_7d) FROM (SELECT * FROM daily_costs "
	       "ORDER BY day)",
		"settling0,settling1,partial2,partial2,partial2");
	tempdb_exec(&t, "UPDATE billing_table SET looked = 1795219200");
}

static void projects_and_currencies_stand_apart(void **state)
{
	clear();
	put(1, 1, DAY(9), 1, 0);
	put(4, 1, DAY(9), 10, 0); /* the same id, another number */
	put(1, 2, DAY(9), 100, 0);
	put(2, 1, DAY(9), 1000, 0);
	put(3, 3, DAY(9), 10000, 0);
	run();
	expect("SELECT group_concat(COALESCE(project, '-') || ' ' || currency || ' ' || "
	       "CAST(ROUND(net * 1e9) AS INTEGER)) FROM (SELECT * FROM daily_costs ORDER "
	       "BY net)",
		"p USD 11,p HKD 100,q USD 1000,- USD 10000");
}

static void a_mean_is_of_one_currency(void **state)
{
	clear();
	for (int i = 5; i < 9; i++) {
		put(1, 1, DAY(i), 2000000000, 0);
		put(1, 2, DAY(i), 16000000000, 0);
	}
	run();
	expect("SELECT group_concat(currency || ' ' || mean_7d || ' ' || ratio) FROM "
	       "(SELECT * FROM daily_costs WHERE day = '2026-11-16' ORDER BY currency)",
		"HKD 16.0 1.0,USD 2.0 1.0");
}

/* Usage that is replaced counts once: the rollup is made anew for its days. */
static void a_restated_day_counts_once(void **state)
{
	struct rollup_range range = {DAY(9), DAY(9)};
	struct err e = {0};

	clear();
	put(1, 1, DAY(9), 5, 0);
	put(1, 1, DAY(8), 7, 0);
	run();
	tempdb_exec(&t, "UPDATE usage SET cost = 6 WHERE cost = 5");
	assert_int_equal(rollup_days(t.db, t.tz, &range, &e), E_OK);
	expect("SELECT group_concat(cost) FROM (SELECT * FROM project_day ORDER BY day)",
		"6,7");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean_is_of_the_days_before),
		cmocka_unit_test(a_week_is_seven_days),
		cmocka_unit_test(a_mean_is_rounded_half_to_even_once),
		cmocka_unit_test(days_that_are_not_complete_are_shown_and_never_averaged),
		cmocka_unit_test(projects_and_currencies_stand_apart),
		cmocka_unit_test(a_mean_is_of_one_currency),
		cmocka_unit_test(a_restated_day_counts_once),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

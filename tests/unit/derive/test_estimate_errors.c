/* List-price estimates of settled days beside their bill. Prices and sums stand beside each
 * figure. */
#include "base/time/civil.h"
#include "db/rollup/rollup.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)
#define HOUR INT64_C(3600)
#define DAY(n) (NOW - (n)*DAY_SECONDS)

static struct tempdb t;
static struct grant grants[1];

static int setup(void **state)
{
	struct err e = {0};

	tempdb_open(&t, NOW);
	grants[0] = (struct grant){.name = "trc", .starts = DAY(30), .until = NOW};
	if (grant_parse_line("5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		    &t.a, &grants[0], &e))
		fail_msg("%s", e.msg);
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, looked) VALUES (1, 'a.b.c', 'US', 0, 0, 1795219200);INSERT "
		"INTO billed_resource (resource_ref, resource, global_name) VALUES (1, '', "
		"'');INSERT INTO billed_project VALUES (1, 'p', '7', 'A');INSERT INTO "
		"billed_project VALUES (2, 'q', '8', 'A');INSERT INTO billed_project "
		"VALUES (3, 'r', '9', 'A');INSERT INTO sku VALUES (1, '6F81-5844-456A', "
		"'Compute Engine', 'S1', 'N1 Predefined Instance Core running in "
		"Americas');INSERT INTO sku VALUES (2, '6F81-5844-456A', 'Compute Engine', "
		"'S2', 'Storage PD Capacity');INSERT INTO sku VALUES (3, 'E000-3F24-B8AA', "
		"'Cloud TPU', 'S3', 'Tpu-v3 accelerator');INSERT INTO sku VALUES (4, "
		"'6F81-5844-456A', 'Compute Engine', 'S4', 'Network Internet Data Transfer "
		"Out from Americas to China');INSERT INTO sku VALUES (5, '6F81-5844-456A', "
		"'Compute Engine', 'S5', 'Nvidia Tesla V100 GPU running in "
		"Americas');INSERT INTO place VALUES (1, '', '', '');INSERT INTO charge "
		"(charge_ref, invoice_month, cost_type, currency, usage_unit, rate) VALUES "
		"(1, '202611', 'regular', 'USD', 'hour', 1000000000);INSERT INTO "
		"charge (charge_ref, invoice_month, cost_type, currency, usage_unit, rate) "
		"VALUES (2, '202611', 'regular', 'HKD', 'hour', 7750000000);INSERT "
		"INTO charge (charge_ref, invoice_month, cost_type, currency, usage_unit, "
		"rate) VALUES (3, '202611', 'regular', 'HKD', 'hour', 0);INSERT INTO "
		"credit_type VALUES (3, 'DISCOUNT')");
	return 0;
}

static void clear(void)
{
	struct err e = {0};

	tz_free(t.tz);
	if (tz_open("UTC", &t.tz, &e))
		fail_msg("%s", e.msg);
	tempdb_exec(&t,
		"DELETE FROM usage; DELETE FROM billing_day; DELETE FROM "
		"source_status;DELETE FROM resource_interval;INSERT INTO source_status "
		"(source, project, state, last_attempt, items, watched_since) SELECT "
		"s.value, p.value, 'ok', 1, 0, 1795219200 - 20 * 86400 FROM "
		"json_each('[\"vm\", \"disk\", \"ip\", \"snapshot\"]') s, "
		"json_each('[\"p\", \"q\"]') p;INSERT INTO source_status (source, project, "
		"state, last_attempt, items) VALUES ('tpu', 'p', 'disabled', 1, 0)");
}

/* Something that was there in [starts, ends). */
static void was(const char *project, const char *kind, const char *location,
	const char *name, const char *type, const char *state, int size, ts_t starts,
	ts_t ends)
{
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, size_gib) VALUES "
		"('%s/%s/%s/%s', '1', %lld, %lld, '%s', '%s', '%s', '%s', '%s', '%s', "
		"'on-demand', %d)",
		project, kind, location, name, (long long)starts, (long long)ends, kind,
		project, location, name, state, type, size);
}

/* A line of the bill; credit_ref 0 is usage. */
static void billed(int project, int sku, int charge, int credit, ts_t hour, int64_t nanos)
{
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO billing_day VALUES (1, 1, 'A', %lld);INSERT INTO "
		"usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, %lld, %d, %d, 1, 1, %d, %d, 0, %lld, %lld, 1)",
		(long long)hour / DAY_SECONDS, (long long)hour, sku, project, charge,
		credit, (long long)(credit ? 0 : nanos), (long long)(credit ? nanos : 0));
}

static void run(void)
{
	struct settings settings = {
		.tz = t.tz, .currency = "USD", .grants = grants, .n_grants = 1};
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

#define ALL                                                                               \
	"SELECT group_concat(day || ' ' || estimate || ' ' || billed || ' ' || currency " \
	"|| ' ' || "                                                                      \
	"COALESCE(percent, '-') || ' ' || converted || ' ' || COALESCE(left_out, '-'), "  \
	"char(10)) FROM (SELECT * FROM estimate_errors ORDER BY day, currency)"

/* A machine, a disk, a TPU in the wrong zone for two hours, and one that a grant covers. */
static void put_lab(void)
{
	clear();
	was("p", "vm", "us-central1-b", "m", "n1-standard-1", "running", 0, DAY(10),
		DAY(9));
	was("p", "disk", "us-central1-b", "d", "pd-standard", "stopped", 730, DAY(10),
		DAY(9));
	was("p", "tpu", "us-central1-a", "bad", "v3-8", "running", 0, DAY(10),
		DAY(10) + 2 * HOUR);
	was("p", "tpu", "europe-west4-a", "good", "v3-8", "running", 0, DAY(10), DAY(9));
}

static void put_bill(int charge)
{
	billed(1, 1, charge, 0, DAY(10), 1200000000);
	billed(1, 1, charge, 3, DAY(10), -300000000);
	billed(1, 2, charge, 0, DAY(10), 960000000);
	billed(1, 3, charge, 0, DAY(10), 24800000000);
	billed(1, 3, charge, 3, DAY(10), -8800000000);
	billed(1, 3, charge, 1, DAY(10), -16000000000);
	billed(1, 4, charge, 0, DAY(10), 99000000000);
}

static void what_was_seen_stands_beside_the_bill(void **state)
{
	put_lab();
	put_bill(1);
	run();
	/* 24 x 0.04749975 + 24 x 730 x 0.04 / 730 + 2 x 8 = 1.139994 + 0.96 + 16.
	 * On the bill: 1.2 before its discount, 0.96, and of the TPUs 24.8 - 8.8, whatever the
	 * coupon paid; traffic is not estimated. (18.099994 - 18.16) / 18.16 = -0.33 % */
	expect(ALL, "2026-11-11 18.099994 18.16 USD -0.33 0 -");
}

static void prices_in_usd_are_converted_by_the_rate_of_the_bill(void **state)
{
	put_lab();
	put_bill(2);
	run();
	/* 18.099994 x 7.75 */
	expect(ALL, "2026-11-11 140.2749535 18.16 HKD 672.44 1 -");
	expect("SELECT rate FROM estimate_errors", "7.75");
	/* without a rate nothing can be compared but what costs nothing */
	put_lab();
	put_bill(3);
	run();
	expect(ALL, "2026-11-11 0.0 0.0 HKD - 0 cpu tpu disk");
}

/* A second each of several machines. */
static void sums_are_rounded_once(void **state)
{
	clear();
	/* 3 x 47499750 / 3600 = 39583.125; three times 13194 would be 39582 */
	for (int i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%d", i);
		was("p", "vm", "us-central1-b", name, "n1-standard-1", "running", 0,
			DAY(10), DAY(10) + 1);
	}
	billed(1, 1, 1, 0, DAY(10), 1000);
	run();
	expect("SELECT CAST(ROUND(estimate * 1e9) AS INTEGER) FROM estimate_errors",
		"39583");
	clear();
	for (int i = 0; i < 7; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%d", i);
		was("p", "vm", "us-central1-b", name, "n1-standard-1", "running", 0,
			DAY(10), DAY(10) + 1);
	}
	billed(1, 1, 1, 0, DAY(10), 1000);
	run();
	/* 7 x 47499750 / 3600 = 92360.625; seven times 13194 would be 92358 */
	expect("SELECT CAST(ROUND(estimate * 1e9) AS INTEGER) FROM estimate_errors",
		"92361");
}

static void what_has_no_price_is_left_out_on_both_sides(void **state)
{
	put_lab();
	put_bill(1);
	was("p", "vm", "us-central1-b", "z", "zz9-mega-7", "running", 0, DAY(10), DAY(9));
	was("q", "vm", "us-central1-b", "m", "n1-standard-1", "running", 0, DAY(10),
		DAY(9));
	billed(2, 1, 1, 0, DAY(10), 1139994000);
	run();
	/* cpu of p is gone on both sides, of q it is not: 0.96 + 16 + 1.139994 */
	expect(ALL, "2026-11-11 18.099994 18.099994 USD 0.0 0 cpu");
	/* GPUs of a kind that nobody knows */
	put_lab();
	put_bill(1);
	billed(1, 5, 1, 0, DAY(10), 5000000000);
	tempdb_exec(&t,
		"UPDATE resource_interval SET gpu_type = 'nvidia-z1', gpu_count = 1 "
		"WHERE kind = 'vm'");
	run();
	expect(ALL, "2026-11-11 18.099994 18.16 USD -0.33 0 gpu");
}

static void only_what_was_watched_is_compared(void **state)
{
	put_lab();
	put_bill(1);
	billed(3, 1, 1, 0, DAY(10), 7000000000); /* of a project that was never seen */
	run();
	expect(ALL, "2026-11-11 18.099994 18.16 USD -0.33 0 -");
	tempdb_exec(&t, "UPDATE source_status SET watched_since = watched_since + 864001");
	run();
	expect("SELECT COUNT(*) FROM estimate_errors", "0");
}

static void days_are_settled_and_fourteen(void **state)
{
	clear();
	was("p", "disk", "us-central1-b", "d", "pd-standard", "stopped", 730, DAY(20), NOW);
	for (int i = 0; i <= 20; i++)
		billed(1, 2, 1, 0, DAY(i), 960000000);
	run();
	/* the day that ended three days ago is settled: 2026-11-17; 14 days up to it */
	expect("SELECT COUNT(*) || ' ' || MIN(day) || ' ' || MAX(day) || ' ' || "
	       "SUM(percent) FROM estimate_errors",
		"14 2026-11-04 2026-11-17 0.0");
	/* an export that was not read for a week */
	tempdb_exec(&t, "UPDATE billing_table SET looked = 1795219200 - 7 * 86400");
	run();
	expect("SELECT COUNT(*) || ' ' || MIN(day) || ' ' || MAX(day) FROM estimate_errors",
		"10 2026-11-01 2026-11-10");
	tempdb_exec(&t, "UPDATE billing_table SET looked = 1795219200");
}

static void a_day_of_25_hours_costs_25_hours(void **state)
{
	struct err e = {0};

	clear();
	tz_free(t.tz);
	if (tz_open("America/Los_Angeles", &t.tz, &e))
		fail_msg("%s", e.msg);
	was("p", "disk", "us-central1-b", "d", "pd-standard", "stopped", 730, DAY(20), NOW);
	tempdb_exec(&t, "UPDATE source_status SET watched_since = 1");
	tempdb_exec(&t, "UPDATE resource_interval SET starts = 1795219200 - 30 * 86400");
	/* 2026-11-01T07:00:00Z */
	billed(1, 2, 1, 0, INT64_C(1793516400), 1000000000);
	run();
	/* 25 x 0.04 */
	expect(ALL, "2026-11-01 1.0 1.0 USD 0.0 0 -");
}

/* Of several rates on one day it is that of most of the money: 3 + 3 HKD, not 5 HKD. */
static void the_rate_is_that_of_the_largest_sum(void **state)
{
	put_lab();
	tempdb_exec(&t,
		"INSERT INTO sku VALUES (6, '6F81-5844-456A', 'Compute Engine', 'S6', 'N1 "
		"Predefined Instance Ram running in Americas');INSERT INTO charge "
		"(charge_ref, invoice_month, cost_type, currency, usage_unit, rate) VALUES "
		"(4, '202611', 'regular', 'HKD', 'hour', 8000000000)");
	billed(1, 1, 2, 0, DAY(10) + HOUR, 3000000000);
	billed(1, 6, 2, 0, DAY(10) + HOUR, 3000000000);
	billed(1, 1, 4, 0, DAY(10) + HOUR, 5000000000);
	run();
	expect("SELECT rate || ' ' || billed FROM estimate_errors", "7.75 11.0");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_seen_stands_beside_the_bill),
		cmocka_unit_test(prices_in_usd_are_converted_by_the_rate_of_the_bill),
		cmocka_unit_test(the_rate_is_that_of_the_largest_sum),
		cmocka_unit_test(sums_are_rounded_once),
		cmocka_unit_test(what_has_no_price_is_left_out_on_both_sides),
		cmocka_unit_test(only_what_was_watched_is_compared),
		cmocka_unit_test(days_are_settled_and_fourteen),
		cmocka_unit_test(a_day_of_25_hours_costs_25_hours),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

/* Days that are of more things than are summed up in memory at once. */
#include "db/rollup/rollup.h"

#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>

#define DAY 20600
#define STARTS (DAY * INT64_C(86400))
#define ENDS (STARTS + 86400)
#define THINGS 40000

static struct tempdb t;
static struct ref_sums sums;
static struct db_tx tx;

/* Resources 1..n, and of each of them a line in every one of some hours of the day; each odd one
 * has a promotion of 2 in it, too. */
static void fill_usage(int n, int hours, const char *usage, const char *cost)
{
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1,'a.b.c','US',0,0);INSERT INTO sku VALUES "
		"(1,'a','b','c','d');INSERT INTO billed_project VALUES "
		"(1,'p','','');INSERT INTO charge (charge_ref, invoice_month, cost_type, "
		"currency, usage_unit, rate) VALUES "
		"(1,'x','regular','USD','',0);INSERT INTO place VALUES (1,'','','')");
	tempdb_execf(&t,
		"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < "
		"%d) INSERT INTO billed_resource (resource_ref, resource, global_name) "
		"SELECT i, i, '' FROM r;WITH RECURSIVE h(i) AS (SELECT 0 UNION ALL SELECT "
		"i + 1 FROM h WHERE i < %d) INSERT INTO usage (table_id, unit, hour, "
		"sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref, "
		"usage, cost, credits, row_count) SELECT 1, %d, %lld + h.i * "
		"3600, 1, 1, 1, r.resource_ref, 1, c.credit_ref, CASE c.credit_ref WHEN 0 "
		"THEN %s ELSE 0 END, CASE c.credit_ref WHEN 0 THEN %s ELSE 0 END, "
		"c.credit_ref * -2, 1 FROM h, billed_resource r, credit_type c WHERE "
		"c.credit_ref <= r.resource_ref %% 2",
		n, hours - 1, DAY, (long long)STARTS, usage, cost);
}

static void sums_in_several_pieces_are_added_up(void **state)
{
	struct err e = {0};

	fill_usage(THINGS, 3, "5000000000", "r.resource_ref");
	assert_ok(day_sums_fill(&sums, t.db, DAY, STARTS, ENDS, &e), e);
	tempdb_expect(&t,
		"SELECT COUNT(*) || ' ' || SUM(usage = 15000000000) || ' ' || "
		"SUM(cost = 3 * resource_ref) || ' ' || SUM(credits = promo) || ' ' || "
		"SUM(promo) FROM cost_day WHERE day = 20600",
		"40000 40000 40000 40000 -120000");
	tempdb_expect(&t,
		"SELECT COUNT(*) || ' ' || SUM(credits = -6) || ' ' || MIN(credit_ref) || "
		"MAX(credit_ref) FROM credit_day WHERE day = 20600",
		"20000 20000 11");
}

/* Neither wrong nor an error: the money of it is known. */
static void usage_beyond_what_is_kept_is_not_known(void **state)
{
	struct err e = {0};

	fill_usage(THINGS, 2, "9000000000000000000", "1");
	assert_ok(day_sums_fill(&sums, t.db, DAY, STARTS, ENDS, &e), e);
	tempdb_expect(
		&t, "SELECT COUNT(usage) || ' ' || SUM(cost) FROM cost_day", "0 80000");
}

static void costs_beyond_64_bits_are_refused(void **state)
{
	struct err e = {0};

	fill_usage(1, 2, "NULL", "9000000000000000000");
	assert_err(day_sums_fill(&sums, t.db, DAY, STARTS, ENDS, &e), e, E_OVERFLOW,
		"the costs of 2026-05-27 are too large");
	tempdb_expect(&t, "SELECT COUNT(*) FROM cost_day", "0");
	/* what is left in memory does not get into another day */
	assert_ok(day_sums_fill(&sums, t.db, DAY, STARTS, STARTS + 3600, &e), e);
	tempdb_expect(&t, "SELECT COUNT(*) || ' ' || SUM(cost) FROM cost_day",
		"1 9000000000000000000");
}

static void pieces_that_do_not_fit_together_are_refused(void **state)
{
	struct err e = {0};

	fill_usage(THINGS, 2, "0", "9000000000000000000");
	assert_int_equal(day_sums_fill(&sums, t.db, DAY, STARTS, ENDS, &e), E_OVERFLOW);
}

static int open_it(void **state)
{
	struct err e = {0};

	tempdb_open(&t, ENDS);
	return db_begin(t.db, &tx, &e) ? -1 : 0;
}

static int close_it(void **state)
{
	ref_sums_done(&sums);
	db_tx_end(&tx);
	tempdb_close(&t);
	return 0;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_it, close_it)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(sums_in_several_pieces_are_added_up),
		TEST(usage_beyond_what_is_kept_is_not_known),
		TEST(costs_beyond_64_bits_are_refused),
		TEST(pieces_that_do_not_fit_together_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The smallest rollup of the bill: by day and account. */
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, 1795219200);
	tempdb_exec(&t,
		"INSERT INTO billed_project (project_ref, project, number, account) VALUES "
		"(1, 'a', 1, 'A'), (2, 'b', 2, 'A'), (3, 'c', 3, 'B');"
		"INSERT INTO sku (sku_ref, service_id, service, sku_id, sku) VALUES "
		"(1, 's', 's', 'x', 'x'), (2, 's', 's', 'y', 'y');"
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (1, '202611', 'regular', 'VND', 'hour', 1), "
		"(2, '202612', 'regular', 'VND', 'hour', 1)");
	return 0;
}

static void fill(int64_t first, int64_t last)
{
	struct q_account_day_fill_in in = {.first = first, .last = last};
	struct err e = {0};

	assert_int_equal(q_account_day_fill(t.db, &in, &e), E_OK);
}

static void expect(const char *sql, const char *want)
{
	char buf[256];

	assert_string_equal(tempdb_text(&t, sql, buf, sizeof(buf)), want);
}

static void accounts_and_charges_are_kept_apart(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) VALUES (5, 1, 1, 1, 10, -1, -1), (5, 1, 2, 1, 20, -2, 0), "
		"(5, 2, 1, 1, 40, 0, 0), (5, 3, 1, 1, 80, 0, 0), (5, 1, 1, 2, 160, 0, 0), "
		"(6, 1, 1, 1, 320, 0, 0), (7, 1, 1, 1, 640, 0, 0)");
	fill(5, 6);
	expect("SELECT group_concat(day || account || charge_ref || ':' || part || ':' || "
	       "cost || ':' || credits || ':' || promo, ' ') FROM (SELECT * FROM "
	       "account_day ORDER BY 1, 2, 3)",
		"5A1:0:70:-3:-1 5A2:0:160:0:0 5B1:0:80:0:0 6A1:0:320:0:0");
}

/* Each of them fits, all of them do not: what asks for one project still gets an answer. */
static void large_amounts_are_not_added_up(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) VALUES (5, 1, 1, 1, 9223372036854775807, 0, 0), "
		"(5, 1, 2, 1, 9223372036854775807, 0, 0), (5, 2, 1, 1, 7, "
		"-9223372036854775807 - 1, 0), (5, 2, 2, 1, 5, -3, 0)");
	fill(5, 5);
	expect("SELECT group_concat(part || ':' || cost || ':' || credits, ' ') FROM "
	       "(SELECT * FROM account_day ORDER BY part)",
		"0:5:-3 10000001:9223372036854775807:0 10000002:9223372036854775807:0 "
		"20000001:7:-9223372036854775808");
}

/* Promotions that come to nothing together were there: a coupon's share of them is 0. */
static void promotions_that_were_taken_back_are_there(void **state)
{
	struct q_promo_by_rate_in in = {.first = 5, .end = 7};
	struct q_promo_by_rate q;
	struct db_rows rows;
	struct err e = {0};

	tempdb_exec(&t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) VALUES (5, 1, 1, 1, 10, -7, -7), (5, 2, 1, 1, 20, 7, 7), "
		"(5, 2, 2, 1, 40, -1, 0), (6, 1, 1, 2, 80, 0, 0)");
	fill(5, 6);
	expect("SELECT group_concat(part || ':' || cost || ':' || credits || ':' || promo, "
	       "' ') FROM (SELECT * FROM account_day WHERE day = 5 ORDER BY part)",
		"0:50:-8:-7 1:20:7:7");
	assert_int_equal(q_promo_by_rate_open(t.db, &in, &rows, &e), E_OK);
	assert_true(q_promo_by_rate_next(&rows, &q));
	assert_string_equal(q.currency, "VND");
	assert_int_equal(q.promo, 0);
	assert_false(q_promo_by_rate_next(&rows, &q));
	assert_int_equal(db_rows_close(&rows, &e), E_OK);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			accounts_and_charges_are_kept_apart, setup, tempdb_teardown),
		cmocka_unit_test_setup_teardown(
			large_amounts_are_not_added_up, setup, tempdb_teardown),
		cmocka_unit_test_setup_teardown(
			promotions_that_were_taken_back_are_there, setup, tempdb_teardown),
	};

	return cmocka_run_group_tests_name("account_day", tests, NULL, NULL);
}

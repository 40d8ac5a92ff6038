/* Rows of the bill with their names, and what is added up of them. */
#include "rules/bill/days.h"

#include "base/money.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;

/* Two projects of one name in two accounts; two SKUs of one name. */
static int setup(void **state)
{
	tempdb_open(&t, INT64_C(1795219200));
	tempdb_exec(&t,
		"INSERT INTO billed_project (project_ref, project, number, account) VALUES "
		"(3, 'lab', '', 'A'), (4, 'lab', '', 'B'), (9, 'other', '', 'A');INSERT "
		"INTO charge (charge_ref, invoice_month, cost_type, currency, usage_unit, "
		"rate) VALUES (2, '202611', 'regular', 'HKD', 'hour', 7790000000), (5, "
		"'202612', 'regular', 'HKD', 'hour', 7800000000);INSERT INTO sku (sku_ref, "
		"service_id, service, sku_id, sku) VALUES (1, 's', 'Cloud TPU', 'x', 'TPU "
		"v3'), (7, 's', 'Cloud TPU', 'y', 'TPU v3'), (8, 's', 'Compute Engine', "
		"'z', 'Core');INSERT INTO sku_category VALUES (1, 'tpu'), (7, "
		"'tpu');INSERT INTO place (place_ref, location, region, zone) VALUES (1, "
		"'us', '', ''), (6, 'z', 'r', 'z');INSERT INTO billed_resource "
		"(resource_ref, resource, global_name) VALUES (1, 'one', ''), (2, 'two', "
		"'');INSERT INTO calendar VALUES (100, '', 0, 1), (101, '', 1, 2)");
	return 0;
}

static void rows_have_their_names(void **state)
{
	struct bill_row r;
	struct bill_days b;
	struct err e = {0};

	tempdb_exec(&t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) VALUES (99, 3, 1, 2, 1, 0, 0), (100, 3, 1, 2, 5, "
		"-2, -1), (100, 4, 8, 5, 7, 0, 0), (102, 3, 1, 2, 1, 0, 0)");
	assert_int_equal(bill_days_open(t.db, 100, 101, &t.a, &b, &e), E_OK);
	assert_true(bill_days_next(&b, &r));
	assert_int_equal(r.day, 100);
	assert_string_equal(r.project->account, "A");
	assert_string_equal(r.sku->category, "tpu");
	assert_int_equal(r.charge->rate, 7790000000);
	assert_int_equal(r.cost * 100 + r.credits * 10 + r.promo, 479);
	assert_true(bill_days_next(&b, &r));
	assert_string_equal(r.project->account, "B");
	assert_string_equal(r.sku->category, "other");
	assert_int_equal(r.charge->rate, 7800000000);
	assert_false(bill_days_next(&b, &r));
	assert_int_equal(bill_days_close(&b, E_OK, &e), E_OK);
}

/* It would be money that is on no line. */
static void a_number_that_stands_for_nothing_is_an_error(void **state)
{
	struct bill_days b;
	struct bill_row r;
	struct err e = {0};

	tempdb_exec(&t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) VALUES (100, 3, 2, 2, 5, 0, 0)");
	assert_int_equal(bill_days_open(t.db, 100, 100, &t.a, &b, &e), E_OK);
	assert_false(bill_days_next(&b, &r));
	assert_int_equal(bill_days_close(&b, E_OK, &e), E_DB);
	assert_non_null(strstr(e.msg, "the bill of day 100"));
	assert_non_null(strstr(e.fix, "tpucost db check"));
}

static struct billed_tpu *tpus(size_t want, const char *rows)
{
	struct billed_tpu *v = NULL;
	struct err e = {0};
	size_t n;

	tempdb_execf(&t,
		"DELETE FROM cost_day; INSERT INTO cost_day (day, project_ref, sku_ref, "
		"place_ref, resource_ref, charge_ref, usage, cost, credits, promo) VALUES "
		"%s",
		rows);
	if (billed_tpus_read(t.db, 100, 101, &t.a, &v, &n, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(n, want);
	return v;
}

static void what_has_the_same_names_is_one(void **state)
{
	struct billed_tpu *v;

	v = tpus(1,
		"(100, 3, 1, 6, 1, 2, 10, 100, -1, -2), (100, 3, 1, 6, 2, 2, 20, 200, -2, "
		"0), (100, 4, 7, 6, 1, 5, 30, 300, 0, 0), (100, 3, 8, 6, 1, 2, 40, 400, 0, "
		"0), (102, 3, 1, 6, 1, 2, 1, 1, 0, 0)");
	assert_string_equal(v->project, "lab");
	assert_string_equal(v->zone, "z");
	assert_true(v->usage.set);
	assert_int_equal(v->usage.v, 60);
	assert_int_equal(v->cost, 600);
	assert_int_equal(v->credits, -3);
	assert_int_equal(v->promo, -2);
	v = tpus(3,
		"(101, 3, 1, 6, 1, 2, 10, 1, 0, 0), (100, 9, 1, 6, 1, 2, 10, 2, 0, 0), "
		"(100, 9, 1, 1, 1, 2, 10, 3, 0, 0)");
	assert_string_equal(v[0].location, "us");
	assert_string_equal(v[1].location, "z");
	assert_int_equal(v[2].day, 101);
	tpus(0, "(100, 3, 8, 6, 1, 2, 40, 400, 0, 0)");
}

static void an_amount_that_is_not_known_makes_the_sum_unknown(void **state)
{
	struct billed_tpu *v;

	v = tpus(
		1, "(100, 3, 1, 6, 1, 2, NULL, 1, 0, 0), (100, 3, 1, 6, 2, 2, 5, 1, 0, 0)");
	assert_false(v->usage.set);
	v = tpus(1,
		"(100, 3, 1, 6, 1, 2, 5000000000000000000, 1, 0, 0), (100, 3, 1, 6, 2, 2, "
		"4000000000000000000, 1, 0, 0)");
	assert_false(v->usage.set);
	v = tpus(1, "(100, 3, 1, 6, 1, 2, -8999999999999999999, 1, 0, 0)");
	assert_true(v->usage.set);
}

static void money_that_does_not_add_up_is_an_error(void **state)
{
	struct billed_tpu *v;
	struct err e = {0};
	size_t n;

	tempdb_exec(&t,
		"INSERT INTO cost_day (day, project_ref, sku_ref, place_ref, resource_ref, "
		"charge_ref, usage, cost, credits, promo) VALUES (100, 3, 1, 6, 1, 2, 1, "
		"9223372036854775807, 0, 0), (100, 3, 1, 6, 2, 2, 1, 1, 0, 0)");
	assert_int_equal(billed_tpus_read(t.db, 100, 100, &t.a, &v, &n, &e), E_OVERFLOW);
	assert_non_null(strstr(e.msg, "lab"));
}

static void line_is(const struct bill_line *l, day_t day, const char *names, int64_t rate,
	int64_t cost, int64_t credits, int64_t promo)
{
	char got[100];

	snprintf(got, sizeof(got), "%s %s %s", l->project, l->category, l->currency);
	assert_string_equal(got, names);
	assert_int_equal(l->day, day);
	assert_int_equal(l->rate, rate);
	assert_int_equal(l->cost, cost);
	assert_int_equal(l->credits, credits);
	assert_int_equal(l->promo, promo);
	assert_false(l->too_large);
}

/* Also where two numbers stand for one project, SKU or rate. */
static void lines_are_sums_by_their_names(void **state)
{
	struct bill_line *v;
	struct err e = {0};
	size_t n;

	tempdb_exec(&t,
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (6, '202612', 'tax', 'HKD', 'hour', "
		"7800000000);INSERT INTO project_day (day, project_ref, sku_ref, "
		"charge_ref, cost, credits, promo) VALUES (99, 3, 1, 2, 1, 0, 0), (100, "
		"3, 1, 2, 1, -8, -2), (100, 3, 1, 5, 2, 0, 0), (100, 3, 7, 2, 4, -1, -1), "
		"(100, 3, 8, 6, 8, 0, 0), (100, 4, 7, 2, 16, 0, 0), (100, 4, 7, 6, 32, -4, "
		"0), (100, 9, 7, 2, 64, 0, 0), (101, 3, 7, 2, 128, 0, 0), (102, 3, 1, 2, "
		"1, 0, 0)");
	assert_int_equal(bill_lines_read(t.db, 100, 101, &t.a, &v, &n, &e), E_OK);
	assert_int_equal(n, 5);
	line_is(&v[0], 100, "lab other HKD", 7800000000, 8, 0, 0);
	line_is(&v[1], 100, "lab tpu HKD", 7790000000, 21, -9, -3);
	line_is(&v[2], 100, "lab tpu HKD", 7800000000, 34, -4, 0);
	line_is(&v[3], 100, "other tpu HKD", 7790000000, 64, 0, 0);
	line_is(&v[4], 101, "lab tpu HKD", 7790000000, 128, 0, 0);
	assert_int_equal(bill_lines_read(t.db, 200, 201, &t.a, &v, &n, &e), E_OK);
	assert_int_equal(n, 0);
}

static void a_sum_that_does_not_fit_says_so(void **state)
{
	struct bill_line *v;
	struct err e = {0};
	size_t n;

	tempdb_exec(&t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) VALUES (100, 3, 1, 2, 9223372036854775807, 0, 0), "
		"(100, 3, 7, 2, 1, 0, 0), (100, 3, 8, 2, 1, 0, 0), (101, 3, 1, 2, 0, "
		"9223372036854775807, 0), (101, 4, 1, 2, 0, 1, 0)");
	assert_int_equal(bill_lines_read(t.db, 100, 101, &t.a, &v, &n, &e), E_OK);
	assert_int_equal(n, 3);
	assert_false(v[0].too_large);
	assert_true(v[1].too_large);
	assert_true(v[2].too_large);
}

UNIT_TESTS()
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
	const struct CMUnitTest tests[] = {
		TEST(rows_have_their_names),
		TEST(a_number_that_stands_for_nothing_is_an_error),
		TEST(what_has_the_same_names_is_one),
		TEST(an_amount_that_is_not_known_makes_the_sum_unknown),
		TEST(money_that_does_not_add_up_is_an_error),
		TEST(lines_are_sums_by_their_names),
		TEST(a_sum_that_does_not_fit_says_so),
	};

	return cmocka_run_group_tests_name("bill_days", tests, NULL, NULL);
}

/* Sums by number, and the table that they are. */
#include "db/rollup/ref_sums.h"

#include "db/internal.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdint.h>

static struct tempdb t;

static bool add(struct ref_sums *s, int64_t sku, int64_t part, int64_t cost)
{
	int64_t refs[REFS] = {[REF_SKU] = sku, [REF_PART] = part};

	return ref_sum_add(ref_sums_of(s, refs), cost, -1, 2);
}

static void each_of_many_numbers_has_its_sum(void **state)
{
	enum { N = 5000 };
	struct ref_sums s = {0};

	for (int round = 1; round <= 3; round++)
		for (int i = 0; i < N; i++)
			assert_true(add(&s, i % 50, i / 50, i));
	assert_int_equal(s.n, N);
	for (int i = 0; i < N; i++) {
		assert_int_equal(s.v[i].refs[REF_SKU], i % 50);
		assert_int_equal(s.v[i].refs[REF_PART], i / 50);
		assert_int_equal(s.v[i].cost, 3 * i);
		assert_int_equal(s.v[i].credits, -3);
		assert_int_equal(s.v[i].promo, 6);
	}
	ref_sums_clear(&s);
	assert_int_equal(s.n, 0);
	assert_true(add(&s, 7, 7, 1));
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].cost, 1);
	ref_sums_done(&s);
	assert_null(s.v);
}

static void each_of_the_numbers_tells_sums_apart(void **state)
{
	struct ref_sums s = {0};

	for (int i = 0; i < REFS; i++) {
		int64_t refs[REFS] = {0};

		refs[i] = 1;
		ref_sums_of(&s, refs)->cost = i;
	}
	assert_int_equal(s.n, REFS);
	ref_sums_done(&s);
}

static void what_does_not_fit_is_told(void **state)
{
	struct ref_sum x = {.cost = INT64_MAX};

	assert_false(ref_sum_add(&x, 1, 0, 0));
	x = (struct ref_sum){.credits = INT64_MIN};
	assert_false(ref_sum_add(&x, 1, -1, 0));
	x = (struct ref_sum){.promo = INT64_MIN};
	assert_false(ref_sum_add(&x, 1, 1, -1));
	x = (struct ref_sum){.before = INT64_MAX - 5};
	assert_true(ref_sum_add_before(&x, 2, 3));
	assert_false(ref_sum_add_before(&x, 0, 1));
	x = (struct ref_sum){0};
	assert_true(ref_sum_add_before(&x, 5, -2));
	assert_int_equal(x.before, 3);
}

static void usage_with_a_gap_is_not_known(void **state)
{
	struct ref_sum x = {0};

	ref_sum_add_usage(&x, SOME(INT64_C(2500000000)));
	ref_sum_add_usage(&x, SOME(INT64_C(-700000000)));
	assert_int_equal(x.units, 2);
	assert_int_equal(x.nanos, -200000000);
	assert_int_equal(x.no_usage, 0);
	ref_sum_add_usage(&x, NONE);
	assert_int_equal(x.no_usage, 1);
}

static void they_are_a_table_while_they_are_shown(void **state)
{
	int64_t refs[REFS] = {1, 2, 3, 4, 5, 6};
	struct ref_sums s = {0};
	struct err e = {0};
	struct ref_sum *x;

	tempdb_open(&t, 86400);
	ref_sums_hide(t.db);
	assert_ok(ref_sums_show(t.db, &s, &e), e);
	tempdb_expect(&t, "SELECT COUNT(*) FROM ref_sum", "0");
	x = ref_sums_of(&s, refs);
	*x = (struct ref_sum){.refs = {1, 2, 3, 4, 5, 6},
		.units = 7,
		.nanos = 8,
		.no_usage = 1,
		.cost = 9,
		.credits = -10,
		.promo = -11,
		.before = 12};
	assert_true(add(&s, 100, 0, 200));
	assert_ok(ref_sums_show(t.db, &s, &e), e);
	tempdb_expect(&t,
		"SELECT sku_ref || ' ' || project_ref || ' ' || place_ref || ' ' || "
		"resource_ref || ' ' || charge_ref || ' ' || part || ' ' || units || ' ' "
		"|| "
		"nanos || ' ' || no_usage || ' ' || cost || ' ' || credits || ' ' || promo "
		"|| ' ' || before FROM ref_sum WHERE sku_ref = 1",
		"1 2 3 4 5 6 7 8 1 9 -10 -11 12");
	tempdb_expect(&t, "SELECT COUNT(*) || ' ' || SUM(cost) FROM ref_sum", "2 209");
	ref_sums_hide(t.db);
	tempdb_expect(&t, "SELECT COUNT(*) FROM ref_sum", "0");
	ref_sums_done(&s);
	tempdb_close(&t);
}

/* Amounts of tables are nano-units: people ask views. */
static void people_cannot_ask_for_it(void **state)
{
	struct ref_sums none = {0};
	struct db_cursor c;
	struct err e = {0};

	tempdb_open(&t, 86400);
	assert_ok(ref_sums_show(t.db, &none, &e), e);
	tempdb_expect(&t, "SELECT COUNT(*) FROM ref_sum", "0"); /* known from here on */
	assert_err(db_cursor_open(t.db, "SELECT cost FROM ref_sum", 1000, &c, &e), e,
		E_USAGE, "only of the views");
	tempdb_close(&t);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_many_numbers_has_its_sum),
		cmocka_unit_test(each_of_the_numbers_tells_sums_apart),
		cmocka_unit_test(what_does_not_fit_is_told),
		cmocka_unit_test(usage_with_a_gap_is_not_known),
		cmocka_unit_test(they_are_a_table_while_they_are_shown),
		cmocka_unit_test(people_cannot_ask_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

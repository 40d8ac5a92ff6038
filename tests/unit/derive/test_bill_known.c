/* Up to when the costs of a day of the zone are known. */
#include "rules/bill/days.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define FIRST 20700 /* the days of the calendar */
#define LAST 20711

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, INT64_C(1795219200));
	/* an export that is polled, and files: one was exported after its last day, one before */
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, kind, looked) VALUES (1, 'export', 'US', 0, 0, 'export', "
		"1788500000), (2, 'late', '', 0, 0, 'file', 7), (3, 'early', '', 0, 0, "
		"'file', 7);INSERT INTO billing_unit (table_id, unit, row_count, exported, "
		"ingested) VALUES (1, 0, 1, 3, 0), (2, 0, 1, 1790000000, 0), (3, 0, 1, 3, "
		"0);INSERT INTO billing_day (table_id, unit, account, day) VALUES (1, 0, "
		"'A', 20700), (1, 0, 'A', 20701), (1, 0, 'A', 20705), (2, 0, 'A', 20702), "
		"(2, 0, 'B', 20705), (3, 0, 'B', 20706), (3, 0, 'A', 20709), (2, 0, 'B', "
		"20711), (2, 1, 'B', 20711)");
	return 0;
}

static void put_calendar(const char *zone)
{
	struct err e = {0};
	struct tz *tz;

	assert_int_equal(tz_open(zone, &tz, &e), E_OK);
	tempdb_exec(&t, "DELETE FROM calendar");
	for (day_t day = FIRST; day <= LAST; day++) {
		tempdb_execf(&t, "INSERT INTO calendar VALUES (%d, '', %lld, %lld)",
			(int)day, (long long)tz_day_start(tz, day),
			(long long)tz_day_start(tz, day + 1));
	}
	tz_free(tz);
}

static ts_t until(day_t first, day_t last, const char *account, day_t day)
{
	struct bill_known k;
	struct err e = {0};
	struct opt_i64 found;

	assert_int_equal(bill_known_load(t.db, &t.a, first, last, &k, &e), E_OK);
	/* of the days beside them not everything was read */
	for (size_t i = 0; i < k.n_days; i++)
		assert_true(k.days[i].day >= first && k.days[i].day <= last);
	found = bill_known_day(&k, account, day);
	return found.set ? found.v : -1;
}

static void the_one_that_knows_least_decides(void **state)
{
	put_calendar("UTC");
	assert_int_equal(until(FIRST, LAST, "A", 20700), 1788500000);
	assert_int_equal(until(FIRST, LAST, "A", 20702), 1790000000);
	/* to the end of its last day, which is before it was exported */
	assert_int_equal(until(FIRST, LAST, "B", 20706), INT64_C(20710) * DAY_SECONDS);
	assert_int_equal(until(FIRST, LAST, "A", 20703), -1);
	assert_int_equal(until(FIRST, LAST, "C", 20700), -1);
	/* east of Greenwich a day begins within the one before */
	put_calendar("Asia/Hong_Kong");
	assert_int_equal(until(FIRST, LAST, "A", 20702), 1788500000);
	assert_int_equal(until(FIRST, LAST, "A", 20703), 1790000000);
	assert_int_equal(until(FIRST, LAST, "A", 20704), -1);
	assert_int_equal(until(FIRST, LAST, "B", 20706), INT64_C(20710) * DAY_SECONDS);
}

/* Whoever reads a few days knows as much of them as the table that SQL reads. */
static void some_days_are_as_all_of_them(void **state)
{
	static const char *const zones[] = {
		"UTC", "Asia/Hong_Kong", "Pacific/Kiritimati", "Etc/GMT+12"};
	char sql[200];

	for (size_t z = 0; z < ARRAY_LEN(zones); z++) {
		put_calendar(zones[z]);
		tempdb_know_accounts(&t);
		assert_true(tempdb_int(&t, "SELECT COUNT(*) FROM account_known") >= 8);
		for (day_t day = FIRST - 2; day <= LAST + 2; day++)
			for (const char *x = "ABC"; *x; x++) {
				char account[] = {*x, 0};

				snprintf(sql, sizeof(sql),
					"SELECT COALESCE((SELECT until FROM account_known "
					"WHERE account = '%s' AND day = %d), -1)",
					account, (int)day);
				assert_int_equal(
					until(day, day, account, day), tempdb_int(&t, sql));
			}
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_one_that_knows_least_decides, setup, tempdb_teardown),
		cmocka_unit_test_setup_teardown(
			some_days_are_as_all_of_them, setup, tempdb_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

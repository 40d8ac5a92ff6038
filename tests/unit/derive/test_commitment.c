/* Reserved capacity in forecasts: its price, when it counts, and that it counts once. The arithmetic
 * is next to each figure. */
#include "rules/budget/budget.h"

#include "base/time/civil.h"
#include "rules/derive/internal.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"
#include "tests/support/world/cost_world.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T12:00:00Z: 12 hours of the day are left */
#define NOW INT64_C(1795262400)
#define HOUR INT64_C(3600)
#define USD(x) ((int64_t)(x)*NANOS)

static struct cost_world w;
static struct budget budget;

static int setup(void **state)
{
	cost_world_open(&w, "UTC", NOW);
	budget = (struct budget){.name = "b",
		.amount = {.nanos = USD(100000), .cur = "USD"},
		.per = BUDGET_DAY};
	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	return 0;
}

/* ---- burn that begins later ---------------------------------------------------------------- */

static void burn_that_begins_later(void **state)
{
	struct arena a = {0};
	struct burn_ahead b = {0};

	assert_true(burn_add(&b, 10, NONE, NONE, &a));
	assert_true(burn_add(&b, 100, SOME(50), SOME(80), &a));
	assert_i64_eq(b.per_hour, 10);
	assert_true(burn_until(&b, 0, 50) == 500);
	assert_true(burn_until(&b, 0, 60) == 600 + 1000);
	assert_true(burn_until(&b, 0, 100) == 1000 + 3000);
	/* a period that begins within it, and after it */
	assert_true(burn_until(&b, 70, 100) == 300 + 1000);
	assert_true(burn_until(&b, 90, 100) == 100);
	/* a nano-unit is 3600 x seconds: 10 x 79 + 100 x 29 = 3690 */
	assert_true(opt_i64_same(burn_reaches(&b, 0, 3600, 1), SOME(79)));
	arena_done(&a);
}

/* ---- what counts ---------------------------------------------------------------------------- */

#define CALENDAR "calendar", "committed", "ct6e-standard-4t"
#define NOTHING "0 0"

/* "forecast unpriced" of one reservation: kind, state, type, amount, used, and hours until it begins
 * and ends. */
static const struct {
	const char *kind, *state, *type, *amount, *used, *starts, *ends, *want;
} cases[] = {
	/* 2 of 3 machines of 4 chips at 2.70, 12 h */
	{"reservation", "running", "ct6e-standard-4t", "3", "1", "-5", "NULL",
		"259200000000 0"},
	{"reservation", "unknown", "ct6e-standard-4t", "3", "1", "-5", "NULL",
		"259200000000 0"},
	{"reservation", "running", "ct6e-standard-4t", "3", "1", "-5", "2",
		"43200000000 0"},
	/* 6 chips */
	{"reservation", "running", "ct6e", "8", "2", "-5", "NULL", "194400000000 0"},
	{"reservation", "running", "ct6e-standard-4t", "3", "3", "-5", "NULL", NOTHING},
	/* the price of all does not fit, and that of one does: neither is known */
	{"reservation", "running", "ct6e-standard-4t", "9000000000000000000",
		"8999999999999999999", "-5", "NULL", "0 1"},
	{"reservation", "running", "ct6e-standard-4t", "3", "4", "-5", "NULL", NOTHING},
	{"reservation", "running", "ct6e-standard-4t", "3", "1", "-5", "-1", NOTHING},
	{"reservation", "starting", "ct6e-standard-4t", "3", "1", "-5", "NULL", NOTHING},
	{"reservation", "failed", "ct6e-standard-4t", "3", "1", "-5", "NULL", NOTHING},
	/* unknown use, type and number: never 0 without a word */
	{"reservation", "running", "ct6e-standard-4t", "3", "NULL", "-5", "NULL",
		"0 0 omitted"},
	{"reservation", "running", "ct9z", "8", "2", "-5", "NULL", "0 1"},
	{"reservation", "running", NULL, "8", "2", "-5", "NULL", "0 1"},
	{"reservation", "running", "ct6e-standard-4t", "NULL", "1", "-5", "NULL", "0 1"},
	{"reservation", "running", "ct6e-standard-4t", "9223372036854775807", "0", "-5",
		"NULL", "0 1"},
	/* without a price, but without an unused part */
	{"reservation", "running", "ct9z", "8", "8", "-5", "NULL", NOTHING},
	/* calendar mode at 5 USD: all of it from its begin, 3 machines x 4 chips x 5 x 2 h */
	{CALENDAR, "3", "NULL", "4", "6", "120000000000 0"},
	{CALENDAR, "3", "NULL", "4", "60", "480000000000 0"},
	{CALENDAR, "3", "NULL", "40", "60", NOTHING},
	{CALENDAR, "3", "NULL", "-1", "6", "0 0 omitted"},
	{"calendar", "running", "ct6e-standard-4t", "3", "1", "-1", "6", "240000000000 0"},
	{"calendar", "pending", "ct6e-standard-4t", "3", "NULL", "4", "6", NOTHING},
	{"calendar", "cancelled", "ct6e-standard-4t", "3", "NULL", "4", "6", NOTHING},
	{"future-reservation", "committed", "ct6e-standard-4t", "3", "NULL", "-1", "6",
		NOTHING},
};

static void each_case(void **state)
{
	static struct price_override calendar = {.family = "v6e",
		.zone = "us-east5-a",
		.provisioning = "reserved",
		.per_chip_hour = {.nanos = USD(5), .cur = "USD"}};

	w.settings.prices = &calendar;
	w.settings.n_prices = 1;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char sql[1024], type[64] = "NULL", got[256];

		if (cases[i].type)
			snprintf(type, sizeof(type), "'%s'", cases[i].type);
		snprintf(sql, sizeof(sql),
			"DELETE FROM commitment; INSERT INTO commitment (id, project, "
			"kind, "
			"location, name, state, raw_state, type, amount, used, starts, "
			"ends, "
			"last_seen) VALUES ('p/k/z/r', 'p', '%s', 'us-east5-a', 'r', '%s', "
			"'X', %s, %s, %s, %lld + 3600 * %s, %lld + 3600 * %s, 0)",
			cases[i].kind, cases[i].state, type, cases[i].amount, cases[i].used,
			(long long)NOW, cases[i].starts, (long long)NOW, cases[i].ends);
		tempdb_exec(&w.t, sql);
		cost_derive(&w);
		tempdb_text(&w.t,
			"SELECT forecast || ' ' || unpriced || CASE WHEN basis LIKE "
			"'%omitted for 1 reservation of unknown use%' THEN ' omitted' ELSE "
			"'' END FROM budget_state",
			got, sizeof(got));
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("case %zu: %s instead of %s", i, got, cases[i].want);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(burn_that_begins_later),
		cmocka_unit_test_setup_teardown(each_case, setup, tempdb_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

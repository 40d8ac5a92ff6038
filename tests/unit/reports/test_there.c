/* What is asked in front of long statements finds a row wherever one of them would. */
#include "db_sql.h"
#include "reports/shared.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>

#define NOW 1700000000

static struct tempdb t;
static struct arena arena;
static struct err e;

static bool ask(bool (*there)(const struct db_reader *))
{
	bool any = there(&(struct db_reader){t.db, &arena, &e});

	assert_ok(e.code, e);
	return any;
}

static bool finds_alerts(void)
{
	struct q_daily_alerts q;
	struct db_rows rows;
	bool any;

	assert_ok(q_daily_alerts_open(t.db, &rows, &e), e);
	any = q_daily_alerts_next(&rows, &q);
	assert_ok(db_rows_close(&rows, &e), e);
	return any;
}

static void an_alert_is_there_when_it_fires(void **state)
{
	static const char *const states[] = {"pending", "firing", "resolved"};

	assert_false(finds_alerts());
	tempdb_exec(&t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, stage, summary, labels) VALUES ('r', 's', 'pending', 'fresh', "
		"'info', 1, 1, 0, '', '{}')");
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		tempdb_execf(&t, "UPDATE alert SET state = '%s'", states[i]);
		assert_int_equal(finds_alerts(), i == 1);
	}
}

static void an_action_is_there_in_every_state(void **state)
{
	static const char *const states[] = {"pending", "warning", "grace", "recheck",
		"intent", "sent", "verify", "unknown", "done", "failed", "superseded",
		"cleared"};

	assert_false(ask(there_are_actions));
	tempdb_exec(&t,
		"INSERT INTO action (rule, resource, uid, source, kind, project, location, "
		"name, verb, mode, severity, policy, state, held, reason, since, began, "
		"attempts) VALUES ('r', 'p/vm/z/a', '1', 'vm', 'vm', 'p', 'z', 'a', "
		"'stop', 'dry-run', 'info', 'x', 'pending', '', '', 1, 1, 0)");
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		tempdb_execf(&t, "UPDATE action SET state = '%s'", states[i]);
		assert_true(ask(there_are_actions));
	}
}

static void a_silence_is_there_of_whatever_rule(void **state)
{
	assert_false(ask(there_are_silences));
	tempdb_exec(&t,
		"INSERT INTO silence (rule, subject, created, until, comment) "
		"VALUES ('r', 's', 1, 2, '')");
	assert_true(ask(there_are_silences));
}

static int open_one(void **state)
{
	tempdb_open_as_of(&t, NOW);
	return 0;
}

static int close_it(void **state)
{
	tempdb_close(&t);
	arena_done(&arena);
	return 0;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_alert_is_there_when_it_fires, open_one, close_it),
		cmocka_unit_test_setup_teardown(
			an_action_is_there_in_every_state, open_one, close_it),
		cmocka_unit_test_setup_teardown(
			a_silence_is_there_of_whatever_rule, open_one, close_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

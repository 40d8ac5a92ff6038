/* What a query reads is of one moment, though somebody writes in between; a daemon stays with its
 * database. */
#include "cli/session.h"

#include "base/time/tz.h"
#include "cli/cmd.h"
#include "cli/config/internal.h"
#include "rules/enforce/halt.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)

static struct tempdb t;
static struct config cfg;
static struct app app;

static int setup(void **state)
{
	struct err e = {0};

	tempdb_open(&t, NOW);
	cfg = (struct config){.database = t.path, .timezone = "UTC", .currency = "USD"};
	if (tz_open("UTC", &cfg.tz, &e))
		fail_msg("%s", e.msg);
	cfg.settings = (struct settings){.tz = cfg.tz, .currency = "USD"};
	app = (struct app){.clock = &t.clock, .now = NOW, .cfg = &cfg};
	tempdb_exec(&t,
		"INSERT INTO meta VALUES ('rollup_timezone', 'UTC') ON CONFLICT DO UPDATE "
		"SET value = 'UTC'");
	return 0;
}

static int teardown(void **state)
{
	session_close(&app);
	arena_done(&app.arena);
	tz_free(cfg.tz);
	tempdb_close(&t);
	return 0;
}

/* A poll: a disk more, and a day more of the bill. */
static void poll(int n)
{
	tempdb_execf(&t,
		"BEGIN; INSERT INTO resource (id, uid, source, kind, project, location, "
		"zone, region, name, state, raw_state, type, size_gib, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/disk/us-central1-b/d%d', "
		"'%d', 'disk', 'disk', 'p', 'us-central1-b', 'us-central1-b', "
		"'us-central1', 'd%d', 'running', 'READY', 'pd-ssd', 100, '{}', %lld, 1, "
		"%lld, 1);INSERT INTO cost_day (day, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, cost, credits, promo) VALUES (%d, 1, 1, 1, 1, "
		"1, 5, 0, 0); COMMIT",
		n, n, n, (long long)NOW - 7200, (long long)NOW, n);
}

static int64_t ask(const char *sql)
{
	struct db_cursor c;
	struct err e = {0};
	int64_t v = -1;
	bool row;

	if (db_cursor_open_own(app.db, sql, 1000, &c, &e) || db_cursor_step(&c, &row, &e))
		fail_msg("%s: %s", sql, e.msg);
	if (row)
		v = db_cursor_i64(&c, 0);
	db_cursor_close(&c);
	return v;
}

static void begin(void)
{
	struct err e = {0};

	if (session_open_for(&app, TS_NONE, TS_NONE, &e))
		fail_msg("%s", e.msg);
}

static void what_is_derived_is_of_the_moment_of_what_is_read(void **state)
{
	poll(1);
	begin();
	poll(2); /* before anything was asked */
	assert_int_equal(ask("SELECT COUNT(*) FROM resource"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM verdict"), 1);
	poll(3);
	assert_int_equal(ask("SELECT COUNT(*) FROM resource"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM resources"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM cost_day"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM window_span"), 0); /* filled only now */
	assert_int_equal(ask("SELECT COUNT(*) FROM main.resource"), 1);
	session_close(&app);
	begin();
	assert_int_equal(ask("SELECT COUNT(*) FROM verdict"), 3);
	assert_int_equal(ask("SELECT COUNT(*) FROM resources"), 3);
	assert_int_equal(ask("SELECT COUNT(*) FROM cost_day"), 3);
}

/* One that is refused or fails leaves the moment and what was derived as they were. */
static void what_fails_does_not_move_on(void **state)
{
	struct db_cursor c;
	struct err e = {0};
	bool row;

	poll(1);
	begin();
	assert_int_equal(ask("SELECT COUNT(*) FROM verdict"), 1);
	poll(2);
	assert_int_equal(
		db_cursor_open(app.db, "SELECT * FROM verdict", 1000, &c, &e), E_USAGE);
	assert_int_equal(db_cursor_open(app.db, "SELECT abs(-9223372036854775807 - 1)",
				 1000, &c, &e),
		E_OK);
	assert_int_not_equal(db_cursor_step(&c, &row, &e), E_OK);
	db_cursor_close(&c);
	assert_int_equal(ask("SELECT COUNT(*) FROM verdict"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM resource"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM burn_part"), 1);
}

/* The configuration names another database than the one that the daemon stays with. */
static void a_halt_beside_either_database_counts(void **state)
{
	char dir[80], path[96];
	const char *at;

	snprintf(dir, sizeof(dir), "%s/new", t.dir);
	snprintf(path, sizeof(path), "%s/t.db", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	cfg.path = "/nonexistent/c.yaml";
	cfg.database = path;
	cfg.enforcement.made.mode = ENFORCE_ARMED;
	config_make_enforcement(&cfg);
	config_keep_database(&cfg, t.path);
	assert_string_equal(cfg.database, t.path);
	assert_false(halt_found(&cfg.enforcement.made, NULL, &app.arena, &at));
	for (int i = 0; i < 2; i++) {
		char *halt = arena_printf(&app.arena, "%s/halt", i ? dir : t.dir);

		assert_int_equal(mkdir(halt, 0700), 0);
		assert_true(halt_found(&cfg.enforcement.made, NULL, &app.arena, &at));
		assert_string_equal(at, halt);
		assert_int_equal(rmdir(halt), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_derived_is_of_the_moment_of_what_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_fails_does_not_move_on, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_halt_beside_either_database_counts, setup, teardown),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}

/* Transactions that do not cannot sync to disk: they are on it when waiting begins again. */
#include "tests/support/assert.h"
#include "tests/support/fault/faultvfs.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct tempdb t;

static void put(const char *key)
{
	struct db_tx tx = {0};
	struct err e = {0};
	char sql[128];

	snprintf(sql, sizeof(sql), "INSERT INTO meta (key, value) VALUES ('%s', '')", key);
	assert_ok(db_begin(t.db, &tx, &e), e);
	tempdb_exec(&t, sql);
	assert_ok(db_commit(&tx, &e), e);
}

static int64_t syncs_of(const char *key)
{
	faultvfs_arm(FAULT_OP_SYNC, 0, false, false);
	put(key);
	return faultvfs.calls;
}

/* Rows that a disk has after a cut of power behind these steps: "p" puts one, "n": do not wait
 * from here on, "w": wait again. */
static int64_t left_after(const char *steps)
{
	char dir[96], path[160], key[2] = "a";
	struct tempdb after = {0};
	struct err e = {0};
	int64_t n;

	tempdb_open(&t, 0);
	db_close(t.db);
	faultvfs_track();
	assert_ok(db_open(t.path, DB_WRITE, &t.clock, &t.db, &e), e);
	for (const char *p = steps; *p; p++) {
		if (*p == 'p') {
			put(key);
			key[0]++;
		} else {
			assert_ok(db_wait_for_disk(t.db, *p == 'w', &e), e);
		}
	}
	snprintf(dir, sizeof(dir), "%s/cut", t.dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	faultvfs_power_off(dir, 0);
	faultvfs_disarm();
	snprintf(path, sizeof(path), "%s/%s", dir, strrchr(t.path, '/') + 1);
	assert_ok(db_open(path, DB_WRITE, &t.clock, &after.db, &e), e);
	n = tempdb_int(&after, "SELECT COUNT(*) FROM meta WHERE value = ''");
	db_close(after.db);
	tempdb_close(&t);
	return n;
}

static void only_those_that_wait_are_synced(void **state)
{
	struct err e = {0};

	tempdb_open(&t, 0);
	assert_true(syncs_of("a") > 0);
	assert_ok(db_wait_for_disk(t.db, false, &e), e);
	assert_i64_eq(syncs_of("b"), 0);
	assert_i64_eq(syncs_of("c"), 0);
	assert_ok(db_wait_for_disk(t.db, true, &e), e);
	assert_true(syncs_of("d") > 0);
	tempdb_expect(&t, "SELECT COUNT(*) FROM meta WHERE value = ''", "4");
	faultvfs_disarm();
	tempdb_close(&t);
}

static void what_did_not_wait_is_there_when_it_waits_again(void **state)
{
	assert_i64_eq(left_after("pp"), 2);
	assert_i64_eq(left_after("npp"), 0);
	assert_i64_eq(left_after("nppw"), 2);
	assert_i64_eq(left_after("pnpp"), 1);
}

/* An action is not to rest on a log that may end, after a power cut, before it. */
static void a_disk_that_does_not_take_them_is_told(void **state)
{
	struct err e = {0};

	tempdb_open(&t, 0);
	assert_ok(db_wait_for_disk(t.db, false, &e), e);
	put("a");
	faultvfs_arm(FAULT_OP_SYNC, 1, false, false);
	assert_int_equal(db_wait_for_disk(t.db, true, &e), E_DB);
	assert_i64_eq(faultvfs.failed, 1);
	assert_non_null(strstr(e.msg, "cannot sync to disk"));
	faultvfs_disarm();
	/* and it waits from here on, all the same */
	assert_true(syncs_of("b") > 0);
	faultvfs_disarm();
	tempdb_close(&t);
}

/* The log is on the disk by then; what is wrong is said by who writes to it next. */
static void a_disk_without_room_to_tidy_up_is_no_loss(void **state)
{
	struct err e = {0};

	tempdb_open(&t, 0);
	assert_ok(db_wait_for_disk(t.db, false, &e), e);
	put("a");
	faultvfs_arm(FAULT_OP_WRITE, 1, true, true);
	assert_ok(db_wait_for_disk(t.db, true, &e), e);
	assert_true(faultvfs.failed > 0);
	faultvfs_disarm();
	tempdb_close(&t);
}

static void within_a_transaction_it_is_refused(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	tempdb_open(&t, 0);
	assert_ok(db_begin(t.db, &tx, &e), e);
	assert_int_equal(db_wait_for_disk(t.db, false, &e), E_DB);
	db_tx_end(&tx);
	tempdb_close(&t);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_did_not_wait_is_there_when_it_waits_again),
		cmocka_unit_test(only_those_that_wait_are_synced),
		cmocka_unit_test(a_disk_that_does_not_take_them_is_told),
		cmocka_unit_test(a_disk_without_room_to_tidy_up_is_no_loss),
		cmocka_unit_test(within_a_transaction_it_is_refused),
	};

	faultvfs_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

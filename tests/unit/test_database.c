/* The database layer: what is opened and what is refused, transactions, queries, SQL of
 * users, and what survives a kill. */
#include "db/internal.h"
#include "db/rollup.h"
#include "db_sql.h"
#include "tests/support/tempdb.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define NOW INT64_C(1795237200)

static struct tempdb t;

static int open_it(void **state)
{
	(void)state;
	tempdb_open(&t, NOW);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	tempdb_close(&t);
	return 0;
}

static void put_meta(const char *key, const char *value)
{
	struct q_meta_put_in in = {.key = key, .value = value};
	struct err e = {0};

	if (q_meta_put(t.db, &in, &e))
		fail_msg("%s", e.msg);
}

static int64_t metas(void)
{
	return tempdb_int(&t, "SELECT COUNT(*) FROM meta WHERE key LIKE 'k%'");
}

static void reopen(enum db_mode mode)
{
	struct err e = {0};

	db_close(t.db);
	t.db = NULL;
	if (db_open(t.path, mode, &t.clock, &t.db, &e))
		fail_msg("%s", e.msg);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static void a_new_database_is_the_users_alone(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(t.path, &st), 0);
	/* the programs run with umask 077; here the test's own umask holds */
	assert_int_equal(st.st_mode & 0111, 0);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM usage"), 0);
}

static void a_reader_needs_a_database_and_makes_none(void **state)
{
	char path[128];
	struct db *db = NULL;
	struct err e = {0};

	(void)state;
	snprintf(path, sizeof(path), "%s/none.db", t.dir);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &db, &e), E_NOTFOUND);
	assert_non_null(strstr(e.fix, "tpucost collect"));
	assert_int_not_equal(access(path, F_OK), 0);
}

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static void a_file_that_is_no_database_is_refused_and_left_alone(void **state)
{
	static const char garbage[] =
		"this is not a database, it only has the name of one ......";
	char path[128], back[128] = "";
	struct db *db = NULL;
	struct err e = {0};
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/bad", t.dir);
	write_file(path, garbage, sizeof(garbage));
	assert_int_equal(db_open(path, DB_WRITE, &t.clock, &db, &e), E_DB);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &db, &e), E_DB);
	f = fopen(path, "r");
	assert_int_equal(fread(back, 1, sizeof(back), f), sizeof(garbage));
	fclose(f);
	assert_memory_equal(back, garbage, sizeof(garbage));
	unlink(path);
}

static void a_database_of_somebody_else_is_refused(void **state)
{
	struct db *db = NULL;
	struct err e = {0};

	(void)state;
	tempdb_exec(&t, "PRAGMA application_id = 7");
	db_close(t.db);
	t.db = NULL;
	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &db, &e), E_DB);
	assert_non_null(strstr(e.msg, "not a tpucost database"));
}

static void a_newer_database_is_refused(void **state)
{
	struct db *db = NULL;
	struct err e = {0};

	(void)state;
	tempdb_exec(&t, "PRAGMA user_version = 999");
	db_close(t.db);
	t.db = NULL;
	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &db, &e), E_DB);
	assert_non_null(strstr(e.msg, "newer tpucost (schema 999"));
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_DB);
}

static void an_older_database_is_not_migrated_by_a_reader(void **state)
{
	struct db *db = NULL;
	struct err e = {0};

	(void)state;
	tempdb_exec(&t, "PRAGMA user_version = 0");
	db_close(t.db);
	t.db = NULL;
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_DB);
	assert_non_null(strstr(e.fix, "collect"));
}

static void a_reader_cannot_write(void **state)
{
	struct q_meta_put_in in = {.key = "k", .value = "v"};
	struct err e = {0};

	(void)state;
	reopen(DB_READ);
	assert_int_equal(q_meta_put(t.db, &in, &e), E_DB);
}

/* ---- transactions ------------------------------------------------------------------------------ */

static void leaving_without_commit_rolls_back(void **state)
{
	struct err e = {0};

	(void)state;
	{
		cleanup(db_tx_end) struct db_tx tx = {0};

		assert_int_equal(db_begin(t.db, &tx, &e), E_OK);
		put_meta("k1", "v");
	}
	assert_int_equal(metas(), 0);
}

static void an_inner_rollback_dooms_the_whole(void **state)
{
	cleanup(db_tx_end) struct db_tx outer = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(db_begin(t.db, &outer, &e), E_OK);
	put_meta("k1", "v");
	{
		cleanup(db_tx_end) struct db_tx inner = {0};

		assert_int_equal(db_begin(t.db, &inner, &e), E_OK);
		put_meta("k2", "v");
	}
	assert_int_equal(db_commit(&outer, &e), E_DB);
	assert_non_null(strstr(e.msg, "test_database.c"));
	assert_int_equal(metas(), 0);
}

static void nested_commits_are_one(void **state)
{
	struct err e = {0};
	struct db_tx outer = {0}, inner = {0};

	(void)state;
	assert_int_equal(db_begin(t.db, &outer, &e), E_OK);
	assert_int_equal(db_begin(t.db, &inner, &e), E_OK);
	put_meta("k1", "v");
	assert_int_equal(db_commit(&inner, &e), E_OK);
	assert_int_equal(db_commit(&outer, &e), E_OK);
	reopen(DB_WRITE);
	assert_int_equal(metas(), 1);
}

static void a_second_writer_waits_and_then_says_busy(void **state)
{
	struct db *other = NULL;
	struct err e = {0};
	struct db_tx mine = {0}, theirs = {0};

	(void)state;
	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &other, &e), E_OK);
	sqlite3_busy_timeout(other->sq, 10);
	assert_int_equal(db_begin(t.db, &mine, &e), E_OK);
	assert_int_equal(db_begin(other, &theirs, &e), E_BUSY);
	assert_int_equal(db_commit(&mine, &e), E_OK);
	assert_int_equal(db_begin(other, &theirs, &e), E_OK);
	db_tx_end(&theirs);
	db_close(other);
}

/* ---- queries ----------------------------------------------------------------------------------- */

static void a_missing_text_names_the_query(void **state)
{
	struct q_meta_put_in in = {.key = "k"};
	struct err e = {0};

	(void)state;
	assert_int_equal(q_meta_put(t.db, &in, &e), E_BUG);
	assert_non_null(strstr(e.msg, "meta_put"));
	assert_non_null(strstr(e.msg, "value"));
}

static void a_query_may_run_inside_its_own_loop(void **state)
{
	struct db_rows outer, inner;
	struct q_source_list a, b;
	struct err e = {0};
	int n = 0;

	(void)state;
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, items) "
		"VALUES "
		"('a', 'p', 'ok', 1, 0), ('b', 'p', 'ok', 1, 0)");
	assert_int_equal(q_source_list_open(t.db, &outer, &e), E_OK);
	while (q_source_list_next(&outer, &a)) {
		assert_int_equal(q_source_list_open(t.db, &inner, &e), E_OK);
		while (q_source_list_next(&inner, &b))
			n++;
		assert_int_equal(db_rows_close(&inner, &e), E_OK);
	}
	assert_int_equal(db_rows_close(&outer, &e), E_OK);
	assert_int_equal(n, 4);
}

static void one_row_is_copied_and_absence_is_no_error(void **state)
{
	struct q_meta_get_in in = {.key = "k1"};
	struct q_meta_get row;
	struct arena a = {0};
	struct err e = {0};
	bool found = true;

	(void)state;
	assert_int_equal(q_meta_get_one(t.db, &in, &a, &row, &found, &e), E_OK);
	assert_false(found);
	put_meta("k1", "hello");
	assert_int_equal(q_meta_get_one(t.db, &in, &a, &row, &found, &e), E_OK);
	put_meta("k1", "other");
	assert_true(found);
	assert_string_equal(row.value, "hello");
	arena_done(&a);
}

static void hostile_text_is_data(void **state)
{
	(void)state;
	put_meta("k'; DROP TABLE meta; --", "v");
	assert_int_equal(metas(), 1);
}

/* ---- derived tables ---------------------------------------------------------------------------- */

static void temporary_tables_shadow_the_kept_ones(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	(void)state;
	tempdb_exec(
		&t, "INSERT INTO as_of (now, timezone, currency) VALUES (1, 'UTC', 'USD')");
	reopen(DB_READ);
	assert_int_equal(db_begin(t.db, &tx, &e), E_OK);
	assert_int_equal(db_temp_derived(t.db, DERIVED_LIVE, &e), E_OK);
	assert_int_equal(db_need(t.db, "SELECT now FROM as_of", &e), E_OK);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM as_of"), 0);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM main.as_of"), 1);
	assert_int_equal(db_commit(&tx, &e), E_OK);
}

static void another_version_of_the_views_rebuilds_them(void **state)
{
	struct err e = {0};
	bool rebuilt;

	(void)state;
	assert_int_equal(db_keep_derived(t.db, &rebuilt, &e), E_OK);
	assert_false(rebuilt);
	tempdb_exec(&t, "UPDATE meta SET value = 'old' WHERE key = 'derived'");
	assert_int_equal(db_keep_derived(t.db, &rebuilt, &e), E_OK);
	assert_true(rebuilt);
}

/* What is written of the version has two parts: the second is of the rollups. */
static void other_views_leave_the_rollups_as_they_are(void **state)
{
	bool rebuilt = true, current = false;
	struct err e = {0};

	(void)state;
	tempdb_exec(&t,
		"UPDATE meta SET value = 'x' || substr(value, 2) WHERE key = 'derived';"
		"INSERT INTO calendar VALUES (1, '1970-01-02', 86400, 172800);"
		"DROP VIEW resources; DROP TABLE verdict");
	assert_int_equal(db_rollups_current(t.db, &current, &e), E_OK);
	assert_true(current);
	assert_int_equal(db_keep_derived(t.db, &rebuilt, &e), E_OK);
	assert_false(rebuilt);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM calendar"), 1);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM resources"), 0);

	tempdb_exec(&t,
		"UPDATE meta SET value = substr(value, 1, 32) || 'x' WHERE key = "
		"'derived'");
	assert_int_equal(db_rollups_current(t.db, &current, &e), E_OK);
	assert_false(current);
	assert_int_equal(db_keep_derived(t.db, &rebuilt, &e), E_OK);
	assert_true(rebuilt);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM calendar"), 0);
	tempdb_exec(
		&t, "UPDATE meta SET value = substr(value, 1, 16) WHERE key = 'derived'");
	assert_int_equal(db_rollups_current(t.db, &current, &e), E_OK);
	assert_false(current);
}

/* ---- SQL of users ------------------------------------------------------------------------------ */

static void only_one_select_is_allowed(void **state)
{
	static const char *const refused[] = {"DELETE FROM meta",
		"INSERT INTO meta VALUES (1,2)", "CREATE TABLE x (y)",
		"CREATE TEMP TABLE x (y)", "DROP TABLE meta", "ATTACH 'x' AS y",
		"PRAGMA user_version", "PRAGMA user_version = 3", "VACUUM",
		"SELECT 1; SELECT 2", "BEGIN", "SELECT load_extension('x')", "REINDEX",
		"ALTER TABLE meta RENAME TO m", "", " -- nothing",
		"SELECT zeroblob(1000000000)", "WITH x AS (SELECT 1) DELETE FROM meta",
		"EXPLAIN DELETE FROM meta"};

	(void)state;
	put_meta("k1", "v");
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct db_cursor c = {0};
		struct err e = {0};

		if (!db_cursor_open(t.db, refused[i], 1000, &c, &e))
			fail_msg("allowed: %s", refused[i]);
		assert_true(e.msg[0]);
	}
	assert_int_equal(metas(), 1);
	put_meta("k2", "our own statements are not guarded");
}

static int64_t running_ms(struct clock *c)
{
	return c->fake_mono_ms += 50; /* every look at the clock costs time */
}

static void an_endless_query_is_cut_off(void **state)
{
	struct db_cursor c = {0};
	struct err e = {0};
	bool row;

	(void)state;
	t.clock.mono_ms = running_ms;
	assert_int_equal(
		db_cursor_open(t.db,
			"WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "
			"SELECT COUNT(*) FROM r",
			1000, &c, &e),
		E_OK);
	assert_int_equal(db_cursor_step(&c, &row, &e), E_LIMIT);
	assert_non_null(strstr(e.msg, "too long"));
	db_cursor_close(&c);
	put_meta("k1", "the connection goes on");
}

static void absurd_sql_is_refused(void **state)
{
	size_t n = 10 * 1000 * 1000;
	char *big = malloc(n + 1), deep[4096] = "SELECT ";
	struct db_cursor c = {0};
	struct err e = {0};

	(void)state;
	memset(big, ' ', n);
	big[n] = '\0';
	memcpy(big, "SELECT 1", 8);
	big[n - 1] = '1';
	assert_int_not_equal(db_cursor_open(t.db, big, 1000, &c, &e), E_OK);
	free(big);
	for (int i = 0; i < 1000; i++)
		memcpy(deep + 7 + i * 2, "-(", 3);
	assert_int_not_equal(db_cursor_open(t.db, deep, 1000, &c, &e), E_OK);
}

/* ---- days -------------------------------------------------------------------------------------- */

static void days_of_23_and_25_hours_hold_what_they_should(void **state)
{
	static const struct {
		const char *date;
		int hours;
	} days[] = {{"2026-03-08", 23}, {"2026-11-01", 25}, {"2026-11-02", 24}};
	struct rollup_range range = ROLLUP_NOTHING;
	struct tz *tz = NULL;
	struct err e = {0};

	(void)state;
	assert_int_equal(tz_open("America/Los_Angeles", &tz, &e), E_OK);
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1,'a.b.c','US',0,0);"
		"INSERT INTO sku VALUES (1,'a','b','c','d');"
		"INSERT INTO billed_project VALUES (1,'p','','');"
		"INSERT INTO charge VALUES (1,'x','regular','USD','',0);"
		"INSERT INTO place VALUES (1,'','','');"
		"INSERT INTO billed_resource VALUES (1,'','');"
		/* every hour of 2026, one unit each */
		"WITH RECURSIVE h(t) AS (SELECT 1767225600 UNION ALL SELECT t + 3600 FROM "
		"h "
		"WHERE t < 1798758000) INSERT INTO usage SELECT 1, t / 86400, t, 1, 1, 1, "
		"1, 1, 0, 0, 1000000000, 0, 1 FROM h;"
		"INSERT INTO as_of (now, timezone, currency) VALUES (1800000000, 'x', "
		"'USD')");
	rollup_widen(&range, 1767225600, 1798758000);
	for (int round = 0; round < 2; round++) { /* again is the same */
		assert_int_equal(rollup_days(t.db, tz, &range, &e), E_OK);
		for (size_t i = 0; i < ARRAY_LEN(days); i++) {
			char sql[128];

			snprintf(sql, sizeof(sql),
				"SELECT CAST(SUM(cost) AS INTEGER) FROM costs WHERE day = "
				"'%s'",
				days[i].date);
			assert_int_equal(tempdb_int(&t, sql), days[i].hours);
		}
		assert_int_equal(
			tempdb_int(&t, "SELECT SUM(cost_n) / 1000000000 FROM costs_exact"),
			8760);
	}
	tz_free(tz);
}

/* ---- care, kills and full disks ----------------------------------------------------------------- */

static void remove_copy(void)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char file[128];

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(file, sizeof(file), "%s/copy.db%s", t.dir, ends[i]);
		unlink(file);
	}
}

static void a_backup_is_whole_and_overwrites_nothing(void **state)
{
	int64_t tables, rows, own_tables, own_rows;
	char path[128];
	struct db *copy = NULL;
	struct err e = {0};
	struct stat st;

	(void)state;
	put_meta("k1", "v");
	snprintf(path, sizeof(path), "%s/copy.db", t.dir);
	assert_int_equal(db_backup(t.db, path, false, &e), E_OK);
	assert_int_equal(db_backup(t.db, path, false, &e), E_CONFLICT);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &copy, &e), E_OK);
	assert_int_equal(db_check(copy, &e), E_OK);
	db_close(copy);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	put_meta("k2", "v");
	assert_int_equal(db_backup(t.db, path, true, &e), E_OK);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &copy, &e), E_OK);
	assert_int_equal(db_count(copy, &tables, &rows, &e), E_OK);
	assert_int_equal(db_count(t.db, &own_tables, &own_rows, &e), E_OK);
	assert_int_equal(tables, own_tables);
	assert_int_equal(rows, own_rows);
	db_close(copy);
	remove_copy();
	assert_int_equal(db_backup(t.db, t.path, true, &e), E_CONFLICT);
	assert_int_equal(db_backup(t.db, "/nonexistent/x.db", false, &e), E_IO);
	assert_string_equal(e.fix,
		"give a name in a directory that is there and that you may write to");
}

/* Batches of ten rows, one transaction each; a byte is written when one is committed. */
static void write_batches(int fd)
{
	for (int batch = 0;; batch++) {
		struct db_tx tx = {0};
		char key[32];

		if (db_begin(t.db, &tx, NULL))
			_exit(1);
		for (int i = 0; i < 10; i++) {
			struct q_meta_put_in in = {.key = key, .value = "v"};

			snprintf(key, sizeof(key), "k%d.%d", batch, i);
			if (q_meta_put(t.db, &in, NULL))
				_exit(1);
		}
		if (db_commit(&tx, NULL) || write(fd, "x", 1) != 1)
			_exit(1);
	}
}

/* A writer of its own, with batches of ten as fast as it can: each copy has whole batches, and
 * those that were committed before it began. */
static void a_backup_while_somebody_writes_is_of_one_moment(void **state)
{
	char path[128], byte;
	int64_t acked = 0, held = 0;
	struct err e = {0};
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	pid = fork();
	if (!pid) {
		char own[96];

		close(fds[0]);
		snprintf(own, sizeof(own), "%s", t.path);
		t.db = NULL; /* the parent's connection is not for a child */
		if (db_open(own, DB_WRITE, &t.clock, &t.db, NULL))
			_exit(1);
		write_batches(fds[1]);
	}
	close(fds[1]);
	for (int i = 0; i < 12; i++) {
		struct db *live = t.db, *copy = NULL;

		snprintf(path, sizeof(path), "%s/copy.db", t.dir);
		while (acked < held / 10 + 3)
			acked += read(fds[0], &byte, 1) == 1;
		assert_int_equal(db_backup(t.db, path, false, &e), E_OK);
		assert_int_equal(db_open(path, DB_READ, &t.clock, &copy, &e), E_OK);
		assert_int_equal(db_check(copy, &e), E_OK);
		t.db = copy;
		held = metas();
		t.db = live;
		db_close(copy);
		assert_int_equal(held % 10, 0);
		assert_true(held / 10 >= acked);
		remove_copy();
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fds[0]);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(db_check(t.db, &e), E_OK);
}

/* The copy, what is to become one, and what SQLite puts beside these. */
static int files_of_copy(void)
{
	DIR *d = opendir(t.dir);
	struct dirent *f;
	int n = 0;

	assert_non_null(d);
	while ((f = readdir(d)))
		n += !strncmp(f->d_name, "copy.db", strlen("copy.db"));
	closedir(d);
	return n;
}

static void a_backup_without_room_leaves_nothing(void **state)
{
	struct rlimit old, tight;
	char path[128];
	struct err e = {0};
	enum err_code rc;

	(void)state;
	put_meta("k1", "v");
	signal(SIGXFSZ, SIG_IGN);
	snprintf(path, sizeof(path), "%s/copy.db", t.dir);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (rlim_t room = 0; room <= 120000; room += 20000) {
		tight = old;
		tight.rlim_cur = room;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
		rc = db_backup(t.db, path, false, &e);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(rc, E_IO);
		assert_non_null(strstr(e.msg, path));
		assert_null(strstr(e.msg, ".tpucost-"));
		assert_string_equal(
			e.fix, "make room on that disk, or give a name on another one");
		assert_int_equal(files_of_copy(), 0);
	}
	assert_int_equal(db_backup(t.db, path, false, &e), E_OK);
	assert_int_equal(files_of_copy(), 1);
	assert_int_equal(db_check(t.db, &e), E_OK);
	assert_int_equal(metas(), 1);
	remove_copy();
}

static void what_was_committed_survives_a_kill_and_nothing_is_half(void **state)
{
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s", t.path);
	db_close(t.db);
	t.db = NULL;
	for (int round = 0; round < 25; round++) {
		int64_t acked = 0, before, after;
		struct err e = {0};
		int fds[2], status;
		char byte;
		pid_t pid;

		assert_int_equal(db_open(path, DB_WRITE, &t.clock, &t.db, &e), E_OK);
		tempdb_exec(&t, "DELETE FROM meta WHERE key LIKE 'k%'");
		before = metas();
		db_close(t.db);
		t.db = NULL;
		assert_int_equal(pipe(fds), 0);
		pid = fork();
		if (!pid) {
			close(fds[0]);
			if (db_open(path, DB_WRITE, &t.clock, &t.db, NULL))
				_exit(1);
			write_batches(fds[1]);
		}
		close(fds[1]);
		while (acked < 3 + round % 7 && read(fds[0], &byte, 1) == 1)
			acked++;
		kill(pid, SIGKILL);
		while (read(fds[0], &byte, 1) == 1)
			acked++;
		close(fds[0]);
		waitpid(pid, &status, 0);
		assert_int_equal(db_open(path, DB_WRITE, &t.clock, &t.db, &e), E_OK);
		assert_int_equal(db_check(t.db, &e), E_OK);
		after = metas();
		assert_int_equal(before, 0);
		assert_int_equal(after % 10, 0);
		assert_true(after / 10 >= acked);
		db_close(t.db);
		t.db = NULL;
	}
	reopen(DB_WRITE);
}

static void a_full_disk_is_an_error_and_loses_nothing(void **state)
{
	struct rlimit old, tight;
	char value[20000];
	struct stat st;
	struct err e = {0};
	bool failed = false;

	(void)state;
	put_meta("k1", "kept");
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(stat(t.path, &st), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	tight = old;
	tight.rlim_cur = 300000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	for (int i = 0; i < 200 && !failed; i++) {
		char key[16];
		struct q_meta_put_in in = {.key = key, .value = value};

		snprintf(key, sizeof(key), "big%d", i);
		failed = q_meta_put(t.db, &in, &e) != E_OK;
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_true(failed);
	assert_true(e.msg[0]);
	reopen(DB_WRITE);
	assert_int_equal(db_check(t.db, &e), E_OK);
	assert_int_equal(metas(), 1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_it, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_database_is_the_users_alone),
		TEST(a_reader_needs_a_database_and_makes_none),
		TEST(a_file_that_is_no_database_is_refused_and_left_alone),
		TEST(a_database_of_somebody_else_is_refused),
		TEST(a_newer_database_is_refused),
		TEST(an_older_database_is_not_migrated_by_a_reader),
		TEST(a_reader_cannot_write),
		TEST(leaving_without_commit_rolls_back),
		TEST(an_inner_rollback_dooms_the_whole),
		TEST(nested_commits_are_one),
		TEST(a_second_writer_waits_and_then_says_busy),
		TEST(a_missing_text_names_the_query),
		TEST(a_query_may_run_inside_its_own_loop),
		TEST(one_row_is_copied_and_absence_is_no_error),
		TEST(hostile_text_is_data),
		TEST(temporary_tables_shadow_the_kept_ones),
		TEST(another_version_of_the_views_rebuilds_them),
		TEST(other_views_leave_the_rollups_as_they_are),
		TEST(only_one_select_is_allowed),
		TEST(an_endless_query_is_cut_off),
		TEST(absurd_sql_is_refused),
		TEST(days_of_23_and_25_hours_hold_what_they_should),
		TEST(a_backup_is_whole_and_overwrites_nothing),
		TEST(a_backup_while_somebody_writes_is_of_one_moment),
		TEST(a_backup_without_room_leaves_nothing),
		TEST(what_was_committed_survives_a_kill_and_nothing_is_half),
		TEST(a_full_disk_is_an_error_and_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Care of a database: copies of it, and what survives a kill and a full disk. */
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOW INT64_C(1795237200)

static struct tempdb t;

static int open_it(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static int close_it(void **state)
{
	tempdb_close(&t);
	return 0;
}

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
	struct q_meta_get_in mark = {.key = DB_BACKUP_MARK};
	char path[128], at[24];
	struct q_meta_get row;
	struct db *copy = NULL;
	struct arena a = {0};
	struct err e = {0};
	struct stat st;
	bool found;

	tempdb_put_meta(&t, "k1", "v");
	snprintf(path, sizeof(path), "%s/copy.db", t.dir);
	assert_int_equal(db_backup(t.db, path, false, &e), E_OK);
	assert_int_equal(db_backup(t.db, path, false, &e), E_CONFLICT);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &copy, &e), E_OK);
	assert_int_equal(db_check(copy, &e), E_OK);
	db_close(copy);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	tempdb_put_meta(&t, "k2", "v");
	assert_int_equal(db_backup(t.db, path, true, &e), E_OK);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &copy, &e), E_OK);
	assert_int_equal(db_count(copy, &tables, &rows, &e), E_OK);
	assert_int_equal(db_count(t.db, &own_tables, &own_rows, &e), E_OK);
	assert_int_equal(tables, own_tables);
	assert_int_equal(rows, own_rows + 1); /* its mark */
	assert_ok(q_meta_get_one(copy, &mark, &a, &row, &found, &e), e);
	assert_true(found);
	snprintf(at, sizeof(at), "%lld", (long long)clock_now(&t.clock));
	assert_string_equal(row.value, at);
	arena_done(&a);
	db_close(copy);
	remove_copy();
	assert_int_equal(db_backup(t.db, t.path, true, &e), E_CONFLICT);
	assert_int_equal(db_backup(t.db, "/nonexistent/x.db", false, &e), E_IO);
	assert_string_equal(
		e.fix, "choose a name in an existing directory that you may write to");
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
		held = tempdb_metas(&t);
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

	tempdb_put_meta(&t, "k1", "v");
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
			e.fix, "increase the limit of the size of files (ulimit -f)");
		assert_int_equal(files_of_copy(), 0);
	}
	assert_int_equal(db_backup(t.db, path, false, &e), E_OK);
	assert_int_equal(files_of_copy(), 1);
	assert_int_equal(db_check(t.db, &e), E_OK);
	assert_int_equal(tempdb_metas(&t), 1);
	remove_copy();
}

static void what_was_committed_survives_a_kill_and_nothing_is_half(void **state)
{
	char path[96];

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
		before = tempdb_metas(&t);
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
		after = tempdb_metas(&t);
		assert_int_equal(before, 0);
		assert_int_equal(after % 10, 0);
		assert_true(after / 10 >= acked);
		db_close(t.db);
		t.db = NULL;
	}
	tempdb_reopen(&t, DB_WRITE);
}

static void a_full_disk_is_an_error_and_loses_nothing(void **state)
{
	struct rlimit old, tight;
	char value[20000];
	struct stat st;
	struct err e = {0};
	bool failed = false;

	tempdb_put_meta(&t, "k1", "kept");
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
	tempdb_reopen(&t, DB_WRITE);
	assert_int_equal(db_check(t.db, &e), E_OK);
	assert_int_equal(tempdb_metas(&t), 1);
}

static off_t file_size(void)
{
	struct stat st;

	tempdb_exec(&t, "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(stat(t.path, &st), 0);
	return st.st_size;
}

/* 2500 pages in two steps of 1000; the rest is less than one. A file from before is as large as it was, until it is
 * compacted. */
static void a_file_shrinks_step_by_step(void **state)
{
	struct err e = {0};
	off_t before, full, gone[2], map;

	assert_i64_eq(tempdb_int(&t, "PRAGMA auto_vacuum"), 2);
	for (int old = 1; old >= 0; old--) {
		if (old) {
			sqlite3_limit(t.db->sq, SQLITE_LIMIT_ATTACHED, 1);
			tempdb_exec(&t, "PRAGMA auto_vacuum = NONE; VACUUM");
		}
		tempdb_reopen(&t, DB_WRITE);
		map = old ? 0 : 4 * 4096; /* pages that only say where others are */
		gone[0] = old ? 0 : 1000 * 4096;
		gone[1] = 2 * gone[0];
		before = file_size();
		tempdb_exec(&t,
			"WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n "
			"WHERE v < 2500) INSERT INTO meta (key, value) SELECT 'k' || v, "
			"hex(zeroblob(2040)) FROM n");
		full = file_size();
		assert_true(full > before + 2500 * 4096);
		assert_ok(db_shrink(t.db, &e), e);
		assert_true(file_size() == full);
		tempdb_exec(&t, "DELETE FROM meta WHERE key LIKE 'k%'");
		assert_true(file_size() == full);
		assert_ok(db_shrink(t.db, &e), e);
		assert_true(full - file_size() - gone[0] <= map);
		assert_true(full - file_size() >= gone[0]);
		assert_ok(db_shrink(t.db, &e), e);
		assert_ok(db_shrink(t.db, &e), e);
		assert_true(file_size() > before);
		assert_true(full - file_size() - gone[1] <= map);
		assert_true(full - file_size() >= gone[1]);
		assert_ok(db_compact(t.db, &e), e);
		assert_true(file_size() <= before + 2 * 4096);
		assert_ok(db_check(t.db, &e), e);
	}
}

UNIT_TESTS()
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_it, close_it)
	const struct CMUnitTest tests[] = {
		TEST(a_backup_is_whole_and_overwrites_nothing),
		TEST(a_backup_while_somebody_writes_is_of_one_moment),
		TEST(a_backup_without_room_leaves_nothing),
		TEST(what_was_committed_survives_a_kill_and_nothing_is_half),
		TEST(a_full_disk_is_an_error_and_loses_nothing),
		TEST(a_file_shrinks_step_by_step),
	};

	return cmocka_run_group_tests_name("database_care", tests, NULL, NULL);
}

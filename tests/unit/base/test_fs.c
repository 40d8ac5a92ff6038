#include "base/fs.h"

#include "base/mem.h"
#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRANGER ((uid_t)12345)

static int setup(void **state)
{
	struct tempdir *d = xcalloc(1, sizeof(*d));

	tempdir_make(d);
	unsetenv("CREDENTIALS_DIRECTORY");
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	tempdir_remove(*state);
	free(*state);
	return 0;
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (unsigned)st.st_mode & 07777;
}

static void assert_file(const char *path, const char *want)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};

	assert_ok(fs_read(path, 1000000, &b, &e), e);
	assert_string_equal(b.s, want);
}

/* ---- reading ----------------------------------------------------------------------------- */

static void a_file_is_read_whole_and_appended(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};

	sbuf_adds(&b, "old ");
	assert_ok(fs_read(tempdir_write(*state, "a", "x\0y", 3, 0644), 3, &b, &e), e);
	assert_i64_eq(b.len, 7);
	assert_memory_equal(b.s, "old x\0y", 8);
	assert_ok(fs_read(tempdir_write(*state, "b", "", 0, 0644), 0, &b, &e), e);
	assert_i64_eq(b.len, 7);
}

static void a_large_file_is_read_whole(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	cleanup(free_ptr) char *data = xmalloc(100001);
	struct err e = {0};
	const char *path;

	for (size_t i = 0; i < 100001; i++)
		data[i] = (char)(i * 7 % 251);
	path = tempdir_write(*state, "a", data, 100001, 0644);
	assert_ok(fs_read(path, 100001, &b, &e), e);
	assert_i64_eq(b.len, 100001);
	assert_memory_equal(b.s, data, 100001);
}

static void a_longer_file_than_allowed_is_refused_and_nothing_kept(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, small = SBUF_MAX(20000);
	cleanup(free_ptr) char *data = xcalloc(50000, 1);
	struct err e = {0};
	const char *path = tempdir_write(*state, "a", data, 50000, 0644);

	sbuf_adds(&b, "old");
	assert_err(fs_read(path, 49999, &b, &e), e, E_LIMIT, "is larger than 49999 bytes");
	assert_contains(e.msg, path);
	assert_string_equal(b.s, "old");
	assert_i64_eq(b.len, 3);
	assert_err(fs_read(path, 0, &b, &e), e, E_LIMIT, "larger than 0 bytes");
	/* a buffer with a cap of its own does not lose the end silently */
	sbuf_adds(&small, "old");
	assert_err(fs_read(path, 50000, &small, &e), e, E_LIMIT, "too large to be read");
	assert_i64_eq(small.len, 3);
}

static void a_missing_file_is_not_found(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};
	const char *path;

	assert_err(fs_read(tempdir_name(*state, "none"), 9, &b, &e), e, E_NOTFOUND,
		"/none: No such file");
	tempdir_write(*state, "file", "", 0, 0644);
	path = tempdir_name(*state, "file/below");
	assert_err(fs_read(path, 9, &b, &e), e, E_NOTFOUND, "Not a directory");
	assert_err(fs_read("", 9, &b, &e), e, E_NOTFOUND, "No such file");
	assert_i64_eq(b.len, 0);
}

/* A FIFO would block, /dev/zero would never end. */
static void what_is_no_regular_file_is_refused_at_once(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct tempdir *d = *state;
	struct err e = {0};

	assert_err(fs_read(d->path, 9, &b, &e), e, E_IO, "is not a regular file");
	assert_int_equal(mkfifo(tempdir_name(d, "fifo"), 0600), 0);
	assert_err(fs_read(d->name, 9, &b, &e), e, E_IO, "/fifo is not a regular file");
	assert_err(fs_read_secret(d->name, 9, &b, &e), e, E_IO, "is not a regular file");
	assert_err(fs_read("/dev/zero", 9, &b, &e), e, E_IO, "is not a regular file");
	assert_int_equal(symlink("loop", tempdir_name(d, "loop")), 0);
	assert_err(fs_read(d->name, 9, &b, &e), e, E_IO, "symbolic links");
	assert_i64_eq(b.len, 0);
}

static void only_the_code_may_be_wanted(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct tempdir *d = *state;

	assert_int_equal(fs_read(tempdir_name(d, "none"), 9, &b, NULL), E_NOTFOUND);
	assert_int_equal(fs_read(d->path, 9, &b, NULL), E_IO);
	assert_int_equal(fs_read_secret(tempdir_name(d, "none"), 9, &b, NULL), E_NOTFOUND);
	assert_int_equal(
		fs_read(tempdir_write(d, "a", "1234", 4, 0644), 3, &b, NULL), E_LIMIT);
	assert_int_equal(fs_read_secret(d->name, 9, &b, NULL), E_IO);
	assert_int_equal(fs_write_atomic(d->path, "", 0, 0600, NULL), E_IO);
	assert_int_equal(fs_write_atomic(tempdir_name(d, "no/x"), "", 0, 0600, NULL), E_IO);
	assert_int_equal(fs_mkdirs(tempdir_name(d, "a"), 0700, NULL), E_IO);
	assert_int_equal(fs_mkdirs("", 0700, NULL), E_IO);
}

/* ---- secrets ----------------------------------------------------------------------------- */

static void a_private_file_of_ours_is_a_secret(void **state)
{
	static const unsigned modes[] = {0600, 0400, 0700};

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		struct err e = {0};
		const char *path = tempdir_write(*state, "s", "hush", 4, modes[i]);

		assert_ok(fs_read_secret(path, 100, &b, &e), e);
		assert_string_equal(b.s, "hush");
		unlink(path);
	}
}

static void a_secret_that_others_can_reach_is_refused_with_the_cure(void **state)
{
	static const unsigned modes[] = {
		0644, 0640, 0604, 0620, 0602, 0610, 0601, 0660, 0777, 0440};
	char want[64];

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		struct err e = {0};
		const char *path = tempdir_write(*state, "s", "hush", 4, modes[i]);

		snprintf(want, sizeof(want), "readable by group or others (mode %04o)",
			modes[i]);
		assert_err(fs_read_secret(path, 100, &b, &e), e, E_IO, want);
		assert_contains(e.msg, "secret file /");
		assert_contains(e.fix, "run: chmod 600 /");
		assert_i64_eq(b.len, 0);
		unlink(path);
	}
}

static void the_cure_may_be_pasted_into_a_shell(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};
	const char *path = tempdir_write(*state, "my key;rm x", "", 0, 0644);

	assert_err(fs_read_secret(path, 100, &b, &e), e, E_IO, "my key;rm x: readable");
	assert_contains(e.fix, "chmod 600 '/");
	assert_contains(e.fix, "my key;rm x'");
}

/* Kubernetes mounts secrets as links into "..data", itself a link that changes: name the file in there. */
static void a_link_to_a_secret_is_refused(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct tempdir *d = *state;
	char data[200], want[300];
	struct err e = {0};

	assert_int_equal(mkdir(tempdir_name(d, "v1"), 0700), 0);
	tempdir_write(d, "v1/s", "hush", 4, 0600);
	assert_int_equal(symlink("v1", tempdir_name(d, "..data")), 0);
	snprintf(data, sizeof(data), "%s", tempdir_name(d, "..data/s"));
	assert_int_equal(symlink("..data/s", tempdir_name(d, "s")), 0);
	assert_err(fs_read_secret(d->name, 100, &b, &e), e, E_IO, "it is a symbolic link");
	snprintf(want, sizeof(want), "use the file that it points to: %s", data);
	assert_string_equal(e.fix, want);
	assert_i64_eq(b.len, 0);
	assert_ok(fs_read_secret(data, 100, &b, &e), e);
	assert_string_equal(b.s, "hush");
	/* one to nothing, too */
	assert_int_equal(symlink("none", tempdir_name(d, "t")), 0);
	assert_err(fs_read_secret(d->name, 100, &b, &e), e, E_IO, "it is a symbolic link");
}

static void a_secret_of_another_user_is_refused(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};
	const char *path = tempdir_write(*state, "s", "hush", 4, 0600);

	if (geteuid() != 0)
		skip(); /* only root can give files away */
	assert_int_equal(chown(path, STRANGER, (gid_t)-1), 0);
	assert_err(fs_read_secret(path, 100, &b, &e), e, E_IO,
		"belongs to another user (uid 12345)");
	assert_contains(e.fix, "chown 0 /");
	assert_i64_eq(b.len, 0);
}

static void a_secret_that_is_too_long_is_refused(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};

	sbuf_adds(&b, "old");
	assert_err(fs_read_secret(tempdir_write(*state, "s", "hush", 4, 0600), 3, &b, &e),
		e, E_LIMIT, "larger than 3 bytes");
	assert_string_equal(b.s, "old");
}

static void credentials_of_systemd_are_taken_as_they_are(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct tempdir *d = *state;
	struct err e = {0};

	if (geteuid() != 0)
		skip(); /* systemd owns them as root */
	tempdir_write(d, "cred", "hush", 4, 0440);
	setenv("CREDENTIALS_DIRECTORY", d->path, 1);
	assert_ok(fs_read_secret(tempdir_name(d, "cred"), 100, &b, &e), e);
	assert_string_equal(b.s, "hush");
	assert_int_equal(chmod(d->name, 0444), 0); /* but not what all can read */
	assert_err(fs_read_secret(d->name, 100, &b, &e), e, E_IO, "readable by group");
	assert_int_equal(chmod(d->name, 0440), 0);
	setenv("CREDENTIALS_DIRECTORY", "/tmp/tpucost", 1); /* only a prefix of the name */
	assert_err(fs_read_secret(d->name, 100, &b, &e), e, E_IO, "readable by group");
	setenv("CREDENTIALS_DIRECTORY", "", 1);
	assert_err(fs_read_secret(d->name, 100, &b, &e), e, E_IO, "readable by group");
	unsetenv("CREDENTIALS_DIRECTORY");
}

/* ---- writing ----------------------------------------------------------------------------- */

static void a_file_is_written_with_its_mode(void **state)
{
	struct tempdir *d = *state;
	struct err e = {0};
	mode_t old = umask(077);

	assert_ok(fs_write_atomic(tempdir_name(d, "a"), "x\0y", 3, 0644, &e), e);
	umask(old);
	assert_int_equal(mode_of(d->name), 0644);
	assert_ok(fs_write_atomic(tempdir_name(d, "b"), "secret", 6, 0600, &e), e);
	assert_int_equal(mode_of(d->name), 0600);
	assert_file(d->name, "secret");
	assert_i64_eq(tempdir_count(d), 2);
}

static void a_file_that_was_there_gets_no_new_rights(void **state)
{
	static const struct {
		unsigned before, mode, after;
	} v[] = {{0644, 0600, 0600}, {0400, 0600, 0400}, {0640, 0644, 0640}};
	struct tempdir *d = *state;
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		tempdir_write(d, "a", "old", 3, v[i].before);
		assert_ok(fs_write_atomic(d->name, "new", 3, (int)v[i].mode, &e), e);
		assert_int_equal(mode_of(d->name), v[i].after);
		assert_int_equal(unlink(d->name), 0);
	}
}

static void an_old_file_is_replaced_not_rewritten(void **state)
{
	struct tempdir *d = *state;
	struct stat before, after;
	struct err e = {0};
	char got[16] = "";
	FILE *reader;

	assert_int_equal(stat(tempdir_write(d, "a", "old", 3, 0644), &before), 0);
	reader = fopen(d->name, "r");
	assert_ok(fs_write_atomic(d->name, "new content", 11, 0644, &e), e);
	assert_int_equal(stat(d->name, &after), 0);
	assert_true(before.st_ino != after.st_ino);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, reader), 3);
	assert_string_equal(got, "old"); /* who reads it still sees the old one, whole */
	fclose(reader);
	assert_file(d->name, "new content");
	assert_i64_eq(tempdir_count(d), 1); /* and nothing else is left behind */
	assert_ok(fs_write_atomic(d->name, "", 0, 0644, &e), e);
	assert_file(d->name, "");
}

static void a_name_without_directory_is_in_the_current_one(void **state)
{
	cleanup(free_ptr) char *old = getcwd(NULL, 0);
	struct tempdir *d = *state;
	struct err e = {0};

	assert_int_equal(chdir(d->path), 0);
	assert_ok(fs_write_atomic("plain", "x", 1, 0644, &e), e);
	assert_int_equal(chdir(old), 0);
	assert_file(tempdir_name(d, "plain"), "x");
}

static void a_link_stays_and_its_target_is_replaced(void **state)
{
	struct tempdir *d = *state;
	struct err e = {0};
	struct stat st;

	assert_int_equal(mkdir(tempdir_name(d, "sub"), 0755), 0);
	tempdir_write(d, "sub/real", "old", 3, 0644);
	assert_int_equal(symlink("sub/real", tempdir_name(d, "link")), 0);
	assert_ok(fs_write_atomic(d->name, "new", 3, 0644, &e), e);
	assert_int_equal(lstat(d->name, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_file(tempdir_name(d, "sub/real"), "new");
}

/* "--output /dev/null" must not put a file in the place of the device. */
static void devices_and_directories_are_not_replaced(void **state)
{
	struct tempdir *d = *state;
	struct err e = {0};
	struct stat st;

	assert_int_equal(mkfifo(tempdir_name(d, "fifo"), 0600), 0);
	assert_err(
		fs_write_atomic(d->name, "x", 1, 0644, &e), e, E_IO, "not a regular file");
	assert_int_equal(stat(d->name, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_err(
		fs_write_atomic(d->path, "x", 1, 0644, &e), e, E_IO, "not a regular file");
	assert_err(fs_write_atomic("/dev/null", "x", 1, 0644, &e), e, E_IO, "/dev/null");
	assert_contains(e.fix, "redirect standard output");
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_i64_eq(tempdir_count(d), 1);
}

static void a_file_that_cannot_be_written_says_why(void **state)
{
	struct tempdir *d = *state;
	struct err e = {0};

	assert_err(fs_write_atomic(tempdir_name(d, "none/a"), "x", 1, 0644, &e), e, E_IO,
		"none/a");
	assert_contains(e.msg, "No such file or directory");
	assert_contains(e.fix, "run: mkdir -p '");
	tempdir_write(d, "file", "", 0, 0644);
	assert_err(fs_write_atomic(tempdir_name(d, "file/a"), "x", 1, 0644, &e), e, E_IO,
		"Not a directory");
	assert_err(fs_write_atomic("", "x", 1, 0644, &e), e, E_IO, "write ");
	assert_i64_eq(tempdir_count(d), 1);
}

/* A limit on file size stands for a full disk. */
static void a_write_that_fails_half_way_leaves_the_old_file(void **state)
{
	struct tempdir *d = *state;
	struct rlimit old, small;
	struct err e = {0};
	char data[8192];
	enum err_code rc;

	memset(data, 'x', sizeof(data));
	tempdir_write(d, "a", "old", 3, 0644);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){.rlim_cur = 4096, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = fs_write_atomic(d->name, data, sizeof(data), 0644, &e);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_err(rc, e, E_IO, "File too large");
	assert_file(d->name, "old");
	assert_i64_eq(tempdir_count(d), 1);
}

/* ---- paths ------------------------------------------------------------------------------- */

static void a_path_is_relative_to_the_file_that_names_it(void **state)
{
	static const struct {
		const char *base, *path, *want;
	} rows[] = {
		{"/etc/tpucost/config.yaml", "tpucost.db", "/etc/tpucost/tpucost.db"},
		{"/etc/tpucost/config.yaml", "../x/y", "/etc/tpucost/../x/y"},
		{"/etc/tpucost/config.yaml", "/var/lib/t.db", "/var/lib/t.db"},
		{"/config.yaml", "t.db", "/t.db"},
		{"config.yaml", "t.db", "t.db"},
		{"conf/config.yaml", "t.db", "conf/t.db"},
		{"/etc/c.yaml", "~/t.db", "/home/someone/t.db"},
		{"c.yaml", "~/a/b", "/home/someone/a/b"},
		{"/etc/c.yaml", "~other/t.db", "/etc/~other/t.db"},
		{"/etc/c.yaml", "a~/t.db", "/etc/a~/t.db"},
		{"", "t.db", "t.db"},
	};
	cleanup(free_ptr) char *home = xstrdup(getenv("HOME") ? getenv("HOME") : "/");

	setenv("HOME", "/home/someone", 1);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cleanup(free_ptr) char *got = fs_resolve(rows[i].base, rows[i].path);

		assert_string_equal(got, rows[i].want);
	}
	setenv("HOME", home, 1);
}

static void directories_are_made_with_those_above(void **state)
{
	struct tempdir *d = *state;
	struct err e = {0};
	struct stat st;
	mode_t old = umask(022);

	assert_ok(fs_mkdirs(tempdir_name(d, "a/b/c"), 0700, &e), e);
	assert_int_equal(mode_of(d->name), 0700);
	assert_int_equal(mode_of(tempdir_name(d, "a")), 0700);
	assert_ok(fs_mkdirs(tempdir_name(d, "a/b/c"), 0755, &e), e); /* again is fine */
	assert_int_equal(mode_of(d->name), 0700);
	assert_ok(fs_mkdirs(tempdir_name(d, "a//x/./y/"), 0700, &e), e);
	assert_int_equal(stat(tempdir_name(d, "a/x/y"), &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_ok(fs_mkdirs("/", 0700, &e), e);
	assert_ok(fs_mkdirs(".", 0700, &e), e);
	assert_int_equal(symlink("a", tempdir_name(d, "link")), 0);
	assert_ok(fs_mkdirs(tempdir_name(d, "link/z"), 0700, &e), e);
	umask(old);
}

static void a_file_in_the_way_is_an_error(void **state)
{
	struct tempdir *d = *state;
	struct err e = {0};

	tempdir_write(d, "file", "", 0, 0644);
	assert_err(fs_mkdirs(d->name, 0700, &e), e, E_IO, "/file: Not a directory");
	assert_err(fs_mkdirs(tempdir_name(d, "file/sub"), 0700, &e), e, E_IO,
		"/file: Not a directory");
	assert_err(fs_mkdirs("", 0700, &e), e, E_IO, "the name is empty");
	assert_int_equal(symlink("nowhere", tempdir_name(d, "dangling")), 0);
	assert_err(fs_mkdirs(d->name, 0700, &e), e, E_IO, "create directory");
}

#define fs_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		fs_test(a_file_is_read_whole_and_appended),
		fs_test(a_large_file_is_read_whole),
		fs_test(a_longer_file_than_allowed_is_refused_and_nothing_kept),
		fs_test(a_missing_file_is_not_found),
		fs_test(what_is_no_regular_file_is_refused_at_once),
		fs_test(only_the_code_may_be_wanted),
		fs_test(a_private_file_of_ours_is_a_secret),
		fs_test(a_secret_that_others_can_reach_is_refused_with_the_cure),
		fs_test(the_cure_may_be_pasted_into_a_shell),
		fs_test(a_link_to_a_secret_is_refused),
		fs_test(a_secret_of_another_user_is_refused),
		fs_test(a_secret_that_is_too_long_is_refused),
		fs_test(credentials_of_systemd_are_taken_as_they_are),
		fs_test(a_file_is_written_with_its_mode),
		fs_test(a_file_that_was_there_gets_no_new_rights),
		fs_test(an_old_file_is_replaced_not_rewritten),
		fs_test(a_name_without_directory_is_in_the_current_one),
		fs_test(a_link_stays_and_its_target_is_replaced),
		fs_test(devices_and_directories_are_not_replaced),
		fs_test(a_file_that_cannot_be_written_says_why),
		fs_test(a_write_that_fails_half_way_leaves_the_old_file),
		fs_test(a_path_is_relative_to_the_file_that_names_it),
		fs_test(directories_are_made_with_those_above),
		fs_test(a_file_in_the_way_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

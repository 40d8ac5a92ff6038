#include "base/fs.h"
#include "base/data/json.h"
#include "tests/support/assert.h"
#include "tests/support/world/send_world.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool sync_fails;

/* Stands before the C library's. */
int fsync(int fd)
{
	(void)fd;
	errno = EIO;
	return sync_fails ? -1 : 0;
}

static void open_file(struct send_world *w)
{
	static const struct fault_step nobody_asks = {.status = 500};

	send_open(w, CHANNEL_FILE, NULL, &nobody_asks, 1);
	w->letter.body = "{\n\"report\":\"daily\",\"a\":\"x\\ny\"\n}\n";
	w->letter.subject = "a \"subject\"";
}

static void content(struct send_world *w, struct sbuf *out)
{
	struct err e = {0};

	sbuf_reset(out);
	assert_ok(fs_read(w->path, 1 << 20, out, &e), e);
}

#define LINE                                                                               \
	"{\"id\":\"" SEND_ID "\",\"created\":\"2026-11-21T04:59:00Z\",\"kind\":\"daily\"," \
	"\"subject\":\"a \\\"subject\\\"\",\"may_be_repeat\":false,\"report\":"            \
	"{\"report\":\"daily\",\"a\":\"x\\ny\"}}\n"

static void who_keeps_the_file_locked_keeps_nobody_waiting(void **state)
{
	struct send_world w;
	int fd;

	open_file(&w);
	fd = open(w.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_i64_eq(flock(fd, LOCK_EX), 0);
	assert_int_equal(send_now(&w), SEND_LATER);
	assert_contains(w.result.err.msg, "file: cannot lock ");
	close(fd);
	assert_int_equal(send_now(&w), SEND_SENT);
	send_close(&w);
}

static void a_letter_is_a_line(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct send_world w;
	struct stat st;

	open_file(&w);
	assert_int_equal(send_now(&w), SEND_SENT);
	content(&w, &b);
	assert_string_equal(b.s, LINE);
	assert_i64_eq(stat(w.path, &st), 0);
	assert_i64_eq(st.st_mode & 07777, 0600);
	assert_i64_eq(chmod(w.path, 0640), 0); /* a mode that somebody chose stays */
	assert_int_equal(send_now(&w), SEND_SENT);
	content(&w, &b);
	assert_string_equal(b.s, LINE LINE);
	assert_i64_eq(stat(w.path, &st), 0);
	assert_i64_eq(st.st_mode & 07777, 0640);
	w.letter.may_be_repeat = true;
	assert_int_equal(send_now(&w), SEND_SENT);
	content(&w, &b);
	assert_contains(b.s + 2 * strlen(LINE), "\"may_be_repeat\":true");
	sbuf_done(&b);
	send_close(&w);
}

static void a_torn_line_is_left_behind(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct send_world w;

	open_file(&w);
	tempdir_write(&w.dir, "log.jsonl", "{\"id\":\"c0f", 10, 0600);
	assert_int_equal(send_now(&w), SEND_SENT);
	content(&w, &b);
	assert_string_equal(b.s, "{\"id\":\"c0f\n" LINE);
	sbuf_done(&b);
	send_close(&w);
}

static void only_a_file_is_written_to(void **state)
{
	struct send_world w;
	struct stat st;

	open_file(&w);
	assert_i64_eq(mkfifo(w.path, 0600), 0);
	assert_int_equal(send_now(&w), SEND_SWITCHED_OFF);
	assert_err(w.result.err.code, w.result.err, E_IO, "is not a regular file");
	assert_string_equal(w.result.err.fix, "set path of channel lab to a file");
	assert_i64_eq(stat(w.path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	w.channel.path = w.dir.path;
	assert_int_equal(send_now(&w), SEND_SWITCHED_OFF);
	w.channel.path = "/dev/null";
	assert_int_equal(send_now(&w), SEND_SWITCHED_OFF);
	send_close(&w);
}

static void a_directory_that_is_not_there_is_not_made(void **state)
{
	struct send_world w;

	open_file(&w);
	w.channel.path = "/nowhere/log.jsonl";
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_err(w.result.err.code, w.result.err, E_IO,
		"file: cannot open /nowhere/log.jsonl: No");
	assert_string_equal(w.result.err.fix, "create the directory");
	assert_i64_eq(tempdir_count(&w.dir), 2); /* the two secrets */
	send_close(&w);
}

/* As on a full disk: a part of the line fits, then nothing. */
static void a_full_disk_is_tried_again(void **state)
{
	struct rlimit was, small;
	struct sbuf b = SBUF_INIT;
	struct send_world w;

	open_file(&w);
	assert_int_equal(send_now(&w), SEND_SENT);
	signal(SIGXFSZ, SIG_IGN);
	assert_i64_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = was;
	small.rlim_cur = strlen(LINE) + 20;
	assert_i64_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(send_now(&w), SEND_LATER);
	assert_err(w.result.err.code, w.result.err, E_IO, "No space left on device");
	assert_int_equal(send_now(&w), SEND_LATER);
	assert_err(w.result.err.code, w.result.err, E_IO, "File too large");
	assert_i64_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(send_now(&w), SEND_SENT);
	content(&w, &b);
	assert_memory_equal(b.s, LINE, strlen(LINE));
	assert_i64_eq(b.len, 2 * strlen(LINE) + 21);
	assert_string_equal(b.s + b.len - strlen(LINE) - 1, "\n" LINE);
	sbuf_done(&b);
	send_close(&w);
}

static void *write_many(void *arg)
{
	struct send_world *w = arg;
	struct send_result r;

	for (size_t i = 0; i < 50; i++) {
		channel_send(&w->sender, &w->channel, &w->letter, &r);
		if (r.class != SEND_SENT)
			return arg;
	}
	return NULL;
}

/* The line is there all the same, so the next try is a repeat and has to say so. */
static void a_sync_that_fails_may_have_arrived(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct send_world w;

	open_file(&w);
	sync_fails = true;
	assert_int_equal(send_now(&w), SEND_UNCLEAR);
	assert_err(w.result.err.code, w.result.err, E_IO, "file: cannot sync ");
	sync_fails = false;
	content(&w, &b);
	assert_string_equal(b.s, LINE);
	sbuf_done(&b);
	send_close(&w);
}

static void two_writers_do_not_mix(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct send_world w;
	pthread_t t[4];
	void *failed;

	open_file(&w);
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_i64_eq(pthread_create(&t[i], NULL, write_many, &w), 0);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		assert_i64_eq(pthread_join(t[i], &failed), 0);
		assert_null(failed);
	}
	content(&w, &b);
	assert_i64_eq(b.len, 200 * strlen(LINE));
	for (size_t i = 0; i < 200; i++)
		assert_memory_equal(b.s + i * strlen(LINE), LINE, strlen(LINE));
	sbuf_done(&b);
	send_close(&w);
}

static void a_body_that_is_no_json_is_never_written(void **state)
{
	struct send_world w;

	open_file(&w);
	w.letter.body = "{";
	assert_int_equal(send_now(&w), SEND_REJECTED);
	assert_i64_eq(access(w.path, F_OK), -1);
	send_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_letter_is_a_line),
		cmocka_unit_test(who_keeps_the_file_locked_keeps_nobody_waiting),
		cmocka_unit_test(a_torn_line_is_left_behind),
		cmocka_unit_test(only_a_file_is_written_to),
		cmocka_unit_test(a_directory_that_is_not_there_is_not_made),
		cmocka_unit_test(a_full_disk_is_tried_again),
		cmocka_unit_test(a_sync_that_fails_may_have_arrived),
		cmocka_unit_test(two_writers_do_not_mix),
		cmocka_unit_test(a_body_that_is_no_json_is_never_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

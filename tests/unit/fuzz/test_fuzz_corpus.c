/* Replays the fuzzing corpora, regressions included, through the targets of the fuzzers. Runs from
 * the top of the source tree. */
#include "tests/fuzz/fuzz.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "tests/support/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CORPUS "tests/fuzz/corpus"
#define LONGEST (4 * 1024 * 1024)
#define CUTS 256 /* of one seed */

struct target {
	const char *name;
	fuzz_fn *run;
	size_t least;
};

#define TARGET(name, least) {#name, fuzz_##name, least},
static const struct target targets[] = {FUZZ_TARGETS(TARGET)};

static char now_running[512]; /* "FILE, first N bytes" */

static void say_which(int signal_number)
{
	static const char what[] = "broken by ";

	if (write(2, what, sizeof(what) - 1) + write(2, now_running, strlen(now_running)) +
			write(2, "\n", 1) <
		0)
		_exit(1);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static DIR *must_open(const char *dir)
{
	DIR *d = opendir(dir);

	if (!d)
		fail_msg("cannot open %s: run this from the top of the source tree", dir);
	return d;
}

static void replay_bytes(
	const struct target *t, const char *seed, const char *bytes, size_t n)
{
	snprintf(now_running, sizeof(now_running), "%s/%s, first %zu bytes", t->name, seed,
		n);
	assert_int_equal(t->run((const uint8_t *)bytes, n), 0);
}

/* Whole, and cut: at every length where it is short. The targets abort on a broken promise. */
static void replay_seed(const struct target *t, const char *seed, const struct sbuf *b)
{
	for (size_t n = 0; n < b->len; n += 1 + b->len / CUTS)
		replay_bytes(t, seed, b->s, n);
	replay_bytes(t, seed, b->s, b->len);
}

/* As printf '%b' writes it: "\\\\" is a backslash, "\\0351" a byte in octal digits. */
static void decode(struct sbuf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		unsigned byte;

		if (*p != '\\') {
			sbuf_addc(out, *p);
		} else if (sscanf(p, "\\0%3o", &byte) == 1) {
			sbuf_addc(out, (char)byte);
			p += 4;
		} else {
			sbuf_addc(out, *++p);
		}
	}
}

/* A line is the name of a seed, a blank, and its bytes. */
static void a_corpus_keeps_every_promise(void **state)
{
	const struct target *t = *state;
	cleanup(sbuf_done) struct sbuf path = SBUF_INIT, file = SBUF_INIT;
	struct err e = {0};
	size_t seeds = 0;
	char *line, *rest;

	signal(SIGABRT, say_which);
	sbuf_addf(&path, CORPUS "/%s", t->name);
	if (fs_read(path.s, LONGEST, &file, &e) != E_OK)
		fail_msg("%s: run this from the top of the source tree", e.msg);
	for (line = strtok_r(file.s, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		cleanup(sbuf_done) struct sbuf bytes = SBUF_INIT;
		char *blank = strchr(line, ' ');

		assert_non_null(blank);
		*blank = '\0';
		decode(&bytes, blank + 1);
		replay_seed(t, line, &bytes);
		seeds++;
	}
	assert_in_range(seeds, t->least, 10000);
}

static bool is_target(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (strlen(targets[i].name) == len && !strncmp(targets[i].name, name, len))
			return true;
	return false;
}

/* A source or a corpus that nobody runs would look like a test. */
static void every_file_belongs_to_a_target(void **state)
{
	cleanup(close_dir) DIR *sources = must_open("tests/fuzz");
	cleanup(close_dir) DIR *corpora = must_open(CORPUS);
	const struct dirent *entry;

	while ((entry = readdir(corpora)))
		if (entry->d_name[0] != '.' &&
			!is_target(entry->d_name, strlen(entry->d_name)))
			fail_msg("%s/%s: no such target", CORPUS, entry->d_name);
	while ((entry = readdir(sources)))
		if (!strncmp(entry->d_name, "fuzz_", 5) &&
			!is_target(entry->d_name + 5, strcspn(entry->d_name + 5, ".")))
			fail_msg("tests/fuzz/%s: not in FUZZ_TARGETS", entry->d_name);
}

static void a_broken_promise_ends_the_program(void **state)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		fuzz_require(1 + 1 == 2);
		fuzz_require(1 + 1 == 3);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#define REPLAY(name, least)                                                            \
	{"the corpus \"" #name "\" keeps every promise", a_corpus_keeps_every_promise, \
		NULL, NULL, (void *)(uintptr_t)&targets[FUZZ_##name]},
#define NUMBER(name, least) FUZZ_##name,
enum { FUZZ_TARGETS(NUMBER) };

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_belongs_to_a_target),
		cmocka_unit_test(a_broken_promise_ends_the_program), FUZZ_TARGETS(REPLAY)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

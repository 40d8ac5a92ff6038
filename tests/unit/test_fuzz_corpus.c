/* Replays the fuzzing corpora, regressions included, through the entry points of the
 * fuzzers. Runs from the top of the source tree. */
#define LLVMFuzzerTestOneInput fuzz_csv
#include "tests/fuzz/fuzz_csv.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_json
#include "tests/fuzz/fuzz_json.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_mail
#include "tests/fuzz/fuzz_mail.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_yaml
#include "tests/fuzz/fuzz_yaml.c"
#undef LLVMFuzzerTestOneInput

#include "base/fs.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CORPUS "tests/fuzz/corpus/"

typedef int fuzz_fn(const uint8_t *data, size_t size);

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* Every file whole, and cut at every length; the entry points abort on a broken promise. */
static size_t replay(const char *dir, fuzz_fn *fuzz)
{
	cleanup(close_dir) DIR *d = opendir(dir);
	const struct dirent *entry;
	size_t files = 0;

	if (!d)
		fail_msg("cannot open %s: run this from the top of the source tree", dir);
	while ((entry = readdir(d))) {
		cleanup(sbuf_done) struct sbuf path = SBUF_INIT, b = SBUF_INIT;
		struct err e = {0};

		if (entry->d_name[0] == '.')
			continue;
		sbuf_addf(&path, "%s/%s", dir, entry->d_name);
		if (fs_read(path.s, YAML_MAX_BYTES, &b, &e) != E_OK)
			fail_msg("%s", e.msg);
		for (size_t n = 0; n <= b.len; n++)
			assert_int_equal(fuzz((const uint8_t *)b.s, n), 0);
		files++;
	}
	return files;
}

static void the_csv_corpus_keeps_every_promise(void **state)
{
	(void)state;
	assert_true(replay(CORPUS "csv", fuzz_csv) >= 30);
}

static void the_json_corpus_keeps_every_promise(void **state)
{
	(void)state;
	assert_true(replay(CORPUS "json", fuzz_json) >= 20);
}

static void the_mail_corpus_keeps_every_promise(void **state)
{
	(void)state;
	assert_true(replay(CORPUS "mail", fuzz_mail) >= 12);
}

static void the_yaml_corpus_keeps_every_promise(void **state)
{
	(void)state;
	assert_true(replay(CORPUS "yaml", fuzz_yaml) >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_csv_corpus_keeps_every_promise),
		cmocka_unit_test(the_json_corpus_keeps_every_promise),
		cmocka_unit_test(the_mail_corpus_keeps_every_promise),
		cmocka_unit_test(the_yaml_corpus_keeps_every_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The commands of public guides (tests/data/tutorials): what each becomes. */
#include "cli/paste/paste.h"

#include "base/fs.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "tests/support/paste.h"
#include "tests/support/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY "tests/data/tutorials"
#define MAX_FILE (1024 * 1024)
#define LEAST 60

static struct arena arena;
static int commands_seen, failures;

static const char *variable(const char *name)
{
	return strcmp(name, "USER") != 0 ? NULL : "kim";
}

static const struct paste_env env = {.variable = variable};

/* Lines of an entry, by what they begin with. */
struct entry {
	const char *file, *source;
	struct sbuf text, want;
	const char *error;
	const char *notes[8];
	size_t n_notes;
};

static void fail_entry(const struct entry *t, const char *got, const char *want)
{
	print_error("%s: %s\n%s  gave %s\n  want %s\n", t->file, t->source, t->text.s, got,
		want);
	failures++;
}

static void check(struct entry *t)
{
	struct proposal p = {0};
	struct err e = {0};
	const char *got, *notes;

	commands_seen++;
	if (paste_text(&arena, t->text.s, &env, &p, &e)) {
		if (!t->error || !strstr(e.msg, t->error))
			fail_entry(t, e.msg, t->error ? t->error : t->want.s);
		return;
	}
	got = proposal_summary(&arena, &p, false);
	if (t->error || strcmp(got, t->want.s) != 0)
		fail_entry(t, got, t->error ? t->error : t->want.s);
	notes = proposal_summary(&arena, &p, true);
	for (size_t i = 0; i < t->n_notes; i++)
		if (!strstr(notes, t->notes[i]))
			fail_entry(t, notes, t->notes[i]);
}

static void finish(struct entry *t)
{
	if (t->source) {
		if (!t->want.len && !t->error)
			fail_entry(t, "nothing", "lines that say what must come out");
		check(t);
	}
	sbuf_done(&t->text);
	sbuf_done(&t->want);
	*t = (struct entry){.file = t->file, .text = SBUF_INIT, .want = SBUF_INIT};
}

static void take_line(struct entry *t, const char *line)
{
	if (str_starts(line, "@@ ")) {
		finish(t);
		t->source = line + 3;
	} else if (str_starts(line, "=> ")) {
		sbuf_addf(&t->want, "%s%s", t->want.len ? "; " : "", line + 3);
	} else if (str_starts(line, "!> ")) {
		t->error = line + 3;
	} else if (str_starts(line, "#> ")) {
		assert_true(t->n_notes < 8);
		t->notes[t->n_notes++] = line + 3;
	} else if (t->source && !t->want.len && !t->error) {
		sbuf_addf(&t->text, "%s\n", line);
	}
}

static void read_file(const char *name)
{
	struct entry t = {.file = name, .text = SBUF_INIT, .want = SBUF_INIT};
	struct sbuf b = SBUF_INIT;
	struct err e = {0};
	char *text, *line;

	assert_int_equal(
		fs_read(arena_printf(&arena, DIRECTORY "/%s", name), MAX_FILE, &b, &e),
		E_OK);
	text = arena_strdup(&arena, b.s);
	sbuf_done(&b);
	while ((line = strsep(&text, "\n")))
		take_line(&t, line);
	finish(&t);
}

static void every_command(void **state)
{
	DIR *d = opendir(DIRECTORY);
	struct dirent *f;

	assert_non_null(d);
	while ((f = readdir(d)))
		if (str_ends(f->d_name, ".txt"))
			read_file(f->d_name);
	closedir(d);
	assert_true(commands_seen >= LEAST);
	assert_int_equal(failures, 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_done(&arena);
	return rc;
}

/* A row with two commands: each on a line of its own in every form that people read, whole. */
#include "base/str.h"
#include "reports/doc/formats.h"
#include "tests/support/unit.h"

#include <string.h>

#define FIRST "tpucost hold add p/vm/us-central1-b/a-machine-of-a-name --until 2026-11-28"
#define SECOND                                                                     \
	"gcloud compute instances start a-machine-of-a-name --zone us-central1-b " \
	"--project p"

static const struct doc_column columns[] = {{"name", "What", DOC_TEXT, 0, 0}};

static struct arena a;
static struct sbuf b = SBUF_INIT;
static struct tz *tz;

static int setup(void **state)
{
	return tz_open("UTC", &tz, NULL);
}

static int teardown(void **state)
{
	sbuf_done(&b);
	arena_done(&a);
	tz_free(tz);
	return 0;
}

static const char *said(const char *format)
{
	struct doc *d = doc_new(&a, "alerts", tz, 0);
	struct doc_section *s = doc_section(d, "actions", "Actions", columns, 1);
	struct doc_row *row = doc_row(s);
	struct format_opts o = {0};

	d->title = "tpucost";
	row->cells[0] = cell_text("a");
	row->detail = "To prevent it:";
	row->command = FIRST;
	row->also = "To start it again:";
	row->also_command = SECOND;
	sbuf_reset(&b);
	doc_format_find(format)->render(d, &o, &b);
	return b.s;
}

static void has(const char *format, const char *part)
{
	const char *text = said(format);

	if (!strstr(text, part))
		fail_msg("no \"%s\" in\n%s", part, text);
}

static void both_are_lines_to_paste(void **state)
{
	has("text",
		"  a: To prevent it:\n      " FIRST
		"\n    To start it again:\n      " SECOND "\n");
	has("markdown",
		"  ```sh\n  " FIRST "\n  ```\n\n  To start it again:\n\n  ```sh\n  " SECOND
		"\n  ```\n");
	has("slack", "`" FIRST "`\\n  To start it again:\\n  `" SECOND "`");
	has("html", ">To start it again:<");
	has("html", "gcloud compute instances start a-machine-of-a-name ");
	assert_null(strstr(said("json"), "start"));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_are_lines_to_paste, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Documents as markdown, read back by GitHub's own parser. */
#include "base/str.h"
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sbuf b;

static int setup(void **state)
{
	b = SBUF_INIT;
	return sample_setup(state);
}

static int teardown(void **state)
{
	sbuf_done(&b);
	return sample_teardown(state);
}

static void say(const struct doc *d, struct format_opts o)
{
	sbuf_reset(&b);
	doc_format_find("markdown")->render(d, &o, &b);
}

/* clang-format off */
static const char sample_markdown[] =
	"# tpucost daily report, 2026-11-20\n"
	"\n"
	"Yesterday cost 1130.57 HKD so far, fifteen times the day before. One TPU is not free, and one machine has nothing to do.\n"
	"\n"
	"## What needs action\n"
	"\n"
	"Each command can be pasted into a shell.\n"
	"\n"
	"| Name | Type | Zone | Burn | Since |\n"
	"| --- | --- | --- | ---: | --- |\n"
	"| eval-2 | v5litepod-8 | europe-west4-b | 74.88 HKD/h\\~ | 2026-11-21 06:00 |\n"
	"| prep-big | n1-highmem-96 | us-central2-b | 43.20 HKD/h\\~ | 2026-11-20 01:00 |\n"
	"\n"
	"- eval-2: Not free: the grant in europe-west4-b is for spot only, and this one is on-demand.\n"
	"\n"
	"  ```sh\n"
	"  gcloud compute tpus tpu-vm delete eval-2 --zone=europe-west4-b --project=rwkv-lab --quiet\n"
	"  ```\n"
	"\n"
	"- prep-big: Its processors were idle for 31 hours.\n"
	"\n"
	"  ```sh\n"
	"  gcloud compute instances stop prep-big --zone=us-central2-b --project=rwkv-lab\n"
	"  ```\n"
	"\n"
	"## Last days, billed\n"
	"\n"
	"| Day | Net | Before credits | Status |\n"
	"| --- | ---: | ---: | --- |\n"
	"| 2026-11-14 | 23.12 HKD | 28.12 HKD | settled |\n"
	"| 2026-11-15 | 24.12 HKD | 29.12 HKD | settled |\n"
	"| 2026-11-16 | 25.12 HKD | 30.12 HKD | settled |\n"
	"| 2026-11-17 | 26.12 HKD | 31.12 HKD | settled |\n"
	"| 2026-11-18 | 27.12 HKD | 32.12 HKD | settled |\n"
	"| 2026-11-19 | 28.12 HKD | 33.12 HKD | settled |\n"
	"| 2026-11-20 | 1130.57 HKD\\* | 1135.57 HKD\\* | partial |\n"
	"\n"
	"Net cost a day: 2026-10-22 ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█ 2026-11-20, lowest 0.12 HKD, highest 1130.57 HKD\\*; budget a day 133.00 HKD\n"
	"\n"
	"## Burn now\n"
	"\n"
	"| Category | Resources | Net | Gross |\n"
	"| --- | ---: | ---: | ---: |\n"
	"| cpu | 2 | 118.0800 HKD/h\\~ | 119.0800 HKD/h\\~ |\n"
	"| disk | 7 | 0.7205 HKD/h\\~ | 1.7205 HKD/h\\~ |\n"
	"| tpu | 1 | 8.0000 USD/h\\~ | 9.0000 USD/h\\~ |\n"
	"| gpu | 1 | unknown | unknown |\n"
	"| **total** | **9** | **118.8005 HKD/h\\~** | **119.8005 HKD/h\\~** |\n"
	"| **total** | **1** | **8.0000 USD/h\\~** | **9.0000 USD/h\\~** |\n"
	"\n"
	"By category: cpu █▁ disk, lowest 0.7205 HKD/h\\~, highest 118.0800 HKD/h\\~\n"
	"\n"
	"## Yesterday, 7 and 30 days\n"
	"\n"
	"| Category | Yesterday | 7 days | 30 days |\n"
	"| --- | ---: | ---: | ---: |\n"
	"| cpu | 1090.00 HKD\\* | 1200.00 HKD\\* | 1400.00 HKD |\n"
	"| disk | 40.57 HKD\\* | 100.71 HKD\\* | 165.67 HKD |\n"
	"| promotion | 0.00 HKD\\* | -0.0015 HKD\\* | -10.00 HKD |\n"
	"| **total** | **1130.57 HKD\\*** | **1300.71 HKD\\*** | **1555.67 HKD** |\n"
	"\n"
	"## Grants\n"
	"\n"
	"| Grant | Type | Chips used | Use | Chip-hours | Until | Left | New only |\n"
	"| --- | --- | ---: | ---: | ---: | --- | --- | --- |\n"
	"| trc-2026-11 | v3-8 | 16 | 80.5 % | 7104.2 | 2026-11-30 11:00 | 9d 3h | yes |\n"
	"| trc-old | - | 0 | - | - | - | - | no |\n"
	"\n"
	"## Quota\n"
	"\n"
	"No quota is above 80 %.\n"
	"\n"
	"- Time zone: Asia/Hong\\_Kong\n"
	"- Made: 2026-11-21 08:00\n"
	"- Age of the inventory: 4m\n"
	"- Age of the billing data: 4h\n"
	"\n"
	"Prices are list prices; the bill decides.\n"
	"\n"
	"Days are those of Asia/Hong\\_Kong, not the Pacific days that Google's bill goes by.\n"
	"\n"
	"\\~ is an estimate.\n"
	"\n"
	"\\* is the amount billed so far; Google still adds usage.\n";
/* clang-format on */

static void the_sample_reads_like_this(void **state)
{
	say(sample_doc(), (struct format_opts){0});
	assert_string_equal(b.s, sample_markdown);
}

/* ---- read back --------------------------------------------------------------------------------- */

static cmark_node *parsed(void)
{
	static const char *const names[] = {
		"table", "strikethrough", "autolink", "tagfilter", "tasklist"};
	cmark_parser *parser;
	cmark_node *root;

	cmark_gfm_core_extensions_ensure_registered();
	parser = cmark_parser_new(CMARK_OPT_VALIDATE_UTF8);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		cmark_parser_attach_syntax_extension(
			parser, cmark_find_syntax_extension(names[i]));
	cmark_parser_feed(parser, b.s, b.len);
	root = cmark_parser_finish(parser);
	cmark_parser_free(parser);
	return root;
}

/* All text of the node, in order. */
static void add_text_of(cmark_node *node, struct sbuf *out)
{
	cmark_iter *it = cmark_iter_new(node);
	cmark_event_type ev;

	while ((ev = cmark_iter_next(it)) != CMARK_EVENT_DONE) {
		const char *s = cmark_node_get_literal(cmark_iter_get_node(it));

		if (ev == CMARK_EVENT_ENTER && s)
			sbuf_adds(out, s);
	}
	cmark_iter_free(it);
}

static void expect_text(cmark_node *node, const char *want)
{
	struct sbuf got = SBUF_INIT;

	add_text_of(node, &got);
	if (strcmp(got.s, want) != 0)
		fail_msg("reads as \"%.300s\", not \"%.300s\"", got.s, want);
	sbuf_done(&got);
}

/* A hostile text as it is to be read: visible, without blanks around it, cut where it is long. */
static const char *visible(
	const char *before, const char *s, const char *after, size_t most)
{
	struct sbuf safe = SBUF_INIT;
	char *text;
	size_t n;

	sbuf_adds(&safe, before);
	sbuf_add_term(&safe, s);
	sbuf_adds(&safe, after);
	text = arena_strdup(&sample_arena, safe.s + strspn(safe.s, " "));
	sbuf_done(&safe);
	for (n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	if (n > most) /* only x in the middle of it */
		text = arena_printf(&sample_arena, "%.*s...%s", (int)((most - 2) / 2), text,
			text + n - (most - 3) / 2);
	return text;
}

static cmark_node *find(cmark_node *root, const char *type)
{
	cmark_iter *it = cmark_iter_new(root);
	cmark_node *found = NULL;

	while (!found && cmark_iter_next(it) != CMARK_EVENT_DONE)
		if (!strcmp(cmark_node_get_type_string(cmark_iter_get_node(it)), type))
			found = cmark_iter_get_node(it);
	cmark_iter_free(it);
	return found;
}

static void hostile_cells_are_read_as_they_are(void **state)
{
	cmark_node *root, *row, *cell;

	say(sample_hostile(), (struct format_opts){0});
	root = parsed();
	row = cmark_node_first_child(find(root, "table")); /* the head */
	for (size_t i = 0; i < sample_n_texts; i++) {
		row = cmark_node_next(row);
		assert_non_null(row);
		cell = cmark_node_first_child(row);
		expect_text(cell, visible("", sample_texts[i], "", 300));
		cell = cmark_node_next(cell);
		expect_text(cell, arena_printf(&sample_arena, "%zu.00 HKD/h", i));
		cell = cmark_node_next(cell);
		expect_text(cell, visible("", sample_texts[i], "", 300));
		assert_null(cmark_node_next(cell));
	}
	assert_null(cmark_node_next(row));
	cmark_node_free(root);
}

static void hostile_details_and_commands_are_read_as_they_are(void **state)
{
	cmark_node *root, *item, *first, *code;

	say(sample_hostile(), (struct format_opts){0});
	root = parsed();
	item = cmark_node_first_child(find(root, "list"));
	for (size_t i = 0; i < sample_n_texts; i++, item = cmark_node_next(item)) {
		const char *name = visible("", sample_texts[i], "", 300);
		const char *detail = visible("It is named ", sample_texts[i], ".", 800);
		struct sbuf command = SBUF_INIT;

		assert_non_null(item);
		first = cmark_node_first_child(item);
		/* blanks are one blank to markdown */
		expect_text(first, arena_printf(&sample_arena, "%s: %s", name, detail));
		code = cmark_node_next(first);
		assert_string_equal(cmark_node_get_type_string(code), "code_block");
		assert_string_equal(cmark_node_get_fence_info(code), "sh");
		sbuf_adds(&command, "stop '");
		sbuf_add_term(&command, sample_texts[i]);
		sbuf_adds(&command, "'\n");
		assert_string_equal(cmark_node_get_literal(code), command.s);
		sbuf_done(&command);
		assert_null(cmark_node_next(code));
	}
	assert_null(item);
	cmark_node_free(root);
}

static void hostile_paragraphs_are_read_as_they_are(void **state)
{
	cmark_node *root, *p;

	say(sample_hostile(), (struct format_opts){0});
	root = parsed();
	p = cmark_node_first_child(root);
	assert_string_equal(cmark_node_get_type_string(p), "heading");
	expect_text(p, "tpucost <script>alert(1)</script> *b* report");
	p = cmark_node_next(p);
	expect_text(p, "Machine <!channel> `a` *b*\\x0d\\x0a=1+1 \\x1b[31m has cost much.");
	p = cmark_node_next(p);
	assert_i64_eq(cmark_node_get_heading_level(p), 2);
	expect_text(p, "Names <b>of</b> *things*");
	p = cmark_node_last_child(root);
	for (size_t i = sample_n_texts; i-- > 0;) {
		const char *want = visible("", sample_texts[i], "", 800);

		if (!*want) /* an empty note is no paragraph */
			continue;
		assert_string_equal(cmark_node_get_type_string(p), "paragraph");
		expect_text(p, want);
		p = cmark_node_previous(p);
	}
	assert_string_equal(cmark_node_get_type_string(p), "list"); /* of facts */
	expect_text(p, "<b>Project</b>: <img src=x onerror=alert(1)>");
	cmark_node_free(root);
}

/* Nothing is there that we did not write: no emphasis, image, rule, quote, HTML, and no link but
 * those that GitHub makes of mail addresses. */
static void texts_make_no_nodes(void **state)
{
	static const char *const ours[] = {"document", "heading", "paragraph", "text",
		"table", "table_header", "table_row", "table_cell", "list", "item",
		"code_block"};
	cmark_event_type ev;
	cmark_node *root;
	cmark_iter *it;

	say(sample_hostile(), (struct format_opts){0});
	root = parsed();
	it = cmark_iter_new(root);
	while ((ev = cmark_iter_next(it)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(it);
		const char *type = cmark_node_get_type_string(node);
		bool known = false;

		for (size_t i = 0; i < ARRAY_LEN(ours); i++)
			known = known || !strcmp(type, ours[i]);
		if (!strcmp(type, "link"))
			known = str_starts(cmark_node_get_url(node), "mailto:");
		if (!known)
			fail_msg("a %s: %s", type, cmark_node_get_literal(node));
	}
	cmark_iter_free(it);
	cmark_node_free(root);
}

/* ---- limits ------------------------------------------------------------------------------------ */

static size_t count_of(const char *part)
{
	size_t n = 0;

	for (const char *p = b.s; (p = strstr(p, part)); p++)
		n++;
	return n;
}

static void more_rows_are_counted(void **state)
{
	struct doc *d = sample_many(5);

	doc_find(d, "resources")->more = "tpucost ps `x`";
	say(d, (struct format_opts){.max_rows = 2});
	assert_contains(b.s,
		"\n| **total** |  |  | **5.00 HKD/h\\~** |  |\n"
		"\nand 3 more: `` tpucost ps `x` ``\n");
	assert_i64_eq(count_of("\n- machine-"), 2);
}

static void a_limit_of_bytes_is_kept_at_the_ends_of_rows(void **state)
{
	struct doc *d = sample_many(40);
	size_t whole;

	say(d, (struct format_opts){0});
	whole = b.len;
	for (size_t max = 450; max <= whole + 50; max += 13) {
		say(d, (struct format_opts){.max_bytes = max});
		assert_true(b.len <= max);
		assert_true(b.s[b.len - 1] == '\n');
		assert_i64_eq(count_of("\n  ```"), 2 * count_of("\n- machine-"));
		if (max >= whole)
			assert_i64_eq(b.len, whole);
		else
			assert_i64_eq(count_of("\nShortened to fit"), 1);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_sample_reads_like_this, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hostile_cells_are_read_as_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hostile_details_and_commands_are_read_as_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hostile_paragraphs_are_read_as_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_make_no_nodes, setup, teardown),
		cmocka_unit_test_setup_teardown(more_rows_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_limit_of_bytes_is_kept_at_the_ends_of_rows, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

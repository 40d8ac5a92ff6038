#include "base/data/yaml.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "tests/support/unit.h"
#include "tests/support/tempdir.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LITERAL(s) s, sizeof(s) - 1

static struct yaml_node *const untouched = (struct yaml_node *)(uintptr_t)1;

/* Parse a copy of exactly `len` bytes, so that a sanitizer sees a read beyond the end. */
static enum err_code parse(
	const char *s, size_t len, struct arena *a, struct yaml_node **out, struct err *e)
{
	cleanup(free_ptr) char *copy = xmalloc(len);

	memcpy(copy, s, len);
	return yaml_parse(copy, len, "f.yaml", a, out, e);
}

static struct yaml_node *must_parse(const char *s, struct arena *a)
{
	struct yaml_node *n = untouched;
	struct err e = {0};

	if (parse(s, strlen(s), a, &n, &e) != E_OK)
		fail_msg("%s: %s", s, e.msg);
	return n;
}

static void assert_refused(const char *s, size_t len, const char *msg)
{
	struct arena a = {0};
	struct yaml_node *n = untouched;
	struct err e = {0};

	assert_int_equal(parse(s, len, &a, &n, &e), E_CONFIG);
	assert_int_equal(e.code, E_CONFIG);
	assert_string_equal(e.msg, msg);
	assert_ptr_equal(n, untouched);
	arena_done(&a);
}

/* The tree in one line: {key: [a, 'quoted']} */
static void show(struct sbuf *b, const struct yaml_node *n)
{
	const char *sep = "";

	if (n->type == YAML_SCALAR) {
		sbuf_addf(b, n->plain ? "%s" : "'%s'", n->text);
		return;
	}
	sbuf_addc(b, n->type == YAML_SEQ ? '[' : '{');
	YAML_EACH (it, n) {
		sbuf_adds(b, sep);
		if (n->type == YAML_MAP)
			sbuf_addf(b, "%s: ", it->key);
		show(b, it);
		sep = ", ";
	}
	sbuf_addc(b, n->type == YAML_SEQ ? ']' : '}');
}

/* ---- what is read ---------------------------------------------------------------------- */

static const struct {
	const char *yaml, *want; /* want NULL: no document */
} good[] = {
	{"", NULL},
	{"\n# only a comment\n", NULL},
	{"---\n", NULL},
	{"--- # nothing\n...\n", NULL},
	{"~", "~"},
	{"\"\"", "''"},
	{"word", "word"},
	{"a: 1", "{a: 1}"},
	{"---\na: 1\n...\n", "{a: 1}"},
	{"\xef\xbb\xbf"
	 "a: 1",
		"{a: 1}"},
	{"a: 1\r\nb: 2\r\n", "{a: 1, b: 2}"},
	{"a:\nb: ~\nc: null\nd: \"\"", "{a: , b: ~, c: null, d: ''}"},
	{"a: {b: 1, c: [x, \"y\", 'z', []]}", "{a: {b: 1, c: [x, 'y', 'z', []]}}"},
	{"- a\n- - b\n  - c\n-\n  d: e\n", "[a, [b, c], {d: e}]"},
	{"{}", "{}"},
	{"a: |\n  x\n  y\nb: >\n  x\n  y\n", "{a: 'x\ny\n', b: 'x y\n'}"},
	{"a: x\n  y\n", "{a: x y}"},
	/* words that other readers turn into numbers, booleans or dates stay text */
	{"[NO, on, 010, 0x10, 22:30, 1_000, .inf, 1e3, 2026-11-01]",
		"[NO, on, 010, 0x10, 22:30, 1_000, .inf, 1e3, 2026-11-01]"},
	{"on: resources\nyes: 1\n", "{on: resources, yes: 1}"},
	{"a: {k: 1}\nb: {k: 1}\nk: 1\nK: 2", "{a: {k: 1}, b: {k: 1}, k: 1, K: 2}"},
	{"a: b#c\nd: e # f", "{a: b#c, d: e}"},
	{"where: kind = 'vm' AND vcpus >= 64", "{where: kind = 'vm' AND vcpus >= 64}"},
	{"a: \"\\u20ac \\x41\\n\"", "{a: '\xe2\x82\xac A\n'}"},
	{"? a\n: b", "{a: b}"},
	{"a!: b!\nc: d&e*f", "{a!: b!, c: d&e*f}"},
	{"a: '!x'\nb: \"&y\"\nc: '*z'", "{a: '!x', b: '&y', c: '*z'}"},
};

static void the_plain_part_of_yaml_is_read_as_text(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct arena a = {0};
		struct sbuf b = SBUF_INIT;
		struct yaml_node *n = must_parse(good[i].yaml, &a);

		if (n)
			show(&b, n);
		if (good[i].want)
			assert_string_equal(b.s, good[i].want);
		else
			assert_null(n);
		sbuf_done(&b);
		arena_done(&a);
	}
}

static void every_node_knows_its_place_and_its_length(void **state)
{
	struct arena a = {0};
	char file[] = "place.yaml";
	char text[] = "top:\n  - x\n  - {k: \"v\"}\n\xc3\xa9\xc3\xa9: end\n";
	struct yaml_node *n = NULL;
	const struct yaml_node *top, *k, *last;

	assert_int_equal(yaml_parse(text, strlen(text), file, &a, &n, NULL), E_OK);
	memset(file, '?', sizeof(file) - 1); /* the nodes have copies of both */
	memset(text, '?', sizeof(text) - 1);
	assert_int_equal(n->type, YAML_MAP);
	assert_int_equal(n->n, 2);
	assert_null(n->key);
	top = yaml_get(n, "top");
	assert_int_equal(top->type, YAML_SEQ);
	assert_int_equal(top->n, 2);
	assert_int_equal(top->key_line, 1);
	assert_int_equal(top->key_col, 1);
	assert_int_equal(top->line, 2);
	assert_int_equal(top->col, 3);
	k = yaml_get(top->child->next, "k");
	assert_string_equal(k->text, "v");
	assert_false(k->plain);
	assert_int_equal(k->line, 3);
	assert_int_equal(k->col, 9);
	assert_int_equal(k->key_col, 6);
	assert_string_equal(k->file, "place.yaml");
	last = yaml_get(n, "\xc3\xa9\xc3\xa9");
	assert_true(last->plain);
	assert_int_equal(last->line, 4);
	assert_int_equal(last->col, 5); /* characters, not bytes */
	arena_done(&a);
}

static void a_key_is_found_in_maps_only(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = must_parse("{a: 1, b: [a], c: a}", &a);
	const struct yaml_node *nothing = NULL;

	assert_string_equal(yaml_get(n, "a")->text, "1");
	assert_null(yaml_get(n, "A"));
	assert_null(yaml_get(yaml_get(n, "b"), "a"));
	assert_null(yaml_get(yaml_get(n, "c"), "a"));
	assert_null(yaml_get(NULL, "a"));
	YAML_EACH (it, nothing)
		fail_msg("an item of nothing: %s", it->text);
	arena_done(&a);
}

/* ---- what is refused ------------------------------------------------------------------- */

static const struct {
	const char *s;
	size_t len;
	const char *msg;
} bad[] = {
	/* one text meaning another */
	{LITERAL("a: &x 1"), "f.yaml:1:4: anchors (&) are not allowed"},
	{LITERAL("&x {a: 1}"), "f.yaml:1:1: anchors (&) are not allowed"},
	{LITERAL("- &x [1]"), "f.yaml:1:3: anchors (&) are not allowed"},
	{LITERAL("&x a: 1"), "f.yaml:1:1: anchors (&) are not allowed"},
	{LITERAL("a: &x"), "f.yaml:1:4: anchors (&) are not allowed"},
	{LITERAL("a: &x !t 1"), "f.yaml:1:4: anchors (&) are not allowed"},
	{LITERAL("a: &a [*a]"), "f.yaml:1:4: anchors (&) are not allowed"},
	{LITERAL("a: *x"), "f.yaml:1:4: aliases (*) are not allowed"},
	{LITERAL("\xc3\xa9: *x"), "f.yaml:1:4: aliases (*) are not allowed"},
	{LITERAL("a: 1\n*x : 2"), "f.yaml:2:1: aliases (*) are not allowed"},
	{LITERAL("a: !!str 1"), "f.yaml:1:4: tags (!) are not allowed"},
	{LITERAL("a: !x {b: 1}"), "f.yaml:1:4: tags (!) are not allowed"},
	{LITERAL("!x [1]"), "f.yaml:1:1: tags (!) are not allowed"},
	{LITERAL("! {a: 1}"), "f.yaml:1:1: tags (!) are not allowed"},
	{LITERAL("!<tag:x> [1]"), "f.yaml:1:1: tags (!) are not allowed"},
	{LITERAL("a: ! \"1\""), "f.yaml:1:4: tags (!) are not allowed"},
	{LITERAL("a: 1\nb: [\xe2\x82\xac, ! 1]"), "f.yaml:2:8: tags (!) are not allowed"},
	{LITERAL("a: 1\r\nb: ! 1"), "f.yaml:2:4: tags (!) are not allowed"},
	{LITERAL("!"), "f.yaml:1:1: tags (!) are not allowed"},
	{LITERAL("!x a: 1"), "f.yaml:1:1: tags (!) are not allowed"},
	{LITERAL("%YAML 1.1\n---\na: 1"), "f.yaml:1:1: directives (%) are not allowed"},
	{LITERAL("%TAG ! tag:x,2000:\n---\na: 1"),
		"f.yaml:1:1: directives (%) are not allowed"},
	/* keys */
	{LITERAL("<<: {a: 1}"), "f.yaml:1:1: merge keys (<<) are not allowed"},
	{LITERAL("b: 1\n\"<<\": x"), "f.yaml:2:1: merge keys (<<) are not allowed"},
	{LITERAL("a: 1\nb: 2\n\na: 3"), "f.yaml:4:1: key 'a' is already in line 1"},
	{LITERAL("{a: 1, \"a\": 2}"), "f.yaml:1:8: key 'a' is already in line 1"},
	{LITERAL("r:\n  - {x: 1}\n  - {x: 1, y: 2,\n     x: 3}"),
		"f.yaml:4:6: key 'x' is already in line 3"},
	{LITERAL("{b: 1, a: 1, a: 2, b: 2, a: 3}"),
		"f.yaml:1:14: key 'a' is already in line 1"},
	{LITERAL("{k: 1, k: 2, k: 3, k: 4, k: 5, k: 6, k: 7, k: 8, k: 9}"),
		"f.yaml:1:8: key 'k' is already in line 1"},
	{LITERAL("{a: 1, b: 1, b: 2, a: 2, b: 3}"),
		"f.yaml:1:14: key 'b' is already in line 1"},
	{LITERAL("\"\\e[2J\": 1\n\"\\e[2J\": 1"),
		"f.yaml:2:1: key '\\x1b[2J' is already in line 1"},
	{LITERAL("? [a]\n: b"), "f.yaml:1:3: a key must be a word, not a list or map"},
	{LITERAL("{{a: b}: c}"), "f.yaml:1:2: a key must be a word, not a list or map"},
	{LITERAL("? \n"), "f.yaml:1:2: the key is missing"},
	{LITERAL("\"\": 1"), "f.yaml:1:1: the key is missing"},
	{LITERAL("a: 1\n\"k\\0\": 1"), "f.yaml:2:1: a NUL character (\\0) is not allowed"},
	/* documents */
	{LITERAL("a: 1\n---\nb: 2"), "f.yaml:2:1: a second document is not allowed"},
	{LITERAL("---\n---\n"), "f.yaml:2:1: a second document is not allowed"},
	{LITERAL("a: 1\n...\n# x\n---\n"), "f.yaml:4:1: a second document is not allowed"},
	{LITERAL("a: 1\n--- &x\n"), "f.yaml:2:1: a second document is not allowed"},
	/* bytes */
	{LITERAL("a: \"\\0\""), "f.yaml:1:4: a NUL character (\\0) is not allowed"},
	{LITERAL("a: b\0c"), "f.yaml:1:5: control characters are not allowed"},
	{LITERAL("a: 1\nb: \x01"), "f.yaml:2:4: control characters are not allowed"},
	{LITERAL("a: \x1b[31m"), "f.yaml:1:4: control characters are not allowed"},
	{LITERAL("\xc3\xa9: \xff"), "f.yaml:1:4: invalid leading UTF-8 octet"},
	{LITERAL("a: 1\r\nb: \x80"), "f.yaml:2:4: invalid leading UTF-8 octet"},
	{LITERAL("a: 1\rb: \x80"), "f.yaml:2:4: invalid leading UTF-8 octet"},
	{LITERAL("a: \xc0\xaf"), "f.yaml:1:4: invalid length of a UTF-8 sequence"},
	{LITERAL("a: \xed\xa0\x80"), "f.yaml:1:4: invalid Unicode character"},
	{LITERAL("a: \xe2\x82"), "f.yaml:1:4: incomplete UTF-8 octet sequence"},
	{LITERAL("a: \xe2x"), "f.yaml:1:4: incomplete UTF-8 octet sequence"},
	{LITERAL("a: \xe2xyz"), "f.yaml:1:5: invalid trailing UTF-8 octet"},
	{LITERAL("\xff\xfe"
		 "a\0"),
		"f.yaml:1:1: invalid leading UTF-8 octet"},
	{LITERAL("\xef\xbb\xbf"
		 "a: \x01"),
		"f.yaml:1:4: control characters are not allowed"},
	/* syntax */
	{LITERAL("\ta: 1"), "f.yaml:1:1: a tab cannot indent: use blanks"},
	{LITERAL("a:\n\t- 1"), "f.yaml:2:1: a tab cannot indent: use blanks"},
	{LITERAL("\xc3\xa9\xe2\x82\xac: 1\n\tb: 2"),
		"f.yaml:2:1: a tab cannot indent: use blanks"},
	{LITERAL("\xe2\x82\xac: @"),
		"f.yaml:1:4: found character that cannot start any token"},
	{LITERAL("\xe2\x82\xac: @\t"),
		"f.yaml:1:4: found character that cannot start any token"},
	{LITERAL("a: 1\n\tb: 2"), "f.yaml:2:1: a tab cannot indent: use blanks"},
	{LITERAL("a: [1, 2"),
		"f.yaml:2:1: did not find expected ',' or ']', while parsing a flow "
		"sequence "
		"that begins in line 1"},
	{LITERAL("a: [1,\n{b: 1\n"),
		"f.yaml:3:1: did not find expected ',' or '}', while parsing a flow "
		"mapping "
		"that begins in line 2"},
	{LITERAL("a: \"x"), "f.yaml:1:6: found unexpected end of stream"},
	{LITERAL("a: b: c"), "f.yaml:1:5: mapping values are not allowed in this context"},
	{LITERAL("a: @x"), "f.yaml:1:4: found character that cannot start any token"},
	{LITERAL("]"), "f.yaml:1:1: did not find expected node content"},
};

static void everything_else_is_refused_at_its_line_and_column(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_refused(bad[i].s, bad[i].len, bad[i].msg);
}

static void common_mistakes_come_with_what_to_do(void **state)
{
	static const char *const cases[][2] = {
		{"a: @x", "quotes"},
		{"a: b: c", "quotes"},
		{"a:\n  - 1\n b: 2", "check the indentation"},
		{"a: 1\nb\nc: 2", "with the colon"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a = {0};
		struct yaml_node *n = NULL;
		struct err e = {0};

		assert_int_equal(
			parse(cases[i][0], strlen(cases[i][0]), &a, &n, &e), E_CONFIG);
		assert_non_null(strstr(e.fix, cases[i][1]));
		arena_done(&a);
	}
}

static void the_error_structure_is_optional(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = untouched;

	assert_int_equal(yaml_parse("a: *x", 5, "f", &a, &n, NULL), E_CONFIG);
	assert_int_equal(yaml_parse("a: @", 4, "f", &a, &n, NULL), E_CONFIG);
	assert_int_equal(yaml_parse("a: 1\na: 1", 9, "f", &a, &n, NULL), E_CONFIG);
	assert_int_equal(yaml_load("/nonexistent/f", &a, &n, NULL), E_NOTFOUND);
	assert_ptr_equal(n, untouched);
	n = must_parse("a: 1", &a);
	assert_int_equal(yaml_err(n, NULL, "x"), E_CONFIG);
	assert_int_equal(yaml_err_key(n->child, NULL, "x"), E_CONFIG);
	assert_int_equal(yaml_err_at(n, NULL), E_CONFIG);
	assert_int_equal(yaml_check_keys(n, "x", NULL, 0, NULL), E_CONFIG);
	arena_done(&a);
}

static void fill(struct sbuf *b, const char *s, size_t times)
{
	sbuf_reset(b);
	for (size_t i = 0; i < times; i++)
		sbuf_adds(b, s);
}

static void thirty_two_levels_are_allowed_and_no_more(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct arena a = {0};

	fill(&b, "[", 32);
	for (int i = 0; i < 32; i++)
		sbuf_addc(&b, ']');
	assert_non_null(must_parse(b.s, &a));
	fill(&b, "- ", 31);
	sbuf_adds(&b, "{a: 1}");
	assert_non_null(must_parse(b.s, &a));
	fill(&b, "- ", 32);
	sbuf_adds(&b, "{a: 1}");
	assert_refused(b.s, b.len, "f.yaml:1:65: nested more than 32 deep");
	fill(&b, "[", 33);
	assert_refused(b.s, b.len, "f.yaml:1:33: nested more than 32 deep");
	sbuf_done(&b);
	arena_done(&a);
}

struct stack_case {
	const char *text;
	size_t len;
	enum err_code rc;
};

static void *parse_in_thread(void *arg)
{
	struct stack_case *c = arg;
	struct yaml_node *n = NULL;
	struct arena a = {0};

	c->rc = yaml_parse(c->text, c->len, "f", &a, &n, NULL);
	arena_done(&a);
	return NULL;
}

/* 256 KiB of each, on a stack of 256 KiB. None of them may take more than linear time; a
 * quadratic parser shows as a test that hangs. */
static void hostile_documents_are_refused_on_a_small_stack(void **state)
{
	static const char *const units[] = {
		"[", "{", "- ", "? ", "{a: ", "[{", "&a ", "\t", "!", "'a", ": ", "[[],"};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		struct stack_case c = {.rc = E_BUG};
		struct sbuf b = SBUF_INIT;
		pthread_attr_t attr;
		pthread_t thread;

		fill(&b, units[i], YAML_MAX_BYTES / strlen(units[i]));
		c.text = b.s;
		c.len = b.len;
		assert_int_equal(pthread_attr_init(&attr), 0);
		assert_int_equal(pthread_attr_setstacksize(&attr, (size_t)256 * 1024), 0);
		assert_int_equal(pthread_create(&thread, &attr, parse_in_thread, &c), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		pthread_attr_destroy(&attr);
		assert_int_equal(c.rc, E_CONFIG);
		sbuf_done(&b);
	}
}

static void large_flat_documents_within_the_cap_are_read(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct arena a = {0};
	struct yaml_node *n;
	struct err e = {0};

	for (int i = 0; b.len < YAML_MAX_BYTES - 20; i++)
		sbuf_addf(&b, "k%d: v\n", i);
	n = must_parse(b.s, &a);
	assert_true(n->n > 20000);
	assert_string_equal(yaml_get(n, "k19999")->text, "v");
	sbuf_adds(&b, "k5: w");
	assert_int_equal(parse(b.s, b.len, &a, &n, &e), E_CONFIG);
	assert_non_null(strstr(e.msg, ":1: key 'k5' is already in line 6"));
	sbuf_done(&b);
	arena_done(&a);
}

static void a_text_beyond_the_cap_is_refused_unread(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct arena a = {0};

	fill(&b, "#", YAML_MAX_BYTES);
	assert_null(must_parse(b.s, &a));
	sbuf_addc(&b, '#');
	assert_refused(b.s, b.len, "f.yaml:1:1: larger than 256 KiB");
	fill(&b, "[", 1000000);
	assert_refused(b.s, b.len, "f.yaml:1:1: larger than 256 KiB");
	sbuf_done(&b);
	arena_done(&a);
}

static const char whole[] = "a: {b: \"x\\n\", c: [1, '2']}\n"
			    "d:\n  - \xc3\xa9\n  - |\n    t\n# c\n";

static void every_prefix_and_every_changed_byte_is_survived(void **state)
{
	char text[sizeof(whole)];

	for (size_t i = 0; i < sizeof(whole) - 1; i++) {
		for (int c = 0; c < 256; c++) {
			struct arena a = {0};
			struct yaml_node *n = NULL;
			struct err e = {0};

			memcpy(text, whole, sizeof(whole));
			text[i] = (char)c;
			if (parse(text, c ? sizeof(whole) - 1 : i, &a, &n, &e) != E_OK)
				assert_true(str_starts(e.msg, "f.yaml:"));
			arena_done(&a);
		}
	}
}

/* ---- files ----------------------------------------------------------------------------- */

struct dir {
	char path[64], file[96];
};

static void make_dir(struct dir *d)
{
	tempdir_create(d->path, sizeof(d->path));
	snprintf(d->file, sizeof(d->file), "%s/c.yaml", d->path);
}

static void remove_dir(struct dir *d)
{
	unlink(d->file);
	rmdir(d->path);
}

static void write_file(const char *path, const char *s, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s, len), (ssize_t)len);
	close(fd);
}

static void a_file_is_loaded_and_named_in_errors(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = NULL;
	struct err e = {0};
	struct dir d;
	char want[200];

	make_dir(&d);
	write_file(d.file, LITERAL("a: 1\n"));
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_OK);
	assert_string_equal(yaml_get(n, "a")->text, "1");
	assert_string_equal(n->file, d.file);
	write_file(d.file, LITERAL("a: 1\nb: *x\n"));
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_CONFIG);
	snprintf(want, sizeof(want), "%s:2:4: aliases (*) are not allowed", d.file);
	assert_string_equal(e.msg, want);
	write_file(d.file, "", 0);
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_OK);
	assert_null(n);
	remove_dir(&d);
	arena_done(&a);
}

static void only_regular_files_of_a_sane_size_are_read(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = untouched;
	struct sbuf b = SBUF_INIT;
	struct err e = {0};
	struct dir d;

	make_dir(&d);
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_NOTFOUND);
	assert_non_null(strstr(e.msg, d.file));
	assert_int_equal(yaml_load(d.path, &a, &n, &e), E_IO);
	assert_int_equal(yaml_load("/dev/zero", &a, &n, &e), E_IO);
	assert_string_equal(e.msg, "/dev/zero is not a regular file");
	assert_int_equal(mkfifo(d.file, 0600), 0);
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_IO);
	unlink(d.file);
	fill(&b, "#", YAML_MAX_BYTES + 1);
	write_file(d.file, b.s, b.len);
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_CONFIG);
	assert_non_null(strstr(e.msg, ":1:1: larger than 256 KiB"));
	assert_ptr_equal(n, untouched);
	write_file(d.file, b.s, YAML_MAX_BYTES);
	assert_int_equal(yaml_load(d.file, &a, &n, &e), E_OK);
	sbuf_done(&b);
	remove_dir(&d);
	arena_done(&a);
}

/* ---- reading the tree ------------------------------------------------------------------ */

static void errors_point_at_the_value_or_its_key(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = must_parse("a:\n  key:   v", &a);
	const struct yaml_node *key = yaml_get(yaml_get(n, "a"), "key");
	struct err e = {0};

	assert_int_equal(yaml_err(key, &e, "no %d", 5), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:2:10: no 5");
	assert_int_equal(yaml_err_key(key, &e, "bad %s", "\x1b[0m\n"), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:2:3: bad \\x1b[0m\\x0a");
	assert_int_equal(yaml_err_key(n, &e, "root"), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:1:1: root");
	assert_int_equal(yaml_err(NULL, &e, "nothing"), E_CONFIG);
	assert_string_equal(e.msg, "nothing");
	assert_int_equal(yaml_err_key(NULL, &e, "nothing"), E_CONFIG);
	assert_string_equal(e.msg, "nothing");
	arena_done(&a);
}

static void a_place_is_put_before_an_error_and_its_fix_stays(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = must_parse("- v", &a);
	struct err e = {0};

	err_set(&e, E_OVERFLOW, "100%% too large");
	err_fix(&e, "say 5%% less");
	assert_int_equal(yaml_err_at(n->child, &e), E_CONFIG);
	assert_int_equal(e.code, E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:1:3: 100% too large");
	assert_string_equal(e.fix, "say 5% less");
	err_set(&e, E_DATA, "no fix");
	assert_int_equal(yaml_err_at(NULL, &e), E_CONFIG);
	assert_string_equal(e.msg, "no fix");
	assert_string_equal(e.fix, "");
	arena_done(&a);
}

static void null_is_what_is_plain_and_empty(void **state)
{
	static const struct {
		const char *yaml;
		bool want;
	} cases[] = {{"a:", true}, {"a: ~", true}, {"a: null", true}, {"a: \"\"", false},
		{"a: '~'", false}, {"a: 'null'", false}, {"a: NULL", false},
		{"a: 0", false}, {"a: []", false}, {"a: {}", false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a = {0};
		struct yaml_node *n = must_parse(cases[i].yaml, &a);

		assert_int_equal(yaml_is_null(n->child), cases[i].want);
		arena_done(&a);
	}
	assert_true(yaml_is_null(NULL));
}

static void an_unknown_key_is_an_error_with_the_nearest_name(void **state)
{
	static const char *const keys[] = {"action", "grace", "armed"};
	struct arena a = {0};
	struct err e = {0};
	struct yaml_node *n = must_parse("action: stop\narmed: true", &a);

	assert_int_equal(yaml_check_keys(n, "then", keys, 3, &e), E_OK);
	n = must_parse("action: stop\narned: true", &a);
	assert_int_equal(yaml_check_keys(n, "then", keys, 3, &e), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:2:1: then: unknown key 'arned'");
	assert_string_equal(e.fix, "did you mean 'armed'?");
	n = must_parse("something-else: 1", &a);
	assert_int_equal(yaml_check_keys(n, "then", keys, 3, &e), E_CONFIG);
	assert_string_equal(e.fix, "keys here: action, grace, armed");
	n = must_parse("Action: 1", &a);
	assert_int_equal(yaml_check_keys(n, "then", keys, 3, &e), E_CONFIG);
	assert_int_equal(yaml_check_keys(n, "then", NULL, 0, &e), E_CONFIG);
	assert_string_equal(e.fix, "");
	n = must_parse("[action]", &a);
	assert_int_equal(yaml_check_keys(n, "then", keys, 3, &e), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:1:1: then: expected 'key: value' pairs");
	assert_int_equal(yaml_check_keys(NULL, "then", keys, 3, &e), E_CONFIG);
	arena_done(&a);
}

static void text_is_any_value_that_is_there(void **state)
{
	struct arena a = {0};
	struct yaml_node *n = must_parse("a: NO\nb: ''\nc: 010\nd:\ne: [x]\nf: {g: h}", &a);
	const char *s = "untouched";
	struct err e = {0};

	assert_int_equal(yaml_str(yaml_get(n, "d"), &s, &e), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:4:3: the value is missing: expected one value");
	assert_int_equal(yaml_str(yaml_get(n, "e"), &s, &e), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:5:4: expected one value, got a list");
	assert_int_equal(yaml_str(yaml_get(n, "f"), &s, &e), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:6:4: expected one value, got a map");
	assert_int_equal(yaml_str(NULL, &s, &e), E_CONFIG);
	assert_string_equal(s, "untouched");
	assert_int_equal(yaml_str(yaml_get(n, "a"), &s, &e), E_OK);
	assert_string_equal(s, "NO");
	assert_int_equal(yaml_str(yaml_get(n, "b"), &s, &e), E_OK);
	assert_string_equal(s, "");
	assert_int_equal(yaml_str(yaml_get(n, "c"), &s, &e), E_OK);
	assert_string_equal(s, "010");
	arena_done(&a);
}

static void only_true_and_false_are_booleans(void **state)
{
	static const char *const no[] = {"yes", "NO", "on", "True", "FALSE", "1", "'true'",
		"\"false\"", "~", "[true]"};
	struct arena a = {0};
	struct err e = {0};
	bool v = false;

	assert_int_equal(yaml_bool(must_parse("true", &a), &v, &e), E_OK);
	assert_true(v);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		assert_int_equal(yaml_bool(must_parse(no[i], &a), &v, &e), E_CONFIG);
	assert_int_equal(yaml_bool(must_parse("yes", &a), &v, &e), E_CONFIG);
	assert_string_equal(e.msg, "f.yaml:1:1: expected true or false, got 'yes'");
	assert_int_equal(yaml_bool(NULL, &v, &e), E_CONFIG);
	assert_true(v);
	assert_int_equal(yaml_bool(must_parse("false", &a), &v, &e), E_OK);
	assert_false(v);
	arena_done(&a);
}

static void integers_are_strictly_decimal_and_in_range(void **state)
{
	static const char *const no[] = {"010", "1_000", "0x10", "1e3", "+5", "5.0", "-0",
		"22:30", ".inf", "-1", "101", "99999999999999999999", "ten", "~", "[5]",
		"{a: 5}", "' 5'", "$300", "300,00"};
	struct arena a = {0};
	struct err e = {0};
	int64_t v = 42;

	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (!yaml_i64(must_parse(no[i], &a), 0, 100, &v, &e))
			fail_msg("accepted %s", no[i]);
	assert_true(v == 42);
	assert_int_equal(yaml_i64(must_parse("1e3", &a), 0, 100, &v, &e), E_CONFIG);
	assert_string_equal(
		e.msg, "f.yaml:1:1: expected a whole number from 0 to 100, got '1e3'");
	assert_int_equal(yaml_i64(NULL, 0, 100, &v, &e), E_CONFIG);
	assert_int_equal(yaml_i64(must_parse("0", &a), 0, 100, &v, &e), E_OK);
	assert_true(v == 0);
	assert_int_equal(yaml_i64(must_parse("100", &a), 0, 100, &v, &e), E_OK);
	assert_true(v == 100);
	assert_int_equal(yaml_i64(must_parse("-9223372036854775808", &a), INT64_MIN,
				 INT64_MAX, &v, &e),
		E_OK);
	assert_true(v == INT64_MIN);
	arena_done(&a);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plain_part_of_yaml_is_read_as_text),
		cmocka_unit_test(every_node_knows_its_place_and_its_length),
		cmocka_unit_test(a_key_is_found_in_maps_only),
		cmocka_unit_test(everything_else_is_refused_at_its_line_and_column),
		cmocka_unit_test(common_mistakes_come_with_what_to_do),
		cmocka_unit_test(the_error_structure_is_optional),
		cmocka_unit_test(thirty_two_levels_are_allowed_and_no_more),
		cmocka_unit_test(hostile_documents_are_refused_on_a_small_stack),
		cmocka_unit_test(large_flat_documents_within_the_cap_are_read),
		cmocka_unit_test(a_text_beyond_the_cap_is_refused_unread),
		cmocka_unit_test(every_prefix_and_every_changed_byte_is_survived),
		cmocka_unit_test(a_file_is_loaded_and_named_in_errors),
		cmocka_unit_test(only_regular_files_of_a_sane_size_are_read),
		cmocka_unit_test(errors_point_at_the_value_or_its_key),
		cmocka_unit_test(a_place_is_put_before_an_error_and_its_fix_stays),
		cmocka_unit_test(null_is_what_is_plain_and_empty),
		cmocka_unit_test(an_unknown_key_is_an_error_with_the_nearest_name),
		cmocka_unit_test(text_is_any_value_that_is_there),
		cmocka_unit_test(only_true_and_false_are_booleans),
		cmocka_unit_test(integers_are_strictly_decimal_and_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

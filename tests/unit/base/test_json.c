#include "base/data/json.h"

#include "base/mem.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The header of cJSON belongs to base/json*.c; this is all that is needed of it here.
 */
struct cJSON_Hooks {
	void *(*malloc_fn)(size_t);
	void (*free_fn)(void *);
};
extern void cJSON_InitHooks(struct cJSON_Hooks *hooks);

#define LITERAL(s) s, sizeof(s) - 1

struct text {
	const char *s;
	size_t len;
};

/* Parse a copy of exactly `len` bytes, so that a sanitizer sees a read beyond the end.
 */
static enum err_code parse(const char *s, size_t len, struct cJSON **out, struct err *e)
{
	cleanup(free_ptr) char *copy = xmalloc(len);

	memcpy(copy, s, len);
	return json_parse(copy, len, out, e);
}

static struct cJSON *must_parse(const char *s)
{
	struct cJSON *j = NULL;
	struct err e = {0};

	if (parse(s, strlen(s), &j, &e) != E_OK)
		fail_msg("%s: %s", s, e.msg);
	return j;
}

static void assert_refused(const char *s, size_t len, const char *why, size_t at)
{
	struct cJSON *mark = (struct cJSON *)(uintptr_t)1, *j = mark;
	struct err e = {0};
	char want[200];

	assert_int_equal(parse(s, len, &j, &e), E_DATA);
	assert_int_equal(e.code, E_DATA);
	assert_ptr_equal(j, mark);
	snprintf(want, sizeof(want), "JSON: %s at byte %zu", why, at);
	assert_string_equal(e.msg, want);
}

static char *repeat(const char *s, size_t times)
{
	size_t n = strlen(s);
	char *all = xmalloc(n * times + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(all + i * n, s, n);
	all[n * times] = '\0';
	return all;
}

/* ---- the guard
 * ------------------------------------------------------------------------- */

static const char *const good[] = {
	"null",
	"true",
	"false",
	"0",
	"-0",
	"-1.5e+10",
	"1E-2",
	"10.25",
	"1e308",
	"1e-999",
	"123456789012345678901234567890123456789012345678901234567890123",
	"\"\"",
	"\"\x7f\"",
	"\"\xc2\xa0\xe2\x82\xac\xf0\x9f\x98\x80\"",
	"\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"",
	"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20aC\"",
	"\"\\ud83d\\uDE00\\ud800\\udc00\\udbff\\udfff\"",
	"[]",
	"{}",
	" \t\r\n[ \t\r\n] \t\r\n",
	"{ }",
	"[[],[],{}]",
	"{\"a\":{},\"b\":[]}",
	"[1,\"a\",true,false,null,{\"\":0}]",
	"{\"a\":1,\"A\":2,\"a \":3}",
	"{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}",
	"[{\"a\":1},{\"a\":1}]",
	"\"\\u0001\"",
};

static void what_rfc_8259_allows_is_accepted(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		json_free(must_parse(good[i]));
}

static const struct bad {
	struct text text;
	const char *why;
	size_t at;
} bad[] = {
	{{LITERAL("")}, "the text is empty", 0},
	{{LITERAL(" \n ")}, "the text is empty", 3},
	{{LITERAL("\xef\xbb\xbf{}")}, "a byte order mark is not allowed", 0},
	{{LITERAL("{} {}")}, "more text after the document", 3},
	{{LITERAL("[1]]")}, "more text after the document", 3},
	{{LITERAL("1,")}, "more text after the document", 1},
	{{LITERAL("1\0")}, "more text after the document", 1},
	{{LITERAL("{}\0{}")}, "more text after the document", 2},
	{{LITERAL("null x")}, "more text after the document", 5},
	{{LITERAL("nul")}, "expected a value", 0},
	{{LITERAL("nulL")}, "expected a value", 0},
	{{LITERAL("True")}, "expected a value", 0},
	{{LITERAL("tru")}, "expected a value", 0},
	{{LITERAL("fals ")}, "expected a value", 0},
	{{LITERAL("NaN")}, "expected a value", 0},
	{{LITERAL("[Infinity]")}, "expected a value", 1},
	{{LITERAL("+1")}, "expected a value", 0},
	{{LITERAL(".5")}, "expected a value", 0},
	{{LITERAL("'a'")}, "expected a value", 0},
	{{LITERAL("\0")}, "expected a value", 0},
	{{LITERAL("/* x */ 1")}, "expected a value", 0},
	{{LITERAL("\xc2\xa0 1")}, "expected a value", 0},
	{{LITERAL("[,1]")}, "expected a value", 1},
	{{LITERAL("[1,]")}, "expected a value", 3},
	{{LITERAL("[1,,2]")}, "expected a value", 3},
	{{LITERAL("{\"a\":}")}, "expected a value", 5},
	{{LITERAL("[1 2]")}, "expected ',' or ']'", 3},
	{{LITERAL("[1}")}, "expected ',' or ']'", 2},
	{{LITERAL("{\"a\":1]")}, "expected ',' or '}'", 6},
	{{LITERAL("{\"a\":1 \"b\":2}")}, "expected ',' or '}'", 7},
	{{LITERAL("{1:2}")}, "expected a key in double quotes", 1},
	{{LITERAL("{a:1}")}, "expected a key in double quotes", 1},
	{{LITERAL("{\"a\":1,}")}, "expected a key in double quotes", 7},
	{{LITERAL("{,}")}, "expected a key in double quotes", 1},
	{{LITERAL("{\"a\" 1}")}, "expected ':' after a key", 5},
	{{LITERAL("{\"a\"}")}, "expected ':' after a key", 4},
	{{LITERAL("[")}, "the text ends too early", 1},
	{{LITERAL("{")}, "the text ends too early", 1},
	{{LITERAL("[1")}, "the text ends too early", 2},
	{{LITERAL("[1, ")}, "the text ends too early", 4},
	{{LITERAL("{\"a\"")}, "the text ends too early", 4},
	{{LITERAL("{\"a\":")}, "the text ends too early", 5},
	{{LITERAL("{\"a\":1,")}, "the text ends too early", 7},
	{{LITERAL("-")}, "the text ends too early", 1},
	{{LITERAL("1.")}, "the text ends too early", 2},
	{{LITERAL("1e")}, "the text ends too early", 2},
	{{LITERAL("1e+")}, "the text ends too early", 3},
	{{LITERAL("[1.]")}, "bad number", 3},
	{{LITERAL("[1e]")}, "bad number", 3},
	{{LITERAL("[1.e5]")}, "bad number", 3},
	{{LITERAL("[-]")}, "bad number", 2},
	{{LITERAL("[-a]")}, "bad number", 2},
	{{LITERAL("007")}, "number begins with 0", 0},
	{{LITERAL("[-01]")}, "number begins with 0", 1},
	{{LITERAL("1_000")}, "more text after the document", 1},
	{{LITERAL("0x10")}, "more text after the document", 1},
	{{LITERAL("1e999")}, "number is out of range", 0},
	{{LITERAL("[1,-2e308]")}, "number is out of range", 3},
	{{LITERAL("[1234567890123456789012345678901234567890123456789012345678901234]")},
		"number of more than 63 characters", 1},
	{{LITERAL("\"a")}, "string does not end", 0},
	{{LITERAL("[\"")}, "string does not end", 1},
	{{LITERAL("\"a\nb\"")}, "control character in a string", 2},
	{{LITERAL("\"a\tb\"")}, "control character in a string", 2},
	{{LITERAL("\"a\0b\"")}, "control character in a string", 2},
	{{LITERAL("\"\x1f\"")}, "control character in a string", 1},
	{{LITERAL("{\"a\rb\":1}")}, "control character in a string", 3},
	{{LITERAL("\"\\x41\"")}, "bad escape", 1},
	{{LITERAL("\"\\'\"")}, "bad escape", 1},
	{{LITERAL("\"\\\0\"")}, "bad escape", 1},
	{{LITERAL("\"\\")}, "bad escape", 1},
	{{LITERAL("\"\\u12\"")}, "bad \\u escape", 1},
	{{LITERAL("\"\\u12")}, "bad \\u escape", 1},
	{{LITERAL("\"\\u")}, "bad \\u escape", 1},
	{{LITERAL("\"\\u12g4\"")}, "bad \\u escape", 1},
	{{LITERAL("\"\\u+123\"")}, "bad \\u escape", 1},
	{{LITERAL("\"a\\u0000b\"")}, "\\u0000 is not allowed", 2},
	{{LITERAL("{\"id\\u0000x\":1}")}, "\\u0000 is not allowed", 4},
	{{LITERAL("\"\\ud800\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\udc00\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\ud800\\u0041\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\ud800\\ud800\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\ud800\\ue000\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\ud800\\udc0\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\ud800\\udc0g\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\ud800xxxxxx\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"\\udfff\\udc00\"")}, "half of a surrogate pair", 1},
	{{LITERAL("\"a\xff\"")}, "invalid UTF-8", 2},
	{{LITERAL("\"\x80\"")}, "invalid UTF-8", 1},
	{{LITERAL("\"\xc0\xaf\"")}, "invalid UTF-8", 1},
	{{LITERAL("\"\xe2\x82\"")}, "invalid UTF-8", 1},
	{{LITERAL("\"\xe0\x80\x80\"")}, "invalid UTF-8", 1},
	{{LITERAL("\"\xed\xa0\x80\"")}, "invalid UTF-8", 1},
	{{LITERAL("\"\xf4\x90\x80\x80\"")}, "invalid UTF-8", 1},
	{{LITERAL("\"ab\xf0\x9f\x98")}, "invalid UTF-8", 3},
	{{LITERAL("{\"\xff\":1}")}, "invalid UTF-8", 2},
	{{LITERAL("{\"id\":\"1\",\"id\":\"2\"}")}, "key 'id' twice in one object", 10},
	{{LITERAL("{\"a\":1,\"\\u0061\":2}")}, "key 'a' twice in one object", 7},
	{{LITERAL("{\"\":1,\"\":2}")}, "key '' twice in one object", 6},
	{{LITERAL("{\"b\":0,\"a\":1,\"a\":2,\"b\":3}")}, "key 'a' twice in one object", 13},
	{{LITERAL("{\"a\":0,\"b\":1,\"b\":2,\"a\":3}")}, "key 'b' twice in one object", 13},
	{{LITERAL("[{\"k\":[{\"x\":1}],\"y\":{\"b\":[],\"c\":{},\"b\":1}}]")},
		"key 'b' twice in one object", 35},
	{{LITERAL("{\"a\":{\"a\":1},\"b\":[[]],\"a\":1}")}, "key 'a' twice in one object",
		22},
	{{LITERAL("{\"\\u001b[2J\":1,\"\\u001b[2J\":2}")},
		"key '\\x1b[2J' twice in one object", 15},
};

static void what_cjson_would_let_pass_is_refused_with_its_byte(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_refused(bad[i].text.s, bad[i].text.len, bad[i].why, bad[i].at);
}

static void a_long_duplicate_key_is_cut_in_the_message(void **state)
{
	cleanup(free_ptr) char *key = repeat("\xc3\xa9", 500);
	struct sbuf b = SBUF_INIT;
	struct cJSON *j = NULL;
	struct err e = {0};

	sbuf_addf(&b, "{\"%s\":1,\"%s\":2}", key, key);
	assert_int_equal(parse(b.s, b.len, &j, &e), E_DATA);
	assert_non_null(strstr(e.msg, "\xc3\xa9...' twice"));
	assert_true(strlen(e.msg) < 130);
	assert_true(utf8_valid(e.msg, strlen(e.msg)));
	sbuf_done(&b);
}

static void the_error_structure_is_optional(void **state)
{
	struct cJSON *j = NULL;

	assert_int_equal(json_parse("[1", 2, &j, NULL), E_DATA);
	assert_int_equal(json_parse("{\"a\":1,\"a\":1}", 13, &j, NULL), E_DATA);
	assert_null(j);
}

static const char whole[] = "{\"a\":[1.5e3,\"\\ud83d\\ude00\xf0\x9f\x98\x80\",true],"
			    "\"b\":{\"c\":null,\"d\":false}}";

static void every_prefix_of_a_document_is_refused(void **state)
{
	struct cJSON *j = NULL;
	struct err e = {0};

	for (size_t n = 0; n < sizeof(whole) - 1; n++)
		if (parse(whole, n, &j, &e) != E_DATA)
			fail_msg("accepted the first %zu bytes", n);
	json_free(must_parse(whole));
}

/* Any byte in the place of any other: never a crash, never an accepted NUL or bad
 * UTF-8. */
static void every_changed_byte_is_survived(void **state)
{
	char text[sizeof(whole)];

	for (size_t i = 0; i < sizeof(whole) - 1; i++) {
		for (int c = 0; c < 256; c++) {
			struct cJSON *j = NULL;

			memcpy(text, whole, sizeof(whole));
			text[i] = (char)c;
			if (parse(text, sizeof(whole) - 1, &j, NULL) == E_OK)
				assert_true(c && utf8_valid(text, sizeof(whole) - 1));
			json_free(j);
		}
	}
}

static void nested(struct sbuf *b, const char *open, const char *close, size_t depth)
{
	sbuf_reset(b);
	for (size_t i = 0; i < depth; i++)
		sbuf_adds(b, open);
	for (size_t i = 0; i < depth; i++)
		sbuf_adds(b, close);
}

static void sixty_four_levels_are_allowed_and_no_more(void **state)
{
	struct sbuf b = SBUF_INIT;

	nested(&b, "[", "]", 64);
	json_free(must_parse(b.s));
	nested(&b, "[", "]", 65);
	assert_refused(b.s, b.len, "nested more than 64 deep", 64);
	nested(&b, "[", "]", 1001);
	assert_refused(b.s, b.len, "nested more than 64 deep", 64);
	sbuf_reset(&b);
	for (int i = 0; i < 63; i++)
		sbuf_adds(&b, "{\"a\":");
	sbuf_adds(&b, "{}");
	for (int i = 0; i < 63; i++)
		sbuf_addc(&b, '}');
	json_free(must_parse(b.s));
	sbuf_reset(&b);
	for (int i = 0; i < 65; i++)
		sbuf_adds(&b, "{\"a\":");
	assert_refused(b.s, b.len, "nested more than 64 deep", 320);
	/* depth counts what is open, not what was */
	sbuf_reset(&b);
	sbuf_addc(&b, '[');
	for (int i = 0; i < 500; i++)
		sbuf_adds(&b, "[[[]]],");
	sbuf_adds(&b, "1]");
	json_free(must_parse(b.s));
	sbuf_done(&b);
}

struct stack_case {
	const char *text;
	enum err_code rc;
};

static void *parse_in_thread(void *arg)
{
	struct stack_case *c = arg;
	struct cJSON *j = NULL;

	c->rc = json_parse(c->text, strlen(c->text), &j, NULL);
	json_free(j);
	return NULL;
}

/* Also under the sanitizers, whose frames are larger. */
static enum err_code parse_on_small_stack(const char *text)
{
	struct stack_case c = {.text = text, .rc = E_BUG};
	pthread_attr_t attr;
	pthread_t thread;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, (size_t)256 * 1024), 0);
	assert_int_equal(pthread_create(&thread, &attr, parse_in_thread, &c), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
	return c.rc;
}

static void a_million_brackets_do_not_exhaust_a_small_stack(void **state)
{
	cleanup(free_ptr) char *brackets = repeat("[", 1000000);
	cleanup(free_ptr) char *objects = repeat("{\"\":", 250000);
	struct sbuf b = SBUF_INIT;

	assert_int_equal(parse_on_small_stack(brackets), E_DATA);
	assert_int_equal(parse_on_small_stack(objects), E_DATA);
	nested(&b, "[", "]", 64);
	assert_int_equal(parse_on_small_stack(b.s), E_OK);
	sbuf_done(&b);
}

static void a_hundred_thousand_keys_are_checked_for_duplicates(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct cJSON *j = NULL;
	struct err e = {0};
	size_t at;

	sbuf_addc(&b, '{');
	for (int i = 0; i < 100000; i++)
		sbuf_addf(&b, "\"key-%d\":{\"v\":%d},", i, i);
	at = b.len;
	sbuf_adds(&b, "\"last\":0}");
	assert_int_equal(json_parse(b.s, b.len, &j, &e), E_OK);
	assert_int_equal(json_len(j), 100001);
	json_free(j);
	j = NULL;
	sbuf_trunc(&b, at);
	sbuf_adds(&b, "\"key-777\":0}");
	assert_refused(b.s, b.len, "key 'key-777' twice in one object", at);
	sbuf_done(&b);
}

static void *no_memory(size_t size)
{
	(void)size;
	return NULL;
}

static void what_the_scan_takes_and_cjson_does_not_is_an_error(void **state)
{
	struct cJSON_Hooks hooks = {.malloc_fn = no_memory, .free_fn = free};
	struct cJSON *j = NULL;
	struct err e = {0};
	enum err_code rc;

	cJSON_InitHooks(&hooks);
	rc = json_parse("[1]", 3, &j, &e);
	cJSON_InitHooks(NULL);
	assert_int_equal(rc, E_DATA);
	assert_null(j);
	assert_true(str_starts(e.msg, "JSON: cannot be parsed"));
}

#ifndef __SANITIZE_ADDRESS__
/* A list of four million elements, in a process that may not have the memory for it. */
static void parse_without_memory(void)
{
	struct rlimit limit = {.rlim_cur = 64 << 20, .rlim_max = 64 << 20};
	struct sbuf b = SBUF_INIT;
	struct cJSON *j = NULL;
	struct err e = {0};

	sbuf_addc(&b, '[');
	for (int i = 0; i < 4000000; i++)
		sbuf_adds(&b, "1,");
	sbuf_adds(&b, "1]");
	setrlimit(RLIMIT_AS, &limit);
	(void)!freopen("/dev/null", "w", stderr);
	(void)!json_parse(b.s, b.len, &j, &e);
	_exit(0); /* it was said to be wrong */
}

static void without_memory_the_program_ends(void **state)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		parse_without_memory();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
}
#else
static void without_memory_the_program_ends(void **state)
{
	skip(); /* the sanitizer has the addresses to itself */
}
#endif

static void free_accepts_null_and_clears_the_pointer(void **state)
{
	struct cJSON *j = must_parse("[1]");

	json_free(NULL);
	json_free_ptr(&j);
	assert_null(j);
	json_free_ptr(&j);
}

/* ---- reading
 * --------------------------------------------------------------------------- */

static void members_are_found_by_exact_case_only(void **state)
{
	cleanup(json_free_ptr) struct cJSON *j = must_parse("{\"ID\":\"x\",\"n\":null}");

	assert_null(json_get(j, "id"));
	assert_non_null(json_get(j, "ID"));
	assert_null(json_get(j, "n"));
	assert_null(json_get(NULL, "ID"));
	assert_null(json_get(json_get(j, "ID"), "ID"));
}

static void a_path_walks_objects_and_stops_at_what_is_missing(void **state)
{
	cleanup(json_free_ptr) struct cJSON *j = must_parse(
		"{\"error\":{\"status\":\"X\",\"none\":null,\"list\":[{\"a\":1}]}}");

	assert_string_equal(json_text(json_path(j, "error", "status", NULL), ""), "X");
	assert_null(json_path(j, "error", "none", "deeper", NULL));
	assert_null(json_path(j, "error", "list", "a", NULL));
	assert_null(json_path(j, "nothing", "status", NULL));
	assert_null(json_path(NULL, "error", NULL));
}

static void types_are_told_apart(void **state)
{
	cleanup(json_free_ptr) struct cJSON *j = must_parse(
		"{\"o\":{},\"a\":[],\"s\":\"t\",\"yes\":true,\"no\":false,"
		"\"n\":1,\"st\":\"true\"}");

	assert_true(json_is_object(j) && json_is_object(json_get(j, "o")));
	assert_false(json_is_object(json_get(j, "a")) || json_is_object(NULL));
	assert_true(json_is_array(json_get(j, "a")));
	assert_false(json_is_array(j) || json_is_array(NULL));
	assert_true(json_is_string(json_get(j, "s")));
	assert_false(json_is_string(json_get(j, "n")) || json_is_string(NULL));
	assert_true(json_true(json_get(j, "yes")));
	assert_false(json_true(json_get(j, "no")) || json_true(json_get(j, "n")) ||
		json_true(json_get(j, "st")) || json_true(NULL));
	assert_string_equal(json_text(json_get(j, "s"), "def"), "t");
	assert_string_equal(json_text(json_get(j, "n"), "def"), "def");
	assert_null(json_text(NULL, NULL));
}

static void lists_and_objects_are_walked_in_their_order(void **state)
{
	cleanup(json_free_ptr) struct cJSON *j = must_parse(
		"{\"b\":[\"x\",null,\"y\"],\"a\":\"text\",\"e\":[]}");
	struct sbuf b = SBUF_INIT;

	JSON_EACH (m, j)
		sbuf_addf(&b, "%s,", json_key(m));
	JSON_EACH (item, json_get(j, "b"))
		sbuf_addf(&b, "%s,", json_text(item, "-"));
	JSON_EACH (item, json_get(j, "a"))
		sbuf_adds(&b, "never");
	JSON_EACH (item, NULL)
		sbuf_adds(&b, "never");
	assert_string_equal(b.s, "b,a,e,x,-,y,");
	assert_int_equal(json_len(j), 3);
	assert_int_equal(json_len(json_get(j, "b")), 3);
	assert_int_equal(json_len(json_get(j, "e")), 0);
	assert_int_equal(json_len(json_get(j, "a")), 0);
	assert_int_equal(json_len(NULL), 0);
	assert_null(json_key(json_first(json_get(j, "b"))));
	assert_null(json_key(NULL));
	assert_null(json_next(NULL));
	sbuf_done(&b);
}

static const struct int_case {
	const char *json;
	int64_t want;
	const char *msg; /* NULL: accepted */
} ints[] = {
	{"{\"v\":\"9223372036854775807\"}", INT64_MAX, NULL},
	{"{\"v\":\"-9223372036854775808\"}", INT64_MIN, NULL},
	{"{\"v\":\"9007199254740993\"}", INT64_C(9007199254740993), NULL},
	{"{\"v\":\"0\"}", 0, NULL},
	{"{\"v\":0}", 0, NULL},
	{"{\"v\":-0}", 0, NULL},
	{"{\"v\":1e3}", 1000, NULL},
	{"{\"v\":9007199254740991}", INT64_C(9007199254740991), NULL},
	{"{\"v\":-9007199254740991}", INT64_C(-9007199254740991), NULL},
	{"{\"v\":9007199254740992}", 0, "field 'v': not an exact integer"},
	{"{\"v\":9007199254740993}", 0, "field 'v': not an exact integer"},
	{"{\"v\":-9007199254740992}", 0, "field 'v': not an exact integer"},
	{"{\"v\":9223372036854775807}", 0, "field 'v': not an exact integer"},
	{"{\"v\":1e300}", 0, "field 'v': not an exact integer"},
	{"{\"v\":1.5}", 0, "field 'v': not an exact integer"},
	{"{\"v\":-0.1}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"9223372036854775808\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\" 1\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"1 \"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"+1\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"-0\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"007\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"0x10\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":\"1.0\"}", 0, "field 'v': not an exact integer"},
	{"{\"v\":true}", 0, "field 'v': expected integer, got boolean"},
	{"{\"v\":null}", 0, "field 'v': expected integer, got null"},
	{"{\"v\":[1]}", 0, "field 'v': expected integer, got array"},
	{"{\"V\":1}", 0, "field 'v': expected integer, got nothing"},
};

static void integers_are_exact_or_refused(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(ints); i++) {
		cleanup(json_free_ptr) struct cJSON *j = must_parse(ints[i].json);
		int64_t v = 4242;
		struct err e = {0};
		enum err_code rc = json_get_i64(j, "v", &v, &e);

		if (!ints[i].msg) {
			assert_int_equal(rc, E_OK);
			assert_true(v == ints[i].want);
			continue;
		}
		assert_int_equal(rc, E_DATA);
		assert_string_equal(e.msg, ints[i].msg);
		assert_true(v == 4242);
	}
}

static void an_optional_integer_has_its_default_only_when_absent(void **state)
{
	cleanup(json_free_ptr) struct cJSON *j = must_parse(
		"{\"a\":\"12\",\"n\":null,\"bad\":\"x\",\"frac\":0.5}");
	int64_t v = 0;
	struct err e = {0};

	assert_int_equal(json_opt_i64(j, "a", 7, &v, &e), E_OK);
	assert_true(v == 12);
	assert_int_equal(json_opt_i64(j, "n", 7, &v, &e), E_OK);
	assert_true(v == 7);
	assert_int_equal(json_opt_i64(j, "gone", -1, &v, &e), E_OK);
	assert_true(v == -1);
	assert_int_equal(json_opt_i64(NULL, "a", 3, &v, &e), E_OK);
	assert_true(v == 3);
	assert_int_equal(json_opt_i64(j, "bad", 7, &v, &e), E_DATA);
	assert_int_equal(json_opt_i64(j, "frac", 7, &v, &e), E_DATA);
	assert_true(v == 3);
}

static const struct nano_case {
	const char *json;
	int64_t want;
	enum err_code rc;
} nanos[] = {
	{"\"12.5\"", INT64_C(12500000000), E_OK},
	{"\"4.4E-5\"", 44000, E_OK},
	{"\"-0.000000001\"", -1, E_OK},
	{"\"0.1234567895000000000000000001\"", 123456790, E_OK},
	{"\"0.0000000005\"", 0, E_OK},
	{"\"0.0000000015\"", 2, E_OK},
	{"0.1", 100000000, E_OK},
	{"0.3", 300000000, E_OK},
	{"5.678544", INT64_C(5678544000), E_OK},
	{"0.30000000000000004", 300000000, E_OK},
	{"1234567.1234567891", INT64_C(1234567123456789), E_OK},
	{"-22.2", INT64_C(-22200000000), E_OK},
	{"1e-9", 1, E_OK},
	{"4.4E-5", 44000, E_OK},
	{"1e-300", 0, E_OK},
	{"-0", 0, E_OK},
	{"123456.123456789", INT64_C(123456123456789), E_OK},
	{"9223372036", INT64_C(9223372036000000000), E_OK},
	{"9223372037", 0, E_OVERFLOW},
	{"1e300", 0, E_OVERFLOW},
	{"\"1e999\"", 0, E_OVERFLOW},
	{"\"NaN\"", 0, E_DATA},
	{"\"Infinity\"", 0, E_DATA},
	{"\"\"", 0, E_DATA},
	{"\" 1\"", 0, E_DATA},
	{"\"1,5\"", 0, E_DATA},
	{"\"0x10\"", 0, E_DATA},
	{"null", 0, E_DATA},
	{"true", 0, E_DATA},
	{"[1]", 0, E_DATA},
	{"{}", 0, E_DATA},
};

static void decimals_are_read_as_nano_units(void **state)
{
	int64_t v = 4242;
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(nanos); i++) {
		cleanup(json_free_ptr) struct cJSON *j = must_parse(nanos[i].json);

		v = 4242;
		if (json_nanos(j, &v, &e) != nanos[i].rc)
			fail_msg("%s: %s", nanos[i].json, e.msg);
		assert_true(v == (nanos[i].rc ? 4242 : nanos[i].want));
	}
	assert_int_equal(json_nanos(NULL, &v, &e), E_DATA);
	assert_string_equal(e.msg, "expected a decimal, got nothing");
	assert_int_equal(json_nanos(NULL, &v, NULL), E_DATA);
}

/* What jw_nanos writes, json_nanos reads back from the number, up to 15 digits. */
static void a_written_amount_reads_back_as_the_same_nanos(void **state)
{
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < 20000; i++) {
		struct sbuf b = SBUF_INIT;
		struct jw w = {.b = &b};
		struct cJSON *j;
		int64_t n, back = 0;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		n = (int64_t)(x % 1000000000000000u) * (x >> 63 ? 1 : -1);
		jw_nanos(&w, n);
		j = must_parse(b.s);
		assert_int_equal(json_nanos(j, &back, NULL), E_OK);
		assert_true(back == n);
		json_free(j);
		sbuf_done(&b);
	}
}

/* ---- writing
 * --------------------------------------------------------------------------- */

static void the_writer_puts_commas_where_they_belong(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};

	jw_begin(&w, '{');
	jw_kstr(&w, "a", "x\"y");
	jw_kstr(&w, "none", NULL);
	jw_ki64(&w, "min", INT64_MIN);
	jw_key(&w, "list");
	jw_begin(&w, '[');
	jw_i64(&w, 1);
	jw_begin(&w, '[');
	jw_end(&w, ']');
	jw_begin(&w, '{');
	jw_end(&w, '}');
	jw_bool(&w, true);
	jw_bool(&w, false);
	jw_null(&w);
	jw_str(&w, "");
	jw_nanos(&w, -500000000);
	jw_raw(&w, "[0]");
	jw_end(&w, ']');
	jw_key(&w, "o");
	jw_begin(&w, '{');
	jw_key(&w, "p");
	jw_begin(&w, '{');
	jw_key(&w, "q");
	jw_nanos(&w, INT64_MAX);
	jw_end(&w, '}');
	jw_ki64(&w, "r", 2);
	jw_end(&w, '}');
	jw_end(&w, '}');
	assert_string_equal(b.s,
		"{\"a\":\"x\\\"y\",\"none\":null,\"min\":-9223372036854775808,"
		"\"list\":[1,[],{},true,false,null,\"\",-0.5,[0]],"
		"\"o\":{\"p\":{\"q\":9223372036.854775807},\"r\":2}}");
	json_free(must_parse(b.s));
	sbuf_done(&b);
}

static void trees_print_compactly(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct cJSON *j = must_parse(" { \"a\" : [ 1 , \"\\u20ac\\n\" , null ] } ");

	sbuf_adds(&b, "> ");
	json_print(&b, j);
	json_print(&b, NULL);
	assert_string_equal(b.s, "> {\"a\":[1,\"\xe2\x82\xac\\n\",null]}null");
	json_free(j);
	sbuf_done(&b);
}

static void a_text_of_a_tree_can_be_set(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct cJSON *j = must_parse("{\"a\":1,\"A\":2,\"b\":{}}");

	json_set_text(j, "a", "x\"\n");
	json_set_text(json_get(j, "b"), "c", "new");
	json_print(&b, j);
	assert_string_equal(b.s, "{\"a\":\"x\\\"\\n\",\"A\":2,\"b\":{\"c\":\"new\"}}");
	json_set_text(json_first(json_get(j, "b")), "no", "object");
	json_set_text(NULL, "no", "object");
	json_free(j);
	sbuf_done(&b);
}

static void add_utf8(struct sbuf *b, uint32_t c)
{
	if (c < 0x80) {
		sbuf_addc(b, (char)c);
	} else if (c < 0x800) {
		sbuf_addc(b, (char)(0xc0 | c >> 6));
		sbuf_addc(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		sbuf_addc(b, (char)(0xe0 | c >> 12));
		sbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		sbuf_addc(b, (char)(0x80 | (c & 0x3f)));
	} else {
		sbuf_addc(b, (char)(0xf0 | c >> 18));
		sbuf_addc(b, (char)(0x80 | (c >> 12 & 0x3f)));
		sbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		sbuf_addc(b, (char)(0x80 | (c & 0x3f)));
	}
}

static void assert_text_survives(const char *text)
{
	struct sbuf b = SBUF_INIT;
	struct cJSON *j;

	sbuf_add_json(&b, text);
	j = must_parse(b.s);
	assert_string_equal(json_text(j, NULL), text);
	json_free(j);
	sbuf_done(&b);
}

static void every_code_point_survives_the_escaper_and_the_parser(void **state)
{
	struct sbuf b = SBUF_INIT;

	for (uint32_t c = 1; c <= 0x10ffff; c += c < 0x3000 ? 1 : 37) {
		if (c < 0xd800 || c > 0xdfff)
			add_utf8(&b, c);
		if (b.len > 200) {
			assert_text_survives(b.s);
			sbuf_reset(&b);
		}
	}
	assert_text_survives(b.s);
	sbuf_done(&b);
}

/* Whatever bytes a name holds, what comes out is JSON that parses. */
static void random_bytes_always_escape_to_valid_json(void **state)
{
	uint64_t x = 2463534242u;

	for (int round = 0; round < 5000; round++) {
		char text[24] = {0};
		struct sbuf b = SBUF_INIT;

		for (size_t i = 0; i < sizeof(text) - 1; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			text[i] = (char)(x >> 32);
		}
		sbuf_add_json(&b, text);
		json_free(must_parse(b.s));
		sbuf_done(&b);
	}
}

static void quoted_text_in_messages_is_visible_and_short(void **state)
{
	struct sbuf b = SBUF_INIT;

	sbuf_add_quoted(&b, "a\n\x1b\xe2\x80\xae", 60);
	sbuf_add_quoted(&b, "abcdef", 6);
	sbuf_add_quoted(&b, "abcdefg", 6);
	sbuf_add_quoted(&b, "ab\xe2\x82\xac", 4);
	sbuf_add_quoted(&b, "", 0);
	assert_string_equal(b.s, "'a\\x0a\\x1b<U+202E>''abcdef''abcdef...''ab...'''");
	sbuf_done(&b);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rfc_8259_allows_is_accepted),
		cmocka_unit_test(what_cjson_would_let_pass_is_refused_with_its_byte),
		cmocka_unit_test(a_long_duplicate_key_is_cut_in_the_message),
		cmocka_unit_test(the_error_structure_is_optional),
		cmocka_unit_test(every_prefix_of_a_document_is_refused),
		cmocka_unit_test(every_changed_byte_is_survived),
		cmocka_unit_test(sixty_four_levels_are_allowed_and_no_more),
		cmocka_unit_test(a_million_brackets_do_not_exhaust_a_small_stack),
		cmocka_unit_test(a_hundred_thousand_keys_are_checked_for_duplicates),
		cmocka_unit_test(
			without_memory_the_program_ends), /* before hooks are changed */
		cmocka_unit_test(what_the_scan_takes_and_cjson_does_not_is_an_error),
		cmocka_unit_test(free_accepts_null_and_clears_the_pointer),
		cmocka_unit_test(members_are_found_by_exact_case_only),
		cmocka_unit_test(a_path_walks_objects_and_stops_at_what_is_missing),
		cmocka_unit_test(types_are_told_apart),
		cmocka_unit_test(lists_and_objects_are_walked_in_their_order),
		cmocka_unit_test(integers_are_exact_or_refused),
		cmocka_unit_test(an_optional_integer_has_its_default_only_when_absent),
		cmocka_unit_test(decimals_are_read_as_nano_units),
		cmocka_unit_test(a_written_amount_reads_back_as_the_same_nanos),
		cmocka_unit_test(the_writer_puts_commas_where_they_belong),
		cmocka_unit_test(trees_print_compactly),
		cmocka_unit_test(a_text_of_a_tree_can_be_set),
		cmocka_unit_test(every_code_point_survives_the_escaper_and_the_parser),
		cmocka_unit_test(random_bytes_always_escape_to_valid_json),
		cmocka_unit_test(quoted_text_in_messages_is_visible_and_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

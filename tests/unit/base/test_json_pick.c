/* Picking values is as strict as parsing, and gives the same values. json_parse is the
 * oracle. */
#include "base/data/json.h"
#include "base/data/json_pick.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "tests/support/unit.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C_D, C_E, L_X, L_Y, N_SLOTS };

static const struct json_wish in_c[] = {
	{JSON_KEY("d"), .slot = C_D}, {JSON_KEY("e"), .slot = C_E}};
static const struct json_wish in_l[] = {
	{JSON_KEY("x"), .slot = L_X}, {JSON_KEY("y"), .slot = L_Y}};
static const struct json_wish wishes[] = {{JSON_KEY("a"), .slot = A},
	{JSON_KEY("b"), .slot = B}, {JSON_KEY("c"), .sub = in_c, .n_sub = 2},
	{JSON_KEY("l"), .sub = in_l, .n_sub = 2, .list = true}};

struct result {
	enum err_code code;
	struct err e;
	struct sbuf text; /* what was picked */
};

/* The parser does not keep the digits of numbers. */
static bool hide_digits;

static void add_value(struct sbuf *b, const char *name, const struct json_value *v)
{
	static const char *const kinds[] = {"-", "null", "s", "n", "b", "compound"};

	if (v->kind == JSON_ABSENT)
		return;
	sbuf_addf(b, "%s=%s:", name, kinds[v->kind]);
	if (v->kind == JSON_STRING || v->kind == JSON_BOOL ||
		(v->kind == JSON_NUMBER && !hide_digits))
		sbuf_add(b, v->s, v->n);
	sbuf_addc(b, ';');
}

struct picking {
	struct json_value slots[N_SLOTS];
	struct result *r;
};

static enum err_code on_item(void *ctx, const struct json_wish *list, struct err *e)
{
	struct picking *p = ctx;

	assert_string_equal(list->key, "l");
	add_value(&p->r->text, "x", &p->slots[L_X]);
	add_value(&p->r->text, "y", &p->slots[L_Y]);
	sbuf_addc(&p->r->text, '|');
	if (p->slots[L_X].kind == JSON_STRING && p->slots[L_X].n == 4 &&
		!memcmp(p->slots[L_X].s, "stop", 4))
		return err_set(e, E_LIMIT, "stopped");
	return E_OK;
}

/* The text stands at the very end of its allocation, so that reading too far is seen. */
static struct result pick(const char *text, size_t len)
{
	struct result r = {.text = SBUF_INIT};
	struct picking p = {.r = &r};
	struct arena scratch = {0};
	struct json_picker picker = {.wishes = wishes,
		.n = ARRAY_LEN(wishes),
		.slots = p.slots,
		.n_slots = N_SLOTS,
		.on_item = on_item,
		.ctx = &p,
		.scratch = &scratch};
	char *copy = malloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	r.code = json_pick(&picker, copy, len, &r.e);
	if (!r.code) {
		add_value(&r.text, "a", &p.slots[A]);
		add_value(&r.text, "b", &p.slots[B]);
		add_value(&r.text, "d", &p.slots[C_D]);
		add_value(&r.text, "e", &p.slots[C_E]);
	}
	free(copy);
	arena_done(&scratch);
	return r;
}

static void expect(const char *text, const char *want)
{
	struct result r = pick(text, strlen(text));

	if (r.code || strcmp(r.text.s, want) != 0)
		fail_msg("%s\n gave %s (%s)\n want %s", text, r.text.s,
			r.code ? r.e.msg : "", want);
	sbuf_done(&r.text);
}

static void refuse(const char *text, const char *why)
{
	struct result r = pick(text, strlen(text));

	if (r.code != E_DATA || !strstr(r.e.msg, why))
		fail_msg("%s: %d %s, want %s", text, r.code, r.e.msg, why);
	sbuf_done(&r.text);
}

static void values_come_from_where_they_were_wished(void **state)
{
	expect("{\"a\":1,\"b\":\"two\",\"c\":{\"d\":true,\"e\":null}}",
		"a=n:1;b=s:two;d=b:true;e=null:;");
	expect("{\"e\":9,\"c\":{\"e\":-1.5E-10,\"z\":{\"d\":7}},\"a\":false}",
		"a=b:false;e=n:-1.5E-10;");
	expect(" { \"l\" : [ {\"x\":1} , {\"y\":\"2\",\"z\":[{\"x\":3}]} , {} ] } ",
		"x=n:1;|y=s:2;||");
	expect("{\"l\":[],\"c\":null}", "");
	expect("{\"l\":null}", "");
	expect("{}", "");
	/* other letters, and the same key deeper down */
	expect("{\"A\":1,\"q\":{\"a\":2},\"r\":[{\"a\":3}]}", "");
	/* not what was wished for: told, not guessed */
	expect("{\"a\":{\"a\":1},\"b\":[1]}", "a=compound:;b=compound:;");
}

static void escapes_are_resolved(void **state)
{
	expect("{\"a\":\"q\\\"b\\\\s\\/\\b\\f\\n\\r\\t.\"}", "a=s:q\"b\\s/\b\f\n\r\t.;");
	expect("{\"a\":\"\\u00e4\\u20AC\\uD83D\\uDE00\"}", "a=s:\u00e4\u20ac\U0001F600;");
	expect("{\"\\u0061\":\"by another spelling\"}", "a=s:by another spelling;");
	expect("{\"b\":\"gr\u00fc\u00df \U0001F600\\n\"}",
		"b=s:gr\u00fc\u00df \U0001F600\n;");
	expect("{\"a\":\"long enough to be looked at by eights, and then \\u0041\"}",
		"a=s:long enough to be looked at by eights, and then A;");
}

static void what_is_wrong_is_refused_with_its_place(void **state)
{
	refuse("", "ends too early at byte 0");
	refuse("[]", "expected an object at byte 0");
	refuse("{\"a\":1}x", "more text after the document at byte 7");
	refuse("{\"a\":1,\"a\":2}", "duplicate key");
	refuse("{\"c\":{\"d\":1,\"d\":2}}", "duplicate key");
	refuse("{\"a\":01}", "number begins with 0");
	refuse("{\"a\":1.}", "bad number");
	refuse("{\"a\":nul}", "expected a value");
	refuse("{\"a\":\"\\u0000\"}", "\\u0000");
	refuse("{\"a\":\"\\ud800x\"}", "surrogate");
	refuse("{\"zz\":\"\\ud800x\"}", "surrogate");
	refuse("{\"a\":\"\\x\"}", "bad escape");
	refuse("{\"a\":\"\t\"}", "control character");
	refuse("{\"a\":\"12345678\x01\"}", "control character");
	refuse("{\"a\":\"\xc3(\"}", "invalid UTF-8");
	refuse("{\"a\":\"\\n\xed\xa0\x80\"}", "invalid UTF-8");
	refuse("{\"c\":[1]}", "expected an object");
	refuse("{\"c\":7}", "expected an object");
	refuse("{\"l\":{}}", "expected an array of objects");
	refuse("{\"l\":[1]}", "expected an object");
	refuse("{\"l\":[{},]}", "expected an object");
	refuse("{\"a\":1,}", "expected a key");
	refuse("{\"a\" 1}", "expected ':'");
	refuse("{\"a\":[1 2]}", "expected ',' or ']'");
}

static void an_error_of_the_caller_ends_it(void **state)
{
	const char *text = "{\"l\":[{\"x\":\"ok\"},{\"x\":\"stop\"},{\"x\":\"never\"}]}";
	struct result r = pick(text, strlen(text));

	assert_int_equal(r.code, E_LIMIT);
	assert_string_equal(r.e.msg, "stopped");
	assert_null(strstr(r.text.s, "never"));
	sbuf_done(&r.text);
}

static void depth_is_limited_as_in_parsing(void **state)
{
	char text[512];

	for (int deep = JSON_MAX_DEPTH - 2; deep <= JSON_MAX_DEPTH; deep++) {
		struct cJSON *j = NULL;
		struct result r;
		struct err e;
		size_t n = 5;

		memcpy(text, "{\"q\":", n);
		memset(text + n, '[', (size_t)deep);
		memset(text + n + deep, ']', (size_t)deep);
		n += 2 * (size_t)deep;
		text[n++] = '}';
		r = pick(text, n);
		assert_int_equal(r.code, json_parse(text, n, &j, &e));
		json_free(j);
		sbuf_done(&r.text);
	}
}

/* ---- against the parser ----------------------------------------------------------------------- */

static void add_parsed(
	struct sbuf *b, const char *name, const struct cJSON *obj, const char *key)
{
	const struct cJSON *j = cJSON_GetObjectItemCaseSensitive(obj, key);

	if (!j)
		return;
	if (cJSON_IsString(j))
		sbuf_addf(b, "%s=s:%s;", name, j->valuestring);
	else if (cJSON_IsBool(j))
		sbuf_addf(b, "%s=b:%s;", name, cJSON_IsTrue(j) ? "true" : "false");
	else if (cJSON_IsNull(j))
		sbuf_addf(b, "%s=null:;", name);
	else if (cJSON_IsNumber(j))
		sbuf_addf(b, "%s=n:;", name);
	else
		sbuf_addf(b, "%s=compound:;", name);
}

static bool tolerated(const char *msg)
{
	return strstr(msg, "twice in one object") || strstr(msg, "out of range");
}

static void compare(const char *text, size_t len)
{
	struct result r = pick(text, len);
	struct cJSON *j = NULL;
	struct err e = {0};
	enum err_code code = json_parse(text, len, &j, &e);
	struct sbuf want = SBUF_INIT;

	if (code && !r.code && !tolerated(e.msg))
		fail_msg("picked, not parsed (%s): %s", e.msg, text);
	if (!code && json_is_object(j)) {
		const struct cJSON *c = cJSON_GetObjectItemCaseSensitive(j, "c");
		const struct cJSON *l = cJSON_GetObjectItemCaseSensitive(j, "l");
		bool shape = (!c || cJSON_IsNull(c) || cJSON_IsObject(c)) &&
			(!l || cJSON_IsNull(l) || cJSON_IsArray(l));

		if (l && cJSON_IsArray(l))
			for (const struct cJSON *i = l->child; i; i = i->next)
				shape = shape && cJSON_IsObject(i);
		if (shape && r.code && r.code != E_LIMIT)
			fail_msg("parsed, not picked (%s): %s", r.e.msg, text);
		if (!shape && !r.code)
			fail_msg("picked in spite of its shape: %s", text);
		if (shape && !r.code) {
			if (l && cJSON_IsArray(l))
				for (const struct cJSON *i = l->child; i; i = i->next) {
					add_parsed(&want, "x", i, "x");
					add_parsed(&want, "y", i, "y");
					sbuf_addc(&want, '|');
				}
			add_parsed(&want, "a", j, "a");
			add_parsed(&want, "b", j, "b");
			if (c && cJSON_IsObject(c)) {
				add_parsed(&want, "d", c, "d");
				add_parsed(&want, "e", c, "e");
			}
			if (strcmp(want.s, r.text.s) != 0)
				fail_msg("%s\n picked %s\n parsed %s", text, r.text.s,
					want.s);
		}
	}
	json_free(j);
	sbuf_done(&want);
	sbuf_done(&r.text);
}

/* Small changes of good texts reach every rule from both sides. */
static void random_changes_are_judged_as_the_parser_does(void **state)
{
	static const char *const seeds[] = {"{\"a\":1,\"b\":\"two\",\"c\":{\"d\":true,"
					    "\"e\":null},\"l\":[{\"x\":1,\"y\":\"2\"},"
					    "{}]}",
		"{\"q\":[1,-2.5e+3,{\"a\":[]}],\"a\":\"\\u00e4\\ud83d\\ude00\\\"\",\"b\":0."
		"1}",
		"{\"a\":\"gr\u00fc\u00df \u20ac "
		"\U0001F600\",\"c\":{\"e\":\"\\\\\\/\"},\"z\":{}}"};
	static const char bytes[] =
		"{}[]\",:\\ue0198-+.Etrfnl \n\t\x01\x7f\x80\xc3\xa4\xff";
	unsigned seed = 12345;

	hide_digits = true;
	for (int round = 0; round < 60000; round++) {
		char text[256];
		const char *from = seeds[(size_t)round % ARRAY_LEN(seeds)];
		size_t len = strlen(from);
		int changes = 1 + (int)(rand_r(&seed) % 3);

		memcpy(text, from, len);
		while (changes--) {
			size_t at = (size_t)rand_r(&seed) % len;
			char c = bytes[(size_t)rand_r(&seed) % (sizeof(bytes) - 1)];

			switch (rand_r(&seed) % 3) {
			case 0:
				text[at] = c;
				break;
			case 1:
				memmove(text + at + 1, text + at, len++ - at);
				text[at] = c;
				break;
			default:
				memmove(text + at, text + at + 1, --len - at);
			}
		}
		text[len] = '\0';
		if (!memchr(text, '\0', len))
			compare(text, len);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_from_where_they_were_wished),
		cmocka_unit_test(escapes_are_resolved),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
		cmocka_unit_test(an_error_of_the_caller_ends_it),
		cmocka_unit_test(depth_is_limited_as_in_parsing),
		cmocka_unit_test(random_changes_are_judged_as_the_parser_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

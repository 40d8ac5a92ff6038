/* Rows of a document as slices: the same as the elements of the parsed tree, and no document
 * is accepted that json_parse would refuse. */
#include "base/data/json.h"
#include "base/sbuf.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

/* The rows joined by '|' and the rest; NULL when it is refused. */
static char *split(const char *text, const char *key)
{
	struct sbuf b = SBUF_INIT;
	struct json_rows rows;
	struct cJSON *rest = NULL, *one;
	struct err e = {0};
	const char *row;
	size_t len;

	if (json_rows_open(text, strlen(text), key, &rows, &rest, &e)) {
		assert_int_equal(e.code, E_DATA);
		return NULL;
	}
	while (json_rows_next(&rows, &row, &len, &e)) {
		if (json_parse(row, len, &one, &e))
			break;
		json_free(one);
		sbuf_add(&b, row, len);
		sbuf_addc(&b, '|');
	}
	if (e.code) {
		sbuf_done(&b);
		json_free(rest);
		return NULL;
	}
	json_print(&b, rest);
	json_free(rest);
	return sbuf_detach(&b);
}

static void expect(const char *text, const char *want)
{
	char *got = split(text, "rows");

	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(refused)", want);
	free(got);
}

static void rows_are_cut_out_and_the_rest_is_parsed(void **state)
{
	expect("{\"a\":1,\"rows\":[{\"f\":[1]},{\"f\":[\"x]}{\\\"\"]}],\"z\":\"t\"}",
		"{\"f\":[1]}|{\"f\":[\"x]}{\\\"\"]}|{\"a\":1,\"rows\":[],\"z\":\"t\"}");
	expect(" {\n\"rows\" : [\n {} ,\t{\"a\":{}}\n]\n}\n",
		"{}|{\"a\":{}}|{\"rows\":[]}");
	expect("{\"rows\":[]}", "{\"rows\":[]}");
	expect("{\"rows\":[ ]}", "{\"rows\":[]}");
}

static void a_key_counts_only_in_the_top_object(void **state)
{
	expect("{\"x\":{\"rows\":[{}]},\"y\":[{\"rows\":[{}]}]}",
		"{\"x\":{\"rows\":[{}]},\"y\":[{\"rows\":[{}]}]}");
	expect("{\"s\":\"\\\"rows\\\":[{}]\",\"rows\":[{}]}",
		"{}|{\"s\":\"\\\"rows\\\":[{}]\",\"rows\":[]}");
	expect("{\"Rows\":[{}],\"xrows\":[{}]}", "{\"Rows\":[{}],\"xrows\":[{}]}");
	expect("{}", "{}");
	expect("[{\"rows\":[{}]}]", "[{\"rows\":[{}]}]");
}

static void something_else_than_an_array_is_left_alone(void **state)
{
	expect("{\"rows\":null}", "{\"rows\":null}");
	expect("{\"rows\":{\"a\":[{}]}}", "{\"rows\":{\"a\":[{}]}}");
	expect("{\"rows\":\"[{}]\"}", "{\"rows\":\"[{}]\"}");
}

static void what_json_parse_refuses_is_refused(void **state)
{
	static const char *const bad[] = {"", "{", "{\"rows\":[{}", "{\"rows\":[{}]",
		"{\"rows\":[{}]}x", "{\"rows\":[{}]}{}", "{\"rows\":[{} {}]}",
		"{\"rows\":[{},]}", "{\"rows\":[,{}]}", "{\"rows\":[1]}",
		"{\"rows\":[\"a\"]}", "{\"rows\":[[]]}", "{\"rows\":[{\"a\":}]}",
		"{\"rows\":[{\"a\":1,\"a\":2}]}", "{\"rows\":[{]}]}",
		"{\"rows\":[{\"a\":\"\\u0000\"}]}", "{\"rows\":[{\"a\":\"\xff\"}]}",
		"{\"rows\":[{\"a\":01}]}", "{\"rows\":[],\"rows\":[{}]}",
		"{\"rows\":[{}],\"b\":nope}", "\xef\xbb\xbf{\"rows\":[]}",
		"{\"rows\":[{\"a\":\"unfinished}]}", "{\"rows\":[{}}}", "{\"rows\":[{}]]"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *got = split(bad[i], "rows");

		if (got)
			fail_msg("accepted: %s", bad[i]);
	}
}

/* Every beginning of a good document is no document. */
static void a_document_that_was_cut_is_refused(void **state)
{
	static const char whole[] =
		"{\"a\":[1,{\"b\":\"c\"}],\"rows\":[{\"f\":[{\"v\":\"1\"},{\"v\":null}]},"
		"{\"f\":[]}],\"t\":\"x\"}";
	char part[sizeof(whole)];

	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		char *got;

		memcpy(part, whole, n);
		part[n] = '\0';
		got = split(part, "rows");
		if (got)
			fail_msg("accepted: %s", part);
	}
	free(split(whole, "rows"));
}

static void values_end_where_their_brackets_do(void **state)
{
	static const struct {
		const char *text;
		size_t end;
	} v[] = {{"{}x", 2}, {"[1,[2]],", 7}, {"\"a\\\"b\",", 6}, {"12,", 2}, {"null]", 4},
		{"{\"a\":\"}\"}}", 9}, {"[[[", 3}, {"\"abc", 4}, {"{\"a", 3}};

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		assert_int_equal(json_value_end(v[i].text, strlen(v[i].text), 0), v[i].end);
	assert_int_equal(json_value_end("", 0, 0), 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_cut_out_and_the_rest_is_parsed),
		cmocka_unit_test(a_key_counts_only_in_the_top_object),
		cmocka_unit_test(something_else_than_an_array_is_left_alone),
		cmocka_unit_test(what_json_parse_refuses_is_refused),
		cmocka_unit_test(a_document_that_was_cut_is_refused),
		cmocka_unit_test(values_end_where_their_brackets_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

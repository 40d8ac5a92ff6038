/* Any bytes: json_parse never crashes, accepts only UTF-8 without NUL, names an offset
 * inside the text when it refuses, and accepts again what json_print makes of its tree. */
#include "base/data/json.h"
#include "base/data/json_pick.h"

#include "base/mem.h"
#include "base/money.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Every reader on every node. */
static void read_json_tree(const struct cJSON *j)
{
	int64_t v = 0;
	const char *s;

	if (json_nanos(j, &v, NULL) == E_OK)
		fuzz_require(!json_is_array(j) && !json_is_object(j));
	fuzz_require(json_is_string(j) == (json_text(j, NULL) != NULL));
	JSON_EACH (m, j) {
		const char *key = json_key(m);

		fuzz_require(json_is_object(j) == (key != NULL));
		if (key) {
			s = json_text(m, "");
			fuzz_require(utf8_valid(s, strlen(s)));
			if (json_get_i64(j, key, &v, NULL) == E_OK)
				fuzz_require(json_opt_i64(j, key, 0, &v, NULL) == E_OK);
			/* no duplicates: a key finds its own member */
			fuzz_require(!json_get(j, key) || json_get(j, key) == m);
		}
		read_json_tree(m);
	}
}

/* "JSON: why at byte N"; a duplicate key in the message may hold these words too. */
static void check_refusal(const struct err *e, size_t size)
{
	const char *at = NULL;
	char *end = NULL;

	for (const char *p = e->msg; (p = strstr(p, " at byte ")); p++)
		at = p;
	fuzz_require(at && !strncmp(e->msg, "JSON: ", 6));
	fuzz_require(strtoul(at + 9, &end, 10) <= size && !*end);
	fuzz_require(utf8_valid(e->msg, strlen(e->msg)));
}

static enum err_code json_fuzz_item(void *ctx, const struct json_wish *list, struct err *e)
{
	(void)ctx;
	(void)list;
	(void)e;
	return E_OK;
}

/* What was picked without a tree is what the tree of cJSON has. */
static void json_same_value(const struct json_value *v, const struct cJSON *j)
{
	cleanup(free_ptr) char *s = fuzz_text((const uint8_t *)v->s, v->s ? v->n : 0);
	int64_t picked = 0, parsed = 0;

	fuzz_require((v->kind == JSON_ABSENT || v->kind == JSON_NULL) == !j);
	fuzz_require((v->kind == JSON_STRING) == json_is_string(j));
	fuzz_require((v->kind == JSON_COMPOUND) == (json_is_array(j) || json_is_object(j)));
	if (v->kind == JSON_STRING)
		fuzz_require(!strcmp(s, json_text(j, "")));
	if (v->kind == JSON_BOOL)
		fuzz_require(json_true(j) == !strcmp(s, "true"));
	/* so many digits a double keeps */
	if (v->kind == JSON_NUMBER && strspn(s, "-.0123456789") == v->n && v->n <= 15) {
		fuzz_require(nanos_parse(s, &picked, NULL) == json_nanos(j, &parsed, NULL));
		fuzz_require(picked == parsed);
	}
}

/* The slices of `rows` are its elements. */
static void json_same_rows(const char *text, size_t size, const struct cJSON *tree)
{
	struct json_rows rows;
	struct cJSON *rest = NULL, *one = NULL;
	struct err e = {0};
	const struct cJSON *at = json_first(json_get(tree, "rows"));
	const char *row;
	size_t len, n = 0;

	fuzz_require(json_rows_open(text, size, "rows", &rows, &rest, &e) == E_OK);
	while (json_is_array(json_get(tree, "rows")) &&
		json_rows_next(&rows, &row, &len, &e)) {
		cleanup(sbuf_done) struct sbuf a = SBUF_INIT, b = SBUF_INIT;

		fuzz_require(at && json_parse(row, len, &one, NULL) == E_OK);
		json_print(&a, one);
		json_print(&b, at);
		fuzz_require(!strcmp(a.s, b.s));
		json_free(one);
		at = json_next(at);
		n++;
	}
	/* it ends with the array, or at what is no object */
	fuzz_require(!at || (e.code && !json_is_object(at)) ||
		!json_is_array(json_get(tree, "rows")));
	json_free(rest);
}

/* Picking takes what parsing takes, but for keys that nobody asks for and come twice, and for
 * numbers that no double holds. Cut into rows it is the same text or refused. */
static void json_other_readers(const char *text, size_t size, const struct cJSON *tree)
{
	bool parsed = tree != NULL, object = json_is_object(tree);
	static const struct json_wish item[] = {{JSON_KEY("x"), .slot = 1}};
	static const struct json_wish wishes[] = {{JSON_KEY("a"), .slot = 0},
		{JSON_KEY("rows"), .sub = item, .n_sub = 1, .list = true}};
	struct json_value slots[2];
	struct arena scratch = {0};
	struct json_picker p = {.wishes = wishes,
		.n = 2,
		.slots = slots,
		.n_slots = 2,
		.on_item = json_fuzz_item,
		.scratch = &scratch};
	struct json_rows rows;
	struct cJSON *rest = NULL;
	struct err e = {0};
	const char *row;
	size_t len;
	enum err_code rc = json_pick(&p, text, size, &e);

	fuzz_require(rc == E_OK || rc == E_DATA);
	if (rc == E_OK && slots[0].kind == JSON_STRING)
		fuzz_require(!memchr(slots[0].s, '\0', slots[0].n));
	if (parsed && !object)
		fuzz_require(rc == E_DATA);
	if (object && rc == E_OK)
		json_same_value(&slots[0], json_get(tree, "a"));
	if (object)
		json_same_rows(text, size, tree);
	arena_done(&scratch);
	if (json_rows_open(text, size, "rows", &rows, &rest, &e) == E_OK)
		while (json_rows_next(&rows, &row, &len, &e))
			fuzz_require(
				row >= text && len <= size && row + len <= text + size);
	json_free(rest);
}

int fuzz_json(const uint8_t *data, size_t size)
{
	cleanup(sbuf_done) struct sbuf once = SBUF_INIT, twice = SBUF_INIT;
	cleanup(free_ptr) char *text = xmalloc(size + 1);
	struct cJSON *j = NULL, *again = NULL;
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	json_other_readers(text, size, NULL);
	if (json_parse(text, size, &j, &e) != E_OK) {
		fuzz_require(e.code == E_DATA && !j);
		/* the scan and cJSON agree */
		fuzz_require(!strstr(e.msg, "cannot be parsed beyond"));
		check_refusal(&e, size);
		return 0;
	}
	fuzz_require(utf8_valid(text, size) && !memchr(text, '\0', size));
	json_other_readers(text, size, j);
	read_json_tree(j);
	json_print(&once, j);
	fuzz_require(json_parse(once.s, once.len, &again, &e) == E_OK);
	json_print(&twice, again);
	fuzz_require(!strcmp(once.s, twice.s));
	json_free(again);
	json_free(j);
	return 0;
}

/* Any bytes: json_parse never crashes, accepts only UTF-8 without NUL, names an offset
 * inside the text when it refuses, and accepts again what json_print makes of its tree. */
#include "base/json.h"
#include "base/json_pick.h"
#include "base/json_rows.h"

#include "base/mem.h"
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
			if (json_get_str(j, key, &s, NULL) == E_OK)
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

/* Picking takes what parsing takes, but for keys that nobody asks for and come twice, and for
 * numbers that no double holds. Cut into rows it is the same text or refused. */
static void json_other_readers(const char *text, size_t size, bool parsed, bool object)
{
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
	json_other_readers(text, size, false, false);
	if (json_parse(text, size, &j, &e) != E_OK) {
		fuzz_require(e.code == E_DATA && !j);
		check_refusal(&e, size);
		return 0;
	}
	fuzz_require(utf8_valid(text, size) && !memchr(text, '\0', size));
	json_other_readers(text, size, true, json_is_object(j));
	read_json_tree(j);
	json_print(&once, j);
	fuzz_require(json_parse(once.s, once.len, &again, &e) == E_OK);
	json_print(&twice, again);
	fuzz_require(!strcmp(once.s, twice.s));
	json_free(again);
	json_free(j);
	return 0;
}

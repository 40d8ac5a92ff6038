/* Any bytes: json_parse never crashes, accepts only UTF-8 without NUL, names an offset
 * inside the text when it refuses, and accepts again what json_print makes of its tree. */
#include "base/json.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void json_require(bool holds)
{
	if (!holds)
		abort();
}

/* Every reader on every node. */
static void read_json_tree(const struct cJSON *j)
{
	int64_t v = 0;
	const char *s;

	if (json_nanos(j, &v, NULL) == E_OK)
		json_require(!json_is_array(j) && !json_is_object(j));
	json_require(json_is_string(j) == (json_text(j, NULL) != NULL));
	JSON_EACH (m, j) {
		const char *key = json_key(m);

		json_require(json_is_object(j) == (key != NULL));
		if (key) {
			if (json_get_str(j, key, &s, NULL) == E_OK)
				json_require(utf8_valid(s, strlen(s)));
			if (json_get_i64(j, key, &v, NULL) == E_OK)
				json_require(json_opt_i64(j, key, 0, &v, NULL) == E_OK);
			/* no duplicates: a key finds its own member */
			json_require(!json_get(j, key) || json_get(j, key) == m);
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
	json_require(at && !strncmp(e->msg, "JSON: ", 6));
	json_require(strtoul(at + 9, &end, 10) <= size && !*end);
	json_require(utf8_valid(e->msg, strlen(e->msg)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup(sbuf_done) struct sbuf once = SBUF_INIT, twice = SBUF_INIT;
	cleanup(free_ptr) char *text = xmalloc(size);
	struct cJSON *j = NULL, *again = NULL;
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	if (json_parse(text, size, &j, &e) != E_OK) {
		json_require(e.code == E_DATA && !j);
		check_refusal(&e, size);
		return 0;
	}
	json_require(utf8_valid(text, size) && !memchr(text, '\0', size));
	read_json_tree(j);
	json_print(&once, j);
	json_require(json_parse(once.s, once.len, &again, &e) == E_OK);
	json_print(&twice, again);
	json_require(!strcmp(once.s, twice.s));
	json_free(again);
	json_free(j);
	return 0;
}

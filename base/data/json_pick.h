/* Picking a few values out of a JSON object without making a tree: for rows by the million.
 *
 * As strict as json_parse in everything but one: keys that nobody asks for may come twice.
 * Values are slices of the text where they can be, decoded copies where they have escapes. */
#ifndef TPUCOST_BASE_DATA_JSON_PICK_H
#define TPUCOST_BASE_DATA_JSON_PICK_H

#include "base/err.h"
#include "base/mem.h"

enum json_kind {
	JSON_ABSENT,
	JSON_NULL,
	JSON_STRING,
	JSON_NUMBER,   /* its digits, as they stand */
	JSON_BOOL,     /* "true" or "false" */
	JSON_COMPOUND, /* an array or object where a scalar was wanted: never believed */
};

struct json_value {
	enum json_kind kind;
	const char *s; /* not ended by NUL */
	size_t n;
};

/* What is wanted of an object: its keys, each a scalar for a slot, or an object or array of
 * objects with wishes of its own. */
struct json_wish {
	const char *key;
	size_t len;                  /* of the key */
	int slot;                    /* of a scalar */
	const struct json_wish *sub; /* of an object; NULL: a scalar */
	size_t n_sub;
	bool list; /* an array of such objects: each is announced when it has been read */
};

struct json_picker {
	const struct json_wish *wishes;
	size_t n;
	struct json_value *slots; /* those of the wishes are reset by json_pick */
	size_t n_slots;
	/* An element of the list has been read into its slots, which are then reset. */
	enum err_code (*on_item)(void *ctx, const struct json_wish *list, struct err *e);
	void *ctx;
	struct arena *scratch; /* for what has escapes */
};

/* The key of a wish and its length. */
#define JSON_KEY(text) .key = (text), .len = sizeof(text) - 1

/* Read one object (or, when the only wish is a list without key, an array of objects) that
 * takes up all of text[0..len); text[len] must be readable and NUL. E_DATA as json_parse. */
enum err_code json_pick(
	struct json_picker *p, const char *text, size_t len, struct err *e) must_check;

/* The guard of json_parse: text[0..len) is one JSON document (RFC 8259) that cJSON reads without
 * loss, with no key twice in one object; text[len] must be readable and NUL. *end is one past its
 * last byte that is no blank. Its messages tell where a string or number begins. */
enum err_code json_check(
	const char *text, size_t len, size_t *end, struct err *e) must_check;

#endif

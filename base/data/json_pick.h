/* Extraction of a few values from a JSON object without a tree: for millions of rows.
 *
 * As strict as json_parse with one exception: keys that are not requested may be duplicates. Values
 * are slices of the text if possible, decoded copies if they have escapes. */
#ifndef TPUCOST_BASE_DATA_JSON_PICK_H
#define TPUCOST_BASE_DATA_JSON_PICK_H

#include "base/err.h"
#include "base/mem.h"

enum json_kind {
	JSON_ABSENT,
	JSON_NULL,
	JSON_STRING,
	JSON_NUMBER,   /* its digits, unchanged */
	JSON_BOOL,     /* "true" or "false" */
	JSON_COMPOUND, /* an array or object instead of a scalar: never used */
};

struct json_value {
	enum json_kind kind;
	const char *s; /* not NUL-terminated */
	size_t n;
};

/* Requested keys of an object, each a scalar for a slot, or an object or array of objects with
 * wishes of its own. */
struct json_wish {
	const char *key;
	size_t len;                  /* of the key */
	int slot;                    /* for a scalar */
	const struct json_wish *sub; /* for an object; NULL: a scalar */
	size_t n_sub;
	bool list; /* an array of such objects: on_item is called after each */
	/* A text, or an object where a list is expected, fills the slot: a compound with its length. */
	bool or_text;
};

struct json_picker {
	const struct json_wish *wishes;
	size_t n;
	struct json_value *slots; /* json_pick resets those of the wishes */
	size_t n_slots;
	/* An element of the list was read into its slots, which are reset afterwards. */
	enum err_code (*on_item)(void *ctx, const struct json_wish *list, struct err *e);
	void *ctx;
	struct arena *scratch; /* for values with escapes */
};

/* Key of a wish and its length. */
#define JSON_KEY(text) .key = (text), .len = sizeof(text) - 1

/* Read one object (or, when the only wish is a list without key, an array of objects) that fills
 * all of text[0..len); text[len] must be readable and NUL. E_DATA as in json_parse. */
enum err_code json_pick(
	struct json_picker *p, const char *text, size_t len, struct err *e) must_check;

/* Check before json_parse: text[0..len) is one JSON document (RFC 8259) that cJSON reads without
 * loss, without duplicate keys in one object; text[len] must be readable and NUL. *end is one past
 * its last byte that is not a blank. The messages name the place where a string or number
 * begins. */
enum err_code json_check(
	const char *text, size_t len, size_t *end, struct err *e) must_check;

#endif

/* Strict JSON. cJSON parses; a check before it refuses everything that cJSON would accept: trailing
 * text, a BOM, invalid UTF-8, raw control characters, \u0000 (cJSON would cut the string there),
 * duplicate keys (the first would win), malformed numbers, numbers that do not fit into a double
 * (1e999) or have more than 63 characters, and depth beyond the limit. Keys are case-sensitive.
 * Integers are read from strings or exact numbers, never rounded through a double. */
#ifndef TPUCOST_BASE_DATA_JSON_H
#define TPUCOST_BASE_DATA_JSON_H

#include "base/err.h"
#include "base/sbuf.h"

struct cJSON;

#define JSON_MAX_DEPTH 64

/* Parse one complete document of `len` bytes (no NUL needed after it). Free *out with json_free.
 * E_DATA: "JSON: <why> at byte <offset, from 0>". The cost is linear in `len` except for sorting
 * the keys of each object; the caller limits `len`. */
enum err_code json_parse(
	const char *text, size_t len, struct cJSON **out, struct err *e) must_check;
void json_free(struct cJSON *j);
void json_free_ptr(struct cJSON **j);

/* Member of an object, or NULL (also when `obj` is NULL, is not an object, or the member is
 * null). */
struct cJSON *json_get(const struct cJSON *obj, const char *key);
/* Walk members: json_path(j, "error", "status", NULL). */
struct cJSON *json_path(const struct cJSON *obj, ...) __attribute__((sentinel));

bool json_is_object(const struct cJSON *j);
bool json_is_array(const struct cJSON *j);
bool json_is_string(const struct cJSON *j);
size_t json_len(const struct cJSON *arr); /* 0 for anything except an array or object */
const char *json_key(const struct cJSON *member); /* in an object its name, else NULL */

/* for each element of an array, or member of an object; `j` may be NULL */
struct cJSON *json_first(const struct cJSON *j);
struct cJSON *json_next(const struct cJSON *j);
#define JSON_EACH(it, j) for (struct cJSON *it = json_first(j); it; it = json_next(it))

/* The string itself, or `def` when `j` is NULL or not a string. Valid as long as the tree. */
const char *json_text(const struct cJSON *j, const char *def);
bool json_true(const struct cJSON *j); /* true only for the literal true */

/* Required members, errors with the key: `field "name": want string, got null`. */
/* An int64 given as a decimal string or as a number without a fraction below 2^53. Absent is an
 * error; json_opt_i64 returns `def` when absent. */
enum err_code json_get_i64(
	const struct cJSON *obj, const char *key, int64_t *out, struct err *e) must_check;
enum err_code json_opt_i64(const struct cJSON *obj, const char *key, int64_t def,
	int64_t *out, struct err *e) must_check;
/* A decimal as nano-units from a string (exact), or from a number by the shortest
 * decimal that reads back as the same double (exact up to 15 significant digits). */
enum err_code json_nanos(const struct cJSON *j, int64_t *out, struct err *e) must_check;

/* Set a member of an object to a text; an existing one keeps its position. */
void json_set_text(struct cJSON *obj, const char *key, const char *text);

/* Print a tree compactly. Only for trees without money and int64. */
void json_print(struct sbuf *out, const struct cJSON *j);

/* Streaming writer that adds the commas and escapes the text. */
struct jw {
	struct sbuf *b;
	bool comma; /* a value was written at this level: the next one needs a comma */
};
void jw_begin(struct jw *w, char open); /* '{' or '[' */
void jw_end(struct jw *w, char close);  /* '}' or ']' */
void jw_key(struct jw *w, const char *key);
void jw_str(struct jw *w, const char *s); /* NULL writes null */
void jw_i64(struct jw *w, int64_t v);
void jw_nanos(struct jw *w, int64_t nanos); /* exact decimal number */
void jw_bool(struct jw *w, bool v);
void jw_null(struct jw *w);
void jw_raw(struct jw *w, const char *json); /* already JSON */
/* "key": "text" pair, as an abbreviation */
void jw_kstr(struct jw *w, const char *key, const char *s);
void jw_ki64(struct jw *w, const char *key, int64_t v);

/* Large JSON document, read row by row: the elements of one array of its top object are returned as
 * slices of the text, so that a page of thousands of rows never becomes one tree of nodes.
 *
 * Slices are cut by counting brackets outside strings. json_parse must check their content, and the
 * remainder of the document: nothing is trusted that was not parsed. */

struct json_rows {
	const char *text; /* borrowed */
	size_t at, end;
	size_t n; /* rows returned so far */
};

/* Split `text` at the array that is the member `key` of its top object. *rest is the document with
 * that array empty, or unchanged when there is no such array (then there are no rows); free it with
 * json_free. Errors as in json_parse. */
enum err_code json_rows_open(const char *text, size_t len, const char *key,
	struct json_rows *rows, struct cJSON **rest, struct err *e) must_check;

/* Next element, an object; false at the end or on error: then e->code is set. */
bool json_rows_next(struct json_rows *rows, const char **row, size_t *len, struct err *e);

/* End of the JSON value that begins at text[at], found only by its brackets and quotes; `len` when
 * it does not end. */
size_t json_value_end(const char *text, size_t len, size_t at);

#endif

/* Large JSON document, read row by row: the elements of one array of its top object are returned as
 * slices of the text, so that a page of thousands of rows never becomes one tree of nodes.
 *
 * Slices are cut by counting brackets outside strings. json_parse must check their content, and the
 * remainder of the document: nothing is trusted that was not parsed. */
#ifndef TPUCOST_BASE_DATA_JSON_ROWS_H
#define TPUCOST_BASE_DATA_JSON_ROWS_H

#include "base/err.h"

struct cJSON;

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

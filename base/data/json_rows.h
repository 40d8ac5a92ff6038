/* A large JSON document, row by row: the elements of one array of its top object are given as
 * slices of the text, so that a page of thousands of rows is never one tree of nodes.
 *
 * Slices are cut by counting brackets outside strings. What they hold is for json_parse to
 * judge, and so is the rest of the document: nothing is believed that was not parsed. */
#ifndef TPUCOST_BASE_DATA_JSON_ROWS_H
#define TPUCOST_BASE_DATA_JSON_ROWS_H

#include "base/err.h"

struct cJSON;

struct json_rows {
	const char *text; /* borrowed */
	size_t at, end;
	size_t n; /* rows given so far */
};

/* Splits `text` at the array that is the member `key` of its top object. *rest is the document
 * with that array empty, or as it is when there is no such array (then there are no rows);
 * free it with json_free. Errors as json_parse. */
enum err_code json_rows_open(const char *text, size_t len, const char *key,
	struct json_rows *rows, struct cJSON **rest, struct err *e) must_check;

/* The next element, an object; false at the end or on error: then e->code is set. */
bool json_rows_next(struct json_rows *rows, const char **row, size_t *len, struct err *e);

/* The end of the JSON value that begins at text[at], by its brackets and quotes alone; `len`
 * when it does not end. */
size_t json_value_end(const char *text, size_t len, size_t at);

#endif

/* What base/json*.c share: the grammar check that runs before cJSON sees a byte. */
#ifndef TPUCOST_BASE_DATA_JSON_INTERNAL_H
#define TPUCOST_BASE_DATA_JSON_INTERNAL_H

#include "base/base.h"

struct json_scan {
	const char *s;
	size_t i, len;   /* after a failure, i is the offset of what is wrong */
	const char *why; /* constant text, NULL while all is well */
	/* Offset of every object key, in the order of the text. Heap, free with
	 * json_scan_done. */
	size_t *keys;
	size_t n_keys, room;
	size_t end; /* after success: one past the last byte that is no blank */
};

/* The whole text is one JSON document (RFC 8259) that cJSON reads without loss: valid
 * UTF-8, no \u0000, numbers finite and short enough, depth within JSON_MAX_DEPTH. One
 * pass, no recursion. */
bool json_scan(struct json_scan *p) must_check;
void json_scan_done(struct json_scan *p);

#endif

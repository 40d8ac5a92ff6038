/* Set of strings, each with a number, such as an index in an array. */
#ifndef TPUCOST_BASE_STRMAP_H
#define TPUCOST_BASE_STRMAP_H

#include "base/base.h"

struct strmap {
	struct strmap_slot *slots;
	size_t n, room; /* room is 0 or a power of two */
};

/* Number stored under `key`, or NULL. Valid until the next strmap_put. */
size_t *strmap_get(const struct strmap *m, const char *key);
/* Store `value` under a copy of `key`, unless the key exists. True when new. */
bool strmap_put(struct strmap *m, const char *key, size_t value);
void strmap_done(struct strmap *m);

#endif

/* Writing of a file compressed with gzip (RFC 1952), as a stream. The same text gives the same file. */
#ifndef TPUCOST_BASE_NET_GZOUT_H
#define TPUCOST_BASE_NET_GZOUT_H

#include "base/err.h"

struct gzout;

/* Compresses the bytes and writes what is ready to the open file `fd`; `name` is for messages. *state is
 * NULL before the first call, and again after the one with `last` and after an error: E_IO. */
enum err_code gzout_write(struct gzout **state, int fd, const char *name, const void *data,
	size_t len, bool last, struct err *e) must_check;

#endif

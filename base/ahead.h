/* Read-ahead: a thread reads the next bytes of a stream while the caller processes the previous
 * ones.
 *
 * Uses memory for two chunks. Bytes come in the order of the stream; its end or its error follows
 * all bytes that came before it. */
#ifndef TPUCOST_BASE_AHEAD_H
#define TPUCOST_BASE_AHEAD_H

#include "base/err.h"

/* Read the next bytes, 1 to `room`; *n = 0 at the end. */
typedef enum err_code (*ahead_source)(
	void *ctx, char *buf, size_t room, size_t *n, struct err *e);

struct ahead;

/* From now on, `ctx` belongs to the thread, until ahead_stop. NULL: no thread could be started, and
 * the caller must read itself. */
struct ahead *ahead_start(ahead_source source, void *ctx);
/* Same results as the source; the end and an error are permanent. */
enum err_code ahead_read(
	struct ahead *a, char *buf, size_t room, size_t *n, struct err *e) must_check;
/* Wait for the read in progress, not for the end of the stream. NULL is allowed. */
void ahead_stop(struct ahead *a);

#endif

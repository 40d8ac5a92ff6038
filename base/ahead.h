/* Reading ahead: a thread reads the next bytes of a stream while the caller works on those before.
 *
 * Memory is two chunks. Bytes come in the order of the stream, and its end or its error comes
 * behind all bytes that came before it. */
#ifndef TPUCOST_BASE_AHEAD_H
#define TPUCOST_BASE_AHEAD_H

#include "base/err.h"

/* The next bytes, 1 to `room`; *n = 0 at the end. */
typedef enum err_code (*ahead_source)(
	void *ctx, char *buf, size_t room, size_t *n, struct err *e);

struct ahead;

/* From now on `ctx` belongs to the thread, until ahead_stop. NULL: there is no thread to be had,
 * and the caller reads by itself. */
struct ahead *ahead_start(ahead_source source, void *ctx);
/* As the source gives them; the end and an error stay. */
enum err_code ahead_read(
	struct ahead *a, char *buf, size_t room, size_t *n, struct err *e) must_check;
/* Waits for the read that is under way, not for the end of the stream. NULL is fine. */
void ahead_stop(struct ahead *a);

#endif

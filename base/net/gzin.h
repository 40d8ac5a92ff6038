/* A file that may be compressed with gzip, read as a stream in constant memory.
 *
 * The content decides, not the name: a file that begins with 1f 8b is gzip (RFC 1952), as
 * many members in a row as there are; anything else is read as it is. While it is read, the
 * SHA-256 of what was read is computed: of the text, the same whether it is compressed or not.
 *
 * A small file may unpack to a huge one; how much is enough is the caller's to say. */
#ifndef TPUCOST_BASE_NET_GZIN_H
#define TPUCOST_BASE_NET_GZIN_H

#include "base/err.h"

#define SHA256_HEX 65 /* 64 digits and NUL */

struct gzin;

/* Open a regular file, or a link to one; "-" is a name like others. A missing file is
 * E_NOTFOUND; a directory, FIFO or device, and what cannot be read, E_IO. Close it with
 * gzin_close. */
enum err_code gzin_open(const char *path, struct gzin **out, struct err *e) must_check;
/* The next bytes, 1 to `room` of them; *n = 0 at the end, and only there. `room` > 0. Errors:
 * E_IO; E_DATA with the byte in the file (from 0) for gzip data that is damaged or cut
 * short and for anything behind it; E_CONFLICT when the file changed meanwhile. An error
 * stays: later calls report it again. Damage may show only at the end of the file, so
 * nothing that was read counts before *n = 0. */
enum err_code gzin_read(
	struct gzin *g, void *buf, size_t room, size_t *n, struct err *e) must_check;
/* Bytes of the file read so far, and its size when it was opened; both of the file as it
 * is, compressed or not. */
void gzin_progress(const struct gzin *g, int64_t *done, int64_t *size);
/* SHA-256 of the whole text. False, and an empty string, before gzin_read has said that the
 * end is reached. */
bool gzin_sha256(const struct gzin *g, char hex[SHA256_HEX]);
void gzin_close(struct gzin *g); /* NULL is fine */

#endif

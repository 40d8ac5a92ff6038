/* File that may be compressed with gzip, read as a stream in constant memory.
 *
 * The content decides, not the name: a file that begins with 1f 8b is gzip (RFC 1952), with any
 * number of members; anything else is read unchanged. The SHA-256 of the text is computed during
 * the read, and is the same for compressed and uncompressed files.
 *
 * A small file may unpack to a huge one; the caller must limit the amount it reads. */
#ifndef TPUCOST_BASE_NET_GZIN_H
#define TPUCOST_BASE_NET_GZIN_H

#include "base/err.h"
#include "base/net/digest.h"

struct gzin;

/* Open a regular file, or a link to one; "-" has no special meaning. A missing file is E_NOTFOUND;
 * a directory, FIFO, device or unreadable file is E_IO. Close it with gzin_close. */
enum err_code gzin_open(const char *path, struct gzin **out, struct err *e) must_check;
/* Read the next bytes, 1 to `room` of them; *n = 0 at the end, and only there. `room` > 0. Errors:
 * E_IO; E_DATA with the byte in the file (from 0) for gzip data that is damaged or cut short and
 * for anything after it; E_CONFLICT when the file changed during the read. An error is permanent:
 * later calls report it again. Damage may be detected only at the end of the file, so data must not
 * be used before *n = 0. */
enum err_code gzin_read(
	struct gzin *g, void *buf, size_t room, size_t *n, struct err *e) must_check;
/* Bytes of the file read so far, and its size when it was opened; both of the file itself,
 * compressed or not. */
void gzin_progress(const struct gzin *g, int64_t *done, int64_t *size);
/* SHA-256 of the whole text. False, and an empty string, before gzin_read has reported the end. */
bool gzin_sha256(const struct gzin *g, char hex[DIGEST_HEX]);
void gzin_close(struct gzin *g); /* NULL is allowed */

#endif

/* Files: whole reads with a cap, atomic replacement, private secrets. */
#ifndef TPUCOST_BASE_FS_H
#define TPUCOST_BASE_FS_H

#include "base/err.h"
#include "base/sbuf.h"

/* Read a regular file of at most `max` bytes into `out` (appended). A missing file is
 * E_NOTFOUND, anything but a regular file E_IO, a longer one E_LIMIT. */
enum err_code fs_read(const char *path, size_t max, struct sbuf *out, struct err *e)
	must_check;
/* As fs_read for secrets: refuses files that group or others can read, and files of
 * another owner (E_IO, with the chmod that mends it). */
enum err_code fs_read_secret(const char *path, size_t max, struct sbuf *out,
	struct err *e) must_check;
/* Replace `path` by `len` bytes: a temporary file beside it, fsync, rename, fsync of the
 * directory. Either the old or the new content is there, never half. */
enum err_code fs_write_atomic(const char *path, const void *data, size_t len, int mode,
	struct err *e) must_check;
/* Directory of `base_file` joined with `path`, or `path` itself when absolute; "~/" is
 * the home directory. Heap. */
char *fs_resolve(const char *base_file, const char *path);
enum err_code fs_mkdirs(const char *dir, int mode, struct err *e) must_check;

#endif

/* Files: complete reads with a limit, atomic replacement, private secrets. */
#ifndef TPUCOST_BASE_FS_H
#define TPUCOST_BASE_FS_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/sbuf.h"

#define FS_MISSING_FIX "check the name of the file"
#define FS_LINKS 40 /* symbolic links in a row: the limit of the kernel, too */

/* Read a regular file (or a link to one) of at most `max` bytes into `out` (appended). A missing
 * file is E_NOTFOUND, anything but a regular file E_IO, one longer than `max` or than the limit of
 * `out` E_LIMIT. */
enum err_code fs_read(
	const char *path, size_t max, struct sbuf *out, struct err *e) must_check;
/* Wait for a file that was changed in the last two seconds until it has not changed for 0.3
 * seconds, at most three seconds: the beginning of a file can be valid by itself. Does not wait for
 * an older or missing file. */
void fs_wait_written(const char *path, struct clock *clock);
/* As fs_read, for secrets: refuses files that group or others can read, files of another owner, and
 * symbolic links, except links above the file (E_IO, with a hint). Files that systemd put into
 * $CREDENTIALS_DIRECTORY are accepted without these checks. */
enum err_code fs_read_secret(
	const char *path, size_t max, struct sbuf *out, struct err *e) must_check;
/* Write all bytes to an open file; `name` is for the message. E_IO. */
enum err_code fs_write_all(
	int fd, const char *name, const void *data, size_t len, struct err *e) must_check;
/* Replace `path` by `len` bytes: a temporary file next to it, fsync, rename, fsync of the
 * directory. Either the old or the new content exists, never a part. An existing file gets no
 * rights of `mode` that it did not have. A symbolic link stays and its target is replaced; anything
 * but a regular file is refused. E_IO. */
enum err_code fs_write_atomic(
	const char *path, const void *data, size_t len, int mode, struct err *e) must_check;
/* The same, for content that depends on the file it is written to: `fd` is the new one. */
typedef enum err_code fs_make_fn(void *ctx, int fd, struct sbuf *out, struct err *e);
enum err_code fs_write_made(
	const char *path, fs_make_fn *make, void *ctx, int mode, struct err *e) must_check;
/* Directory of `base_file` joined with `path`, or `path` itself when absolute; "~/" is the
 * home directory. The caller frees it. */
char *fs_resolve(const char *base_file, const char *path);
/* Directory that contains the last name of `path`: "." without a directory. The caller frees it. */
char *fs_dir(const char *path);
/* Write a file, or the names in a directory, to the disk. E_IO. */
enum err_code fs_sync(const char *path, struct err *e) must_check;
/* Target of the symbolic link `path`, a relative target joined to its directory; only the last
 * component is resolved. NULL: it is not a link (errno EINVAL), does not exist, or cannot be read
 * (errno). The caller frees it. */
char *fs_link_target(const char *path);
/* Name at the end of the symbolic links of `path`, existing or not: two names of one file have it
 * in common, except for hard links. Links without an end (a circle, an unreadable one) are returned
 * unresolved. The caller frees it. */
char *fs_real(const char *path);
/* Do both names mean one file, existing or not: the same one by links, or the same name in one directory? */
bool fs_same(const char *a, const char *b);
/* Open a substitute for each closed stream 0 to 2, on which every read or write fails, so that no
 * file that is opened later gets its number and its output. Call it at the start of main(); false:
 * no substitute could be opened. */
bool fs_keep_streams(void);
/* Create a directory and its parents, all with `mode`; existing ones are accepted. E_IO. */
enum err_code fs_mkdirs(const char *dir, int mode, struct err *e) must_check;

#endif

/* Files: whole reads with a cap, atomic replacement, private secrets. */
#ifndef TPUCOST_BASE_FS_H
#define TPUCOST_BASE_FS_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/sbuf.h"

#define FS_LINKS 40 /* symbolic links in a row: the kernel follows no more either */

/* Read a regular file (or a link to one) of at most `max` bytes into `out` (appended). A
 * missing file is E_NOTFOUND, anything but a regular file E_IO, one longer than `max` or than
 * the cap of `out` E_LIMIT. */
enum err_code fs_read(
	const char *path, size_t max, struct sbuf *out, struct err *e) must_check;
/* Wait for a file that was changed in the last two seconds until nobody has written into it for 0.3
 * seconds, for at most three: the beginning of a file can be a valid one, too. One that is older, or
 * not there, is not waited for. */
void fs_wait_written(const char *path, struct clock *clock);
/* As fs_read for secrets: refuses files that group or others can read, files of another owner, and
 * symbolic links, links above the file aside (E_IO, with what to do about it). What systemd put into
 * $CREDENTIALS_DIRECTORY is taken as it is. */
enum err_code fs_read_secret(
	const char *path, size_t max, struct sbuf *out, struct err *e) must_check;
/* Replace `path` by `len` bytes: a temporary file beside it, fsync, rename, fsync of the
 * directory. Either the old or the new content is there, never half. A file that was there
 * gets no rights of `mode` that it did not have. A symbolic link stays
 * and its target is replaced; anything but a regular file is refused. E_IO. */
enum err_code fs_write_atomic(
	const char *path, const void *data, size_t len, int mode, struct err *e) must_check;
/* The same, of contents that depend on which file they are written to: `fd` is the new one. */
typedef enum err_code fs_make_fn(void *ctx, int fd, struct sbuf *out, struct err *e);
enum err_code fs_write_made(
	const char *path, fs_make_fn *make, void *ctx, int mode, struct err *e) must_check;
/* Directory of `base_file` joined with `path`, or `path` itself when absolute; "~/" is the
 * home directory. The caller frees it. */
char *fs_resolve(const char *base_file, const char *path);
/* The directory that the last name of `path` is in: "." where none is named. The caller frees it. */
char *fs_dir(const char *path);
/* Write a file, or the names in a directory, to the disk. E_IO. */
enum err_code fs_sync(const char *path, struct err *e) must_check;
/* Where the symbolic link `path` points, a relative target joined to its directory; only the last
 * component is looked at. NULL: it is no link (errno EINVAL), not there, or cannot be read (errno).
 * The caller frees it. */
char *fs_link_target(const char *path);
/* The name at the end of the symbolic links that `path` names, there or not: what two names of one
 * file have in common, hard links aside. Links that lead nowhere (a circle, one that cannot be
 * read) end where they are. The caller frees it. */
char *fs_real(const char *path);
/* Streams 0 to 2 that are closed get a stand-in on which every read or write fails, so that no file
 * that is opened later takes their number and gets what was meant for them. For the start of
 * main(); false: no stand-in could be opened. */
bool fs_keep_streams(void);
/* Create a directory and those above it, all with `mode`; fine when it is there. E_IO. */
enum err_code fs_mkdirs(const char *dir, int mode, struct err *e) must_check;

#endif

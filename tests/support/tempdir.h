/* A scratch directory for one test. */
#ifndef TPUCOST_TESTS_SUPPORT_TEMPDIR_H
#define TPUCOST_TESTS_SUPPORT_TEMPDIR_H

#include "base/base.h"

struct tempdir {
	char path[64];
	char name[256]; /* of the last tempdir_name */
};

/* Makes a directory below $TMPDIR, or /tmp; its name goes to `path`. Fails the test when it cannot. */
void tempdir_create(char *path, size_t size);

/* Removes a directory and everything in it. */
void tempdir_delete(const char *path);

void tempdir_make(struct tempdir *d);   /* fails the test when it cannot */
void tempdir_remove(struct tempdir *d); /* and everything in it */

/* "<directory>/<name>", until the next call. */
const char *tempdir_name(struct tempdir *d, const char *name);
/* Write a file with exactly this mode; returns its path, until the next call. */
const char *tempdir_write(
	struct tempdir *d, const char *name, const void *data, size_t len, unsigned mode);
size_t tempdir_count(struct tempdir *d); /* entries in it */

#endif

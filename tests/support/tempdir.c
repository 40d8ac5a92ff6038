#include "tests/support/tempdir.h"

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void tempdir_create(char *path, size_t size)
{
	const char *below = getenv("TMPDIR");

	if (snprintf(path, size, "%s/tpucost-test-XXXXXX", below ? below : "/tmp") >=
		(int)size)
		fail_msg("TMPDIR is too long: %s", below);
	if (!mkdtemp(path))
		fail_msg("mkdtemp %s", path);
}

void tempdir_make(struct tempdir *d)
{
	tempdir_create(d->path, sizeof(d->path));
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

void tempdir_delete(const char *path)
{
	nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void tempdir_remove(struct tempdir *d)
{
	tempdir_delete(d->path);
}

const char *tempdir_name(struct tempdir *d, const char *name)
{
	snprintf(d->name, sizeof(d->name), "%s/%s", d->path, name);
	return d->name;
}

const char *tempdir_write(
	struct tempdir *d, const char *name, const void *data, size_t len, unsigned mode)
{
	FILE *f = fopen(tempdir_name(d, name), "w");

	if (!f || fwrite(data, 1, len, f) != len || fchmod(fileno(f), (mode_t)mode) ||
		fclose(f))
		fail_msg("cannot write %s", d->name);
	return d->name;
}

size_t tempdir_count(struct tempdir *d)
{
	DIR *dir = opendir(d->path);
	size_t n = 0;

	if (!dir)
		fail_msg("opendir %s", d->path);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* "." and ".." */
}

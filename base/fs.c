#include "base/fs.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK so that opening a FIFO does not wait for a writer; it is refused below. */
static enum err_code open_regular(const char *path, int *fd, struct stat *st, struct err *e)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return err_sys(e, errno == ENOENT || errno == ENOTDIR ? E_NOTFOUND : E_IO, errno,
			"open %s", path);
	if (fstat(*fd, st))
		return err_sys(e, E_IO, errno, "stat %s", path);
	if (!S_ISREG(st->st_mode))
		return err_set(e, E_IO, "%s is not a regular file", path);
	return E_OK;
}

static enum err_code read_all(int fd, const char *path, size_t max, struct sbuf *out,
	struct err *e)
{
	char buf[16384];
	size_t total = 0;

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, E_IO, errno, "read %s", path);
		if (!n)
			return E_OK;
		total += (size_t)n;
		if (total > max)
			return err_set(e, E_LIMIT, "%s is larger than %zu bytes", path, max);
		sbuf_add(out, buf, (size_t)n);
	}
}

enum err_code fs_read(const char *path, size_t max, struct sbuf *out, struct err *e)
{
	cleanup(close_fd) int fd = -1;
	size_t before = out->len;
	struct stat st;

	if (open_regular(path, &fd, &st, e))
		return e->code;
	if (read_all(fd, path, max, out, e)) {
		sbuf_trunc(out, before);
		return e->code;
	}
	return E_OK;
}

enum err_code fs_read_secret(const char *path, size_t max, struct sbuf *out, struct err *e)
{
	cleanup(close_fd) int fd = -1;
	size_t before = out->len;
	struct stat st;

	if (open_regular(path, &fd, &st, e))
		return e->code;
	if (st.st_mode & 077) {
		err_set(e, E_IO, "secret file %s: readable by group or others (mode %04o)", path,
			(unsigned)st.st_mode & 07777);
		return err_fix(e, "run: chmod 600 %s", path);
	}
	if (st.st_uid != geteuid()) {
		err_set(e, E_IO, "secret file %s: belongs to another user (uid %u)", path,
			(unsigned)st.st_uid);
		return err_fix(e, "give it to the user that runs tpucost");
	}
	if (read_all(fd, path, max, out, e)) {
		explicit_bzero(out->s + before, out->len - before);
		sbuf_trunc(out, before);
		return e->code;
	}
	return E_OK;
}

static enum err_code write_all(int fd, const char *path, const void *data, size_t len,
	struct err *e)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, E_IO, errno, "write %s", path);
		p += n;
		len -= (size_t)n;
	}
	if (fsync(fd))
		return err_sys(e, E_IO, errno, "fsync %s", path);
	return E_OK;
}

static void sync_directory(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');
	int fd;

	if (slash)
		slash[slash == dir] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd); /* best effort: some file systems refuse */
		close(fd);
	}
	free(dir);
}

enum err_code fs_write_atomic(const char *path, const void *data, size_t len, int mode,
	struct err *e)
{
	cleanup(free_ptr) char *tmp = xmalloc(strlen(path) + 16);
	cleanup(close_fd) int fd = -1;

	snprintf(tmp, strlen(path) + 16, "%s.tmp-XXXXXX", path);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, E_IO, errno, "create %s", tmp);
	if (fchmod(fd, (mode_t)mode)) {
		err_sys(e, E_IO, errno, "chmod %s", tmp);
	} else if (!write_all(fd, tmp, data, len, e)) {
		if (!rename(tmp, path)) {
			sync_directory(path);
			return E_OK;
		}
		err_sys(e, E_IO, errno, "rename %s to %s", tmp, path);
	}
	unlink(tmp);
	return e->code;
}

char *fs_resolve(const char *base_file, const char *path)
{
	const char *home = getenv("HOME"), *slash = strrchr(base_file, '/');
	struct sbuf b = SBUF_INIT;

	if (!strncmp(path, "~/", 2) && home)
		sbuf_addf(&b, "%s/%s", home, path + 2);
	else if (*path == '/' || !slash)
		sbuf_adds(&b, path);
	else
		sbuf_addf(&b, "%.*s/%s", (int)(slash - base_file), base_file, path);
	return sbuf_detach(&b);
}

enum err_code fs_mkdirs(const char *dir, int mode, struct err *e)
{
	cleanup(free_ptr) char *path = xstrdup(dir);

	for (char *p = path + 1;; p++) {
		char c = *p;

		if (c != '/' && c)
			continue;
		*p = '\0';
		if (mkdir(path, (mode_t)mode) && errno != EEXIST)
			return err_sys(e, E_IO, errno, "create directory %s", path);
		*p = c;
		if (!c)
			return E_OK;
	}
}

#include "base/fs.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITTEN_MS 300   /* unchanged for this time: the writer has finished */
#define WRITTEN_LATELY 2 /* seconds; older files are not checked twice */
#define WRITTEN_TRIES 10

/* ---- reading ----------------------------------------------------------------------------- */

/* O_NONBLOCK so that opening a FIFO does not wait for a writer; it is refused below. */
static enum err_code open_regular(
	const char *path, int flags, int *fd, struct stat *st, struct err *e)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	if (*fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		err_sys(e, E_NOTFOUND, errno, "open %s", path);
		err_fix(e, FS_MISSING_FIX);
		return E_NOTFOUND;
	}
	if (*fd < 0)
		return err_sys(e, E_IO, errno, "open %s", path);
	if (fstat(*fd, st))
		return err_sys(e, E_IO, errno, "stat %s", path);
	if (!S_ISREG(st->st_mode))
		return err_set(e, E_IO, "%s is not a regular file", path);
	return E_OK;
}

/* On failure `out` is emptied; secrets do not remain in memory. */
static enum err_code fs_read_all(
	int fd, const char *path, size_t max, struct sbuf *out, struct err *e)
{
	char buf[16384];
	size_t before = out->len;
	enum err_code rc = E_OK;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = err_sys(e, E_IO, errno, "read %s", path);
		else if ((size_t)n > max - (out->len - before))
			rc = err_set(e, E_LIMIT, "%s is larger than %zu bytes", path, max);
		else if (!sbuf_add(out, buf, (size_t)n))
			rc = err_set(e, E_LIMIT, "%s is too large to be read", path);
		if (rc)
			break;
	}
	explicit_bzero(buf, sizeof(buf));
	if (rc && out->len > before) {
		explicit_bzero(out->s + before, out->len - before);
		sbuf_trunc(out, before);
	}
	return rc;
}

enum err_code fs_read(const char *path, size_t max, struct sbuf *out, struct err *e)
{
	cleanup(close_fd) int fd = -1;
	struct stat st;
	enum err_code rc = open_regular(path, 0, &fd, &st, e);

	return rc ? rc : fs_read_all(fd, path, max, out, e);
}

/* Newer versions of systemd let a service read its credentials by an access control list, which
 * looks like mode 0440 of root; the directory itself is closed to all other users. */
static bool is_systemd_credential(const char *path, const struct stat *st)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	size_t n = dir ? strlen(dir) : 0;

	return n && !strncmp(path, dir, n) && path[n] == '/' &&
		!strchr(path + n + 1, '/') && st->st_uid == 0 && !(st->st_mode & 037);
}

static bool same_version(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
		a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void fs_wait_written(const char *path, struct clock *clock)
{
	struct stat before, st;

	if (stat(path, &before))
		return;
	for (int i = 0; i < WRITTEN_TRIES; i++) {
		ts_t age = clock_now(clock) - before.st_mtim.tv_sec;

		if (age < 0 || age > WRITTEN_LATELY)
			return;
		poll(NULL, 0, WRITTEN_MS);
		if (stat(path, &st) || same_version(&st, &before))
			return;
		before = st;
	}
}

/* The creator of the link chose the file, and may choose another one later. */
static enum err_code refuse_link(const char *path, struct err *e)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;
	cleanup(free_ptr) char *real = fs_real(path);

	sbuf_add_term(&word, real);
	err_set(e, E_IO, "secret file %s: it is a symbolic link", path);
	return err_fix(e, "use the file that it points to: %s", word.s);
}

enum err_code fs_read_secret(const char *path, size_t max, struct sbuf *out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;
	cleanup(close_fd) int fd = -1;
	struct stat st;
	enum err_code rc = open_regular(path, O_NOFOLLOW, &fd, &st, e);

	if (rc && !lstat(path, &st) && S_ISLNK(st.st_mode))
		return refuse_link(path, e);
	if (rc)
		return rc;
	if (is_systemd_credential(path, &st))
		return fs_read_all(fd, path, max, out, e);
	sbuf_add_shell(&word, path);
	if (st.st_mode & 077) {
		err_set(e, E_IO, "secret file %s: readable by group or others (mode %04o)",
			path, (unsigned)st.st_mode & 07777);
		err_fix(e, "run: chmod 600 %s", word.s);
		return E_IO;
	}
	if (st.st_uid != geteuid()) {
		err_set(e, E_IO, "secret file %s: belongs to another user (uid %u)", path,
			(unsigned)st.st_uid);
		err_fix(e, "run: chown %u %s", (unsigned)geteuid(), word.s);
		return E_IO;
	}
	return fs_read_all(fd, path, max, out, e);
}

/* ---- writing ----------------------------------------------------------------------------- */

enum err_code fs_write_all(
	int fd, const char *path, const void *data, size_t len, struct err *e)
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
	/* Pipes and devices have no disk. */
	if (fsync(fd) && errno != EINVAL && errno != EROFS)
		return err_sys(e, E_IO, errno, "fsync %s", path);
	return E_OK;
}

/* Target of a write: a symbolic link stays, and the file it points to is replaced. A device or a
 * FIFO is refused, because a rename would replace it by a file (for example /dev/null). */
static enum err_code find_target(const char *path, char **out, int *mode, struct err *e)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno != ENOENT || !*path)
			return err_sys(e, E_IO, errno, "write %s", path);
		*out = fs_real(path); /* the target of a link is created */
		return E_OK;
	}
	if (!S_ISREG(st.st_mode))
		return err_set_fix(e, E_IO,
			"redirect standard output to write to a device or pipe",
			"write %s: it exists, but is not a regular file", path);
	*mode &= (int)st.st_mode;
	*out = realpath(path, NULL);
	return *out ? E_OK : err_sys(e, E_IO, errno, "write %s", path);
}

struct contents {
	const void *data;
	size_t len;
	fs_make_fn *make; /* instead of `data`, unless NULL */
	void *ctx;
};

static enum err_code write_contents(
	int fd, const char *path, const struct contents *c, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!c->make)
		return fs_write_all(fd, path, c->data, c->len, e);
	return c->make(c->ctx, fd, &b, e) ? e->code : fs_write_all(fd, path, b.s, b.len, e);
}

static enum err_code write_beside(const char *path, const char *target,
	const struct contents *c, int mode, struct err *e)
{
	size_t size = strlen(target) + sizeof(".tmp-XXXXXX");
	cleanup(free_ptr) char *tmp = xmalloc(size);
	cleanup(free_ptr) char *dir = fs_dir(target);
	cleanup(close_fd) int fd = -1;
	enum err_code rc;

	snprintf(tmp, size, "%s.tmp-XXXXXX", target);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		bool missing = errno == ENOENT;

		err_sys(e, E_IO, errno, "write %s: new file next to it", path);
		if (missing)
			err_fix(e, "run: mkdir -p '%s'", dir);
		return E_IO;
	}
	if (fchmod(fd, (mode_t)mode))
		rc = err_sys(e, E_IO, errno, "chmod %s", path);
	else
		rc = write_contents(fd, path, c, e);
	if (!rc && rename(tmp, target))
		rc = err_sys(e, E_IO, errno, "rename to %s", path);
	if (rc)
		unlink(tmp);
	else
		(void)!fs_sync(dir, NULL); /* some file systems cannot */
	return rc;
}

static enum err_code fs_write(
	const char *path, const struct contents *c, int mode, struct err *e)
{
	cleanup(free_ptr) char *target = NULL;
	enum err_code rc = find_target(path, &target, &mode, e);

	return rc ? rc : write_beside(path, target, c, mode, e);
}

enum err_code fs_write_atomic(
	const char *path, const void *data, size_t len, int mode, struct err *e)
{
	return fs_write(path, &(struct contents){.data = data, .len = len}, mode, e);
}

enum err_code fs_write_made(
	const char *path, fs_make_fn *make, void *ctx, int mode, struct err *e)
{
	return fs_write(path, &(struct contents){.make = make, .ctx = ctx}, mode, e);
}

/* ---- paths ------------------------------------------------------------------------------- */

char *fs_dir(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');

	if (slash)
		slash[slash == dir] = '\0';
	else
		memcpy(dir = xrealloc(dir, 2), ".", 2);
	return dir;
}

enum err_code fs_sync(const char *path, struct err *e)
{
	cleanup(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? err_sys(e, E_IO, errno, "write %s to the disk", path)
				   : E_OK;
}

static char *join(const char *base_file, const char *path)
{
	const char *slash = strrchr(base_file, '/');
	struct sbuf b = SBUF_INIT;

	if (*path != '/' && slash)
		sbuf_add(&b, base_file, (size_t)(slash - base_file) + 1);
	sbuf_adds(&b, path);
	return sbuf_detach(&b);
}

char *fs_resolve(const char *base_file, const char *path)
{
	const char *home = getenv("HOME");
	struct sbuf b = SBUF_INIT;

	if (!str_starts(path, "~/") || !home || !*home)
		return join(base_file, path);
	sbuf_addf(&b, "%s/%s", home, path + 2);
	return sbuf_detach(&b);
}

char *fs_link_target(const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n < 0)
		return NULL;
	to[n] = '\0';
	return join(path, to);
}

char *fs_real(const char *path)
{
	char *real = xstrdup(path), *next;

	for (int i = 0; i < FS_LINKS && (next = fs_link_target(real)); i++) {
		free(real);
		real = next;
	}
	return real;
}

static bool same_inode(const char *a, const char *b)
{
	struct stat st, other;

	return !stat(a, &st) && !stat(b, &other) && st.st_dev == other.st_dev &&
		st.st_ino == other.st_ino;
}

bool fs_same(const char *a, const char *b)
{
	cleanup(free_ptr) char *real_a = fs_real(a), *real_b = fs_real(b);
	cleanup(free_ptr) char *dir_a = fs_dir(real_a), *dir_b = fs_dir(real_b);

	return same_inode(a, b) ||
		(!strcmp(str_after_last(real_a, '/'), str_after_last(real_b, '/')) &&
			same_inode(dir_a, dir_b));
}

static enum err_code make_dir(const char *path, int mode, struct err *e)
{
	struct stat st;

	if (!mkdir(path, (mode_t)mode))
		return E_OK;
	if (errno != EEXIST)
		return err_sys(e, E_IO, errno, "create directory %s", path);
	if (stat(path, &st))
		return err_sys(e, E_IO, errno, "create directory %s", path);
	if (!S_ISDIR(st.st_mode))
		return err_sys(e, E_IO, ENOTDIR, "create directory %s", path);
	return E_OK;
}

enum err_code fs_mkdirs(const char *dir, int mode, struct err *e)
{
	cleanup(free_ptr) char *path = xstrdup(dir);
	enum err_code rc;

	if (!*dir)
		return err_set(e, E_IO, "create directory: the name is empty");
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		rc = make_dir(path, mode, e);
		if (rc)
			return rc;
		*p = '/';
	}
	return make_dir(path, mode, e);
}

/* ---- standard streams -------------------------------------------------------------------- */

bool fs_keep_streams(void)
{
	static const int useless[] = {
		O_WRONLY, O_RDONLY, O_RDONLY}; /* input, output, errors */

	for (int fd = 0; fd < (int)ARRAY_LEN(useless); fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* the lowest free number: this one */
		if (open("/dev/null", useless[fd]) != fd)
			return false;
	}
	return true;
}

#include "base/net/gzin.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/sbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUF_BYTES 65536
#define MAX_ROOM ((size_t)1 << 30) /* zlib counts in unsigned int */
#define GZIP_ONLY (MAX_WBITS + 16) /* neither zlib nor raw streams */

struct gzin {
	char *path;
	int fd;
	struct stat opened;
	bool gzip;
	bool in_member; /* inside a gzip member */
	bool drained;   /* the file has no more bytes */
	bool ended;     /* the caller has been informed */
	z_stream z;
	EVP_MD_CTX *sha;
	int64_t got;     /* bytes read from the file */
	size_t pos, len; /* unread part of `in` */
	struct err failed;
	unsigned char in[BUF_BYTES];
};

/* ---- the file ---------------------------------------------------------------------------- */

/* A file that is still being written would count as complete, though a part of it is missing. */
static enum err_code check_unchanged(struct gzin *g)
{
	const struct timespec *was = &g->opened.st_mtim;
	struct stat now;

	if (fstat(g->fd, &now))
		return err_sys(&g->failed, E_IO, errno, "stat %s", g->path);
	if (now.st_size == g->opened.st_size && now.st_mtim.tv_sec == was->tv_sec &&
		now.st_mtim.tv_nsec == was->tv_nsec)
		return E_OK;
	err_set(&g->failed, E_CONFLICT, "read %s: it changed while it was read", g->path);
	return err_fix(&g->failed, "wait until it is complete, then try again");
}

/* Buffer at least `want` bytes, if the file has as many. */
static enum err_code gzin_fill(struct gzin *g, size_t want)
{
	while (g->len - g->pos < want && !g->drained) {
		size_t left = g->len - g->pos;
		ssize_t n;

		memmove(g->in, g->in + g->pos, left);
		g->pos = 0;
		g->len = left;
		n = read(g->fd, g->in + left, sizeof(g->in) - left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(&g->failed, E_IO, errno, "read %s", g->path);
		if (!n) {
			g->drained = true;
			return check_unchanged(g);
		}
		g->got += n;
		g->len += (size_t)n;
	}
	return E_OK;
}

static bool at_gzip_magic(const struct gzin *g)
{
	return g->len - g->pos >= 2 && g->in[g->pos] == 0x1f && g->in[g->pos + 1] == 0x8b;
}

/* ---- gzip -------------------------------------------------------------------------------- */

static enum err_code gzin_refuse(struct gzin *g, const char *why, const char *detail)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;
	enum err_code rc = check_unchanged(g);

	if (rc)
		return rc;
	sbuf_add_shell(&word, g->path);
	err_set(&g->failed, E_DATA, "read %s: %s at byte %" PRId64 "%s%s", g->path, why,
		g->got - (int64_t)(g->len - g->pos), detail ? ": " : "",
		detail ? detail : "");
	return err_fix(
		&g->failed, "fetch the file again; to check it, run: gzip -tv %s", word.s);
}

static enum err_code begin_member(struct gzin *g)
{
	enum err_code rc = gzin_fill(g, 2);

	if (rc)
		return rc;
	if (g->pos == g->len) {
		g->ended = true;
		return E_OK;
	}
	if (!at_gzip_magic(g))
		return gzin_refuse(g, "something else follows the gzip data", NULL);
	if (inflateReset(&g->z) != Z_OK)
		return err_set(&g->failed, E_BUG, "read %s: cannot reset zlib", g->path);
	g->in_member = true;
	return E_OK;
}

static enum err_code unpack_some(struct gzin *g)
{
	enum err_code rc = gzin_fill(g, 1);
	int z;

	if (rc)
		return rc;
	if (g->pos == g->len)
		return gzin_refuse(g, "the gzip data ends too early", NULL);
	g->z.next_in = g->in + g->pos;
	g->z.avail_in = (uInt)(g->len - g->pos);
	z = inflate(&g->z, Z_NO_FLUSH);
	g->pos = g->len - g->z.avail_in;
	if (z == Z_MEM_ERROR)
		return err_set(&g->failed, E_LIMIT, "read %s: not enough memory for zlib",
			g->path);
	if (z != Z_OK && z != Z_STREAM_END)
		return gzin_refuse(g, "the gzip data is damaged", g->z.msg);
	g->in_member = z == Z_OK;
	return E_OK;
}

static enum err_code read_gzip(struct gzin *g, void *buf, size_t room, size_t *n)
{
	g->z.next_out = buf;
	g->z.avail_out = (uInt)room;
	while (g->z.avail_out && !g->ended) {
		enum err_code rc = g->in_member ? unpack_some(g) : begin_member(g);

		if (rc)
			return rc;
	}
	*n = room - g->z.avail_out;
	/* Only *n = 0 reports the end. */
	if (*n)
		g->ended = false;
	return E_OK;
}

/* ---- both kinds -------------------------------------------------------------------------- */

static enum err_code read_plain(struct gzin *g, void *buf, size_t room, size_t *n)
{
	enum err_code rc = gzin_fill(g, 1);
	size_t have = g->len - g->pos;

	if (rc)
		return rc;
	*n = have < room ? have : room;
	if (*n)
		memcpy(buf, g->in + g->pos, *n);
	g->pos += *n;
	g->ended = !*n;
	return E_OK;
}

enum err_code gzin_read(struct gzin *g, void *buf, size_t room, size_t *n, struct err *e)
{
	enum err_code rc = g->failed.code;
	size_t got = 0;

	if (!rc) {
		room = room < MAX_ROOM ? room : MAX_ROOM;
		rc = g->gzip ? read_gzip(g, buf, room, &got)
			     : read_plain(g, buf, room, &got);
	}
	if (!rc && got && EVP_DigestUpdate(g->sha, buf, got) != 1)
		rc = err_set(&g->failed, E_BUG, "SHA-256 failed");
	if (!rc)
		*n = got;
	else if (e)
		*e = g->failed;
	return rc;
}

/* O_NONBLOCK so that opening a FIFO does not wait for a writer; it is refused below. */
static enum err_code gzin_open_file(struct gzin *g)
{
	enum err_code rc;

	g->fd = open(g->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (g->fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		err_sys(&g->failed, E_NOTFOUND, errno, "open %s", g->path);
		return err_fix(&g->failed, FS_MISSING_FIX);
	}
	if (g->fd < 0)
		return err_sys(&g->failed, E_IO, errno, "open %s", g->path);
	if (fstat(g->fd, &g->opened))
		return err_sys(&g->failed, E_IO, errno, "stat %s", g->path);
	if (!S_ISREG(g->opened.st_mode))
		return err_set(
			&g->failed, E_IO, "open %s: it is not a regular file", g->path);
	rc = gzin_fill(g, 2);
	if (rc || !at_gzip_magic(g))
		return rc;
	if (inflateInit2(&g->z, GZIP_ONLY) != Z_OK)
		return err_set(&g->failed, E_LIMIT, "open %s: not enough memory for zlib",
			g->path);
	g->gzip = true;
	return E_OK;
}

enum err_code gzin_open(const char *path, struct gzin **out, struct err *e)
{
	struct gzin *g = xcalloc(1, sizeof(*g));
	enum err_code rc;

	g->path = xstrdup(path);
	g->sha = EVP_MD_CTX_new();
	if (!g->sha || EVP_DigestInit_ex(g->sha, EVP_sha256(), NULL) != 1)
		rc = err_set(&g->failed, E_BUG, "cannot initialize SHA-256");
	else
		rc = gzin_open_file(g);
	if (!rc) {
		*out = g;
		return E_OK;
	}
	if (e)
		*e = g->failed;
	gzin_close(g);
	return rc;
}

void gzin_progress(const struct gzin *g, int64_t *done, int64_t *size)
{
	*done = g->got;
	*size = g->opened.st_size;
}

bool gzin_sha256(const struct gzin *g, char hex[DIGEST_HEX])
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *copy;

	hex[0] = '\0';
	if (!g->ended || g->failed.code)
		return false;
	copy = EVP_MD_CTX_new(); /* so that it can be read again */
	if (copy && EVP_MD_CTX_copy_ex(copy, g->sha) == 1 &&
		EVP_DigestFinal_ex(copy, sum, NULL) == 1)
		*digest_hex(hex, sum, (DIGEST_HEX - 1) / 2) = '\0';
	EVP_MD_CTX_free(copy);
	return hex[0];
}

void gzin_close(struct gzin *g)
{
	if (!g)
		return;
	if (g->gzip)
		inflateEnd(&g->z);
	EVP_MD_CTX_free(g->sha);
	close_fd(&g->fd);
	free(g->path);
	free(g);
}

/* Files that may be compressed. What is read is what zlib's own reader gives, however much is asked for at
 * a time; damage is refused with its place. */
#include "base/net/gzin.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define MOST (1u << 16) /* a few bytes unpack to many */
#define IN_PIECES 4096

/* Member after member, as RFC 1952 has it. False: damaged, cut short, or more than MOST. */
static bool slow_gunzip(const uint8_t *data, size_t size, struct sbuf *out, bool *too_much)
{
	*too_much = false;
	while (size) {
		z_stream z = {
			.next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)size};
		uint8_t buf[4096];
		int rc;

		fuzz_require(inflateInit2(&z, 15 + 16) == Z_OK);
		do {
			z.next_out = buf;
			z.avail_out = sizeof(buf);
			rc = inflate(&z, Z_NO_FLUSH);
			sbuf_add(out, buf, sizeof(buf) - z.avail_out);
			*too_much = out->len > MOST;
		} while (rc == Z_OK && !*too_much);
		inflateEnd(&z);
		if (rc != Z_STREAM_END)
			return false;
		data += size - z.avail_in;
		size = z.avail_in;
	}
	return true;
}

/* `piece` bytes at a time, and more once there are IN_PIECES. */
static enum err_code read_gzip(const char *path, size_t piece, struct sbuf *out,
	char hex[DIGEST_HEX], struct err *e)
{
	struct gzin *g = NULL;
	size_t n = 0;
	enum err_code rc;
	char buf[4096];
	int64_t done, size;

	fuzz_require(gzin_open(path, &g, e) == E_OK);
	do {
		rc = gzin_read(g, buf, out->len < IN_PIECES ? piece : sizeof(buf), &n, e);
		if (!rc)
			sbuf_add(out, buf, n);
	} while (!rc && n && out->len <= MOST);
	gzin_progress(g, &done, &size);
	fuzz_require(done >= 0 && done <= size);
	fuzz_require(gzin_sha256(g, hex) == (!rc && !n));
	fuzz_require(!rc || gzin_read(g, buf, piece, &n, NULL) == rc);
	gzin_close(g);
	return rc;
}

static const char *gzip_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("f.gz", 0);
		fuzz_require(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	fuzz_require(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

int fuzz_gzip(const uint8_t *data, size_t size)
{
	cleanup(sbuf_done) struct sbuf got = SBUF_INIT, bytes = SBUF_INIT, want = SBUF_INIT;
	const char *path = gzip_file(data, size);
	char hex[DIGEST_HEX], hex_bytes[DIGEST_HEX];
	struct err e = {0};
	bool too_much = false, packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b,
	     fine = true;
	enum err_code rc = read_gzip(path, 4096, &got, hex, &e);

	if (packed)
		fine = slow_gunzip(data, size, &want, &too_much);
	else
		sbuf_add(&want, data, size);
	if (too_much || got.len > MOST)
		return 0;
	fuzz_require(rc == (fine ? E_OK : E_DATA));
	fuzz_require(!rc || (e.code == rc && strstr(e.msg, "byte ")));
	if (!rc)
		fuzz_require(got.len == want.len && !memcmp(got.s, want.s, got.len));
	else
		fuzz_require(got.len <= want.len && !memcmp(got.s, want.s, got.len));
	fuzz_require(read_gzip(path, 7, &bytes, hex_bytes, &e) == rc);
	fuzz_require(rc || (bytes.len == got.len && !strcmp(hex, hex_bytes)));
	return 0;
}

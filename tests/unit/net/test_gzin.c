#include "base/net/gzin.h"

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define STRANGER ((uid_t)12345)

static void gzin_close_ptr(struct gzin **g)
{
	gzin_close(*g);
	*g = NULL;
}

static int setup(void **state)
{
	struct tempdir *d = xcalloc(1, sizeof(*d));

	tempdir_make(d);
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	tempdir_remove(*state);
	free(*state);
	return 0;
}

/* One gzip member, with a name in its header when `name` is set. */
static void add_gzip(struct sbuf *out, const void *data, size_t len, const char *name)
{
	cleanup(free_ptr) unsigned char *buf = NULL;
	cleanup(free_ptr) char *file_name = xstrdup(name ? name : "");
	cleanup(free_ptr) unsigned char *copy = xmalloc(len + 1);
	gz_header head = {.name = (Bytef *)file_name, .hcrc = 1, .os = 3};
	z_stream z = {0};
	size_t room;

	memcpy(copy, data, len);
	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	if (name)
		assert_int_equal(deflateSetHeader(&z, &head), Z_OK);
	room = deflateBound(&z, len) + 64;
	buf = xmalloc(room);
	z.next_in = copy;
	z.avail_in = (uInt)len;
	z.next_out = buf;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	sbuf_add(out, buf, room - z.avail_out);
	deflateEnd(&z);
}

static enum err_code open_bytes(
	struct tempdir *d, const struct sbuf *b, struct gzin **g, struct err *e)
{
	return gzin_open(tempdir_write(d, "in", b->s, b->len, 0600), g, e);
}

/* All of it, in pieces of `room`. */
static enum err_code read_all(struct gzin *g, size_t room, struct sbuf *out, struct err *e)
{
	cleanup(free_ptr) char *buf = xmalloc(room);
	size_t n = 0;

	for (;;) {
		enum err_code rc = gzin_read(g, buf, room, &n, e);

		if (rc)
			return rc;
		assert_true(n <= room);
		if (!n)
			return E_OK;
		sbuf_add(out, buf, n);
	}
}

static void assert_reads(struct tempdir *d, const struct sbuf *file, size_t room,
	const void *want, size_t len)
{
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
	struct err e = {0};

	assert_ok(open_bytes(d, file, &g, &e), e);
	assert_ok(read_all(g, room, &out, &e), e);
	assert_i64_eq(out.len, len);
	assert_memory_equal(out.s, want, len ? len : 1);
}

/* Opening or reading fails so, whatever is read at a time. Returns the message. */
static const char *assert_fails(struct tempdir *d, const struct sbuf *file,
	enum err_code code, const char *part, struct err *e)
{
	static const size_t rooms[] = {1000000, 7};

	for (size_t i = 0; i < ARRAY_LEN(rooms); i++) {
		cleanup(gzin_close_ptr) struct gzin *g = NULL;
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		char hex[DIGEST_HEX];

		err_clear(e);
		assert_ok(open_bytes(d, file, &g, e), *e);
		assert_err(read_all(g, rooms[i], &out, e), *e, code, part);
		assert_false(gzin_sha256(g, hex));
		assert_string_equal(hex, "");
	}
	return e->msg;
}

/* Text that packs to about a third. */
static void add_text(struct sbuf *b, size_t lines)
{
	uint32_t x = 12345;

	for (size_t i = 0; i < lines; i++) {
		x = x * 1664525 + 1013904223;
		sbuf_addf(b, "%08x,us-east5,TpuV5e,%zu\n", x, i);
	}
}

/* ---- what is read ------------------------------------------------------------------------ */

static void a_plain_file_is_read_as_it_is(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	static const size_t rooms[] = {1, 2, 3, 1000, 1000000};

	sbuf_add(&b, "a,b\n\0\xff\r\n", 8);
	for (size_t i = 0; i < ARRAY_LEN(rooms); i++)
		assert_reads(*state, &b, rooms[i], b.s, b.len);
	sbuf_reset(&b);
	add_text(&b, 10000); /* more than a buffer */
	assert_true(b.len > 200000);
	assert_reads(*state, &b, 65536, b.s, b.len);
	assert_reads(*state, &b, 10007, b.s, b.len);
}

static void short_files_are_plain(void **state)
{
	static const char *const texts[] = {"", "\x1f", "\x8b", "\x1fx", "x\x1f\x8b"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		sbuf_adds(&b, texts[i]);
		assert_reads(*state, &b, 100, texts[i], strlen(texts[i]));
	}
}

static void gzip_is_recognized_by_content(void **state)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, b = SBUF_INIT;
	static const size_t rooms[] = {1, 5, 4096, 65536, 1000000};

	add_text(&text, 20000);
	add_gzip(&b, text.s, text.len, NULL);
	assert_true(b.len > 65536 * 2 && b.len < text.len);
	for (size_t i = 0; i < ARRAY_LEN(rooms); i++)
		assert_reads(*state, &b, rooms[i], text.s, text.len);
}

static void a_header_may_hold_a_name_and_a_checksum(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	add_gzip(&b, "hello", 5, "export.csv");
	assert_non_null(memmem(b.s, b.len, "export.csv", 10));
	assert_reads(*state, &b, 100, "hello", 5);
}

static void members_follow_each_other(void **state)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, b = SBUF_INIT;

	add_gzip(&b, "", 0, NULL);
	for (int i = 0; i < 500; i++) {
		char part[32];
		size_t n = (size_t)snprintf(part, sizeof(part), "part %d\n", i);

		sbuf_add(&text, part, n);
		add_gzip(&b, part, n, i % 2 ? "x" : NULL);
		add_gzip(&b, "", 0, NULL);
	}
	assert_reads(*state, &b, 1000000, text.s, text.len);
	assert_reads(*state, &b, 1, text.s, text.len);
}

/* The second header begins at each place around the end of the second buffer of 64 KiB. */
static void a_member_may_begin_at_the_edge_of_a_buffer(void **state)
{
	cleanup(sbuf_done) struct sbuf noise = SBUF_INIT;
	uint64_t x = 88172645463325252;
	size_t hits = 0;

	for (int i = 0; i < 132000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sbuf_addc(&noise, (char)x);
	}
	for (size_t n = 130980; n < 131070; n++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT, text = SBUF_INIT;

		add_gzip(&b, noise.s, n, NULL);
		hits += b.len >= 131070 && b.len <= 131073;
		add_gzip(&b, "end", 3, NULL);
		sbuf_add(&text, noise.s, n);
		sbuf_adds(&text, "end");
		assert_reads(*state, &b, 1000000, text.s, text.len);
	}
	assert_i64_eq(hits, 4);
}

static void an_empty_member_is_an_empty_file(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	add_gzip(&b, "", 0, NULL);
	assert_reads(*state, &b, 10, "", 0);
}

/* 50 MB of zeros pass through buffers that stay small. */
static void a_bomb_is_a_stream_as_others(void **state)
{
	cleanup(free_ptr) char *zeros = xcalloc(50000000, 1);
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char buf[65536];
	struct err e = {0};
	size_t n = 1, total = 0;

	add_gzip(&b, zeros, 50000000, NULL);
	assert_true(b.len < 60000);
	assert_ok(open_bytes(*state, &b, &g, &e), e);
	while (n) {
		assert_ok(gzin_read(g, buf, sizeof(buf), &n, &e), e);
		total += n;
	}
	assert_i64_eq(total, 50000000);
}

static void the_end_stays_the_end(void **state)
{
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT, packed = SBUF_INIT;
	const struct sbuf *files[] = {&plain, &packed};

	sbuf_adds(&plain, "abc");
	add_gzip(&packed, "abc", 3, NULL);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		cleanup(gzin_close_ptr) struct gzin *g = NULL;
		char buf[8], hex[DIGEST_HEX];
		struct err e = {0};
		size_t n = 99;

		assert_ok(open_bytes(*state, files[i], &g, &e), e);
		assert_ok(gzin_read(g, buf, sizeof(buf), &n, &e), e);
		assert_i64_eq(n, 3);
		assert_false(gzin_sha256(g, hex));
		for (int again = 0; again < 3; again++) {
			n = 99;
			assert_ok(gzin_read(g, buf, sizeof(buf), &n, &e), e);
			assert_i64_eq(n, 0);
			assert_true(gzin_sha256(g, hex));
		}
	}
}

/* ---- digest and progress ----------------------------------------------------------------- */

static void the_digest_is_of_the_text_however_it_is_packed(void **state)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, b = SBUF_INIT, out = SBUF_INIT;
	cleanup(sbuf_done) struct sbuf twice = SBUF_INIT;
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	char want[DIGEST_HEX], hex[DIGEST_HEX];
	unsigned char sum[32];
	struct err e = {0};

	add_text(&text, 20000);
	add_gzip(&b, text.s, text.len, NULL);
	add_gzip(&b, text.s, text.len, NULL);
	sbuf_add(&twice, text.s, text.len);
	sbuf_add(&twice, text.s, text.len);
	SHA256((const unsigned char *)twice.s, twice.len, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(want + 2 * i, 3, "%02x", sum[i]);
	assert_ok(open_bytes(*state, &b, &g, &e), e);
	assert_false(gzin_sha256(g, hex));
	assert_ok(read_all(g, 10000, &out, &e), e);
	assert_true(gzin_sha256(g, hex));
	assert_string_equal(hex, want);
}

static void the_digest_of_a_plain_file_is_known(void **state)
{
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
	char hex[DIGEST_HEX];
	struct err e = {0};

	assert_ok(gzin_open(tempdir_write(*state, "abc.gz", "abc", 3, 0600), &g, &e), e);
	assert_ok(read_all(g, 1, &out, &e), e);
	assert_string_equal(out.s, "abc");
	assert_true(gzin_sha256(g, hex));
	assert_string_equal(
		hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void progress_counts_bytes_of_the_file(void **state)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, b = SBUF_INIT;
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	int64_t done = -1, before = 0, size = -1;
	char buf[1000];
	struct err e = {0};
	size_t n = 1, steps = 0;

	add_text(&text, 40000);
	add_gzip(&b, text.s, text.len, NULL);
	assert_ok(open_bytes(*state, &b, &g, &e), e);
	while (n) {
		assert_ok(gzin_read(g, buf, sizeof(buf), &n, &e), e);
		gzin_progress(g, &done, &size);
		assert_i64_eq(size, b.len);
		assert_true(done >= before && done <= size);
		steps += done > before;
		before = done;
	}
	assert_i64_eq(done, size);
	assert_true(steps >= 4);
}

/* ---- what is refused --------------------------------------------------------------------- */

static void every_cut_is_noticed(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char want[80];
	struct err e = {0};

	add_gzip(&b, "some text to pack", 17, "name");
	for (size_t n = b.len - 1; n >= 2; n--) {
		sbuf_trunc(&b, n);
		snprintf(want, sizeof(want), "in: the gzip data ends too early at byte %zu",
			n);
		assert_fails(*state, &b, E_DATA, want, &e);
		assert_contains(e.fix, "run: gzip -tv /");
	}
}

static void a_cut_in_the_second_member_is_noticed(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};
	size_t first;

	add_gzip(&b, "one", 3, NULL);
	first = b.len;
	add_gzip(&b, "two", 3, NULL);
	for (size_t n = b.len - 1; n >= first + 2; n--) {
		sbuf_trunc(&b, n);
		assert_fails(*state, &b, E_DATA, "ends too early", &e);
	}
	sbuf_trunc(&b, first + 1);
	assert_fails(*state, &b, E_DATA, "something else follows", &e);
	sbuf_trunc(&b, first);
	assert_reads(*state, &b, 10, "one", 3);
}

static void damage_in_the_checksums_is_noticed(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char want[120];
	struct err e = {0};
	size_t n;

	add_gzip(&b, "some text to pack", 17, NULL);
	n = b.len;
	b.s[n - 8] ^= 1;
	snprintf(want, sizeof(want),
		"the gzip data is damaged at byte %zu: incorrect data check", n - 4);
	assert_fails(*state, &b, E_DATA, want, &e);
	b.s[n - 8] ^= 1;
	b.s[n - 1] ^= 1;
	snprintf(want, sizeof(want),
		"the gzip data is damaged at byte %zu: incorrect length check", n);
	assert_fails(*state, &b, E_DATA, want, &e);
	b.s[n - 1] ^= 1;
	assert_reads(*state, &b, 10, "some text to pack", 17);
}

/* Each bit in turn. What may differ and mean nothing: modification time, extra flags,
 * operating system, the flag that says "it is text", and up to seven bits between the packed
 * data and its checksum. */
static void every_flipped_bit_is_noticed_or_harmless(void **state)
{
	static const char text[] = "some text to pack, some text to unpack";
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	add_gzip(&b, text, strlen(text), NULL);
	for (size_t bit = 16; bit < b.len * 8; bit++) {
		cleanup(gzin_close_ptr) struct gzin *g = NULL;
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		size_t byte = bit / 8;
		struct err e = {0};
		enum err_code rc;

		b.s[byte] = (char)(b.s[byte] ^ 1 << bit % 8);
		assert_ok(open_bytes(*state, &b, &g, &e), e);
		rc = read_all(g, 100, &out, &e);
		if (bit == 24 || (byte >= 4 && byte < 10) || (!rc && byte == b.len - 9)) {
			assert_ok(rc, e);
			assert_string_equal(out.s, text);
		} else {
			assert_err(rc, e, E_DATA, " at byte ");
		}
		b.s[byte] = (char)(b.s[byte] ^ 1 << bit % 8);
	}
}

static void what_follows_the_gzip_data_is_refused(void **state)
{
	static const char *const tails[] = {
		"x", "\n", "plain text", "\x1f", "\x1f\x8c", "\x8b"};
	struct err e = {0};

	for (size_t i = 0; i <= ARRAY_LEN(tails); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		char want[120];

		add_gzip(&b, "text", 4, NULL);
		add_gzip(&b, "more", 4, NULL);
		snprintf(want, sizeof(want),
			"something else follows the gzip data at byte %zu", b.len);
		if (i < ARRAY_LEN(tails))
			sbuf_adds(&b, tails[i]);
		else
			sbuf_pad(&b, '\0', 512); /* as tapes do */
		assert_fails(*state, &b, E_DATA, want, &e);
	}
}

static void an_error_stays(void **state)
{
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char buf[100], first[1024];
	struct err e = {0};
	size_t n = 77;

	add_gzip(&b, "text", 4, NULL);
	sbuf_addc(&b, 'x');
	assert_ok(open_bytes(*state, &b, &g, &e), e);
	assert_err(gzin_read(g, buf, sizeof(buf), &n, &e), e, E_DATA, "follows");
	assert_i64_eq(n, 77);
	snprintf(first, sizeof(first), "%s", e.msg);
	err_clear(&e);
	assert_err(gzin_read(g, buf, sizeof(buf), &n, &e), e, E_DATA, "follows");
	assert_string_equal(e.msg, first);
	assert_int_equal(gzin_read(g, buf, sizeof(buf), &n, NULL), E_DATA);
	assert_i64_eq(n, 77);
}

static void other_compression_than_deflate_is_refused(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};

	add_gzip(&b, "text", 4, NULL);
	b.s[2] = 7;
	assert_fails(*state, &b, E_DATA, "unknown compression method", &e);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void assert_not_opened(const char *path, enum err_code code, const char *part)
{
	struct gzin *g = NULL;
	struct err e = {0};

	assert_err(gzin_open(path, &g, &e), e, code, part);
	assert_contains(e.msg, path);
	assert_null(g);
	assert_int_equal(gzin_open(path, &g, NULL), code);
}

static void what_is_no_regular_file_is_refused(void **state)
{
	struct tempdir *d = *state;
	const char *fifo = tempdir_name(d, "fifo");

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_not_opened(fifo, E_IO, "it is not a regular file");
	assert_not_opened(d->path, E_IO, "it is not a regular file");
	assert_not_opened("/dev/null", E_IO, "it is not a regular file");
	assert_not_opened(tempdir_name(d, "none"), E_NOTFOUND, "No such file");
	assert_not_opened("", E_NOTFOUND, "No such file");
	tempdir_write(d, "file", "x", 1, 0600);
	assert_not_opened(tempdir_name(d, "file/below"), E_NOTFOUND, "Not a directory");
}

/* Root reads everything: become somebody else for a moment. */
static void a_file_that_may_not_be_read_is_an_error(void **state)
{
	const char *path = tempdir_write(*state, "in", "x", 1, 0);
	bool root = geteuid() == 0;
	struct gzin *g = NULL;
	struct err e = {0};
	enum err_code rc;

	if (root)
		assert_int_equal(seteuid(STRANGER), 0);
	rc = gzin_open(path, &g, &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_err(rc, e, E_IO, "Permission denied");
	assert_null(g);
}

static void links_are_followed_and_a_dash_is_a_name(void **state)
{
	struct tempdir *d = *state;
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
	cleanup(free_ptr) char *there = getcwd(NULL, 0);
	struct err e = {0};

	tempdir_write(d, "file", "linked", 6, 0600);
	assert_int_equal(symlink("file", tempdir_name(d, "-")), 0);
	assert_int_equal(chdir(d->path), 0);
	assert_int_equal(gzin_open("-", &g, &e), E_OK);
	assert_int_equal(chdir(there), 0);
	assert_ok(read_all(g, 100, &out, &e), e);
	assert_string_equal(out.s, "linked");
}

static void no_descriptor_is_left_open(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct gzin *g = NULL;
	struct err e = {0};
	int before = dup(0), after;

	close(before);
	add_gzip(&b, "text", 4, NULL);
	assert_ok(open_bytes(*state, &b, &g, &e), e);
	gzin_close_ptr(&g);
	assert_null(g);
	gzin_close(NULL);
	gzin_close_ptr(&g);
	assert_not_opened("/dev/null", E_IO, "regular");
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
}

/* ---- files that change ------------------------------------------------------------------- */

static void touch(const char *path, time_t second)
{
	struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* `change` happens after the file was opened, and before its second buffer is read. */
static void assert_change_noticed(
	struct tempdir *d, const struct sbuf *file, void (*change)(const char *path))
{
	cleanup(gzin_close_ptr) struct gzin *g = NULL;
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
	const char *path = tempdir_write(d, "in", file->s, file->len, 0600);
	char hex[DIGEST_HEX];
	struct err e = {0};

	touch(path, 1700000000);
	assert_ok(gzin_open(path, &g, &e), e);
	change(path);
	assert_err(read_all(g, 5000, &out, &e), e, E_CONFLICT,
		"in: it changed while it was read");
	assert_contains(e.fix, "wait until it is complete");
	assert_err(read_all(g, 5000, &out, &e), e, E_CONFLICT, "it changed");
	assert_false(gzin_sha256(g, hex));
}

static void append(const char *path)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs("more\n", f);
	fclose(f);
	touch(path, 1700000000);
}

static void shorten(const char *path)
{
	assert_int_equal(truncate(path, 100000), 0);
	touch(path, 1700000000);
}

static void rewrite(const char *path)
{
	touch(path, 1700000001);
}

static void a_file_that_changes_meanwhile_does_not_count(void **state)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, packed = SBUF_INIT;

	add_text(&text, 20000);
	add_gzip(&packed, text.s, text.len, NULL);
	assert_change_noticed(*state, &text, append);
	assert_change_noticed(*state, &text, shorten);
	assert_change_noticed(*state, &text, rewrite);
	assert_change_noticed(*state, &packed, append);
	assert_change_noticed(*state, &packed, shorten);
	assert_change_noticed(*state, &packed, rewrite);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		T(a_plain_file_is_read_as_it_is),
		T(short_files_are_plain),
		T(gzip_is_recognized_by_content),
		T(a_header_may_hold_a_name_and_a_checksum),
		T(members_follow_each_other),
		T(a_member_may_begin_at_the_edge_of_a_buffer),
		T(an_empty_member_is_an_empty_file),
		T(a_bomb_is_a_stream_as_others),
		T(the_end_stays_the_end),
		T(the_digest_is_of_the_text_however_it_is_packed),
		T(the_digest_of_a_plain_file_is_known),
		T(progress_counts_bytes_of_the_file),
		T(every_cut_is_noticed),
		T(a_cut_in_the_second_member_is_noticed),
		T(damage_in_the_checksums_is_noticed),
		T(every_flipped_bit_is_noticed_or_harmless),
		T(what_follows_the_gzip_data_is_refused),
		T(an_error_stays),
		T(other_compression_than_deflate_is_refused),
		T(what_is_no_regular_file_is_refused),
		T(a_file_that_may_not_be_read_is_an_error),
		T(links_are_followed_and_a_dash_is_a_name),
		T(no_descriptor_is_left_open),
		T(a_file_that_changes_meanwhile_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

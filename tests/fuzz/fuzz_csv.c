/* Any bytes: csv_row never crashes, reads the same however the bytes arrive, gives only UTF-8
 * without NUL, refuses with "file:line: column: message", and reads what it gave again from
 * quoted text. */
#include "base/data/csv.h"

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct csv_bytes {
	const char *s;
	size_t len, at, piece;
};

static enum err_code give_bytes(void *ctx, void *buf, size_t room, size_t *n, struct err *e)
{
	struct csv_bytes *b = ctx;
	size_t left = b->len - b->at;

	(void)e;
	*n = b->piece < room ? b->piece : room;
	*n = left < *n ? left : *n;
	if (*n)
		memcpy(buf, b->s + b->at, *n);
	b->at += *n;
	return E_OK;
}

/* Every field quoted: so nothing in it is taken for a separator, and no line is empty. */
static void write_record(struct sbuf *out, const struct csv_row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		sbuf_adds(out, i ? ",\"" : "\"");
		for (const char *s = row->f[i].s; *s; s++) {
			if (*s == '"')
				sbuf_addc(out, '"');
			sbuf_addc(out, *s);
		}
		sbuf_addc(out, '"');
	}
	sbuf_addc(out, '\n');
}

static enum err_code read_csv(
	const char *text, size_t len, size_t piece, struct sbuf *out, struct err *e)
{
	struct csv_bytes b = {text, len, 0, piece};
	struct csv_row row = {0};
	int64_t number = 0, line = 0;
	struct csv c;
	enum err_code rc;

	csv_init(&c, "f", give_bytes, &b);
	while (!(rc = csv_row(&c, &row, e)) && row.n) {
		fuzz_require(row.number == ++number && row.line > line);
		fuzz_require(row.n <= CSV_MAX_FIELDS);
		line = row.line;
		for (size_t i = 0; i < row.n; i++) {
			fuzz_require(strlen(row.f[i].s) == row.f[i].len);
			fuzz_require(utf8_valid(row.f[i].s, row.f[i].len));
		}
		write_record(out, &row);
	}
	fuzz_require(rc ? csv_row(&c, &row, NULL) == rc : !row.f);
	csv_done(&c);
	return rc;
}

/* "f:LINE: column N: message", or "f: message" on the file as a whole */
static void check_csv_refusal(enum err_code rc, const struct err *e)
{
	int line = 0, column = 0, len = 0;

	fuzz_require(rc == e->code && (rc == E_DATA || rc == E_LIMIT));
	fuzz_require(e->fix[0] && !strchr(e->msg, '\n'));
	if (!strncmp(e->msg, "f: it is ", 9))
		return;
	fuzz_require(
		sscanf(e->msg, "f:%d: column %d: %n", &line, &column, &len) == 2 && len);
	fuzz_require(line >= 1 && column >= 1 && column <= CSV_MAX_FIELDS + 1);
	fuzz_require(e->msg[len]);
}

int fuzz_csv(const uint8_t *data, size_t size)
{
	cleanup(sbuf_done) struct sbuf whole = SBUF_INIT, bytes = SBUF_INIT,
				       again = SBUF_INIT;
	cleanup(free_ptr) char *text = xmalloc(size);
	struct err e = {0}, e_bytes = {0};
	enum err_code rc;

	if (size)
		memcpy(text, data, size);
	rc = read_csv(text, size, SIZE_MAX, &whole, &e);
	fuzz_require(read_csv(text, size, 3, &bytes, &e_bytes) == rc);
	fuzz_require(!strcmp(whole.s, bytes.s) && !strcmp(e.msg, e_bytes.msg));
	if (rc)
		check_csv_refusal(rc, &e);
	else
		fuzz_require(
			utf8_valid(text, size) && (!size || !memchr(text, '\0', size)));
	if (whole.len <= CSV_MAX_RECORD) {
		fuzz_require(read_csv(whole.s, whole.len, SIZE_MAX, &again, &e) == E_OK);
		fuzz_require(!strcmp(whole.s, again.s));
	}
	return 0;
}

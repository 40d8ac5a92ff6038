/* Strict CSV (RFC 4180) as a stream: one record at a time, in memory that does not grow with the
 * file.
 *
 * Fields are separated by ',' and may be in double quotes, in which a quote is doubled and line
 * ends are text. Records end in LF or CRLF; the last one needs no end. Empty lines are skipped, and
 * so is a UTF-8 byte order mark at the start. Blanks are not trimmed. Refused: unbalanced quotes,
 * text after a closing quote, a single carriage return, NUL bytes, invalid UTF-8, other separators,
 * UTF-16. The caller must check that a record has as many fields as the header. */
#ifndef TPUCOST_BASE_DATA_CSV_H
#define TPUCOST_BASE_DATA_CSV_H

#include "base/err.h"

#define CSV_MAX_RECORD ((size_t)1 << 20) /* bytes, without the line end */
#define CSV_MAX_FIELDS 2000

/* Source of the bytes: store up to `room` bytes in `buf` and their number in *n; 0 is the end. Its
 * errors become those of csv_row. */
typedef enum err_code csv_read_fn(
	void *ctx, void *buf, size_t room, size_t *n, struct err *e);

struct csv_field {
	const char *s; /* UTF-8 without the quotes around it; a NUL follows */
	size_t len;
};

struct csv_row {
	const struct csv_field *f; /* NULL at the end of the input */
	size_t n;                  /* fields, 1 or more; 0 at the end of the input */
	int64_t number;            /* of the record, from 1; the header counts */
	int64_t line;              /* on which it begins, from 1 */
};

struct csv {
	/* private */
	const char *name;
	csv_read_fn *read;
	void *ctx;
	char *buf; /* of `room` bytes and one more */
	size_t room, pos, len;
	bool begun, drained;
	int64_t number, line; /* of the next record */
	struct csv_field *f;
	size_t n;
	struct err failed;
};

/* `name` is for the messages; it and `ctx` must outlive the reader. Ends with csv_done. */
void csv_init(struct csv *c, const char *name, csv_read_fn *read, void *ctx);
/* Read the next record; it and its fields are valid until the next call. Errors are "NAME:LINE:
 * column C: why", with the line on which the record begins and the number of the field, from 1:
 * E_DATA, and E_LIMIT for a record beyond the limits. An error is permanent: later calls report it
 * again. */
enum err_code csv_row(struct csv *c, struct csv_row *row, struct err *e) must_check;
void csv_done(struct csv *c);

#endif

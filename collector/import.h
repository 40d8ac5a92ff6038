/* Importing files of the billing export: what `bq extract` writes (JSON lines, CSV), a JSON
 * array, the FOCUS CSV, each also compressed with gzip.
 *
 * A file is stored whole or not at all, in one transaction; the same file twice is stored
 * once. Days of an account that are there already, from a table or another file, are refused
 * unless the caller wants both. */
#ifndef TPUCOST_COLLECTOR_IMPORT_H
#define TPUCOST_COLLECTOR_IMPORT_H

#include "base/err.h"
#include "collector/import_row.h"

struct db;
struct tz;

struct import_opts {
	struct db *db;
	const struct tz *tz;
	ts_t now;
	bool may_overlap;
	/* Files of one command belong together and may hold the same days, though not the same
	 * lines: the number they go by. 0: this is the first of them. */
	int64_t batch;
	/* Called now and then. Bytes are those of the file as it lies on the disk. */
	void (*progress)(void *ctx, int64_t bytes, int64_t size, int64_t rows);
	void *ctx;
};

struct import_result {
	int64_t table_id, batch;
	bool no_credits; /* the file has no column for them: net is gross */
	int64_t rows;    /* of the file */
	size_t days;     /* usage days (UTC) in it */
	day_t first, last;
	bool known;    /* the same bytes were imported before: nothing was done */
	ts_t imported; /* when */
	struct import_sum sums[8];
	size_t n_sums;
};

/* Errors name file and line: "FILE:LINE: why". */
enum err_code import_file(const struct import_opts *o, const char *path,
	struct import_result *out, struct err *e) must_check;

/* ---- between collector/import*.c only ----------------------------------------------------- */

/* Where the bytes of a file come from, and the row at hand for messages. */
struct import_input {
	enum err_code (*read)(void *ctx, char *buf, size_t room, size_t *n, struct err *e);
	void *ctx;
	void (*turn)(void *ctx, int64_t rows); /* now and then */
	int64_t line;     /* of the row at hand, from 1; 0: the message says it */
	const char *name; /* of the file, for messages */
	/* what was read to find out about the format */
	const char *head;
	size_t n_head;
};

#define IMPORT_MAX_ROW ((size_t)1 << 20)

/* Read every row of a file in one of the formats. */
enum err_code import_json(
	struct import_input *in, struct import_rows *rows, struct err *e) must_check;
enum err_code import_csv(
	struct import_input *in, struct import_rows *rows, struct err *e) must_check;
/* The credits of a row from JSON text: [{"type": ..., "amount": ...}, ...]. */
enum err_code import_credits(
	struct import_rows *rows, const char *text, size_t len, struct err *e) must_check;
/* Bytes from the head, then from the file. */
enum err_code import_more(struct import_input *in, char *buf, size_t room, size_t *n,
	struct err *e) must_check;

#endif

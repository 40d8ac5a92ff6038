/* Importing files of the billing export: what `bq extract` writes (JSON lines, CSV), a JSON
 * array, the FOCUS CSV, each also compressed with gzip.
 *
 * A file is stored whole or not at all, in one transaction; the same file twice is stored
 * once. Days of an account that are there already, from a table or another file, are refused
 * unless the caller wants both. */
#ifndef TPUCOST_COLLECTOR_IMPORT_IMPORT_H
#define TPUCOST_COLLECTOR_IMPORT_IMPORT_H

#include "base/err.h"

struct db;
struct tz;

struct import_sum {
	char currency[4];
	__int128 cost, credits; /* nanos */
	__int128 rounding;      /* 1e-18 */
};

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

#endif

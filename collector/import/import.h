/* Import of files of the billing export: files that `bq extract` writes (JSON lines, CSV), a JSON
 * array, or the FOCUS CSV, each optionally compressed with gzip.
 *
 * A file is stored completely or not at all, in one transaction; importing a file again has no
 * effect. Days of an account that are already stored, from a table or another file, are refused
 * unless the caller allows both. */
#ifndef TPUCOST_COLLECTOR_IMPORT_IMPORT_H
#define TPUCOST_COLLECTOR_IMPORT_IMPORT_H

#include "base/err.h"

struct db;
struct tz;

struct import_sum {
	char currency[4];
	__int128 cost, credits; /* nanos */
	__int128 rounding;      /* 1e-18 */
	bool rated;             /* a row has a conversion rate */
};

/* Content of BilledCost of a FOCUS file with credits in its rows. */
enum import_billed {
	IMPORT_BILLED_ASK, /* as the file itself shows; refused if it does not */
	IMPORT_BILLED_AFTER,
	IMPORT_BILLED_BEFORE,
};

struct import_opts {
	struct db *db;
	const struct tz *tz;
	ts_t now;
	bool may_overlap;
	enum import_billed billed;
	/* Number shared by the files of one command, which may have the same days, but not the same
	 * lines. 0: this is the first file. */
	int64_t batch;
	/* Called periodically. Counts bytes of the file on the disk. */
	void (*progress)(void *ctx, int64_t bytes, int64_t size, int64_t rows);
	void *ctx;
};

struct import_result {
	int64_t table_id, batch;
	/* The file has no credits: net is the cost before them, or BilledCost of FOCUS. */
	bool no_credits, is_focus;
	enum import_billed billed; /* as applied to its rows with credits; ASK: to none */
	int64_t foreign;           /* rows of other providers, which were not imported */
	char providers[256];       /* their names */
	int64_t unnamed;           /* rows of FOCUS without a provider: read as Google's */
	int64_t no_month;          /* rows without an invoice month */
	int64_t bad_rates;         /* rows whose conversion rate is not positive */
	int64_t bad_rate_at;       /* line of the first */
	int64_t rows;              /* of the file */
	size_t days;               /* usage days (UTC) in it */
	day_t first, last;
	bool known;    /* the same bytes were imported before: nothing was done */
	ts_t imported; /* time of that import */
	struct import_sum sums[8];
	size_t n_sums;
};

/* Errors contain file and line: "FILE:LINE: why". */
enum err_code import_file(const struct import_opts *o, const char *path,
	struct import_result *out, struct err *e) must_check;

#endif

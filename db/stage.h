/* Lines of usage into the temporary table that they pass through, many with one statement. */
#ifndef TPUCOST_DB_STAGE_H
#define TPUCOST_DB_STAGE_H

#include "base/err.h"

struct db;

/* A row of stage_usage. */
struct stage_line {
	int64_t unit, hour;
	int64_t sku, project, place, resource, charge, credit; /* references */
	struct opt_i64 usage;  /* nanos of the unit; NONE: beyond what is kept */
	int64_t cost, credits; /* nanos */
	int64_t rows;          /* of the export */
};

/* Amounts of lines that agree in all else are added up, to what is staged and to each other. Run
 * inside a transaction. */
enum err_code stage_put(
	struct db *db, const struct stage_line *lines, size_t n, struct err *e) must_check;

#endif

/* Writes lines of usage into the temporary staging table, many with one statement. */
#ifndef TPUCOST_DB_STAGE_H
#define TPUCOST_DB_STAGE_H

#include "base/err.h"

struct db;

/* Puts the number of a row of a dimension, such as sku, into *out; a missing row is added. The other
 * arguments are those of the query, such as q_sku_put. Returns from the calling function on errors. */
#define STAGE_FIND(db, query, out, e, ...)                               \
	do {                                                             \
		struct query##_in in = {__VA_ARGS__};                    \
		struct query row;                                        \
		bool found;                                              \
		if (query##_one((db), &in, NULL, &row, &found, (e)))     \
			return (e)->code;                                \
		if (!found)                                              \
			return err_set((e), E_BUG, #query " not found"); \
		*(out) = row.ref;                                        \
	} while (0)

/* A row of stage_usage. */
struct stage_line {
	int64_t unit, hour;
	int64_t sku, project, place, resource, charge, credit; /* references */
	struct opt_i64 usage;  /* nanos of the unit; NONE: exceeds 64 bits */
	int64_t cost, credits; /* nanos */
	int64_t rows;          /* rows of the export */
};

/* Amounts of lines that agree in all other columns are added up, with staged lines and with each
 * other. Call it inside a transaction. */
enum err_code stage_put(
	struct db *db, const struct stage_line *lines, size_t n, struct err *e) must_check;

#endif

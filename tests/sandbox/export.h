/* The billing export of a world, and the answers to tpucost's two queries over it. */
#ifndef TPUCOST_TESTS_SANDBOX_EXPORT_H
#define TPUCOST_TESTS_SANDBOX_EXPORT_H

#include "tests/sandbox/sandbox.h"

/* Schema of the export as tables.get gives it: a JSON array of fields. */
extern const char export_schema_standard[], export_schema_detailed[];

struct export_ask {
	const struct world *w;
	ts_t now;
	day_t since;
	day_t units[400];
	size_t n_units;
	bool int64_time; /* TIMESTAMP as microseconds, else as a float */
};

struct export_result {
	const char **rows; /* {"f":[...]} */
	size_t n, cap;
};

/* Rows that the export holds at `now`, and when it was last loaded. */
void export_extent(const struct world *w, ts_t now, int64_t *rows, int64_t *modified);
bool export_query_known(const char *sql);
/* Returns the schema of the answer, a JSON array. */
const char *export_run(const char *sql, const struct export_ask *ask, struct arena *a,
	struct export_result *out);

#endif

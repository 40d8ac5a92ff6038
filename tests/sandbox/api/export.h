/* The billing export of a world, and the answers to tpucost's two queries over it. */
#ifndef TPUCOST_TESTS_SANDBOX_API_EXPORT_H
#define TPUCOST_TESTS_SANDBOX_API_EXPORT_H

#include "tests/sandbox/sandbox.h"

struct export_ask {
	const struct world *w;
	ts_t now;
	day_t since;
	bool cut; /* only usage of these days */
	day_t usage_from, usage_until;
	day_t units[4000];
	size_t n_units;
	/* Of questions: usage, and loads before. */
	ts_t from, until, exported;
	const char *month; /* NULL: it is none */
	/* Is it asked for? NULL: all are. */
	bool (*of_project)(const struct export_ask *ask, const char *project);
	bool (*of_label)(const struct export_ask *ask, const char *key);
	const struct cJSON *body;
	const struct tz *zone, *pacific; /* of sums of days: @zone, and that of invoices */
	bool int64_time;                 /* TIMESTAMP as microseconds, else as a float */
};

struct export_result {
	const char **rows; /* {"f":[...]} */
	size_t n, cap;
};

/* One row of the export: a line of the world at one hour. */
struct row {
	const struct billing_line *line;
	ts_t start;    /* of usage */
	ts_t exported; /* when it was loaded: also its partition */
};

typedef void (*row_fn)(void *ctx, const struct row *row);

/* Every row that has been loaded by `now`, always in the same order. */
void export_each_row(const struct world *w, ts_t now, row_fn fn, void *ctx);
const char *export_invoice(const struct row *row, char buf[8]);
/* "00AA11-22BB33-44CC55" of the table's name. */
const char *export_account(const struct world *w, char buf[64]);
void export_time(struct jw *w, const struct export_ask *ask, ts_t ts);

/* Schema of the export as tables.get gives it: an array of fields. */
void export_schema(struct jw *w, const struct world *world);
/* Rows [from, from + size) as tabledata.list gives them; returns how many there are. */
size_t export_rows(struct jw *w, const struct export_ask *ask, size_t from, size_t size);

/* Rows that the export holds at `now`, and when it was last loaded. */
void export_extent(const struct world *w, ts_t now, int64_t *rows, int64_t *modified);
bool export_query_known(const char *sql);
/* Returns the schema of the answer, a JSON array. */
const char *export_run(const char *sql, const struct export_ask *ask, struct arena *a,
	struct export_result *out);

#endif

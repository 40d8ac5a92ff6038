/* The Cloud Billing export, polled against a server that answers as BigQuery would, from a list
 * of lines. One world at a time. */
#ifndef TPUCOST_TESTS_SUPPORT_BILL_WORLD_H
#define TPUCOST_TESTS_SUPPORT_BILL_WORLD_H

#include "collector/collect.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"

#define BILL_TABLE "GET /bigquery/v2/projects/my-project/datasets/billing/tables/export"
#define BILL_QUERIES "POST /bigquery/v2/projects/my-project/queries"
#define BILL_DAY "2026-11-18"

/* A line as the query groups it. NULL and 0: as in good_line. */
struct bill_line {
	const char *day; /* of its partition */
	const char *cost, *credits, *credit_type, *cost_type, *currency, *invoice;
	const char *project, *number, *sku;
	ts_t hour;
	int rows;
	bool stored; /* read before: its unit has it, the second query is not asked for it */
	bool account_level; /* of no project */
};

/* A unit as the first query tells it; worked out of the lines where a test does not say. */
struct bill_unit {
	const char *day, *currency, *rows, *cost, *credits;
};

struct bill_export {
	const char *modified;
	const struct bill_line *lines;
	size_t n;
	const struct bill_unit *units;
	size_t n_units;
	const char *location, *created; /* NULL: "EU" and "1" */
	const char *column, *as; /* a column of the table that is another: "" = gone */
	const char *sum_type;    /* of the sums in answers; NULL: NUMERIC */
	const char *exported;    /* newest load of every unit, in microseconds */
	int refused;             /* this query, 1 or 2, ... */
	int status;              /* ... with this (0: 200) and */
	const char *refusal;     /* this body */
};

#define BILL_EXPORT(when, list, ...)                                                   \
	{                                                                              \
		.modified = (when), .lines = (list), .n = ARRAY_LEN(list), __VA_ARGS__ \
	}

struct bill_world {
	struct tempdb t;
	struct gcp_world w;
	const char *row;    /* of a table, for messages */
	struct arena texts; /* of the poll at hand */
};
extern struct bill_world bw;

/* Of a test: a fresh database. */
int bill_setup(void **state);
void bill_expect(const char *sql, const char *want);

struct bill_outcome {
	struct collect_result r;
	size_t queries;
	char first[8192]; /* of the queries, as it was sent */
};
/* A server of its own for one poll. */
struct bill_outcome bill_poll(const struct bill_export *x, ts_t now);
/* It went well. */
void bill_good(const struct bill_export *x, ts_t now);
/* It was refused for `why` after so many queries, and no figure has changed. */
void bill_refused(const struct bill_export *x, ts_t now, const char *why, size_t queries);

/* The parts of a poll: bodies for the steps of a server, and a poll of it with any client. */
const char *bill_table(const struct bill_export *x);
const char *bill_units(const struct bill_export *x);
const char *bill_lines(const struct bill_export *x);
enum err_code bill_collect(struct gcp *g, struct db *db, ts_t now, struct collect_result *r,
	struct err *e) must_check;

#endif

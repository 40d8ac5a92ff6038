/* What `tpucost cost` groups by, and where it reads it. */
#ifndef TPUCOST_CLI_COMMANDS_COST_H
#define TPUCOST_CLI_COMMANDS_COST_H

#include "cli/cmd.h"
#include "db/vocab.h"

#define COST_MAX_GROUPS 16

struct ref_sums;
struct sbuf;

struct cost_grouping {
	const struct column *cols[COST_MAX_GROUPS];
	size_t n;
	bool usage;  /* amounts of usage make sense: one SKU and unit per row */
	bool status; /* how final the days are is shown, though not grouped by */
};

bool cost_grouped_by(const struct cost_grouping *g, const char *name);
/* Can the rollups answer it without looking up the names of each of their rows? */
bool cost_is_plain(const struct app *app, const struct cost_grouping *g);
/* What was billed by the numbers that the grouping asks for, of the asked period, month and projects: what
 * has to be shown (ref_sums_show) to read the next one. Nothing where that reads a rollup itself. */
enum err_code cost_sum_up(struct app *app, const struct cost_grouping *g, const char *month,
	struct ref_sums *sums, struct err *e) must_check;
/* A table in parentheses with the columns of costs_exact that the grouping asks for. Amounts of usage
 * are in three columns: units, nanos and no_usage. */
enum err_code cost_add_rollup(struct app *app, const struct cost_grouping *g,
	struct sbuf *sql, struct err *e) must_check;
/* The days of --since and --until, whole ones. TS_NONE: not asked. */
enum err_code cost_days(struct app *app, ts_t *first, ts_t *last, struct err *e) must_check;

#endif

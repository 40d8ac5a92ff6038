/* Groups of `tpucost cost` and their source tables. */
#ifndef TPUCOST_CLI_COMMANDS_COST_H
#define TPUCOST_CLI_COMMANDS_COST_H

#include "cli/cmd.h"
#include "db/vocab.h"

#define COST_MAX_GROUPS 16

struct ref_sums;
struct sbuf;

struct cost_grouping {
	const struct column *cols[COST_MAX_GROUPS];
	const char
		*labels[COST_MAX_GROUPS]; /* SQL over a column labels; NULL: not a label */
	size_t n;
	bool usage;  /* amounts of usage can be added: one SKU and unit per row */
	bool status; /* show how final the days are, although it is not a group */
};

bool cost_grouped_by(const struct cost_grouping *g, const char *name);
/* Tests whether the rollups can answer without looking up the names of each of their rows. */
bool cost_is_plain(const struct app *app, const struct cost_grouping *g);
/* Sums the billed cost by the numbers that the grouping needs, for the requested period, month and
 * projects. The sums must be shown (ref_sums_show) before the next ones are read. Does nothing if
 * the grouping reads a rollup directly. */
enum err_code cost_sum_up(struct app *app, const struct cost_grouping *g, const char *month,
	struct ref_sums *sums, struct err *e) must_check;
/* Adds a table in parentheses with the columns of costs_exact that the grouping needs. Amounts of
 * usage are in three columns: units, nanos and no_usage. */
enum err_code cost_add_rollup(struct app *app, const struct cost_grouping *g,
	struct sbuf *sql, struct err *e) must_check;
/* Sets the whole days of --since and --until; TS_NONE if not given. */
enum err_code cost_days(struct app *app, ts_t *first, ts_t *last, struct err *e) must_check;

#endif

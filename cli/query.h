/* Common structure of query commands: columns of one view, filtered, sorted, printed. */
#ifndef TPUCOST_CLI_QUERY_H
#define TPUCOST_CLI_QUERY_H

#include "cli/cmd.h"
#include "cli/out/out.h"
#include "cli/session.h"

/* Column in rows that a command made: index of the row, from 0. */
#define QUERY_ROW_NUMBER "row_number_"

/* In an order, before an amount: amounts are compared within a currency, the one of figures first, those
 * without a currency last. */
#define BY_CURRENCY "$, "

struct query {
	const char *view;
	/* Another view whose rows follow, or NULL. Columns of `view` that it lacks are NULL there. */
	const char *also;
	const char *only;    /* a condition of the command itself, or NULL */
	const char *columns; /* of the table format without --columns: "a,b,c" */
	const char *order;   /* without --sort-by; with BY_CURRENCY before amounts */
	const char *empty;   /* message for an empty table when all data was read */
	unsigned basis;      /* data on which the answer is based: a sum of enum basis */
	/* Column with an id that begins with the project, in a view without project; NULL: id */
	const char *owner;
	const char *time; /* column to which --since and --until apply, or NULL */
	/* If set, `time` is the start of a row and this is its end: rows that overlap the period
	 * match. NULL in this column: without an end. */
	const char *ends;
	/* Condition for --project where a row is not of one project, with an @ in
	 * place of the list of projects, as in "name IN (SELECT name FROM x WHERE project IN @)" */
	const char *of_projects;
	bool no_totals; /* amounts of different rows overlap */
	bool derived;   /* for --since and --until, which do not select any of the rows */
	/* Columns of rows without a view of the database: all columns of `shown`, which replaces
	 * `view`. */
	const struct view *shown;
	const struct doc_section *rows;
};

/* Columns of rows that commands make themselves. */
extern const struct view view_enforce;   /* cli/enforce/enforce.c */
extern const struct view view_estimate;  /* cli/estimate/estimate.c */
extern const struct view view_rule_list; /* cli/rules/rules.c */

/* Queries of commands, with the columns and the order that they show. */
extern const struct query query_alerts, query_audit, query_budget_periods, query_budgets,
	query_burn, query_capacity, query_channels, query_commitments, query_coverage,
	query_coverage_totals, query_credit_projects, query_credits, query_egress,
	query_egress_reconciliation, query_grants, query_hidden_costs, query_notifications,
	query_period_burn, query_period_hidden, query_period_resources, query_quota_holds,
	query_quotas, query_reconciliation, query_resources, query_silences, query_sources;
/* The one of a view; NULL: no command shows it. */
const struct query *query_of_view(const char *view);
/* Data on which the rows of a view are based: a sum of enum basis. */
unsigned query_basis(const struct view *v);

/* E_USAGE with the nearest name: there is no such view. */
enum err_code query_find_view(
	const char *name, const struct view **out, struct err *e) must_check;
/* Tests whether --since and --until select rows of the view. */
bool query_is_of_period(const struct view *v);
/* The view of a period that the command of this view shows; NULL: there is none. */
const struct view *query_view_then(const struct view *v);
/* With --since or --until: *v becomes the view of the period that the command of the view shows. E_USAGE: the rows are
 * not of a period. */
enum err_code query_view_of_period(
	struct app *app, const struct view **v, struct err *e) must_check;
/* The query of a view with the options of `app`. E_USAGE: an option does not apply to it. */
enum err_code query_for_view(
	struct app *app, const struct view *v, struct query *q, struct err *e) must_check;
/* Tests whether a project selects rows. */
bool query_takes_project(const struct query *q, const struct view *v);
/* Reads the rows of a view with all columns, or groups of costs with --by or --month; sets *q to their query. The
 * database must be open. */
enum err_code query_read_view(struct app *app, const struct view *v, struct query *q,
	struct doc_section **t, struct err *e) must_check;

/* Runs the query with the options of `app` and prints it. Returns the exit code. */
int query_run(struct app *app, const struct query *q, struct err *e);

/* Prints a note for each grant that a quota does not reach, unless the output is for programs. Resets
 * the options. */
enum err_code grant_say_quotas(struct app *app, struct err *e) must_check;

/* Adds a text of SQL: 'it''s'. */
void query_add_text(struct sbuf *sql, const char *text);
/* Adds --project, one or several with commas, as a condition on the column: " AND ...". */
void query_add_project(struct app *app, struct sbuf *sql, const char *column);

/* Tests for a selection of rows or columns, or an order: --where --sort-by --limit --columns. */
bool query_asks_for_part(const struct app *app);
/* Tests whether the output is text for reading, without a selection of columns. */
bool query_for_people(const struct app *app);
/* Tests for --since or --until. */
bool query_has_period(const struct app *app);

/* Tests whether there are several projects, as far as the configuration shows. */
bool query_of_several(const struct app *app);

/* Adds an order, in which BY_CURRENCY is the order of currencies. */
void query_add_order(struct app *app, struct sbuf *sql, const char *order);

/* Adds the same condition on a column with ids: those that begin with a project or contain it. */
void query_add_owner(struct app *app, struct sbuf *sql, const char *column);

/* Notes that belong to an answer: a sum of its enum basis and of these. */
enum query_note {
	NOTE_PERIOD = 64, /* parts of the period without data; sets app->unwatched */
	NOTE_DAYS = 128,  /* the rows are of whole days, if the period is not */
};
unsigned query_notes(const struct app *app, const struct query *q);
/* Sets app->basis, and prints the notes on standard error, as far as there is something to say; nothing with --quiet. */
enum err_code query_say_notes(struct app *app, unsigned notes, struct err *e) must_check;
/* Both, for one query. */
enum err_code query_note(struct app *app, const struct query *q, struct err *e) must_check;

/* Milliseconds that one query may take. */
int64_t query_ms(const struct app *app);

/* Parts of query_run, for commands that do more. */
enum err_code query_fetch(struct app *app, const struct query *q, bool all_columns,
	struct doc_section **t, struct err *e) must_check;
/* For text output with more than a table: appends the table, or the message for an empty one;
 * then a sentence per row, "first column: second", after an empty line. */
enum err_code query_add_table(struct app *app, const struct query *q,
	const struct out_style *style, struct sbuf *b, struct doc_section **t,
	struct err *e) must_check;
enum err_code query_add_sentences(struct app *app, const struct query *q,
	const struct out_style *style, struct sbuf *b, struct err *e) must_check;
/* Selects q->rows by --where, --project and --limit, in the order of --sort-by or of q. *which is
 * set to their indices, allocated from the arena. */
enum err_code query_pick(struct app *app, const struct query *q, size_t **which, size_t *n,
	struct err *e) must_check;
/* Runs any SELECT, without --limit; the types of columns are taken from names that the vocabulary knows. `own`: it
 * contains no text of the user. */
enum err_code query_sql(struct app *app, const char *sql, bool own, struct doc_section **t,
	struct err *e) must_check;
/* Reads rows of SQL into the columns of the table, by position; values are as in tables of
 * tpucost, see doc_cell_raw(). `own`: it contains no text of the user. `month` is bound to
 * ":month", or NULL. */
enum err_code query_raw(struct app *app, const char *sql, bool own, const char *month,
	struct doc_section *t, struct err *e) must_check;
/* Message if `t` has no rows: it distinguishes a filter without matches, an empty inventory and
 * data that could not be read. q->empty: if nothing of that is so; NULL: a general one. */
enum err_code query_empty(struct app *app, const struct doc_section *t,
	const struct query *q, const char **out, struct err *e) must_check;
/* Adds "--where" of the user as a separate condition: " AND (...)". */
enum err_code query_add_where(
	struct sbuf *sql, const char *where, struct err *e) must_check;
/* Prints the rows of the query, or the message for an empty table, with the notes on its data. */
int query_answer(
	struct app *app, const struct query *q, const struct doc_section *t, struct err *e);
int query_print(
	struct app *app, const struct doc_section *t, const char *empty, struct err *e);

/* "7d" "12h" "2026-11-01" or RFC 3339 -> instant. A date is its first instant in the
 * configured zone. */
enum err_code query_time(
	struct app *app, const char *text, ts_t *out, struct err *e) must_check;

/* "2026-11-21 09:00" in the configured zone; text that is not a time is unchanged. Allocated from
 * the arena. */
const char *query_local(struct app *app, const char *rfc3339);
/* Like query_run, with a note on the zone of the times, also in UTC. */
int query_run_local(struct app *app, const struct query *q, struct err *e);

/* "2026-11" -> "202611", the form of Google's invoice months. */
enum err_code query_month(const char *text, char out[8], struct err *e) must_check;

#define QUERY_LABEL "label:"
/* For --by label:KEY: *sql is the value of the label of `name` in the SQL text `labels` (a JSON object),
 * allocated from the arena. E_USAGE if the key is not valid. */
enum err_code query_label(struct app *app, const char *name, const char *labels,
	const char **sql, struct err *e) must_check;

/* "-col" means "col desc": skips the minus, if there is one. */
bool query_order_minus(char **order);
/* For commands with --by: --sort-by as a column of the table; reduces the table to --columns. */
enum err_code query_group_order(struct app *app, const struct doc_section *t,
	struct sbuf *sql, struct err *e) must_check;
enum err_code query_keep_columns(
	struct app *app, struct doc_section *t, struct err *e) must_check;

#endif

/* The common shape of query commands: columns of one view, filtered, sorted, printed. */
#ifndef TPUCOST_CLI_QUERY_H
#define TPUCOST_CLI_QUERY_H

#include "cli/cmd.h"
#include "cli/out/out.h"
#include "cli/session.h"

/* In the order of rows that a command made: which one it is, from 0. */
#define QUERY_ROW_NUMBER "row_number_"

struct query {
	const char *view;
	const char *only;    /* a condition of the command's own, or NULL */
	const char *columns; /* of the table format when --columns is absent: "a,b,c" */
	const char *order;   /* when --sort-by is absent */
	const char *empty;   /* what to say of an empty table when everything was read */
	enum basis basis;    /* what the answer rests on */
	const char *
		owner; /* id whose first part is the project, in a view without one; NULL: id */
	const char *time; /* what --since and --until are of, or NULL */
	const char
		*ends; /* then `time` is where a row begins, and this where it ends: those
			   * that overlap the period; NULL there: without an end */
	/* What --project means where a row is not of one project: a condition with an @ in
	 * place of the list of them, as in "name IN (SELECT name FROM x WHERE project IN @)" */
	const char *of_projects;
	bool no_totals; /* amounts of different rows overlap */
	/* Rows that no view of the database has: all columns of `shown`, which is then what
	 * `view` would be. */
	const struct view *shown;
	const struct doc_section *rows;
};

/* Run with the options of `app` and print. Returns the exit code. */
int query_run(struct app *app, const struct query *q, struct err *e);

/* --project, one or several with commas, as a condition on the column: " AND ...". */
void query_add_project(struct app *app, struct sbuf *sql, const char *column);

/* Are some rows or columns asked for, in an order: --where --sort-by --limit --columns? */
bool query_asks_for_part(const struct app *app);
/* Is it a question about a time: --since or --until? */
bool query_has_period(const struct app *app);

/* Are there several projects, as far as the configuration tells? */
bool query_of_several(const struct app *app);

/* The same of a column with ids: those that begin with one of them, or have it as a part. */
void query_add_owner(struct app *app, struct sbuf *sql, const char *column);

/* For views that are of the asked period themselves: with the note of the next one. */
int query_run_period(struct app *app, const struct query *q, struct err *e);
/* Says for how much of the asked period it is not known what there was, where that is so. */
enum err_code query_note_period(struct app *app, struct err *e) must_check;

/* Parts of it, for commands that do more. */
enum err_code query_fetch(struct app *app, const struct query *q, bool all_columns,
	struct doc_section **t, struct err *e) must_check;
/* For people, who get more than a table: the table, or what is to be said of an empty one; a sentence for each row,
 * "first column: second", below an empty line. */
enum err_code query_add_table(struct app *app, const struct query *q,
	const struct out_style *style, struct sbuf *b, bool *any, struct err *e) must_check;
enum err_code query_add_sentences(struct app *app, const struct query *q,
	const struct out_style *style, struct sbuf *b, struct err *e) must_check;
/* Which of q->rows --where, --project and --limit leave, in the order of --sort-by or of q: their
 * numbers, in the arena. */
enum err_code query_pick(struct app *app, const struct query *q, size_t **which, size_t *n,
	struct err *e) must_check;
/* Any SELECT; column types are taken from names that the vocabulary knows. */
enum err_code query_sql(
	struct app *app, const char *sql, struct doc_section **t, struct err *e) must_check;
/* Rows of SQL into the columns of the table, by their order, values as tables of ours have them: see doc_cell_raw().
 * `own`: there is no word of a person in it. `month` is bound to ":month", or NULL. */
enum err_code query_raw(struct app *app, const char *sql, bool own, const char *month,
	struct doc_section *t, struct err *e) must_check;
/* The words for `t` where it has no rows: a filter that matches nothing is not an empty world,
 * and neither is one that could not be read. */
enum err_code query_empty(struct app *app, const struct doc_section *t, enum basis basis,
	const char *empty, const char **out, struct err *e) must_check;
/* "--where" of a person as a condition of its own: " AND (...)". */
enum err_code query_add_where(
	struct sbuf *sql, const char *where, struct err *e) must_check;
int query_print(
	struct app *app, const struct doc_section *t, const char *empty, struct err *e);

/* "7d" "12h" "2026-11-01" or RFC 3339 -> instant. A date is its first moment in the
 * configured zone. */
enum err_code query_time(
	struct app *app, const char *text, ts_t *out, struct err *e) must_check;

/* "2026-11-21 09:00" in the configured zone, for people; what is no time stays as it is. Arena. */
const char *query_local(struct app *app, const char *rfc3339);
/* As query_run, and in tables for people times are those of the configured zone, which is said
 * below; where columns were asked for they are as in the view. */
int query_run_local(struct app *app, const struct query *q, struct err *e);
/* The same with a table that was fetched. */
int query_print_local(
	struct app *app, struct doc_section *t, const char *empty, struct err *e);
/* Is it for people: no data, and no columns of their own choice. */
enum err_code query_is_local(struct app *app, bool *out, struct err *e) must_check;

/* "2026-11" -> "202611", as Google writes invoice months. */
enum err_code query_month(const char *text, char out[8], struct err *e) must_check;

/* "-col" is "col desc": steps over the minus, if there is one. */
bool query_order_minus(char **order);
/* For commands with --by: --sort-by as a column of the table; the table cut down to --columns. */
enum err_code query_group_order(struct app *app, const struct doc_section *t,
	struct sbuf *sql, struct err *e) must_check;
enum err_code query_keep_columns(
	struct app *app, struct doc_section *t, struct err *e) must_check;

#endif

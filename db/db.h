/* The database: SQLite behind one thin layer. Only db/ knows the engine.
 *
 * Named queries are typed functions generated from db/sql (see db/gen.awk, db_sql.h).
 * Derived rows are in memory (see db/derived.sql), of one moment and one connection, and so are views. */
#ifndef TPUCOST_DB_DB_H
#define TPUCOST_DB_DB_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"

struct db; /* opaque */

/* This process has one thread, and will have no other: the engine then takes no locks, which are a
 * twentieth of what a query costs. Only before the first database is opened. */
void db_one_thread(void);

enum db_mode {
	DB_READ,  /* must exist, never written, never migrated */
	DB_WRITE, /* created when missing, migrated when old */
};

/* E_NOTFOUND: DB_READ of a missing file. E_DB: not ours, damaged, made by a newer tpucost
 * (refused, untouched), or in DB_READ by an older one. */
enum err_code db_open(const char *path, enum db_mode mode, struct clock *clock,
	struct db **out, struct err *e) must_check;
/* A database in memory with every table and view and no rows: to check conditions against, or
 * to fill with a small world. */
enum err_code db_open_empty(struct clock *clock, struct db **out, struct err *e) must_check;
/* Whether what is inserted must refer to rows that are there, as it does from db_open on. Who
 * switches it off for rows by the million checks their references by other means. */
void db_mind_references(struct db *db, bool on);
/* Whether each transaction is on the disk when it has ended, as from db_open on; else it is when
 * this is called again, and a power cut before that loses the newest ones, whole. An error: of those
 * nobody knows whether the disk has them, and it may lose what is committed behind them as well. Not
 * within a transaction. */
enum err_code db_wait_for_disk(struct db *db, bool each, struct err *e) must_check;
void db_close(struct db *db);
/* The real path of the file, links followed; "" in memory. As long as the database is open. */
const char *db_file(const struct db *db);
/* From here on until db_close(), everything that is read is of one moment, whatever others write
 * meanwhile. For who only reads, and not for long: the log of the writers grows. */
enum err_code db_hold(struct db *db, struct err *e) must_check;

/* ---- transactions ------------------------------------------------------------------------ */

/* Nested by counting: the outermost commits. One that ends without commit dooms the whole.
 * Use: cleanup(db_tx_end) struct db_tx tx = {0}; db_begin; ...; db_commit. */
struct db_tx {
	struct db *db;
	const char *file;
	int line;
};

enum err_code db_begin_at(struct db *db, struct db_tx *tx, const char *file, int line,
	struct err *e) must_check;
#define db_begin(db, tx, e) db_begin_at((db), (tx), __FILE__, __LINE__, (e))
/* A commit that fails may have happened all the same: E_UNCERTAIN, re-read before retry. */
enum err_code db_commit(struct db_tx *tx, struct err *e) must_check;
void db_tx_end(struct db_tx *tx); /* rolls back unless committed */

/* ---- rows of named queries ---------------------------------------------------------------- */

struct db_rows {
	struct db *db;
	const struct sql_query *q;
	void *stmt;
	int slot;
	enum err_code code;
	struct err err;
};

/* A value of a result: `v` is an integer, or a decimal as nano-units, rounded to the nearest. A decimal beyond
 * them has `real` alone, and no v. Text is good until the next row. */
enum db_value { DB_NULL, DB_INT, DB_REAL, DB_TEXT };

struct db_cell {
	enum db_value type;
	struct opt_i64 v;
	double real;
	const char *text;
};

/* Of a query whose columns are read by name ("-- cells"): the next row. False at the end and on an error,
 * which closing reports. */
bool db_rows_step(struct db_rows *rows);
/* Where a column of the result is; -1: it has none of that name. */
int db_rows_column(const struct db_rows *rows, const char *name);
/* NULL for column -1. */
struct db_cell db_rows_cell(const struct db_rows *rows, int column);
/* Only an integer, of rows by the thousand; 0 for NULL and for column -1. */
int64_t db_rows_i64(const struct db_rows *rows, int column);
/* Ends reading and reports any error that stepping met. */
enum err_code db_rows_close(struct db_rows *rows, struct err *e);
/* The same after a loop whose body may have failed: `rc`, if it is an error, stays the error. */
enum err_code db_rows_end(struct db_rows *rows, enum err_code rc, struct err *e) must_check;

/* ---- derived tables and views ------------------------------------------------------------- */

/* Keep the rollups of the bill in the file: make them anew when they were made by another version.
 * *rebuilt is set when they are empty now and must be filled. Run inside a transaction. */
enum err_code db_keep_rollups(struct db *db, bool *rebuilt, struct err *e) must_check;
/* Were the rollups made by this version, or one that made the same? If not, they cannot be read. */
enum err_code db_rollups_current(struct db *db, bool *current, struct err *e) must_check;
/* Empty temporary rollups, which stand for those of the file from now on. */
enum err_code db_make_rollups(struct db *db, struct err *e) must_check;
/* `fit` is asked when SQL first reads a rollup. Where *fits is not set, `roll_up` is to make temporary
 * ones (db_make_rollups) and to fill them. Before anything is read. */
typedef enum err_code db_fit_fn(void *ctx, bool *fits, struct err *e);
typedef enum err_code db_roll_up_fn(void *ctx, struct err *e);
void db_ask_rollups(struct db *db, db_fit_fn *fit, db_roll_up_fn *roll_up, void *ctx);

/* The derived rows (db/derived.sql), of one moment. Before SQL first reads one of their tables, `fill` is
 * called to put its rows in, by derived_put_NAME(), and those of whichever others it likes; it may read
 * others in turn. What cannot be filled cannot be read. Those of before are forgotten. `done` ends
 * what is behind ctx: when this is called again, with the connection, and on error. E_BUG: one of the
 * tables is being read. */
typedef enum err_code db_fill_fn(void *ctx, const char *table, struct err *e);
typedef void db_done_fn(void *ctx);
enum err_code db_fill_derived(struct db *db, db_fill_fn *fill, db_done_fn *done, void *ctx,
	struct err *e) must_check;
/* Fill all of them now. */
enum err_code db_derived_all(struct db *db, struct err *e) must_check;
/* There are none: to check conditions, or for what has nothing to do with them. */
void db_derived_empty(struct db *db);

/* Put the rows of a view, as they are now, into a temporary table that the view is of from then
 * on, on this connection: for many conditions over one view. `index` is columns that they look
 * things up by, or NULL. Of a connection that writes. */
enum err_code db_freeze_view(
	struct db *db, const char *view, const char *index, struct err *e) must_check;
void db_unfreeze_view(struct db *db, const char *view);
/* The derived rows and all views as statements for another tool that reads the file. */
enum err_code db_print_derived(struct db *db, struct sbuf *out, struct err *e) must_check;
void db_print_views(struct sbuf *out);

/* Empty temporary tables of this connection with the columns of those of the file, which they
 * stand for from now on: to work on another world beside what is stored. `bare` ones have
 * neither keys nor references. */
enum err_code db_shadow(struct db *db, const char *const *tables, size_t n, bool bare,
	struct err *e) must_check;
/* Rows of the file into the table that stands for it: all (`column` NULL), or those with
 * from <= column < until. */
enum err_code db_shadow_copy(struct db *db, const char *table, const char *column,
	int64_t from, int64_t until, struct err *e) must_check;

/* ---- SQL of users ------------------------------------------------------------------------- */

/* One read-only statement: SELECT over tables and views, no more than `ms` milliseconds. */
struct db_cursor {
	struct db *db;
	void *stmt;
	int64_t deadline_ms;
	int64_t steps; /* 0: no limit */
};

enum err_code db_cursor_open(struct db *db, const char *sql, int64_t ms,
	struct db_cursor *c, struct err *e) must_check;
/* The same for SQL that the program makes itself, without a word of a person's in it: it may read
 * tables. */
enum err_code db_cursor_open_own(struct db *db, const char *sql, int64_t ms,
	struct db_cursor *c, struct err *e) must_check;
/* The same for a condition that runs unattended: a step limit as well, no recursion, and words
 * in double quotes are names of columns, never text. */
enum err_code db_cursor_open_rule(
	struct db *db, const char *sql, struct db_cursor *c, struct err *e) must_check;
/* Bind ":name"; unknown names are ignored. The text is copied. */
void db_cursor_bind(struct db_cursor *c, const char *name, const char *text);
enum err_code db_cursor_step(struct db_cursor *c, bool *row, struct err *e) must_check;
int db_cursor_columns(const struct db_cursor *c);
const char *db_cursor_name(const struct db_cursor *c, int i);
struct db_cell db_cursor_cell(
	const struct db_cursor *c, int i); /* text: until the next step */
enum db_value db_cursor_type(const struct db_cursor *c, int i);
int64_t db_cursor_i64(const struct db_cursor *c, int i);
double db_cursor_real(const struct db_cursor *c, int i);
const char *db_cursor_text(const struct db_cursor *c, int i); /* until the next step */
void db_cursor_close(struct db_cursor *c);

/* ---- care --------------------------------------------------------------------------------- */

/* Every page reads and indexes agree; E_DB says what is wrong. */
enum err_code db_check(struct db *db, struct err *e) must_check;
/* db_check for a writer that found a -wal file, left by a crash or put there by somebody:
 * pages of another database do not fit. On E_DB closing leaves both files as they are. */
enum err_code db_check_wal(struct db *db, struct err *e) must_check;
/* Every reference leads to a row; E_DB says from where not. */
enum err_code db_check_references(struct db *db, struct err *e) must_check;
/* Tables of the file and rows in them all. */
enum err_code db_count(
	struct db *db, int64_t *tables, int64_t *rows, struct err *e) must_check;
/* A consistent copy of a live database, private to the user, checked and on the disk before it
 * gets its name. In its table meta it is marked as a copy: DB_BACKUP_MARK is the time of it. E_CONFLICT: something has that name and `overwrite` is not set, or it is the
 * database itself. */
#define DB_BACKUP_MARK "backup"
enum err_code db_backup(
	struct db *db, const char *path, bool overwrite, struct err *e) must_check;
/* Write the file anew without the room that is free in it. Needs that much beside it once more,
 * and again in the directory of temporary files. */
enum err_code db_compact(struct db *db, struct err *e) must_check;

#endif

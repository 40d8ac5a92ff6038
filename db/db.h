/* Database: SQLite behind one thin layer. Only db/ uses the engine.
 *
 * Named queries are typed functions generated from db/sql (see db/gen.awk, db_sql.h). Derived rows
 * are in memory (see db/derived.sql), of one snapshot and one connection, and so are views. */
#ifndef TPUCOST_DB_DB_H
#define TPUCOST_DB_DB_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"

struct db; /* opaque */
struct view;

/* Of stored facts: if a machine was not read for longer than this, in seconds, it is unknown how long it kept its state. */
#define DB_UNSEEN 7200

/* The process has one thread, and will not create another: the engine then uses no locks, which
 * saves a twentieth of the cost of a query. Call it before the first database is opened. */
void db_one_thread(void);

enum db_mode {
	DB_READ,  /* must exist, never written or migrated */
	DB_WRITE, /* created if missing, migrated if old */
};

/* errno that prevents this user from writing to the database at `path`; 0: none. It need not exist, unlike its directory.
 */
int db_unwritable(const char *path);
/* Hint for that errno, or for one that prevents reading. "": another error. */
const char *db_sys_fix(int errnum, bool writes);

/* E_NOTFOUND: DB_READ of a missing file. E_DB: not a tpucost database, damaged, created by a newer
 * tpucost (refused and not changed), or in DB_READ by an older one. */
enum err_code db_open(const char *path, enum db_mode mode, struct clock *clock,
	struct db **out, struct err *e) must_check;
/* A database in memory with every table and view and no rows: to check conditions, or to fill with
 * a small set of rows. */
enum err_code db_open_empty(struct clock *clock, struct db **out, struct err *e) must_check;
/* Of the public views only, without rows and tables: SQL of users is checked there, in a tenth of the time. */
enum err_code db_open_views(struct clock *clock, struct db **out, struct err *e) must_check;
/* Enables or disables the check of references on insert, which db_open enables. A caller that
 * disables it for millions of rows must check the references itself. */
void db_mind_references(struct db *db, bool on);
/* Enables or disables the sync to disk at the end of each transaction, which db_open enables. If
 * disabled, data is synced when this is called again, and a power failure before that loses the
 * newest transactions as a whole. On error it is unknown whether they are on the disk, and later
 * commits may be lost as well. Never call it within a transaction. */
enum err_code db_wait_for_disk(struct db *db, bool each, struct err *e) must_check;
void db_close(struct db *db);
/* The real path of the file, links resolved; "" in memory. Valid while the database is open. */
const char *db_file(const struct db *db);
/* From here on until db_close(), all reads use one snapshot, regardless of other writers. For
 * readers only, and for a short time: the log of the writers grows. */
enum err_code db_hold(struct db *db, struct err *e) must_check;

/* ---- transactions ------------------------------------------------------------------------ */

/* Nested by counting: the outermost commits. A transaction that ends without commit rolls back the
 * outermost as well. Use: cleanup(db_tx_end) struct db_tx tx = {0}; db_begin; ...; db_commit. */
struct db_tx {
	struct db *db;
	const char *file;
	int line;
};

enum err_code db_begin_at(struct db *db, struct db_tx *tx, const char *file, int line,
	struct err *e) must_check;
#define db_begin(db, tx, e) db_begin_at((db), (tx), __FILE__, __LINE__, (e))
/* A failed commit may have happened: E_UNCERTAIN, read again before a retry. */
enum err_code db_commit(struct db_tx *tx, struct err *e) must_check;
void db_tx_end(struct db_tx *tx); /* rolls back unless committed */

/* ---- rows of named queries ---------------------------------------------------------------- */

struct db_rows {
	struct err *
		first; /* of an answer: see struct db_reader. NULL: the caller closes them */
	struct db *db;
	const struct sql_query *q;
	void *stmt;
	int slot;
	enum err_code code;
	struct err err;
};

/* A value of a result: `v` is an integer, or a decimal as nano-units, rounded to the nearest. A
 * decimal out of that range has only `real`. Text is valid until the next row. */
enum db_value { DB_NULL, DB_INT, DB_REAL, DB_TEXT };

struct db_cell {
	enum db_value type;
	struct opt_i64 v;
	double real;
	const char *text;
};

/* Reads the next row of a query whose columns are read by name. False at the end and
 * on an error, which closing returns. */
bool db_rows_step(struct db_rows *rows);
/* Index of a column of the result; -1: not found. */
int db_rows_column(const struct db_rows *rows, const char *name);
/* Name of a column of the result; NULL after the last. */
const char *db_rows_name(const struct db_rows *rows, int column);
/* NULL for column -1. */
struct db_cell db_rows_cell(const struct db_rows *rows, int column);
/* Integer only, for thousands of rows; 0 for NULL and for column -1. */
int64_t db_rows_i64(const struct db_rows *rows, int column);
/* Copy the texts of a row to the arena, which else are valid until the next row. Those that are equal in the row
 * before, which was kept likewise, or NULL, are shared with it. */
void db_rows_keep(
	const struct db_rows *rows, void *row, const void *before, struct arena *a);
/* Ends the read and returns any error of the steps. */
enum err_code db_rows_close(struct db_rows *rows, struct err *e);
/* The same after a loop whose body may have failed: an error `rc` is kept. */
enum err_code db_rows_end(struct db_rows *rows, enum err_code rc, struct err *e) must_check;

/* One answer: several queries, of which the first error is kept in `e`. After an error, queries have no
 * rows, and the answer is discarded; so only its end tests for one. Begin with an empty `e`. Rows are
 * allocated from `a`. The generated functions q_NAME_row (NULL: none), q_NAME_rows and q_NAME_read
 * ("-- cells:"; to be read to their end, which closes them) take a pointer to any struct with these
 * members, and the parameters by name: q_thing_row(x, .id = id). */
struct db_reader {
	struct db *db;
	struct arena *a;
	struct err *e;
};
#define DB_READER(x) (&(const struct db_reader){(x)->db, (x)->a, (x)->e})

/* ---- derived tables and views ------------------------------------------------------------- */

/* Stores the rollups of the bill in the file: creates them again if they are from another version.
 * *rebuilt is set if they are empty now and must be filled. Call it inside a transaction. */
enum err_code db_keep_rollups(struct db *db, bool *rebuilt, struct err *e) must_check;
/* Reports whether the rollups are from this version, or a compatible one. Otherwise they cannot be
 * read. */
/* Value of a key of the table `meta`; "" if there is none. */
enum err_code db_meta(struct db *db, const char *key, struct arena *a, const char **value,
	struct err *e) must_check;

enum err_code db_rollups_current(struct db *db, bool *current, struct err *e) must_check;
/* Creates empty temporary rollups, which replace those of the file from now on. */
enum err_code db_make_rollups(struct db *db, struct err *e) must_check;
/* `fit` is called when SQL first reads a rollup. If it does not set *fits, `roll_up` must create
 * temporary rollups (db_make_rollups) and fill them. Call it before any read. */
typedef enum err_code db_fit_fn(void *ctx, bool *fits, struct err *e);
typedef enum err_code db_roll_up_fn(void *ctx, struct err *e);
void db_ask_rollups(struct db *db, db_fit_fn *fit, db_roll_up_fn *roll_up, void *ctx);

/* Derived rows (db/derived.sql) of one snapshot. Before SQL first reads one of their tables, `fill`
 * is called to add its rows with derived_put_NAME(); it may fill and read other tables. A table
 * that cannot be filled cannot be read. Previous rows are discarded. `done` frees ctx: when this is
 * called again, when the connection is closed, and on error. E_BUG: one of the tables is being
 * read. */
typedef enum err_code db_fill_fn(void *ctx, const char *table, struct err *e);
typedef void db_done_fn(void *ctx);
enum err_code db_fill_derived(struct db *db, db_fill_fn *fill, db_done_fn *done, void *ctx,
	struct err *e) must_check;
/* Fill all of them now, except the tables in the list `but` ("a,b"), or NULL. Then calls `done`, unless rows are
 * computed. */
enum err_code db_derived_all(struct db *db, const char *but, struct err *e) must_check;
/* The rows of the table DERIVED_NAME are computed whenever they are read, from what `ctx` has until `done` is called;
 * their texts live as long. `fill` calls this, then adds their numbers, which is E_BUG once the table is full. */
struct db_computed {
	void (*row)(void *ctx, uint32_t number, void *row); /* fills a struct row_NAME */
	/* its first column, and all of its key: texts, which look-ups compare */
	const char *(*key)(void *ctx, uint32_t number, int column);
	bool brief; /* texts of other columns are there until the next row of the table is computed */
};
void db_derived_compute(struct db *db, int table, const struct db_computed *by, void *ctx);
enum err_code db_derived_add(
	struct db *db, int table, uint32_t number, struct err *e) must_check;
/* The table has no rows, and is filled again when it is read. */
void db_derived_forget(struct db *db, int table);
/* Rows refer to these texts from now on instead of copying them. Takes what is in the arena, which is freed with
 * the rows. */
void db_derived_share(struct db *db, struct arena *texts);
/* No derived rows: to check conditions, or for queries that do not need them. */
void db_derived_empty(struct db *db);

/* Creates the views that SQL names, directly or through others, on this connection. Statements do so themselves; call
 * it before many of them, because each new view makes the engine prepare all statements again. */
enum err_code db_need(struct db *db, const char *sql, struct err *e) must_check;
/* Copies the current rows of a view into a temporary table that replaces the view from then on, on
 * this connection: for many conditions over one view. `index` lists the columns for look-ups, or
 * NULL. For connections that write. */
enum err_code db_freeze_view(
	struct db *db, const char *view, const char *index, struct err *e) must_check;
void db_unfreeze_view(struct db *db, const char *view);
/* The derived rows and all views as statements for another tool that reads the file. */
enum err_code db_print_derived(struct db *db, struct sbuf *out, struct err *e) must_check;
void db_print_views(struct sbuf *out);

/* Creates empty temporary tables of this connection with the columns of tables of the file, which
 * they replace from now on: to work on other data without changing the stored data. `bare` ones
 * have neither keys nor references. */
enum err_code db_shadow(struct db *db, const char *const *tables, size_t n, bool bare,
	struct err *e) must_check;
/* Copies rows of the file into the table that replaces it: all (`column` NULL), or those with from
 * <= column < until. */
enum err_code db_shadow_copy(struct db *db, const char *table, const char *column,
	int64_t from, int64_t until, struct err *e) must_check;

/* ---- SQL of users ------------------------------------------------------------------------- */

/* One read-only statement: SELECT over tables and views, at most `ms` milliseconds. */
struct db_cursor {
	struct db *db;
	void *stmt, *kept; /* kept: NULL if it ends with the cursor */
	uint64_t derived;  /* set of the derived rows that it reads */
	int64_t deadline_ms;
	int64_t steps; /* 0: no limit */
	bool hostile;  /* see db_distrust() */
};

enum err_code db_cursor_open(struct db *db, const char *sql, int64_t ms,
	struct db_cursor *c, struct err *e) must_check;
/* Name of a view whose amounts the statement, opened by the function above, adds without reading their
 * currency; NULL: none. */
const char *db_adds_amounts(struct db *db, const char *sql);
/* Does a condition over a row of the view read one of these columns of it, or any other row? As the engine resolves its
 * names; true if that cannot be decided. The view `present` does not count. */
bool db_condition_reads(struct db *db, const struct view *v, const char *where,
	const char *const *columns, size_t n);
/* The same for SQL that tpucost generates without user text: it may read tables. */
enum err_code db_cursor_open_own(struct db *db, const char *sql, int64_t ms,
	struct db_cursor *c, struct err *e) must_check;
/* The same for a condition that runs unattended: also with a step limit, without recursion, and
 * words in double quotes are always names of columns, never text. `own`: it has no text of a user, and is not
 * checked. The statement is kept for the next time. */
enum err_code db_cursor_open_rule(struct db *db, const char *sql, bool own,
	struct db_cursor *c, struct err *e) must_check;
/* Until it is off again: the texts of statements that are opened came from elsewhere, and other requests
 * wait for them. Texts and memory are limited, the clock is checked often, and printf and format are
 * refused, so that they end in time whatever they compute. */
void db_distrust(struct db *db, bool on);
/* Does the statement have parameters? Those that are not bound are NULL. */
bool db_cursor_has_params(const struct db_cursor *c);
/* Binds ":name"; unknown names are ignored. The text is copied. */
void db_cursor_bind(struct db_cursor *c, const char *name, const char *text);
void db_cursor_bind_i64(struct db_cursor *c, const char *name, int64_t v);
/* Runs it again from the beginning, within what is left of its limits. */
void db_cursor_again(struct db_cursor *c);
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

/* ---- maintenance -------------------------------------------------------------------------- */

/* Checks that every page is readable and indexes are consistent; E_DB names the problem. */
enum err_code db_check(struct db *db, struct err *e) must_check;
/* db_check for a writer that found a -wal file from a crash or from another source: pages of
 * another database do not match. On E_DB closing does not change either file. */
enum err_code db_check_wal(struct db *db, struct err *e) must_check;
/* Checks that every reference has a row; E_DB names the table. */
enum err_code db_check_references(struct db *db, struct err *e) must_check;
/* Number of tables of the file and of all their rows. */
enum err_code db_count(
	struct db *db, int64_t *tables, int64_t *rows, struct err *e) must_check;
/* "is the database itself" or "belongs to the database", if `path` is that file by any name, existing or not; NULL:
 * neither. */
const char *db_owns(const char *database, const char *path);
/* Ends of the names of its copies: on their way to Cloud Storage and from there, and what a take-over replaced. */
#define DB_COPY ".copy"
#define DB_RESTORING ".restoring"
#define DB_REPLACED ".replaced"
/* A consistent copy of a live database, private to the user, checked and synced before it gets its
 * name. It is marked as a copy in its table meta: DB_BACKUP_MARK is the time. E_CONFLICT: the name
 * exists and `overwrite` is not set, or it is the database itself. */
#define DB_BACKUP_MARK "backup"
/* Key of meta: the day of the last copy to Cloud Storage. */
#define DB_SHIPPED "copy_shipped"
enum err_code db_backup(
	struct db *db, const char *path, bool overwrite, struct err *e) must_check;
/* Replaces the content of the database at `path` with that of the copy at `from`, in one transaction: both stay the same
 * files, and readers see one or the other. E_BUSY: another process writes. */
enum err_code db_restore(const char *path, const char *from, struct err *e) must_check;
/* Returns free pages to the file system if they are an eighth of the file: at most SHRINK_PAGES. A file
 * that an older tpucost created has to be compacted once before. */
#define SHRINK_PAGES 1000
enum err_code db_shrink(struct db *db, struct err *e) must_check;
/* Rewrites the file without free pages. Needs as much additional disk space as its size, and the
 * same in the directory of temporary files. */
enum err_code db_compact(struct db *db, struct err *e) must_check;

/* Writes lines of usage into the temporary staging table, many with one statement. */

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
	int64_t discount;      /* cost at list prices, minus cost */
	int64_t committed;     /* part of it by the consumption model */
	int64_t rows;          /* rows of the export */
};

/* Amounts of lines that agree in all other columns are added up, with staged lines and with each
 * other. Call it inside a transaction. */
enum err_code stage_put(
	struct db *db, const struct stage_line *lines, size_t n, struct err *e) must_check;

#endif

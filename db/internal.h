/* What the files of db/ share. */
#ifndef TPUCOST_DB_INTERNAL_H
#define TPUCOST_DB_INTERNAL_H

#include "base/sbuf.h"
#include "db/db.h"
#include "db/stmt.h"

#include <sqlite3.h>

#define DB_APPLICATION_ID 0x54505543 /* "TPUC" */
#define DB_SLOTS 256                 /* statement cache, power of two */

/* SQL of users: bytes of a text that a function makes, of a statement, and of a text of our own */
#define QUERY_TEXT 10000000
#define QUERY_LENGTH 100000
#define ANY_TEXT 1000000000

#define DB_MAX_PARAMS 40 /* of one query */

struct slot {
	const struct sql_query *q;
	sqlite3_stmt *stmt;
	/* where "$1", "$2", ... stand: SQLite numbers parameters as they come in the text */
	unsigned char index[DB_MAX_PARAMS];
	uint64_t derived; /* the derived rows that it reads: a set */
	bool busy;
};

struct db {
	sqlite3 *sq;
	struct clock *clock;
	char *path;
	bool readonly;
	bool shared;         /* the group may read the file */
	int depth;           /* of transactions */
	bool doomed;         /* an inner one was rolled back */
	const char *tx_file; /* where the outermost began */
	int tx_line;
	bool guard;              /* the authorizer checks SQL of a user */
	bool no_recursion;       /* and refuses WITH RECURSIVE */
	bool quotes_are_names;   /* words in double quotes are never text */
	int64_t deadline_ms;     /* of the running user query; 0: none */
	int64_t steps_left;      /* of the same; INT64_MAX: no limit */
	sqlite3_stmt *held;      /* is being read: see db_hold() */
	struct derived *derived; /* see db/derived.c */
	struct own_rollups
		*own_rollups; /* see db/own_rollups.c; NULL: those of the file are read */
	unsigned char *views; /* which of db_views are made; see db/views.c */
	struct derived_rows *staging; /* see db/migrate.c; NULL: nothing is staged here */
	struct derived_rows *ref_sum; /* see db/rollup/ref_sums.c; NULL: not shown yet */
	sqlite3 *stubs;               /* see db/only_views.c; NULL: nobody has asked yet */
	unsigned char *stubbed;       /* which of db_views are in there */
	bool bounded; /* the statement that runs may use so much memory and no more */
	struct slot slots[DB_SLOTS];
};

/* The engine's own words for what went wrong; `what` says what was tried. */
enum err_code db_error(struct db *db, struct err *e, const char *what);
/* A value of the row that a statement is at. */
struct db_cell db_cell_of(sqlite3_stmt *st, int column);
/* Run fixed SQL of ours. */
enum err_code db_exec(struct db *db, const char *sql, struct err *e) must_check;
/* One integer, e.g. of a pragma. */
enum err_code db_pragma(
	struct db *db, const char *sql, int64_t *out, struct err *e) must_check;
enum err_code db_migrate(struct db *db, struct err *e) must_check;
/* The temporary tables that facts pass through on their way in. */
enum err_code db_make_stage(struct db *db, struct err *e) must_check;
/* Before SQL is prepared: the views that it names, itself or by others, are made. */
enum err_code db_need(struct db *db, const char *sql, struct err *e) must_check;
/* The same with its views in front: *sql becomes a text in `room`. Where that is not the same, they
 * are made. */
enum err_code db_need_in_front(
	struct db *db, const char **sql, struct sbuf *room, struct err *e) must_check;
/* Which of db_views; -1: none. */
int db_view_named(const char *word, size_t n);
/* Limits that a person's query does not reach and a hostile one should. */
void db_limit(sqlite3 *sq, bool on);
/* Does SQL of a user that can be prepared read nothing but views? Before db_need() for the same SQL. */
enum err_code db_reads_views(
	struct db *db, const char *sql, bool *only, struct err *e) must_check;
void db_views_begin(struct db *db); /* of a connection that is opened */
void db_views_stay(struct db *db);  /* a transaction ended: those made in it stay */
void db_views_rolled_back(struct db *db);
/* The derived rows as tables of this connection; none has been filled. */
enum err_code db_derived_make(struct db *db, struct err *e) must_check;
void db_derived_free(struct db *db);
/* An array in memory as a table of SQL, of numbers and without a key; its end is that of the
 * connection. And what it stands for at the moment, at first nothing. */
struct derived_rows;
enum err_code db_make_array(struct db *db, const struct derived_table *t,
	struct derived_rows **out, struct err *e) must_check;
void db_show_array(struct derived_rows *array, const void *rows, size_t n);
/* Before a statement is prepared; and after: the derived rows that it reads, a set. */
void db_reads_begin(struct db *db);
uint64_t db_derived_planned(const struct db *db);
/* They are filled where they are not. Before a statement runs. */
enum err_code db_derived_need(struct db *db, uint64_t tables, struct err *e) must_check;
void db_own_rollups_begin(struct db *db);
/* While a statement is prepared: it reads that table. */
void db_own_rollups_read(struct db *db, const char *table);
/* After: if it reads rollups, and those of the file do not fit, others are made. */
enum err_code db_own_rollups_need(struct db *db, struct err *e) must_check;
bool db_has_own_rollups(const struct db *db);
/* A transaction ended: what was made in it is there to stay. */
void db_own_rollups_stay(struct db *db);
void db_own_rollups_rolled_back(struct db *db);
void db_guard_install(struct db *db);
/* Closing does not write what is in the -wal file into the database. */
void db_keep_wal(struct db *db);

#endif

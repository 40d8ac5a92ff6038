/* Declarations shared by the files of db/. */
#ifndef TPUCOST_DB_INTERNAL_H
#define TPUCOST_DB_INTERNAL_H

#include "base/sbuf.h"
#include "db/db.h"
#include "db/stmt.h"

#include <sqlite3.h>

#define DB_APPLICATION_ID 0x54505543 /* "TPUC" */
/* Remedy for a damaged file. */
#define DAMAGED_FIX "restore a backup, or move it away and collect again"
#define DB_SLOTS 256 /* statement cache, power of two */

/* SQL of users: bytes of a text that a function creates, of a statement, and of a text of
 * tpucost */
#define QUERY_TEXT 10000000
#define QUERY_LENGTH 100000
#define ANY_TEXT 1000000000

#define DB_MAX_PARAMS 40 /* of one query */

struct slot {
	const struct sql_query *q;
	sqlite3_stmt *stmt;
	/* numbers that SQLite gives its parameters; 0: not in the text of this statement */
	unsigned char index[DB_MAX_PARAMS];
	uint64_t derived; /* set of the derived rows that it reads */
	bool busy;
};

struct db {
	sqlite3 *sq;
	struct clock *clock;
	char *path;
	bool readonly;
	bool answered;       /* usage is that of an answer: db/answer.c */
	bool shared;         /* the group may read the file */
	int depth;           /* of transactions */
	bool doomed;         /* an inner one was rolled back */
	const char *tx_file; /* place where the outermost began */
	int tx_line;
	bool guard;              /* the authorizer checks SQL of a user */
	bool no_recursion;       /* and refuses WITH RECURSIVE */
	bool distrust;           /* see db_distrust() */
	bool quotes_are_names;   /* words in double quotes are never text */
	int64_t deadline_ms;     /* of the running user query; 0: none */
	int64_t steps_left;      /* of that query; INT64_MAX: no limit */
	sqlite3_stmt *held;      /* is being read: see db_hold() */
	struct derived *derived; /* see db/derived.c */
	/* see db/own_rollups.c; NULL: those of the file are read */
	struct own_rollups *own_rollups;
	unsigned char *views;   /* created members of db_views; see db/views.c */
	short **views_named;    /* by each of them */
	unsigned views_changed; /* number of times that one was created or removed */
	struct kept *kept;      /* see db/guard.c */
	size_t n_kept;
	struct derived_rows *staging; /* see db/migrate.c; NULL: nothing is staged */
	struct derived_rows *ref_sum; /* see db/rollup/ref_sums.c; NULL: not shown yet */
	bool only_views;              /* see db_open_views() */
	sqlite3 *stubs;               /* see db/only_views.c; NULL: not used yet */
	unsigned char *stubbed;       /* the members of db_views in it */
	sqlite3 *empty;               /* see db_condition_reads(); NULL: not used yet */
	bool bounded;                 /* memory limit of the running statement */
	struct slot slots[DB_SLOTS];
};

/* Sets the engine's error; `what` names the attempted operation. */
enum err_code db_error(struct db *db, struct err *e, const char *what);
/* A value of the current row of a statement. */
struct db_cell db_cell_of(sqlite3_stmt *st, int column);
/* Runs fixed SQL of tpucost. */
enum err_code db_exec(struct db *db, const char *sql, struct err *e) must_check;
/* Reads one integer, such as a pragma. */
enum err_code db_pragma(
	struct db *db, const char *sql, int64_t *out, struct err *e) must_check;
enum err_code db_migrate(struct db *db, struct err *e) must_check;
/* The temporary tables of the stage. */
enum err_code db_make_stage(struct db *db, struct err *e) must_check;
/* As db_need() with the views in front: *sql becomes a text in `room`. If that is not equivalent, or
 * `room` is NULL, the views are created. */
enum err_code db_need_in_front(
	struct db *db, const char **sql, struct sbuf *room, struct err *e) must_check;
/* Index in db_views; -1: none. */
int db_view_named(const char *word, size_t n);
/* Limits that normal queries of users do not reach but hostile ones would. */
void db_limit(sqlite3 *sq, bool on);
/* Reports whether SQL of a user that can be prepared reads only views. Call it before db_need() for
 * the same SQL. */
enum err_code db_reads_views(
	struct db *db, const char *sql, bool *only, struct err *e) must_check;
void db_views_begin(struct db *db); /* of a connection that is being opened */
void db_views_stay(struct db *db);  /* a transaction ended: views created in it stay */
void db_views_rolled_back(struct db *db);
void db_views_end(struct db *db);
/* The derived rows as tables of this connection; none is filled. */
enum err_code db_derived_make(struct db *db, struct err *e) must_check;
void db_derived_free(struct db *db);
/* An array in memory as a table of SQL, of numbers and without a key; it ends with the connection.
 * The second function sets the array, which is initially empty. */
struct derived_rows;
enum err_code db_make_array(struct db *db, const struct derived_table *t,
	struct derived_rows **out, struct err *e) must_check;
void db_show_array(struct derived_rows *array, const void *rows, size_t n);
/* Called before a statement is prepared; and after: the set of derived rows that it reads. */
void db_reads_begin(struct db *db);
uint64_t db_derived_planned(const struct db *db);
/* Fills those that are not filled. Called before a statement runs. */
enum err_code db_derived_need(struct db *db, uint64_t tables, struct err *e) must_check;
void db_own_rollups_begin(struct db *db);
/* Called while a statement is prepared: it reads that table. */
void db_own_rollups_read(struct db *db, const char *table);
/* Called after: if it reads rollups, and those of the file do not fit, others are created. */
enum err_code db_own_rollups_need(struct db *db, struct err *e) must_check;
/* A transaction ended: rollups created in it stay. */
void db_own_rollups_stay(struct db *db);
void db_own_rollups_rolled_back(struct db *db);
/* Makes room for other temporary rollups; and creates them again after db_drop_rollups(). */
enum err_code db_own_rollups_hide(struct db *db, struct err *e) must_check;
void db_own_rollups_show(struct db *db);
/* Drops the temporary ones. */
void db_drop_rollups(struct db *db);
void db_guard_install(struct db *db);

/* db/memory.c: bytes that SQLite may allocate for this thread from now on, beyond those in use; 0: any. What
 * exceeds them fails with SQLITE_NOMEM. */
void db_limit_memory(int64_t bytes);

/* Before the connection is closed. */
void db_forget_kept(struct db *db);
/* Replaces sum(): see sum.c. */
void db_sum_install(struct db *db);
/* Closing does not write the content of the -wal file into the database. */
void db_keep_wal(struct db *db);

#endif

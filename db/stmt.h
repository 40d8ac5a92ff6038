/* Building blocks of generated queries. Used by build/gen/db_sql.c and db/ only. */
#ifndef TPUCOST_DB_STMT_H
#define TPUCOST_DB_STMT_H

#include "db/db.h"

enum sql_type { SQL_TEXT, SQL_I64 };

struct sql_field {
	char name
		[24]; /* no pointer: the 2,700 of them would be relocated whenever a program starts */
	uint32_t offset; /* in the struct of the query's arguments or row */
	uint8_t type;    /* enum sql_type */
	bool nullable;   /* text: NULL pointer; i64: struct opt_i64 */
};

struct sql_query {
	const char *name, *text;
	const struct sql_field *in, *out;
	int n_in, n_out;
	size_t row_size;
	bool views; /* may use some of them */
};

/* A table of derived rows. */
struct derived_table {
	const char *name;
	const char *columns; /* "id TEXT, chips INTEGER" */
	const struct sql_field *fields;
	int n_fields;
	int n_key; /* columns of the key, which are the first; 0: none */
	bool sorted; /* sorted by the key; otherwise rows keep the order in which they were added */
	size_t row_size;
};

struct db_migration {
	int version;
	const char *name, *sql;
};

struct db_view {
	const char *name, *sql;
};

extern const struct db_migration db_migrations[];
extern const int db_n_migrations;
extern const char db_new[]; /* the schema after all migrations */
extern const struct db_view db_views[];
extern const int db_n_views;
extern const struct derived_table db_derived_tables[];
extern const int db_n_derived_tables;
extern const char *const db_rollups[]; /* names of tables */
extern const int db_n_rollups;
extern const char db_derived[]; /* the tables of db/derived.sql that are not derived rows */
extern const struct sql_query *const db_queries[];
extern const int db_n_queries;

/* Runs to completion. */
enum err_code db_query_run(
	struct db *db, const struct sql_query *q, const void *in, struct err *e) must_check;
enum err_code db_rows_open(struct db *db, const struct sql_query *q, const void *in,
	struct db_rows *rows, struct err *e) must_check;
bool db_rows_next(struct db_rows *rows, void *row);
/* The first row; its text is copied into the arena, which may be NULL if it has none. */
enum err_code db_rows_one(struct db *db, const struct sql_query *q, const void *in,
	struct arena *a, void *row, bool *found, struct err *e) must_check;
/* All rows, likewise. */
enum err_code db_rows_all(struct db *db, const struct sql_query *q, const void *in,
	struct arena *a, void **rows, size_t *n, struct err *e) must_check;

/* The same for one answer: see struct db_reader. */
void *db_read_row(const struct db_reader *r, const struct sql_query *q, const void *in);
void *db_read_rows(
	const struct db_reader *r, const struct sql_query *q, const void *in, size_t *n);
struct db_rows db_read_open(
	const struct db_reader *r, const struct sql_query *q, const void *in);

/* The row and its texts are copied. E_BUG: the table is full already, or a text is missing. */
enum err_code db_derived_put(
	struct db *db, int table, const void *row, struct err *e) must_check;

#endif

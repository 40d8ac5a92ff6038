/* Named queries: a cache of prepared statements, and generic binding and reading. */
#include "db/stmt.h"

#include "base/money.h"
#include "db/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum err_code query_error(struct db *db, const struct sql_query *q, struct err *e)
{
	db_error(db, e, q->name);
	if (e &&
		(strstr(sqlite3_errmsg(db->sq), "integer overflow") ||
			strstr(sqlite3_errmsg(db->sq),
				"cannot store REAL value in INTEGER")))
		err_set(e, E_OVERFLOW,
			"database %s: %s: the sum of the amounts is too large", db->path,
			q->name);
	return e ? e->code : E_DB;
}

static size_t stmt_hash(const struct sql_query *q)
{
	return (size_t)(((uintptr_t)q >> 4) * 0x9e3779b97f4a7c15u >> 40) & (DB_SLOTS - 1);
}

static void map_params(
	sqlite3_stmt *st, const struct sql_query *q, unsigned char index[DB_MAX_PARAMS])
{
	char name[64];

	for (int i = 0; i < q->n_in; i++) {
		snprintf(name, sizeof(name), "$%s", q->in[i].name);
		index[i] = (unsigned char)sqlite3_bind_parameter_index(st, name);
	}
}

static void stmt_give_back(struct db *db, sqlite3_stmt *st, int slot)
{
	if (slot < 0) {
		sqlite3_finalize(st);
		return;
	}
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	db->slots[slot].busy = false;
}

static enum err_code stmt_prepare(struct db *db, const struct sql_query *q,
	sqlite3_stmt **out, uint64_t *derived, struct err *e)
{
	cleanup(sbuf_done) struct sbuf room = SBUF_INIT;
	const char *sql = q->text;

	if (q->views && db_need_in_front(db, &sql, &room, e))
		return e ? e->code : E_DB;
	db_reads_begin(db);
	if (sqlite3_prepare_v3(db->sq, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL))
		return query_error(db, q, e);
	*derived = db_derived_planned(db);
	return E_OK;
}

/* A prepared statement of the query that is not in use. It is prepared once and cached; if the
 * cached one is being read (a query inside its own loop), another one is prepared. */
static enum err_code take_stmt(struct db *db, const struct sql_query *q, sqlite3_stmt **out,
	int *slot, struct err *e)
{
	size_t i = stmt_hash(q), tried = 0;
	uint64_t derived = 0;

	while (db->slots[i].q && db->slots[i].q != q && tried++ < DB_SLOTS)
		i = (i + 1) & (DB_SLOTS - 1);
	*slot = -1;
	if (db->slots[i].q == q && !db->slots[i].busy) {
		*slot = (int)i;
		*out = db->slots[i].stmt;
		db->slots[i].busy = true;
		derived = db->slots[i].derived;
	} else if (stmt_prepare(db, q, out, &derived, e)) {
		return e ? e->code : E_DB;
	}
	if (!db->slots[i].q) {
		db->slots[i] = (struct slot){
			.q = q, .stmt = *out, .derived = derived, .busy = true};
		map_params(*out, q, db->slots[i].index);
		*slot = (int)i;
	}
	if (!db_own_rollups_need(db, e) && !db_derived_need(db, derived, e))
		return E_OK;
	stmt_give_back(db, *out, *slot);
	return e ? e->code : E_DB;
}

static enum err_code bind_one(struct db *db, const struct sql_query *q, sqlite3_stmt *st,
	int i, int index, const void *in, struct err *e)
{
	const struct sql_field *f = &q->in[i];
	const char *at = (const char *)in + f->offset;
	int rc;

	if (!index) /* a parameter of another of its statements */
		return E_OK;
	if (f->type == SQL_TEXT) {
		const char *text = *(const char *const *)at;

		if (!text && !f->nullable)
			return err_set(e, E_BUG, "query %s: %s is NULL", q->name, f->name);
		/* The caller's text must live as long as the statement uses it. */
		rc = text ? sqlite3_bind_text(st, index, text, -1, SQLITE_STATIC)
			  : sqlite3_bind_null(st, index);
	} else if (f->nullable) {
		const struct opt_i64 *v = (const struct opt_i64 *)at;

		rc = v->set ? sqlite3_bind_int64(st, index, v->v)
			    : sqlite3_bind_null(st, index);
	} else {
		rc = sqlite3_bind_int64(st, index, *(const int64_t *)at);
	}
	return rc ? query_error(db, q, e) : E_OK;
}

static enum err_code stmt_start(struct db *db, const struct sql_query *q, const void *in,
	sqlite3_stmt **st, int *slot, struct err *e)
{
	unsigned char own[DB_MAX_PARAMS];
	const unsigned char *index = own;

	if (q->n_in > DB_MAX_PARAMS)
		return err_set(e, E_BUG, "query %s has too many parameters", q->name);
	/* The engine rolls back by itself after some errors. The remaining statements of the
	 * transaction would be stored separately. */
	if (db->depth && sqlite3_get_autocommit(db->sq))
		return err_set(e, E_DB, "database %s: %s: the transaction was rolled back",
			db->path, q->name);
	if (take_stmt(db, q, st, slot, e))
		return e ? e->code : E_DB;
	if (*slot >= 0)
		index = db->slots[*slot].index;
	else
		map_params(*st, q, own);
	for (int i = 0; i < q->n_in; i++) {
		enum err_code rc = bind_one(db, q, *st, i, index[i], in, e);

		if (rc) {
			stmt_give_back(db, *st, *slot);
			return rc;
		}
	}
	return E_OK;
}

enum err_code db_query_run(
	struct db *db, const struct sql_query *q, const void *in, struct err *e)
{
	struct err own;
	sqlite3_stmt *st;
	enum err_code rc;
	int slot;

	e = e ? e : &own;
	rc = stmt_start(db, q, in, &st, &slot, e);
	if (rc)
		return rc;
	if (sqlite3_step(st) != SQLITE_DONE)
		rc = query_error(db, q, e);
	stmt_give_back(db, st, slot);
	return rc;
}

enum err_code db_rows_open(struct db *db, const struct sql_query *q, const void *in,
	struct db_rows *rows, struct err *e)
{
	struct err own;
	sqlite3_stmt *st;
	enum err_code rc;
	int slot;

	e = e ? e : &own;
	memset(rows, 0, sizeof(*rows));
	rc = stmt_start(db, q, in, &st, &slot, e);
	if (rc)
		return rc;
	*rows = (struct db_rows){.db = db, .q = q, .stmt = st, .slot = slot};
	return E_OK;
}

/* The problem with the value, or NULL. tpucost never stores a NUL in a text; after one from another
 * source, text would be invisible and not covered by the hashes of the audit. */
static const char *stmt_unfit(const struct sql_field *f, sqlite3_value *v, int type)
{
	if (type == SQLITE_NULL)
		return f->nullable ? NULL : "no value";
	if (type != (f->type == SQL_TEXT ? SQLITE_TEXT : SQLITE_INTEGER))
		return "a value of the wrong type";
	if (type == SQLITE_TEXT &&
		strlen((const char *)sqlite3_value_text(v)) !=
			(size_t)sqlite3_value_bytes(v))
		return "a text with a NUL byte in it";
	return NULL;
}

/* The value is fetched once, which is cheaper than naming its column for each property. Using it is
 * safe, because no second thread uses the connection. */
static bool read_column(struct db_rows *rows, int i, void *row)
{
	const struct sql_field *f = &rows->q->out[i];
	char *at = (char *)row + f->offset;
	sqlite3_value *v = sqlite3_column_value(rows->stmt, i);
	int type = sqlite3_value_type(v);
	const char *why = stmt_unfit(f, v, type);

	if (why) {
		rows->code = err_set(&rows->err, E_DB,
			"database %s: query %s: column %s has %s", rows->db->path,
			rows->q->name, f->name, why);
		return false;
	}
	if (f->type == SQL_TEXT)
		*(const char **)at = (const char *)sqlite3_value_text(v);
	else if (f->nullable)
		*(struct opt_i64 *)at = type == SQLITE_NULL ? NONE
							    : SOME(sqlite3_value_int64(v));
	else
		*(int64_t *)at = sqlite3_value_int64(v);
	return true;
}

/* Larger decimals in nano-units exceed 64 bits. */
#define MOST_UNITS 9.2e9

struct db_cell db_cell_of(sqlite3_stmt *st, int i)
{
	sqlite3_value *v = sqlite3_column_value(st, i); /* once: see read_column() */
	struct db_cell c = {0};

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		c.type = DB_INT;
		c.v = SOME(sqlite3_value_int64(v));
		break;
	case SQLITE_NULL:
		break;
	case SQLITE_FLOAT:
		c.type = DB_REAL;
		c.real = sqlite3_value_double(v);
		if (c.real > -MOST_UNITS && c.real < MOST_UNITS)
			c.v = SOME(llroundl((long double)c.real * NANOS));
		break;
	default:
		c.type = DB_TEXT;
		c.text = (const char *)sqlite3_value_text(v);
	}
	return c;
}

bool db_rows_step(struct db_rows *rows)
{
	int rc;

	if (rows->code || !rows->stmt)
		return false;
	rc = sqlite3_step(rows->stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		rows->code = query_error(rows->db, rows->q, &rows->err);
	if (rc != SQLITE_ROW && rows->first)
		(void)db_rows_close(rows, rows->first);
	return rc == SQLITE_ROW;
}

int db_rows_column(const struct db_rows *rows, const char *name)
{
	for (int i = sqlite3_column_count(rows->stmt) - 1; i >= 0; i--)
		if (!strcmp(sqlite3_column_name(rows->stmt, i), name))
			return i;
	return -1;
}

const char *db_rows_name(const struct db_rows *rows, int column)
{
	return sqlite3_column_name(rows->stmt, column);
}

struct db_cell db_rows_cell(const struct db_rows *rows, int column)
{
	return column < 0 ? (struct db_cell){0} : db_cell_of(rows->stmt, column);
}

int64_t db_rows_i64(const struct db_rows *rows, int column)
{
	return column < 0 ? 0 : sqlite3_column_int64(rows->stmt, column);
}

bool db_rows_next(struct db_rows *rows, void *row)
{
	if (!db_rows_step(rows))
		return false;
	for (int i = 0; i < rows->q->n_out; i++)
		if (!read_column(rows, i, row))
			return false;
	return true;
}

enum err_code db_rows_close(struct db_rows *rows, struct err *e)
{
	enum err_code code = rows->code;

	if (rows->stmt)
		stmt_give_back(rows->db, rows->stmt, rows->slot);
	rows->stmt = NULL;
	if (code && e)
		*e = rows->err;
	return code;
}

enum err_code db_rows_end(struct db_rows *rows, enum err_code rc, struct err *e)
{
	enum err_code code = db_rows_close(rows, rc ? NULL : e);

	return rc ? rc : code;
}

static void keep_texts(
	const struct sql_query *q, void *row, const void *before, struct arena *a)
{
	for (int i = 0; i < q->n_out; i++) {
		const char **text = (const char **)((char *)row + q->out[i].offset);
		const char *same = NULL;

		if (q->out[i].type != SQL_TEXT)
			continue;
		if (before)
			memcpy(&same, (const char *)before + q->out[i].offset,
				sizeof(same));
		*text = same && *text && !strcmp(same, *text) ? same
							      : arena_strdup(a, *text);
	}
}

void db_rows_keep(
	const struct db_rows *rows, void *row, const void *before, struct arena *a)
{
	keep_texts(rows->q, row, before, a);
}

enum err_code db_rows_one(struct db *db, const struct sql_query *q, const void *in,
	struct arena *a, void *row, bool *found, struct err *e)
{
	struct db_rows rows;
	enum err_code rc = db_rows_open(db, q, in, &rows, e);

	if (rc)
		return rc;
	memset(row, 0, q->row_size);
	*found = db_rows_next(&rows, row);
	if (*found)
		keep_texts(q, row, NULL, a);
	return db_rows_close(&rows, e);
}

enum err_code db_rows_all(struct db *db, const struct sql_query *q, const void *in,
	struct arena *a, void **out, size_t *n, struct err *e)
{
	cleanup(free_ptr) char *all = NULL; /* an arena would keep every size that it had */
	struct db_rows rows;
	size_t cap = 0;

	*n = 0;
	*out = NULL;
	if (db_rows_open(db, q, in, &rows, e))
		return e->code;
	for (;; ++*n) {
		char *row;

		if (*n == cap)
			all = xrealloc(all, (cap = cap ? cap * 2 : 8) * q->row_size);
		row = memset(all + *n * q->row_size, 0, q->row_size);
		if (!db_rows_next(&rows, row))
			break;
		keep_texts(q, row, *n ? row - q->row_size : NULL, a);
	}
	*out = arena_alloc(a, *n * q->row_size);
	memcpy(*out, all, *n * q->row_size);
	return db_rows_close(&rows, e);
}

/* ---- one answer ------------------------------------------------------------------------------ */

void *db_read_row(const struct db_reader *r, const struct sql_query *q, const void *in)
{
	void *row = arena_alloc(r->a, q->row_size);
	bool found = false;

	return !r->e->code && !db_rows_one(r->db, q, in, r->a, row, &found, r->e) && found
		? row
		: NULL;
}

void *db_read_rows(
	const struct db_reader *r, const struct sql_query *q, const void *in, size_t *n)
{
	void *rows = NULL;

	*n = 0;
	if (!r->e->code && db_rows_all(r->db, q, in, r->a, &rows, n, r->e))
		*n = 0;
	return rows;
}

struct db_rows db_read_open(
	const struct db_reader *r, const struct sql_query *q, const void *in)
{
	struct db_rows rows = {0};

	if (!r->e->code && !db_rows_open(r->db, q, in, &rows, r->e))
		rows.first = r->e;
	else
		rows.code = r->e->code;
	return rows;
}

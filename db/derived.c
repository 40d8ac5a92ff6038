/* Derived rows: structs in memory that SQL reads as tables.
 *
 * Each table of db/derived.sql is a virtual table. While a statement is prepared, the engine asks
 * how to read each of its tables (rows_plan() below), which records them. Before the statement
 * runs, those without rows are filled.
 *
 * 	SELECT net FROM verdict WHERE id = 'p/vm/z/a'
 *
 * is planned as a look-up by the first column. It is prepared, `verdict` is filled by the
 * derivation and sorted by its key, and then the statement finds its row by binary search. A
 * look-up by another column sorts the numbers of the rows by that column, once.
 *
 * Most values of most rows are NULL or 0. A row is kept as words: a set of the columns that have a
 * value, then those values. With columns id, family, chips, hosts, the row ('p/vm/z/a', NULL, NULL, 4)
 * is 0b1001, the text's address, 4; hosts is value number popcount(0b1001 & 0b0111) = 1.
 *
 * Rows of a table with one for most resources are not kept at all: the derivation computes them from its
 * facts when they are read (db_derived_compute()), and only a number is kept for each.
 *
 * An array of the caller can also be such a table, for one statement at a time: copying each of its
 * rows into a table takes longer than reading them all. */
#include "base/str.h"
#include "db/derived_rows.h"

#include <stdlib.h>
#include <string.h>

struct table {
	sqlite3_vtab base;
	struct derived_rows *rows;
};

struct cursor {
	sqlite3_vtab_cursor base;
	size_t at, end;
	const uint32_t *order; /* NULL: in stored order */
};

/* ---- callbacks of the engine ------------------------------------------------------------------- */

static int rows_connect(sqlite3 *sq, void *ctx, int argc, const char *const *argv,
	sqlite3_vtab **out, char **why)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct derived_rows *r = ctx;
	struct table *t;
	int rc;

	(void)argc, (void)argv, (void)why;
	sbuf_adds(&sql, "CREATE TABLE x (");
	if (r->of)
		sbuf_adds(&sql, r->t->columns);
	for (int i = 0; !r->of && i < r->t->n_fields; i++)
		sbuf_addf(&sql, "%s%s", i ? ", " : "", r->t->fields[i].name);
	sbuf_addc(&sql, ')');
	rc = sqlite3_declare_vtab(sq, sql.s); /* the authorizer is not asked */
	if (rc)
		return rc;
	t = xcalloc(1, sizeof(*t));
	t->rows = r;
	*out = &t->base;
	return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

/* Estimates for the engine: to read all rows, or those with one value. */
#define COST_ALL (1 << 20)
#define COST_LOOK_UP 10

static bool rows_is_ordered(const struct derived_table *t, const sqlite3_index_info *info)
{
	/* Rows of one key are one row, which needs no further order. */
	for (int i = 0; i < info->nOrderBy && i < t->n_key; i++)
		if (info->aOrderBy[i].iColumn != i || info->aOrderBy[i].desc)
			return false;
	return t->sorted;
}

static bool rows_can_look_up(sqlite3_index_info *info, int i, int column)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];

	return c->iColumn == column && c->usable &&
		(c->op == SQLITE_INDEX_CONSTRAINT_EQ ||
			c->op == SQLITE_INDEX_CONSTRAINT_IS) &&
		!sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY");
}

/* The constraint for look-ups: of the first column that has one, as the key is first. -1: none. */
static int rows_choose(const struct derived_table *t, sqlite3_index_info *info)
{
	for (int column = 0; column < t->n_fields; column++)
		for (int i = 0; i < info->nConstraint; i++)
			if (rows_can_look_up(info, i, column))
				return i;
	return -1;
}

/* The plan as a number: 0 reads all rows, else 1 + 2 * column, plus one if NULL equals NULL. */
static int rows_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct derived_rows *r = ((struct table *)base)->rows;
	const struct derived_table *t = r->t;
	int i;

	if (!r->of)
		return SQLITE_OK;
	i = rows_choose(t, info);
	r->of->planned |= rows_bit_of(r);
	info->orderByConsumed = rows_is_ordered(t, info);
	info->estimatedCost = COST_ALL;
	if (i < 0)
		return SQLITE_OK;
	info->idxNum = 1 + 2 * info->aConstraint[i].iColumn +
		(info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_IS);
	info->aConstraintUsage[i].argvIndex = 1;
	info->estimatedCost = COST_LOOK_UP;
	return SQLITE_OK;
}

static int rows_open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct cursor *c = xcalloc(1, sizeof(*c));

	((struct table *)t)->rows->cursors++;
	*out = &c->base;
	return SQLITE_OK;
}

static int rows_close_cursor(sqlite3_vtab_cursor *c)
{
	((struct table *)c->pVtab)->rows->cursors--;
	free(c);
	return SQLITE_OK;
}

static int rows_order_at(const struct derived_rows *r, const struct cursor *c, size_t at,
	int column, const struct value *want)
{
	struct value v = rows_value_at(r, c->order ? c->order[at] : at, column);

	return rows_order_of(&v, want, r->t->fields[column].type);
}

/* The first position from `low` on with rows not less than the value, or greater than it. */
static size_t rows_bound(const struct derived_rows *r, const struct cursor *c, size_t low,
	int column, const struct value *want, bool behind)
{
	size_t high = r->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = rows_order_at(r, c, mid, column, want);

		if (order < 0 || (behind && !order))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Statements often ask for one value after the other: then its rows are those at `next`, behind the
 * ones found before. Mostly it is a single row. */
static void rows_find(const struct derived_rows *r, struct cursor *c, size_t next,
	int column, const struct value *want)
{
	if (next < r->n && rows_order_at(r, c, next, column, want) >= 0 &&
		(!next || rows_order_at(r, c, next - 1, column, want) < 0))
		c->at = next;
	else
		c->at = rows_bound(r, c, 0, column, want, false);
	c->end = c->at;
	if (c->end < r->n && !rows_order_at(r, c, c->end, column, want))
		c->end++;
	if (c->end > c->at && c->end < r->n && !rows_order_at(r, c, c->end, column, want))
		c->end = rows_bound(r, c, c->end + 1, column, want, true);
}

static bool rows_are_brief(const struct derived_rows *r)
{
	return r->computed && r->computed->by->brief;
}

/* Rows whose column has that value, and maybe others: the engine compares as well. A value of another type may still
 * be equal to some: then it gets all rows. */
static void rows_look_up(struct derived_rows *r, struct cursor *c, int column,
	bool null_too, sqlite3_value *v)
{
	enum sql_type type = r->t->fields[column].type;
	struct value want = {.null = sqlite3_value_type(v) == SQLITE_NULL};
	const uint32_t *before = c->order;
	size_t next = c->end;

	c->at = 0;
	c->end = want.null && !null_too ? 0 : r->n;
	c->order = NULL;
	if ((want.null && !null_too) ||
		(!want.null &&
			sqlite3_value_type(v) !=
				(type == SQL_TEXT ? SQLITE_TEXT : SQLITE_INTEGER)) ||
		(rows_are_brief(r) && !rows_is_key(r, column)))
		return;
	if (type == SQL_TEXT)
		want.s = (const char *)sqlite3_value_text(v);
	else
		want.i = sqlite3_value_int64(v);
	if (!r->t->sorted || column != 0) {
		if (!r->by[column])
			r->by[column] = rows_sort_numbers(r, column);
		c->order = r->by[column];
	}
	rows_find(r, c, c->order == before ? next : r->n, column, &want);
}

static int rows_rewind_cursor(sqlite3_vtab_cursor *base, int way, const char *name,
	int argc, sqlite3_value **argv)
{
	struct derived_rows *r = ((struct table *)base->pVtab)->rows;
	struct cursor *c = (struct cursor *)base;

	(void)name, (void)argc;
	if (r->of && !(r->of->ready & rows_bit_of(r))) {
		base->pVtab->zErrMsg = sqlite3_mprintf(
			"%s is read before it is filled", r->t->name);
		return SQLITE_ERROR;
	}
	if (way) {
		rows_look_up(r, c, (way - 1) / 2, way % 2 == 0, argv[0]);
		return SQLITE_OK;
	}
	c->at = 0;
	c->end = r->n;
	c->order = NULL;
	return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *c)
{
	((struct cursor *)c)->at++;
	return SQLITE_OK;
}

static int rows_at_end(sqlite3_vtab_cursor *c)
{
	return ((struct cursor *)c)->at >= ((struct cursor *)c)->end;
}

static size_t rows_row_of(const struct cursor *c)
{
	return c->order ? c->order[c->at] : c->at;
}

static int rows_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int i)
{
	const struct derived_rows *r = ((struct table *)base->pVtab)->rows;
	struct value v = rows_value_at(r, rows_row_of((struct cursor *)base), i);

	/* without a result, the column is NULL */
	if (v.s)
		sqlite3_result_text(out, v.s, -1,
			rows_are_brief(r) && !rows_is_key(r, i) ? SQLITE_TRANSIENT
								: SQLITE_STATIC);
	else if (!v.null)
		sqlite3_result_int64(out, v.i);
	return SQLITE_OK;
}

static int rows_row_id(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)rows_row_of((struct cursor *)c);
	return SQLITE_OK;
}

static const sqlite3_module module = {.xConnect = rows_connect,
	.xBestIndex = rows_plan,
	.xDisconnect = rows_disconnect,
	.xOpen = rows_open_cursor,
	.xClose = rows_close_cursor,
	.xFilter = rows_rewind_cursor,
	.xNext = rows_next,
	.xEof = rows_at_end,
	.xColumn = rows_column,
	.xRowid = rows_row_id};

enum err_code db_derived_make(struct db *db, struct err *e)
{
	struct derived *d = xcalloc(1, sizeof(*d));

	d->tables = xcalloc((size_t)db_n_derived_tables, sizeof(*d->tables));
	db->derived = d;
	for (int i = 0; i < db_n_derived_tables; i++) {
		const struct derived_table *t = &db_derived_tables[i];

		d->tables[i] = (struct derived_rows){.t = t, .db = db, .of = d};
		d->tables[i].by = xcalloc((size_t)t->n_fields, sizeof(*d->tables[i].by));
		if (sqlite3_create_module_v2(db->sq, t->name, &module, &d->tables[i], NULL))
			return db_error(db, e, t->name);
	}
	return E_OK;
}

enum err_code db_make_array(struct db *db, const struct derived_table *t,
	struct derived_rows **out, struct err *e)
{
	struct derived_rows *r = xcalloc(1, sizeof(*r));

	*r = (struct derived_rows){.t = t, .db = db};
	*out = r;
	/* The engine frees it, also if it refuses. */
	return sqlite3_create_module_v2(db->sq, t->name, &module, r, free)
		? db_error(db, e, t->name)
		: E_OK;
}

void db_show_array(struct derived_rows *array, const void *rows, size_t n)
{
	array->array = rows;
	array->n = n;
}

/* ---- filling ----------------------------------------------------------------------------------- */

static void rows_empty(struct derived_rows *r)
{
	for (int i = 0; i < r->t->n_fields; i++) {
		free(r->by[i]);
		r->by[i] = NULL;
	}
	if (r->computed)
		free(r->computed->row);
	free(r->computed);
	free(r->words);
	free(r->starts);
	r->computed = NULL;
	r->words = NULL;
	r->starts = NULL;
	r->n = r->cap = r->n_words = r->cap_words = 0;
	arena_done(&r->texts);
}

static void rows_unshare(struct derived *d)
{
	arena_done(&d->shared);
	arena_places_done(&d->shared_places);
}

void db_derived_share(struct db *db, struct arena *texts)
{
	struct derived *d = db->derived;

	rows_unshare(d);
	d->shared = *texts;
	*texts = (struct arena){0};
	d->shared_places = arena_places(&d->shared);
}

static void rows_forget_fill(struct derived *d)
{
	if (d->done)
		d->done(d->ctx);
	d->fill = NULL;
	d->done = NULL;
}

void db_derived_free(struct db *db)
{
	struct derived *d = db->derived;

	if (!d)
		return;
	rows_forget_fill(d);
	for (int i = 0; i < db_n_derived_tables; i++)
		if (d->tables[i].t) {
			rows_empty(&d->tables[i]);
			free(d->tables[i].by);
		}
	rows_unshare(d);
	free(d->tables);
	free(d);
}

enum err_code db_fill_derived(
	struct db *db, db_fill_fn *fill, db_done_fn *done, void *ctx, struct err *e)
{
	struct derived *d = db->derived;

	for (int i = 0; i < db_n_derived_tables; i++)
		if (d->tables[i].cursors) {
			if (done)
				done(ctx);
			return err_set(e, E_BUG, "derived table %s is being read",
				d->tables[i].t->name);
		}
	rows_forget_fill(d);
	for (int i = 0; i < db_n_derived_tables; i++)
		rows_empty(&d->tables[i]);
	rows_unshare(d);
	d->ready = d->filling = 0;
	d->fill = fill;
	d->done = done;
	d->ctx = ctx;
	return E_OK;
}

void db_derived_empty(struct db *db)
{
	if (!db_fill_derived(db, NULL, NULL, NULL, NULL))
		db->derived->ready = UINT64_MAX;
}

static enum err_code rows_fill_one(struct derived_rows *r, struct err *e)
{
	struct derived *d = r->of;
	size_t n = r->n; /* another table may have been filled together with this one */
	enum err_code rc;

	if (d->filling & rows_bit_of(r))
		return err_set(
			e, E_BUG, "derived table %s is read to fill itself", r->t->name);
	if (!d->fill)
		return err_set(e, E_BUG,
			"derived table %s is read, but nothing was derived", r->t->name);
	d->filling |= rows_bit_of(r);
	rc = d->fill(d->ctx, r->t->name, e);
	d->filling &= ~rows_bit_of(r);
	if (rc || rows_sort_by_key(r, e)) {
		r->n = n;
		return e->code;
	}
	if (r->n) {
		r->cap = r->n;
		r->starts = xrealloc(r->starts, r->cap * sizeof(*r->starts));
		r->cap_words = r->n_words;
		r->words = xrealloc(r->words, r->cap_words * sizeof(*r->words));
	}
	d->ready |= rows_bit_of(r);
	return E_OK;
}

enum err_code db_derived_need(struct db *db, uint64_t tables, struct err *e)
{
	struct derived *d = db->derived;
	uint64_t missing = tables & ~d->ready;
	struct err own;

	e = e ? e : &own;
	for (int i = 0; missing; i++, missing >>= 1)
		if (missing & 1 && !(d->ready >> i & 1) && rows_fill_one(&d->tables[i], e))
			return e->code;
	return E_OK;
}

void db_reads_begin(struct db *db)
{
	db->derived->planned = 0;
	db_own_rollups_begin(db);
}

uint64_t db_derived_planned(const struct db *db)
{
	return db->derived->planned;
}

enum err_code db_derived_all(struct db *db, const char *but, struct err *e)
{
	struct derived *d = db->derived;
	uint64_t all = 0;

	/* Facts are read once, from beginning to end: a larger cache is of no use. */
	sqlite3_exec(db->sq, "PRAGMA cache_size = -2048", NULL, NULL, NULL);
	for (int i = 0; i < db_n_derived_tables; i++)
		if (!but || !str_in_list(d->tables[i].t->name, but))
			all |= rows_bit_of(&d->tables[i]);
	if (db_derived_need(db, all, e))
		return e->code;
	for (int i = 0; i < db_n_derived_tables; i++)
		if (d->tables[i].computed)
			return E_OK;
	rows_forget_fill(d);
	return E_OK;
}

/* Rows that follow one another have many texts in common. */
static const char *rows_keep_text(struct derived_rows *r, int column, const char *text)
{
	const char *before = r->n ? rows_value_at(r, r->n - 1, column).s : NULL;

	return arena_has(&r->of->shared_places, text) ? text
		: before && !strcmp(before, text)     ? before
						      : arena_strdup(&r->texts, text);
}

static enum err_code rows_check_room(
	const struct derived_rows *r, size_t start, struct err *e)
{
	if (r->of->ready & rows_bit_of(r))
		return err_set(e, E_BUG, "derived table %s is full already", r->t->name);
	if (start > UINT32_MAX)
		return err_set(e, E_LIMIT, "derived table %s: too many rows", r->t->name);
	return E_OK;
}

static void rows_add(struct derived_rows *r, size_t start)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 16;
		r->starts = xrealloc(r->starts, r->cap * sizeof(*r->starts));
	}
	r->starts[r->n++] = (uint32_t)start;
}

void db_derived_forget(struct db *db, int table)
{
	struct derived_rows *r = &db->derived->tables[table];

	rows_empty(r);
	r->of->ready &= ~rows_bit_of(r);
}

void db_derived_compute(struct db *db, int table, const struct db_computed *by, void *ctx)
{
	struct derived_rows *r = &db->derived->tables[table];

	r->computed = xcalloc(1, sizeof(*r->computed));
	*r->computed = (struct computed){
		.by = by, .ctx = ctx, .row = xcalloc(1, r->t->row_size)};
}

enum err_code db_derived_add(struct db *db, int table, uint32_t number, struct err *e)
{
	struct derived_rows *r = &db->derived->tables[table];

	if (rows_check_room(r, number, e))
		return e->code;
	rows_add(r, number);
	return E_OK;
}

enum err_code db_derived_put(struct db *db, int table, const void *row, struct err *e)
{
	struct derived_rows *r = &db->derived->tables[table];
	size_t most = r->n_words + 1 + (size_t)r->t->n_fields;
	uint64_t *at, present = 0;

	if (rows_check_room(r, r->n_words, e))
		return e->code;
	if (most > r->cap_words) {
		r->cap_words = most * 2;
		r->words = xrealloc(r->words, r->cap_words * sizeof(*r->words));
	}
	at = &r->words[r->n_words] + 1;
	for (int i = 0; i < r->t->n_fields; i++) {
		const struct sql_field *f = &r->t->fields[i];
		struct value v = rows_value_in(f, row);

		if (v.null && !f->nullable)
			return err_set(e, E_BUG, "derived table %s: %s is NULL", r->t->name,
				f->name);
		if (v.null || (!f->nullable && !v.s && !v.i))
			continue;
		present |= UINT64_C(1) << i;
		*at++ = v.s ? (uintptr_t)rows_keep_text(r, i, v.s) : (uint64_t)v.i;
	}
	r->words[r->n_words] = present;
	rows_add(r, r->n_words);
	r->n_words = (size_t)(at - r->words);
	return E_OK;
}

/* ---- printing ---------------------------------------------------------------------------------- */

static void rows_print_value(struct sbuf *out, struct value v)
{
	if (v.null) {
		sbuf_adds(out, "NULL");
	} else if (!v.s) {
		sbuf_addf(out, "%lld", (long long)v.i);
	} else {
		char *quoted = sqlite3_mprintf("%Q", v.s);

		sbuf_adds(out, quoted);
		sqlite3_free(quoted);
	}
}

enum err_code db_print_derived(struct db *db, struct sbuf *out, struct err *e)
{
	if (db_derived_all(db, NULL, e))
		return e->code;
	for (int i = 0; i < db_n_derived_tables; i++) {
		const struct derived_rows *r = &db->derived->tables[i];

		sbuf_addf(out, "CREATE TEMP TABLE %s (%s);\n", r->t->name, r->t->columns);
		for (size_t row = 0; row < r->n; row++) {
			sbuf_addf(out, "INSERT INTO %s VALUES (", r->t->name);
			for (int k = 0; k < r->t->n_fields; k++) {
				sbuf_adds(out, k ? ", " : "");
				rows_print_value(out, rows_value_at(r, row, k));
			}
			sbuf_adds(out, ");\n");
		}
	}
	return E_OK;
}

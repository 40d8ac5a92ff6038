/* Temporary tables that are made when SQL first names them, and filled when it first reads them: a
 * query pays only for what it asks for.
 *
 * Which they are is told twice. Before SQL is prepared, by its words (db/views.c): what only looks like
 * a name is made as well, which costs little, and is never wrong. While it is prepared, the engine names the
 * tables that it reads: those are filled, which may cost more. */
#include "db/internal.h"
#include "db/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TABLES 64 /* bits of a set */

struct lazy_table {
	char name[32];
	char *create;
	bool rollup;
	bool made, filled;
};

struct lazy {
	struct lazy_table tables[MAX_TABLES];
	size_t n;
	db_fill_fn *fill;
	void *ctx;
	db_fit_fn *fit; /* NULL: rollups of the file cannot be read */
	void *fit_ctx;
	bool asked, fits;
	bool watch;    /* what is prepared now is going to be run */
	uint64_t read; /* the tables that it reads */
	bool fresh;    /* something was made in the transaction that lasts */
	bool lost;     /* the engine rolled that back */
};

static enum err_code keep_create(
	struct lazy *l, const char *create, unsigned set, struct err *e)
{
	const char *name = strstr(create, "TABLE ") + 6;
	size_t len = strcspn(name, " (");
	struct lazy_table *t = &l->tables[l->n];

	/* one that is left out would be the one of the file */
	if (l->n == MAX_TABLES || len >= sizeof(t->name))
		return err_set(e, E_BUG,
			"derived table %.*s: there are more than %d, or its name is too "
			"long",
			(int)len, name, MAX_TABLES);
	memcpy(t->name, name, len);
	t->create = xstrdup(create);
	t->rollup = set == DERIVED_KEPT;
	l->n++;
	return E_OK;
}

enum err_code db_temp_of(struct db *db, const char *derived, unsigned sets, struct err *e)
{
	struct lazy *l = xcalloc(1, sizeof(*l));
	struct sbuf one = SBUF_INIT;
	enum err_code rc = E_OK;
	unsigned set;

	db_lazy_free(db);
	db->lazy = l;
	db_forget_stmts(db); /* those that are prepared mean the tables of the file */
	while (!rc && (derived = db_next_derived(derived, &one, &set)))
		if (set & sets)
			rc = keep_create(l, one.s, set, e);
	sbuf_done(&one);
	if (rc)
		db_lazy_free(db);
	return rc;
}

enum err_code db_temp_derived(struct db *db, unsigned sets, struct err *e)
{
	return db_temp_of(db, db_derived, sets, e);
}

void db_fill_derived(struct db *db, db_fill_fn *fill, void *ctx)
{
	struct lazy *l = db->lazy;

	l->fill = fill;
	l->ctx = ctx;
	for (size_t i = 0; i < l->n; i++)
		l->tables[i].filled = false;
	db_forget_stmts(db); /* those that are prepared are not asked again */
}

void db_ask_rollups(struct db *db, db_fit_fn *fit, void *ctx)
{
	db->lazy->fit = fit;
	db->lazy->fit_ctx = ctx;
}

bool db_is_lazy(const struct db *db)
{
	return db->lazy != NULL;
}

void db_lazy_free(struct db *db)
{
	if (!db->lazy)
		return;
	for (size_t i = 0; i < db->lazy->n; i++)
		free(db->lazy->tables[i].create);
	free(db->lazy);
	db->lazy = NULL;
}

void db_lazy_stays(struct db *db)
{
	if (db->lazy)
		db->lazy->fresh = false;
}

/* What is gone would not be missed: the name then means the table in the file. */
void db_lazy_rolled_back(struct db *db)
{
	if (db->lazy && db->lazy->fresh)
		db->lazy->lost = true;
}

/* ---- made when named --------------------------------------------------------------------------- */

static struct lazy_table *table_named(struct lazy *l, const char *word, size_t n)
{
	for (size_t i = 0; i < l->n; i++)
		if (names_same(word, n, l->tables[i].name))
			return &l->tables[i];
	return NULL;
}

enum err_code db_lazy_begin(struct db *db, struct err *e)
{
	if (db->lazy && db->lazy->lost)
		return err_set(
			e, E_DB, "database %s: what was computed of it was lost", db->path);
	return E_OK;
}

static enum err_code ask_rollups(struct lazy *l, struct err *e)
{
	if (l->asked || !l->fit)
		return E_OK;
	if (l->fit(l->fit_ctx, &l->fits, e))
		return e->code;
	l->asked = true;
	return E_OK;
}

enum err_code db_lazy_make(struct db *db, const char *word, size_t n, struct err *e)
{
	struct lazy_table *t = db->lazy ? table_named(db->lazy, word, n) : NULL;

	if (!t || t->made)
		return E_OK;
	if (t->rollup && ask_rollups(db->lazy, e))
		return e ? e->code : E_DB;
	if (t->rollup && db->lazy->fits)
		return E_OK;
	db->lazy->watch = false; /* making a table looks at its own columns */
	if (db_create_temp(db, t->create, e))
		return e ? e->code : E_DB;
	t->made = true;
	db->lazy->fresh = !sqlite3_get_autocommit(db->sq);
	return E_OK;
}

bool db_lazy_is_empty(const struct db *db, const char *sql)
{
	static const char clear[] = "DELETE FROM ";
	const char *name = sql + strlen(clear);
	const struct lazy_table *t;

	if (!db->lazy || strncmp(sql, clear, strlen(clear)) != 0)
		return false;
	t = table_named(db->lazy, name, strcspn(name, "\n"));
	return t && !t->made && !t->rollup;
}

void db_lazy_watch(struct db *db)
{
	if (!db->lazy)
		return;
	db->lazy->watch = true;
	db->lazy->read = 0;
}

/* ---- filled when read -------------------------------------------------------------------------- */

void db_lazy_reads(struct db *db, const char *table)
{
	struct lazy_table *t = table && db->lazy->watch
		? table_named(db->lazy, table, strlen(table))
		: NULL;

	if (t && t->made)
		db->lazy->read |= UINT64_C(1) << (t - db->lazy->tables);
}

/* Filling one prepares statements, which read others in turn: each fills what it reads itself, and
 * nothing that the one outside still waits for. */
enum err_code db_need_filled(struct db *db, struct err *e)
{
	struct lazy *l = db->lazy;
	uint64_t read = l ? l->read : 0;
	struct err own;

	e = e ? e : &own;
	if (!l)
		return E_OK;
	l->watch = false;
	for (size_t i = 0; l->fill && i < l->n; i++) {
		struct lazy_table *t = &l->tables[i];

		if (!(read >> i & 1) || t->filled)
			continue;
		t->filled = true; /* who fills it may read it */
		if (l->fill(l->ctx, t->name, e)) {
			t->filled = false;
			return e->code;
		}
		l->fresh = !sqlite3_get_autocommit(db->sq);
	}
	return E_OK;
}

/* Views of a connection: those that a statement uses are put in front of it, as WITH, and the
 * engine parses them once. A view that is created is parsed twice, and makes the engine prepare all
 * other statements again. */
#include "db/internal.h"
#include "db/names.h"
#include "db/vocab.h"

#include <stdlib.h>
#include <string.h>

enum view_made {
	VIEW_NOT_MADE,
	VIEW_FRESH, /* created in the current transaction */
	VIEW_MADE,
};

void db_views_begin(struct db *db)
{
	db->views = xcalloc((size_t)db_n_views, 1);
	db->views_named = xcalloc((size_t)db_n_views, sizeof(*db->views_named));
}

void db_views_end(struct db *db)
{
	for (int i = 0; db->views_named && i < db_n_views; i++)
		free(db->views_named[i]);
	free(db->views_named);
	free(db->views);
}

static void change_all(struct db *db, enum view_made from, enum view_made to)
{
	for (int i = 0; i < db_n_views; i++)
		if (db->views[i] == from)
			db->views[i] = (unsigned char)to;
}

void db_views_stay(struct db *db)
{
	change_all(db, VIEW_FRESH, VIEW_MADE);
}

void db_views_rolled_back(struct db *db)
{
	change_all(db, VIEW_FRESH, VIEW_NOT_MADE);
	db->views_changed++;
}

static void add_create(struct sbuf *out, const struct db_view *v)
{
	sbuf_addf(out, "CREATE TEMP VIEW IF NOT EXISTS %s AS\n", v->name);
	sbuf_adds(out, v->sql);
}

/* Without rows, and without the tables behind it. */
static void add_create_empty(struct sbuf *out, const struct view *v)
{
	sbuf_addf(out, "CREATE TEMP VIEW %s(", v->name);
	for (size_t i = 0; i < v->n; i++)
		sbuf_addf(out, "%s\"%s\"", i ? "," : "", v->columns[i].name);
	sbuf_adds(out, ") AS SELECT NULL");
	for (size_t i = 1; i < v->n; i++)
		sbuf_adds(out, ",NULL");
	sbuf_adds(out, " WHERE 0");
}

static enum err_code make_one(struct db *db, int i, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	const struct view *v = db->only_views ? view_find(db_views[i].name) : NULL;

	if (db->only_views && !v)
		return E_OK;
	db->views_changed++;
	if (v)
		add_create_empty(&sql, v);
	else
		add_create(&sql, &db_views[i]);
	if (db_exec(db, sql.s, e))
		return e ? e->code : E_DB;
	db->views[i] = sqlite3_get_autocommit(db->sq) ? VIEW_MADE : VIEW_FRESH;
	return E_OK;
}

void db_print_views(struct sbuf *out)
{
	for (int i = 0; i < db_n_views; i++) {
		add_create(out, &db_views[i]);
		sbuf_adds(out, ";\n");
	}
}

/* ---- views that a statement uses --------------------------------------------------------------- */

#define TWICE 2

int db_view_named(const char *word, size_t n)
{
	for (int i = 0; i < db_n_views; i++)
		if (names_same(word, n, db_views[i].name))
			return i;
	return -1;
}

/* The views that a text names, each as often as it does; -1 at the end. */
static short *named_in(const char *sql)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
	struct names it;
	const char *word;
	short i;
	size_t n;

	names_begin(&it, sql);
	while (names_next(&it, &word, &n))
		if ((i = (short)db_view_named(word, n)) >= 0)
			sbuf_add(&out, (const char *)&i, sizeof(i));
	i = -1;
	sbuf_add(&out, (const char *)&i, sizeof(i));
	return (short *)(void *)sbuf_detach(&out);
}

/* Number of uses of each view, by the statement or by another view, up to TWICE. */
static void view_follow(struct db *db, const short *named, unsigned char *uses)
{
	for (; *named >= 0; named++) {
		short **inner = &db->views_named[*named];

		if (uses[*named] == TWICE || uses[*named]++)
			continue;
		if (!*inner)
			*inner = named_in(db_views[*named].sql);
		view_follow(db, *inner, uses);
	}
}

static enum err_code make_named(struct db *db, const unsigned char *uses, struct err *e)
{
	for (int i = 0; i < db_n_views; i++)
		if (uses[i] && !db->views[i] && make_one(db, i, e))
			return e ? e->code : E_DB;
	return E_OK;
}

static bool begins_with(const char *sql, const char *word)
{
	size_t n = strlen(word);

	return !sqlite3_strnicmp(sql, word, (int)n) && strchr(" \t\r\n", sql[n]);
}

/* May be one of "temp.resources", which only a created view has. */
static bool says_schema(const char *sql)
{
	return !sqlite3_strlike("%temp%", sql, 0) || !sqlite3_strlike("%main%", sql, 0);
}

/* The engine does not push conditions into a view that is used twice, and would read all of it. */
static bool same_in_front(const char *sql, const unsigned char *uses)
{
	for (int i = 0; i < db_n_views; i++)
		if (uses[i] == TWICE)
			return false;
	return (begins_with(sql, "SELECT") || begins_with(sql, "INSERT")) &&
		!says_schema(sql);
}

static const char *put_in_front(
	struct db *db, const char *sql, const unsigned char *uses, struct sbuf *room)
{
	for (int i = 0; i < db_n_views; i++) {
		if (!uses[i] || db->views[i])
			continue;
		sbuf_addf(room, "%s%s AS NOT MATERIALIZED (\n", room->len ? ",\n" : "WITH ",
			db_views[i].name);
		sbuf_adds(room, db_views[i].sql);
		sbuf_adds(room, ")");
	}
	if (!room->len)
		return sql;
	sbuf_addf(room, "\n%s", sql);
	return room->s;
}

enum err_code db_need_in_front(
	struct db *db, const char **sql, struct sbuf *room, struct err *e)
{
	cleanup(free_ptr) unsigned char *uses = xcalloc((size_t)db_n_views, 1);
	cleanup(free_ptr) short *named = named_in(*sql);

	if (db->only_views)
		for (const short *i = named; *i >= 0; i++)
			uses[*i] = 1;
	else
		view_follow(db, named, uses);
	if (room && !db->only_views && same_in_front(*sql, uses))
		*sql = put_in_front(db, *sql, uses, room);
	else if (make_named(db, uses, e))
		return e ? e->code : E_DB;
	return E_OK;
}

enum err_code db_need(struct db *db, const char *sql, struct err *e)
{
	return db_need_in_front(db, &sql, NULL, e);
}

/* ---- frozen view ------------------------------------------------------------------------------- */

static enum err_code copy_view(struct db *db, const char *view, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	sqlite3_stmt *st = NULL;
	uint64_t derived;

	if (db_need(db, view, e))
		return e->code;
	sbuf_addf(&sql, "CREATE TEMP TABLE %s_frozen AS SELECT * FROM %s", view, view);
	db_reads_begin(db);
	if (sqlite3_prepare_v2(db->sq, sql.s, -1, &st, NULL))
		return db_error(db, e, view);
	/* the same order as elsewhere: filling prepares other statements */
	derived = db_derived_planned(db);
	if (db_own_rollups_need(db, e) || db_derived_need(db, derived, e)) {
		sqlite3_finalize(st);
		return e->code;
	}
	sqlite3_step(st);
	return sqlite3_finalize(st) ? db_error(db, e, view) : E_OK;
}

/* The view then reads that table: a table cannot have its name at the same time. */
enum err_code db_freeze_view(
	struct db *db, const char *view, const char *index, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	/* Read repeatedly: 4,000 resources stay in memory, others are read from the temporary file,
	 * which takes as long. */
	if (db_exec(db, "PRAGMA temp.cache_size = -4096", e) || copy_view(db, view, e))
		return e->code;
	sbuf_addf(&sql,
		"DROP VIEW temp.%s; CREATE TEMP VIEW %s AS SELECT * FROM %s_frozen;", view,
		view, view);
	if (index)
		sbuf_addf(&sql, "CREATE INDEX temp.%s_index ON %s_frozen (%s)", view, view,
			index);
	db->views_changed++;
	return db_exec(db, sql.s, e);
}

void db_unfreeze_view(struct db *db, const char *view)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	sbuf_addf(&sql,
		"DROP TABLE IF EXISTS temp.%s_frozen; DROP VIEW IF EXISTS temp.%s;"
		"PRAGMA shrink_memory;",
		view, view);
	sqlite3_exec(db->sq, sql.s, NULL, NULL, NULL);
	/* A view that exists may name this one: statements get their own, as if none existed. */
	memset(db->views, VIEW_NOT_MADE, (size_t)db_n_views);
	db->views_changed++;
}

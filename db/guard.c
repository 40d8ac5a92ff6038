/* Guard for SQL of users: read-only by the engine's authorizer, and limited in time and size. */
#include "db/internal.h"

#include <stdlib.h>
#include <string.h>

#define CHECK_EVERY 1000 /* virtual machine steps between checks of the clock */

/* Limit of one rule: many times the need of a condition over 100,000 resources. */
#define RULE_MS 5000
#define RULE_STEPS INT64_C(100000000)

/* Between two checks of the clock, functions may search in texts, which takes the product of their
 * lengths: names, labels and sentences are far shorter than this number of bytes. */
#define RULE_TEXT 100000
#define HOSTILE_TEXT 20000 /* a search takes less than a second */
#define HOSTILE_CHECK 20   /* steps */
#define HOSTILE_MEMORY INT64_C(67108864)
#define RULE_MEMORY \
	INT64_C(268435456) /* bytes of a condition, in addition to those in use */

/* The operations that a SELECT needs and no others; the tables that it may read are checked in
 * db/only_views.c. Called while a statement is prepared. */
static int authorize(
	void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	static const char *const refused[] = {"load_extension", "fts3_tokenizer", "edit",
		"readfile", "writefile", "randomblob", "zeroblob"};
	struct db *db = ctx;

	(void)d;
	/* The schema of a table is not reported if only its rows are counted. */
	if (action == SQLITE_READ && (!c || !strcmp(c, "main")))
		db_own_rollups_read(db, a);
	if (!db->guard)
		return SQLITE_OK;
	if (action == SQLITE_FUNCTION) {
		for (size_t i = 0; b && i < ARRAY_LEN(refused); i++)
			if (!sqlite3_stricmp(b, refused[i]))
				return SQLITE_DENY;
		return SQLITE_OK;
	}
	if (action == SQLITE_RECURSIVE)
		return db->no_recursion ? SQLITE_DENY : SQLITE_OK;
	return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static int check_time(void *ctx)
{
	struct db *db = ctx;

	if (!db->deadline_ms)
		return 0;
	db->steps_left -= CHECK_EVERY;
	return db->steps_left < 0 || clock_mono_ms(db->clock) > db->deadline_ms;
}

void db_guard_install(struct db *db)
{
	sqlite3_set_authorizer(db->sq, authorize, db);
	sqlite3_progress_handler(db->sq, CHECK_EVERY, check_time, db);
}

static enum err_code only_views(struct err *e)
{
	err_set(e, E_USAGE, "SQL: only reading is allowed, and only of the views");
	return err_fix(e, "use one SELECT over the views (tpucost views)");
}

static enum err_code user_error(struct db *db, struct err *e)
{
	int rc = sqlite3_errcode(db->sq);
	const char *why = sqlite3_errmsg(db->sq);

	/* The error number differs if the schema was not read before. A view cannot be written; the
	 * engine reports that before it calls the authorizer. */
	if (rc == SQLITE_AUTH || !strcmp(why, "not authorized") ||
		strstr(why, "because it is a view"))
		return only_views(e);
	if (rc == SQLITE_INTERRUPT) {
		err_set(e, E_LIMIT, "SQL: the query took too long");
		return err_fix(e, "narrow it down, e.g. with a WHERE on day");
	}
	if (rc == SQLITE_NOMEM && db->bounded) {
		err_set(e, E_LIMIT, "SQL: the query needs too much memory");
		return err_fix(e, "narrow it down: fewer rows to sort or to join");
	}
	if (strstr(why, "integer overflow")) {
		/* abs() and sum() of integers, of which amounts are billionths */
		err_set(e, E_LIMIT,
			"SQL: a sum is too large (at most 9.2e18 for integers, 9.2 billion "
			"for amounts)");
		return err_fix(e, "reduce the query: a shorter period, or more groups");
	}
	return err_set(e, rc == SQLITE_ERROR || rc == SQLITE_TOOBIG ? E_USAGE : E_DB,
		"SQL: %s", why);
}

/* ---- statements of rules that are kept ----------------------------------------------------------- */

/* The same rules run in every cycle, and preparing one takes far longer than running it. */
#define KEPT_MAX 256

struct kept {
	char *sql;
	sqlite3_stmt *stmt;
	uint64_t derived;
	unsigned views; /* db->views_changed when it was checked and prepared */
	bool own, busy;
};

static struct kept *kept_of(struct db *db, const char *sql, bool own)
{
	for (size_t i = 0; i < db->n_kept; i++)
		if (db->kept[i].own == own && !strcmp(db->kept[i].sql, sql))
			return &db->kept[i];
	return NULL;
}

/* A new statement that could be opened; from now on its end is that of the connection. */
static void keep(struct db *db, const char *sql, bool own, struct db_cursor *c)
{
	struct kept *k = kept_of(db, sql, own);

	if (!db->kept)
		db->kept = xcalloc(KEPT_MAX, sizeof(*db->kept));
	if (k && k->busy)
		return;
	if (k)
		sqlite3_finalize(k->stmt);
	else if (db->n_kept < KEPT_MAX)
		(k = &db->kept[db->n_kept++])->sql = xstrdup(sql);
	else
		return;
	k->stmt = c->stmt;
	k->derived = c->derived;
	k->views = db->views_changed;
	k->own = own;
	k->busy = true;
	c->kept = k;
}

void db_forget_kept(struct db *db)
{
	for (size_t i = 0; i < db->n_kept; i++) {
		sqlite3_finalize(db->kept[i].stmt);
		free(db->kept[i].sql);
	}
	free(db->kept);
}

/* ---- opening ------------------------------------------------------------------------------------- */

static bool blank(const char *s)
{
	return !s[strspn(s, " \t\r\n;")];
}

/* `own`: SQL of tpucost itself, which may read tables. `in_front`: its views may be put in
 * front. */
static enum err_code guard_sql_prepare(struct db *db, const char *sql, bool own,
	bool in_front, int64_t ms, struct db_cursor *c, struct err *e)
{
	cleanup(sbuf_done) struct sbuf room = SBUF_INIT;
	const char *text = sql, *tail = NULL;
	sqlite3_stmt *st = NULL;
	bool views = true;
	enum err_code code;
	int rc;

	*c = (struct db_cursor){.db = db, .hostile = db->distrust};
	if (!own && db_reads_views(db, sql, &views, e))
		return e->code;
	/* Table-valued functions are registered by their first use, which the guard would
	 * refuse. */
	if (sqlite3_strlike("%json\\_%", sql, '\\') == 0)
		sqlite3_exec(db->sq, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL,
			NULL, NULL);
	if (in_front ? db_need_in_front(db, &text, &room, e) : db_need(db, sql, e))
		return e->code;
	db->guard = !own;
	db_limit(db->sq, true);
	sqlite3_limit(db->sq, SQLITE_LIMIT_SQL_LENGTH,
		QUERY_LENGTH + (int)(strlen(text) - strlen(sql)));
	db_reads_begin(db);
	rc = sqlite3_prepare_v2(db->sq, text, -1, &st, &tail);
	c->derived = db_derived_planned(db);
	db_limit(db->sq, false);
	db->guard = false;
	/* the engine creates some of its own tables where they are first named, which is denied */
	if (rc && !views && strstr(sqlite3_errmsg(db->sq), "vtable constructor failed"))
		return only_views(e);
	if (rc)
		return user_error(db, e);
	if (!st)
		return err_set(e, E_USAGE, "SQL: the query is empty");
	if (!blank(tail) || !sqlite3_stmt_readonly(st)) {
		sqlite3_finalize(st);
		return err_set(e, E_USAGE, "SQL: only one read-only statement is allowed");
	}
	c->stmt = st;
	code = views ? db_own_rollups_need(db, e) : only_views(e);
	if (code || db_derived_need(db, c->derived, e)) {
		db_cursor_close(c);
		return e->code;
	}
	c->deadline_ms = clock_mono_ms(db->clock) + ms;
	return E_OK;
}

/* Every change of this makes the engine prepare all statements again, including those of tpucost:
 * it stays unchanged until the other kind of query follows. */
static void quotes_are_names(struct db *db, bool names)
{
	if (db->quotes_are_names == names)
		return;
	sqlite3_db_config(db->sq, SQLITE_DBCONFIG_DQS_DML, names ? 0 : 1, NULL);
	db->quotes_are_names = names;
}

enum err_code db_cursor_open(
	struct db *db, const char *sql, int64_t ms, struct db_cursor *c, struct err *e)
{
	/* a statement that writes a view is refused for that, not because the view is missing */
	bool reads = !sqlite3_strnicmp(sql, "SELECT", 6);

	quotes_are_names(db, false);
	return guard_sql_prepare(db, sql, false, reads, ms, c, e);
}

enum err_code db_cursor_open_own(
	struct db *db, const char *sql, int64_t ms, struct db_cursor *c, struct err *e)
{
	return guard_sql_prepare(db, sql, true, true, ms, c, e);
}

enum err_code db_cursor_open_rule(
	struct db *db, const char *sql, bool own, struct db_cursor *c, struct err *e)
{
	struct kept *k = kept_of(db, sql, own);

	quotes_are_names(db, true);
	if (k && !k->busy && k->views == db->views_changed) {
		if (db_derived_need(db, k->derived, e))
			return e->code;
		k->busy = true;
		*c = (struct db_cursor){.db = db,
			.stmt = k->stmt,
			.kept = k,
			.deadline_ms = clock_mono_ms(db->clock) + RULE_MS};
	} else {
		enum err_code rc;

		db->no_recursion = true;
		/* several may be over one view, which is then read once */
		rc = guard_sql_prepare(db, sql, own, false, RULE_MS, c, e);
		db->no_recursion = false;
		if (rc)
			return rc;
		keep(db, sql, own, c);
	}
	c->steps = RULE_STEPS;
	return E_OK;
}

bool db_cursor_has_params(const struct db_cursor *c)
{
	return sqlite3_bind_parameter_count(c->stmt) > 0;
}

void db_cursor_bind(struct db_cursor *c, const char *name, const char *text)
{
	int i = sqlite3_bind_parameter_index(c->stmt, name);

	if (i)
		sqlite3_bind_text(c->stmt, i, text, -1, SQLITE_TRANSIENT);
}

void db_cursor_bind_i64(struct db_cursor *c, const char *name, int64_t v)
{
	int i = sqlite3_bind_parameter_index(c->stmt, name);

	if (i)
		sqlite3_bind_int64(c->stmt, i, v);
}

void db_cursor_again(struct db_cursor *c)
{
	sqlite3_reset(c->stmt);
}

void db_distrust(struct db *db, bool on)
{
	db->distrust = on;
}

/* Texts that a function creates while it runs, and the memory of a rule. */
static void bound(struct db_cursor *c, bool on)
{
	bool memory = c->steps || c->hostile;

	sqlite3_limit(c->db->sq, SQLITE_LIMIT_LENGTH,
		!on                  ? ANY_TEXT
			: c->hostile ? HOSTILE_TEXT
			: c->steps   ? RULE_TEXT
				     : QUERY_TEXT);
	if (memory)
		db_limit_memory(!on ? 0 : c->hostile ? HOSTILE_MEMORY : RULE_MEMORY);
	if (c->hostile)
		sqlite3_progress_handler(
			c->db->sq, on ? HOSTILE_CHECK : CHECK_EVERY, check_time, c->db);
	c->db->bounded = on && memory;
}

enum err_code db_cursor_step(struct db_cursor *c, bool *row, struct err *e)
{
	enum err_code code = E_OK;
	int rc;

	c->db->deadline_ms = c->deadline_ms;
	c->db->steps_left = c->steps ? c->steps : INT64_MAX;
	bound(c, true);
	rc = sqlite3_step(c->stmt);
	if (c->steps) /* 0 would mean no limit */
		c->steps = c->db->steps_left > 0 ? c->db->steps_left : 1;
	c->db->deadline_ms = 0;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		code = user_error(c->db, e);
	bound(c, false);
	*row = rc == SQLITE_ROW;
	return code;
}

int db_cursor_columns(const struct db_cursor *c)
{
	return sqlite3_column_count(c->stmt);
}

const char *db_cursor_name(const struct db_cursor *c, int i)
{
	return sqlite3_column_name(c->stmt, i);
}

struct db_cell db_cursor_cell(const struct db_cursor *c, int i)
{
	return db_cell_of(c->stmt, i);
}

enum db_value db_cursor_type(const struct db_cursor *c, int i)
{
	return db_cell_of(c->stmt, i).type;
}

int64_t db_cursor_i64(const struct db_cursor *c, int i)
{
	return sqlite3_column_int64(c->stmt, i);
}

double db_cursor_real(const struct db_cursor *c, int i)
{
	return sqlite3_column_double(c->stmt, i);
}

const char *db_cursor_text(const struct db_cursor *c, int i)
{
	return (const char *)sqlite3_column_text(c->stmt, i);
}

void db_cursor_close(struct db_cursor *c)
{
	struct kept *k = c->kept;

	if (k) {
		k->busy = false;
		sqlite3_reset(k->stmt);
		sqlite3_clear_bindings(k->stmt);
	} else {
		sqlite3_finalize(c->stmt);
	}
	c->stmt = NULL;
	c->kept = NULL;
}

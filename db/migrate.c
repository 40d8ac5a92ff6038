/* Migrations and derived tables: everything that creates. */
#include "db/internal.h"
#include "db_sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
	const char *name, *text;
};

static const struct token tokens[] = {
	{"@I64@", "INTEGER"},
	{"@ID@", "INTEGER PRIMARY KEY"},
	{"@STRICT@", "STRICT"},
	{"@CLUSTERED@", "STRICT, WITHOUT ROWID"},
};

/* The rows of a table are neither changed nor taken out, and a new one goes behind the last:
 * replacing a row would take it out without asking the second. */
static void add_append_only(struct sbuf *out, const char *table, const char *column)
{
	static const char *const changes[] = {"UPDATE", "DELETE"};

	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		sbuf_addf(out,
			"CREATE TRIGGER %s_no_%s BEFORE %s ON %s BEGIN "
			"SELECT RAISE(ABORT, '%s is append-only'); END;\n",
			table, i ? "delete" : "update", changes[i], table, table);
	sbuf_addf(out,
		"CREATE TRIGGER %s_no_replace BEFORE INSERT ON %s "
		"WHEN NEW.%s <= (SELECT MAX(%s) FROM %s) BEGIN "
		"SELECT RAISE(ABORT, '%s is append-only'); END",
		table, table, column, column, table, table);
}

#define APPEND_ONLY "@APPEND_ONLY("
#define RFC3339 "@RFC3339("

/* Words with arguments. */
static size_t expand_call(struct sbuf *out, const char *p)
{
	const char *end = strstr(p, ")@");
	char table[64], column[64];

	if (!end)
		return 0;
	if (!strncmp(p, RFC3339, strlen(RFC3339)))
		sbuf_addf(out, "strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', %.*s, 'unixepoch')",
			(int)(end - p - (long)strlen(RFC3339)), p + strlen(RFC3339));
	else if (sscanf(p, APPEND_ONLY "%63[a-z_], %63[a-z_])@", table, column) == 2)
		add_append_only(out, table, column);
	else
		return 0;
	return (size_t)(end - p) + 2;
}

static size_t expand_one(struct sbuf *out, const char *p)
{
	for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
		if (!strncmp(p, tokens[i].name, strlen(tokens[i].name))) {
			sbuf_adds(out, tokens[i].text);
			return strlen(tokens[i].name);
		}
	}
	return expand_call(out, p);
}

void db_expand(struct sbuf *out, const char *sql)
{
	while (*sql) {
		size_t n = *sql == '@' ? expand_one(out, sql) : 0;

		if (!n)
			sbuf_addc(out, *sql);
		sql += n ? n : 1;
	}
}

static enum err_code exec_expanded(struct db *db, const char *sql, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	enum err_code rc;

	db_expand(&b, sql);
	rc = db_exec(db, b.s, e);
	sbuf_done(&b);
	return rc;
}

static enum err_code apply(struct db *db, const struct db_migration *m, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	char pragma[128];
	int64_t version;

	if (db_begin(db, &tx, e) || db_pragma(db, "PRAGMA user_version", &version, e))
		return e->code;
	if (version >= m->version)
		return db_commit(&tx, e); /* somebody else did it meanwhile */
	snprintf(pragma, sizeof(pragma),
		"PRAGMA application_id = %d; PRAGMA user_version = %d", DB_APPLICATION_ID,
		m->version);
	if (exec_expanded(db, m->sql, e) || db_exec(db, pragma, e))
		return err_wrap(e, "migration %d (%s)", m->version, m->name);
	return db_commit(&tx, e);
}

enum err_code db_migrate(struct db *db, struct err *e)
{
	int64_t version;

	if (db_pragma(db, "PRAGMA user_version", &version, e))
		return e->code;
	for (int i = (int)version; i < db_n_migrations; i++)
		if (apply(db, &db_migrations[i], e))
			return e->code;
	return E_OK;
}

/* ---- derived tables ------------------------------------------------------------------------ */

#define LIVE_MARK "@TEMP@"
#define KEPT_MARK "@KEPT@"
#define STAGE_MARK "@STAGE@"

static const struct {
	const char *mark;
	unsigned set;
} marks[] = {
	{LIVE_MARK, DERIVED_LIVE}, {KEPT_MARK, DERIVED_KEPT}, {STAGE_MARK, DERIVED_STAGE}};

static const char *mark_of(const char *sql, unsigned *set)
{
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (strstr(sql, marks[i].mark)) {
			*set = marks[i].set;
			return marks[i].mark;
		}
	}
	*set = 0;
	return "";
}

#define HASH_START 0xcbf29ce484222325u
/* Raise it when db/rollup/rollup.c or db/rollup/day_sums.c makes other rows than before. */
#define ROLLUP_ROWS "1"

/* FNV-1a */
static uint64_t hash_text(uint64_t h, const char *p)
{
	for (; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	return h;
}

/* Over everything that defines derived tables. */
static uint64_t print_of_all(void)
{
	return hash_text(HASH_START, db_derived);
}

/* Over what the rows of the kept tables rest on and nothing else: to make them anew takes long. */
static uint64_t print_of_rollups(void)
{
	static const char *const fills[] = {"calendar_put", "usage_between", "cost_day_add",
		"project_day_fill", "account_day_fill", "credit_day_add"};
	uint64_t h = hash_text(HASH_START, ROLLUP_ROWS);
	struct sbuf one = SBUF_INIT;
	unsigned set;

	for (const char *p = db_derived; (p = db_next_derived(p, &one, &set));)
		if (set & DERIVED_KEPT)
			h = hash_text(h, one.s);
	sbuf_done(&one);
	for (int i = 0; i < db_n_queries; i++)
		for (size_t k = 0; k < ARRAY_LEN(fills); k++)
			if (!strcmp(db_queries[i]->name, fills[k]))
				h = hash_text(h, db_queries[i]->text);
	for (int i = 0; i < db_n_migrations; i++) /* they may change what was rolled up */
		h = hash_text(h, db_migrations[i].name);
	return h;
}

const char *db_next_derived(const char *p, struct sbuf *out, unsigned *set)
{
	const char *create = strstr(p, "CREATE "), *end;

	if (!create)
		return NULL;
	end = strstr(create, ";\n");
	if (!end)
		return NULL;
	sbuf_reset(out);
	sbuf_add(out, create, (size_t)(end - create));
	mark_of(out->s, set);
	return end + 1;
}

/* "CREATE @TEMP@ TABLE name (" -> with the word TEMP or without. */
static void place_table(struct sbuf *out, const char *sql, bool temp)
{
	unsigned set;
	const char *mark = mark_of(sql, &set), *at = strstr(sql, mark);

	sbuf_reset(out);
	sbuf_add(out, sql, (size_t)(at - sql));
	sbuf_adds(out, temp ? "TEMP" : "");
	sbuf_adds(out, at + strlen(mark));
}

static enum err_code drop_table(struct db *db, const char *create, struct err *e)
{
	const char *name = strstr(create, "TABLE ") + 6;
	char sql[128];

	snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS main.%.*s",
		(int)strcspn(name, " ("), name);
	return db_exec(db, sql, e);
}

enum err_code db_create_temp(struct db *db, const char *create, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	place_table(&sql, create, true);
	rc = exec_expanded(db, sql.s, e);
	sbuf_done(&sql);
	return rc;
}

static enum err_code create_tables(struct db *db, unsigned sets, bool temp, struct err *e)
{
	struct sbuf one = SBUF_INIT, sql = SBUF_INIT;
	enum err_code rc = E_OK;
	const char *p = db_derived;
	unsigned set;

	while (!rc && (p = db_next_derived(p, &one, &set))) {
		if (!(set & sets))
			continue;
		if (!temp)
			rc = drop_table(db, one.s, e);
		place_table(&sql, one.s, temp);
		if (!rc)
			rc = exec_expanded(db, sql.s, e);
	}
	sbuf_done(&one);
	sbuf_done(&sql);
	return rc;
}

/* Earlier versions kept them in the file. */
static enum err_code drop_stored_views(struct db *db, struct err *e)
{
	char sql[128];

	for (int i = 0; i < db_n_views; i++) {
		snprintf(sql, sizeof(sql), "DROP VIEW IF EXISTS main.%s", db_views[i].name);
		if (db_exec(db, sql, e))
			return e->code;
	}
	return E_OK;
}

/* In one word of two parts: older versions wrote the first alone. */
struct derived_version {
	char text[40];
	size_t n_all; /* length of the first part */
};

static void version_of_derived(struct derived_version *v)
{
	snprintf(v->text, sizeof(v->text), "%016llx %016llx",
		(unsigned long long)print_of_all(), (unsigned long long)print_of_rollups());
	v->n_all = strcspn(v->text, " ");
}

static enum err_code compare_derived(struct db *db, const struct derived_version *v,
	bool *all, bool *rollups, struct err *e)
{
	struct q_meta_get_in get = {.key = "derived"};
	struct q_meta_get row;
	struct arena a = {0};
	const char *second;
	bool found;

	if (q_meta_get_one(db, &get, &a, &row, &found, e))
		return e->code;
	second = found ? strchr(row.value, ' ') : NULL;
	*all = found && !strcmp(row.value, v->text);
	*rollups = second && !strcmp(second, v->text + v->n_all);
	arena_done(&a);
	return E_OK;
}

enum err_code db_rollups_current(struct db *db, bool *current, struct err *e)
{
	struct derived_version v;
	bool all;

	version_of_derived(&v);
	return compare_derived(db, &v, &all, current, e);
}

enum err_code db_keep_derived(struct db *db, bool *rebuilt, struct err *e)
{
	struct derived_version v;
	struct q_meta_put_in put = {.key = "derived", .value = v.text};
	bool all, rollups;
	unsigned sets;

	*rebuilt = false;
	version_of_derived(&v);
	if (compare_derived(db, &v, &all, &rollups, e))
		return e->code;
	if (all)
		return E_OK;
	*rebuilt = !rollups;
	sets = rollups ? DERIVED_LIVE : DERIVED_LIVE | DERIVED_KEPT;
	if (create_tables(db, sets, false, e) || drop_stored_views(db, e))
		return e->code;
	return q_meta_put(db, &put, e);
}

enum err_code db_make_stage(struct db *db, struct err *e)
{
	enum err_code rc = create_tables(db, DERIVED_STAGE, true, e);

	return rc ? rc : db_make_stage_line(db, e);
}

/* Migrations, rollups and staging tables: all code that creates tables. */
#include "db/internal.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdio.h>
#include <string.h>

/* The next migration; of a new database all at once. */
static enum err_code schema_step(struct db *db, int64_t *version, struct err *e)
{
	const struct db_migration all = {db_n_migrations, "new", db_new};
	cleanup(db_tx_end) struct db_tx tx = {0};
	const struct db_migration *m;
	char pragma[128];

	if (db_begin(db, &tx, e) || db_pragma(db, "PRAGMA user_version", version, e))
		return e->code;
	if (*version >= db_n_migrations)
		return db_commit(&tx, e); /* another process has done it in the meantime */
	m = *version ? &db_migrations[*version] : &all;
	snprintf(pragma, sizeof(pragma),
		"PRAGMA application_id = %d; PRAGMA user_version = %d", DB_APPLICATION_ID,
		m->version);
	if (db_exec(db, m->sql, e) || db_exec(db, pragma, e))
		return err_wrap(e, "migration %d (%s)", m->version, m->name);
	*version = m->version;
	return db_commit(&tx, e);
}

enum err_code db_migrate(struct db *db, struct err *e)
{
	int64_t version;

	if (db_pragma(db, "PRAGMA user_version", &version, e))
		return e->code;
	if (version >= db_n_migrations)
		return E_OK;
	/* A table that others refer to can then be replaced (https://sqlite.org/lang_altertable.html,
	 * section 7). */
	if (db_exec(db, "PRAGMA foreign_keys = OFF", e))
		return e->code;
	while (version < db_n_migrations)
		if (schema_step(db, &version, e))
			return e->code;
	return db_exec(db, "PRAGMA foreign_keys = ON", e);
}

/* ---- rollups and staging ------------------------------------------------------------------- */

#define KEPT_MARK "@KEPT@"
#define STAGE_MARK "@STAGE@"

#define HASH_START 0xcbf29ce484222325u
/* Increase it when db/rollup/rollup.c creates different rows. */
#define ROLLUP_ROWS "1"

#define PRINT_BUF 17

/* FNV-1a */
static uint64_t hash_text(uint64_t h, const char *p)
{
	for (; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	return h;
}

/* The first statement of db_derived at or after `p`, and the position after it; NULL: none. */
static const char *next_table(const char *p, struct sbuf *out)
{
	const char *create = strstr(p, "CREATE "),
		   *end = create ? strstr(create, ";\n") : NULL;

	if (!end)
		return NULL;
	sbuf_reset(out);
	sbuf_add(out, create, (size_t)(end - create));
	return end + 1;
}

/* Hash of only the declarations on which the rows of the kept tables depend: creating them again
 * takes long. */
static const char *print_of_rollups(char buf[PRINT_BUF])
{
	static const char *const fills[] = {"calendar_put", "usage_between", "cost_day_add",
		"project_day_fill", "account_day_fill", "credit_day_add"};
	uint64_t h = hash_text(HASH_START, ROLLUP_ROWS);
	struct sbuf one = SBUF_INIT;

	for (const char *p = db_derived; (p = next_table(p, &one));)
		if (strstr(one.s, KEPT_MARK))
			h = hash_text(h, one.s);
	sbuf_done(&one);
	for (int i = 0; i < db_n_queries; i++)
		for (size_t k = 0; k < ARRAY_LEN(fills); k++)
			if (!strcmp(db_queries[i]->name, fills[k]))
				h = hash_text(h, db_queries[i]->text);
	for (int i = 0; i < db_n_migrations;
		i++) /* they may change rows that were rolled up */
		h = hash_text(h, db_migrations[i].name);
	snprintf(buf, PRINT_BUF, "%016llx", (unsigned long long)h);
	return buf;
}

static enum err_code schema_drop_table(struct db *db, const char *create, struct err *e)
{
	const char *name = strstr(create, "TABLE ") + 6;
	char sql[128];

	snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS main.%.*s",
		(int)strcspn(name, " ("), name);
	return db_exec(db, sql, e);
}

/* Creates those with that mark, which is replaced by TEMP, or nothing. */
static enum err_code create_tables(
	struct db *db, const char *mark, bool temp, struct err *e)
{
	cleanup(sbuf_done) struct sbuf one = SBUF_INIT, sql = SBUF_INIT;
	enum err_code rc = E_OK;
	const char *p = db_derived, *at;

	while (!rc && (p = next_table(p, &one))) {
		at = strstr(one.s, mark);
		if (!at)
			continue;
		if (!temp)
			rc = schema_drop_table(db, one.s, e);
		sbuf_reset(&sql);
		sbuf_addf(&sql, "CREATE %s%s", temp ? "TEMP" : "", at + strlen(mark));
		if (!rc)
			rc = db_exec(db, sql.s, e);
	}
	return rc;
}

/* Earlier versions stored them in the file. */
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

enum err_code db_meta(
	struct db *db, const char *key, struct arena *a, const char **value, struct err *e)
{
	struct q_meta_get_in in = {.key = key};
	struct q_meta_get row;
	bool found;

	*value = "";
	if (q_meta_get_one(db, &in, a, &row, &found, e))
		return e->code;
	if (found)
		*value = row.value;
	return E_OK;
}

enum err_code db_rollups_current(struct db *db, bool *current, struct err *e)
{
	char print[PRINT_BUF];
	const char *was;
	cleanup(arena_done) struct arena a = {0};

	if (db_meta(db, "derived", &a, &was, e))
		return e->code;
	*current = !strcmp(was, print_of_rollups(print));
	return E_OK;
}

enum err_code db_keep_rollups(struct db *db, bool *rebuilt, struct err *e)
{
	char print[PRINT_BUF];
	struct q_meta_put_in put = {.key = "derived", .value = print_of_rollups(print)};
	bool current;

	*rebuilt = false;
	if (db_rollups_current(db, &current, e))
		return e->code;
	if (current)
		return E_OK;
	*rebuilt = true;
	if (create_tables(db, KEPT_MARK, false, e) || drop_stored_views(db, e))
		return e->code;
	return q_meta_put(db, &put, e);
}

enum err_code db_make_rollups(struct db *db, struct err *e)
{
	return create_tables(db, KEPT_MARK, true, e);
}

#define FIELD(column, nullable, member)                                        \
	{                                                                      \
		column, offsetof(struct stage_line, member), SQL_I64, nullable \
	}

static const struct sql_field stage_fields[] = {FIELD("unit", false, unit),
	FIELD("hour", false, hour), FIELD("sku_ref", false, sku),
	FIELD("project_ref", false, project), FIELD("place_ref", false, place),
	FIELD("resource_ref", false, resource), FIELD("charge_ref", false, charge),
	FIELD("credit_ref", false, credit), FIELD("usage", true, usage),
	FIELD("cost", false, cost), FIELD("credits", false, credits),
	FIELD("discount", false, discount), FIELD("committed", false, committed),
	FIELD("row_count", false, rows)};

static const struct derived_table stage_table = {.name = "stage_line",
	.fields = stage_fields,
	.n_fields = ARRAY_LEN(stage_fields),
	.row_size = sizeof(struct stage_line)};

enum err_code db_make_stage(struct db *db, struct err *e)
{
	enum err_code rc = create_tables(db, STAGE_MARK, true, e);

	return rc ? rc : db_make_array(db, &stage_table, &db->staging, e);
}

enum err_code stage_put(
	struct db *db, const struct stage_line *lines, size_t n, struct err *e)
{
	enum err_code rc;

	db_show_array(db->staging, lines, n);
	rc = q_stage_put(db, e);
	db_show_array(db->staging, NULL, 0);
	return rc;
}

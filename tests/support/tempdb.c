#include "tests/support/tempdb.h"

#include "db/internal.h"
#include "db/names.h"
#include "rules/bill/days.h"
#include "tests/support/tempdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* An empty database, as the first of a process was made: all others are copies of it. */
static struct {
	unsigned char *bytes;
	sqlite3_int64 size;
} empty;

static struct tempdb *newest;

/* Also of a test that failed before it closed its own. */
static void tempdb_unlink(struct tempdb *t)
{
	struct tempdb **p = &newest;

	while (*p && *p != t)
		p = &(*p)->outer;
	if (*p)
		*p = t->outer;
}

static void copy_empty(const char *path)
{
	FILE *f = fopen(path, "wx");

	if (!f || fwrite(empty.bytes, 1, (size_t)empty.size, f) != (size_t)empty.size ||
		fclose(f))
		fail_msg("%s cannot be written", path);
}

static void tempdb_put_tz(struct tempdb *t, const char *zone)
{
	struct err e = {0};

	tz_free(t->tz);
	if (tz_open(zone, &t->tz, &e))
		fail_msg("%s", e.msg);
}

void tempdb_open(struct tempdb *t, ts_t now)
{
	struct err e = {0};
	bool rebuilt;

	tempdb_unlink(t);
	memset(t, 0, sizeof(*t));
	t->outer = newest;
	newest = t;
	tempdir_create(t->dir, sizeof(t->dir));
	snprintf(t->path, sizeof(t->path), "%s/t.db", t->dir);
	clock_fake_init(&t->clock, now);
	if (empty.bytes)
		copy_empty(t->path);
	if (db_open(t->path, DB_WRITE, &t->clock, &t->db, &e) ||
		db_keep_rollups(t->db, &rebuilt, &e))
		fail_msg("%s", e.msg);
	db_derived_empty(t->db);
	tempdb_put_tz(t, "UTC");
	if (!empty.bytes)
		empty.bytes = sqlite3_serialize(t->db->sq, "main", &empty.size, 0);
	assert_non_null(empty.bytes);
}

void tempdb_open_as_of(struct tempdb *t, ts_t now)
{
	tempdb_open(t, now);
	tempdb_execf(t,
		"INSERT INTO as_of (now, timezone, currency) VALUES (%lld, 'UTC', 'USD')",
		(long long)now);
}

void tempdb_open_in(struct tempdb *t, const char *zone, ts_t now)
{
	tempdb_open(t, now);
	tempdb_put_tz(t, zone);
}

void tempdb_close(struct tempdb *t)
{
	tempdb_unlink(t);
	db_close(t->db);
	tz_free(t->tz);
	arena_done(&t->a);
	tempdir_delete(t->dir);
}

int tempdb_teardown(void **state)
{
	tempdb_close(newest);
	return 0;
}

/* Tests give SQL to the engine themselves, which knows no views but those that were made. */
static void make_views(struct tempdb *t, const char *sql)
{
	struct err e = {0};
	struct names it;
	const char *word;
	size_t n;

	names_begin(&it, sql);
	while (names_next(&it, &word, &n)) {
		int i = db_view_named(word, n);

		if (i >= 0 && db_need(t->db, db_views[i].name, &e))
			fail_msg("%s", e.msg);
	}
}

/* Tables too, which users may not read. */
const char *tempdb_text(struct tempdb *t, const char *sql, char *buf, size_t size)
{
	sqlite3_stmt *st = NULL;
	const char *text;
	int rc;

	make_views(t, sql);
	rc = sqlite3_prepare_v2(t->db->sq, sql, -1, &st, NULL);
	rc = rc ? rc : sqlite3_step(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		fail_msg("%s: %s", sql, sqlite3_errmsg(t->db->sq));
	text = (const char *)sqlite3_column_text(st, 0);
	snprintf(buf, size, "%s", rc == SQLITE_DONE ? "(no row)" : text ? text : "NULL");
	sqlite3_finalize(st);
	return buf;
}

void tempdb_expect(struct tempdb *t, const char *sql, const char *want)
{
	char got[4096];

	tempdb_text(t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", sql, got, want);
}

static const char *ask_one(struct tempdb *t, const struct sql_query *q, const char *params)
{
	static char got[4096];
	char each[200], *at = each;
	sqlite3_stmt *st;
	size_t n = 0;
	int rc;

	snprintf(each, sizeof(each), "%s", params);
	make_views(t, q->text);
	if (sqlite3_prepare_v2(t->db->sq, q->text, -1, &st, NULL))
		fail_msg("%s: %s", q->name, sqlite3_errmsg(t->db->sq));
	for (int k = 1; at; k++) {
		char *end = at + strcspn(at, ","), name[64];
		bool last = !*end;
		int i;

		assert_true(k <= q->n_in || !q->n_in);
		snprintf(name, sizeof(name), "$%s", q->n_in ? q->in[k - 1].name : "");
		i = sqlite3_bind_parameter_index(st, name);
		*end = '\0';
		if (*at >= '0' && *at <= '9')
			sqlite3_bind_int64(st, i, strtoll(at, NULL, 10));
		else if (strcmp(at, "-") != 0)
			sqlite3_bind_text(st, i, at, -1, SQLITE_TRANSIENT);
		at = last ? NULL : end + 1;
	}
	got[0] = '\0';
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const char *text = (const char *)sqlite3_column_text(st, i);

			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s",
				i           ? " "
					: n ? "; "
					    : "",
				text ? text : "-");
		}
	if (rc != SQLITE_DONE)
		fail_msg("%s: %s", q->name, sqlite3_errmsg(t->db->sq));
	sqlite3_finalize(st);
	return got;
}

const char *tempdb_ask(struct tempdb *t, const char *query, const char *params)
{
	const char *got = NULL;

	for (int i = 0; i < db_n_queries; i++)
		if (!strcmp(db_queries[i]->name, query))
			got = ask_one(t, db_queries[i], params);
	if (!got)
		fail_msg("there is no query %s", query);
	return got;
}

int64_t tempdb_int(struct tempdb *t, const char *sql)
{
	char buf[64];

	return strtoll(tempdb_text(t, sql, buf, sizeof(buf)), NULL, 10);
}

/* A table of derived rows becomes an ordinary one with the same rows. */
static bool make_ordinary(struct tempdb *t)
{
	char name[32], sql[128];
	struct err e = {0};

	if (sscanf(sqlite3_errmsg(t->db->sq), "table %31[a-z_] may not be modified",
		    name) != 1)
		return false;
	if (db_derived_all(t->db, strcmp(name, "charge_part") ? "charge_part" : NULL, &e))
		fail_msg("%s", e.msg);
	snprintf(sql, sizeof(sql), "CREATE TEMP TABLE %s AS SELECT * FROM %s", name, name);
	return !sqlite3_exec(t->db->sq, sql, NULL, NULL, NULL);
}

void tempdb_exec(struct tempdb *t, const char *sql)
{
	make_views(t, sql);
	while (*sql) {
		sqlite3_stmt *st = NULL;
		const char *tail;
		int rc;

		do
			rc = sqlite3_prepare_v2(t->db->sq, sql, -1, &st, &tail);
		while (rc && make_ordinary(t));
		while (st && (rc = sqlite3_step(st)) == SQLITE_ROW)
			;
		if (st ? rc != SQLITE_DONE : rc)
			fail_msg("%s: %s", sql, sqlite3_errmsg(t->db->sq));
		sqlite3_finalize(st);
		sql = tail;
	}
}

void tempdb_execf(struct tempdb *t, const char *fmt, ...)
{
	va_list ap;
	char *sql;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	assert_non_null(sql);
	tempdb_exec(t, sql);
	sqlite3_free(sql);
}

void tempdb_forget_changes(struct tempdb *t)
{
	for (int i = 0; i < db_n_derived_tables; i++)
		tempdb_execf(t, "DROP TABLE IF EXISTS temp.%s", db_derived_tables[i].name);
}

void tempdb_reopen(struct tempdb *t, enum db_mode mode)
{
	struct err e = {0};

	db_close(t->db);
	t->db = NULL;
	if (db_open(t->path, mode, &t->clock, &t->db, &e))
		fail_msg("%s", e.msg);
	db_derived_empty(t->db);
}

void tempdb_put_meta(struct tempdb *t, const char *key, const char *value)
{
	struct q_meta_put_in in = {.key = key, .value = value};
	struct err e = {0};

	if (q_meta_put(t->db, &in, &e))
		fail_msg("%s", e.msg);
}

int64_t tempdb_metas(struct tempdb *t)
{
	return tempdb_int(t, "SELECT COUNT(*) FROM meta WHERE key LIKE 'k%'");
}

static enum err_code fill_known(void *ctx, const char *table, struct err *e)
{
	struct tempdb *t = ctx;
	struct arena a = {0};
	enum err_code rc = E_OK;

	if (!strcmp(table, "account_known"))
		rc = bill_known_fill(t->db, &a, e);
	arena_done(&a);
	return rc;
}

void tempdb_know_accounts(struct tempdb *t)
{
	struct err e = {0};

	if (db_fill_derived(t->db, fill_known, NULL, t, &e) ||
		db_derived_all(t->db, NULL, &e))
		fail_msg("%s", e.msg);
}

void tempdb_bill_restated(struct tempdb *t)
{
	tempdb_exec(t,
		"DELETE FROM account_day WHERE account = 'restated';INSERT OR IGNORE INTO "
		"calendar SELECT DISTINCT julianday(date) - 2440587.5, date, "
		"(julianday(date) "
		"- 2440587.5) * 86400, (julianday(date) - 2440586.5) * 86400 FROM "
		"restatement;"
		"INSERT OR IGNORE INTO charge (invoice_month, cost_type, currency, "
		"usage_unit, rate) SELECT invoice_month, 'regular', currency, 'restated', "
		"0 "
		"FROM restatement;INSERT INTO account_day (day, account, charge_ref, part, "
		"cost, credits, promo, discount) SELECT c.day, 'restated', h.charge_ref, "
		"0, "
		"r.new_cost, r.new_credits, 0, 0 FROM restatement r JOIN calendar c USING "
		"(date) JOIN charge h USING (invoice_month, currency) WHERE h.usage_unit = "
		"'restated' AND r.at = (SELECT MAX(n.at) FROM restatement n WHERE n.date = "
		"r.date AND n.currency = r.currency AND n.invoice_month = "
		"r.invoice_month)");
}

void tempdb_put_quota(struct tempdb *t, struct q_quota_put_in q)
{
	struct err e = {0};

	q.project = q.project ? q.project : "p";
	q.source = q.source ? q.source : "quota";
	q.dimensions = q.dimensions ? q.dimensions : "{}";
	q.quota_id = q.quota_id ? q.quota_id : "";
	if (q_quota_put(t->db, &q, &e))
		fail_msg("%s", e.msg);
}

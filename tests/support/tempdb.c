#include "tests/support/tempdb.h"

#include "db_sql.h"

#include "db/internal.h"
#include "rules/bill_known.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* For SQL that tests give to the engine themselves. */
static void make_views(struct tempdb *t)
{
	for (int i = 0; i < db_n_views; i++) {
		struct err e = {0};

		if (db_need(t->db, db_views[i].name, &e))
			fail_msg("%s", e.msg);
	}
}

void tempdb_open(struct tempdb *t, ts_t now)
{
	struct err e = {0};
	bool rebuilt;

	memset(t, 0, sizeof(*t));
	strcpy(t->dir, "/tmp/tpucost-test-XXXXXX");
	if (!mkdtemp(t->dir))
		fail_msg("mkdtemp");
	snprintf(t->path, sizeof(t->path), "%s/t.db", t->dir);
	clock_fake_init(&t->clock, now);
	if (db_open(t->path, DB_WRITE, &t->clock, &t->db, &e) ||
		db_keep_derived(t->db, &rebuilt, &e))
		fail_msg("%s", e.msg);
	make_views(t);
}

void tempdb_open_as_of(struct tempdb *t, ts_t now)
{
	char sql[120];

	tempdb_open(t, now);
	snprintf(sql, sizeof(sql),
		"INSERT INTO as_of (now, timezone, currency) VALUES (%lld, 'UTC', 'USD')",
		(long long)now);
	tempdb_exec(t, sql);
}

void tempdb_close(struct tempdb *t)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock", ".generation"};
	char path[128];

	db_close(t->db);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(path, sizeof(path), "%s%s", t->path, ends[i]);
		unlink(path);
	}
	rmdir(t->dir);
}

/* Tables too, which users may not read. */
const char *tempdb_text(struct tempdb *t, const char *sql, char *buf, size_t size)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(t->db->sq, sql, -1, &st, NULL);
	const char *text;

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

int64_t tempdb_int(struct tempdb *t, const char *sql)
{
	char buf[64];

	return strtoll(tempdb_text(t, sql, buf, sizeof(buf)), NULL, 10);
}

void tempdb_exec(struct tempdb *t, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(t->db->sq, sql, NULL, NULL, &why))
		fail_msg("%s: %s", sql, why);
}

void tempdb_reopen(struct tempdb *t, enum db_mode mode)
{
	struct err e = {0};

	db_close(t->db);
	t->db = NULL;
	if (db_open(t->path, mode, &t->clock, &t->db, &e))
		fail_msg("%s", e.msg);
	make_views(t);
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

void tempdb_know_accounts(struct tempdb *t)
{
	struct arena a = {0};
	struct err e = {0};

	if (bill_known_fill(t->db, &a, &e))
		fail_msg("%s", e.msg);
	arena_done(&a);
}

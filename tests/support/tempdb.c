#include "tests/support/tempdb.h"

#include "db/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

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
}

void tempdb_close(struct tempdb *t)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	char path[128];

	db_close(t->db);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(path, sizeof(path), "%s%s", t->path, ends[i]);
		unlink(path);
	}
	rmdir(t->dir);
}

const char *tempdb_text(struct tempdb *t, const char *sql, char *buf, size_t size)
{
	struct db_cursor c;
	struct err e = {0};
	bool row = false;

	if (db_cursor_open(t->db, sql, 10000, &c, &e) || db_cursor_step(&c, &row, &e))
		fail_msg("%s: %s", sql, e.msg);
	snprintf(buf, size, "%s",
		!row                                       ? "(no row)"
			: db_cursor_type(&c, 0) == DB_NULL ? "NULL"
							   : db_cursor_text(&c, 0));
	db_cursor_close(&c);
	return buf;
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

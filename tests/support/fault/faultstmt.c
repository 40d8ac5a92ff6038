#include "tests/support/fault/faultstmt.h"

#include "db/internal.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct {
	int64_t at, calls;
	bool failed, now;
} fault;

static bool is_the_one(void)
{
	bool hit = ++fault.calls == fault.at;

	fault.failed |= hit;
	return hit;
}

/* What has to be undone is undone: a ROLLBACK never fails. */
static int authorize(
	void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)ctx;
	(void)b;
	(void)c;
	(void)d;
	if (action == SQLITE_TRANSACTION
			? strcmp(a, "ROLLBACK") != 0
			: action == SQLITE_SELECT || action == SQLITE_INSERT ||
				action == SQLITE_UPDATE || action == SQLITE_DELETE)
		return is_the_one() ? SQLITE_DENY : SQLITE_OK;
	return SQLITE_OK;
}

static int begins(unsigned kind, void *ctx, void *stmt, void *sql)
{
	(void)kind;
	(void)ctx;
	(void)stmt;
	/* "--": of a trigger; a checkpoint comes later, and the functions of JSON are made known,
	 * whether that works or not */
	if (strncmp(sql, "--", 2) != 0 && strncmp(sql, "PRAGMA", 6) != 0 &&
		strcmp(sql, "ROLLBACK") != 0 && !strstr(sql, "json_each('[]')"))
		fault.now = is_the_one();
	return 0;
}

static int interrupt(void *ctx)
{
	bool now = fault.now;

	(void)ctx;
	fault.now = false;
	return now;
}

/* Named queries are prepared anew when they are next used. */
static void forget_stmts(struct db *db)
{
	for (size_t i = 0; i < DB_SLOTS; i++)
		if (!db->slots[i].busy) {
			sqlite3_finalize(db->slots[i].stmt);
			db->slots[i] = (struct slot){0};
		}
}

void faultstmt_arm(struct db *db, enum fault_when when, int64_t at)
{
	memset(&fault, 0, sizeof(fault));
	fault.at = at;
	forget_stmts(db);
	if (when == FAULT_PREPARE) {
		sqlite3_set_authorizer(db->sq, authorize, NULL);
		return;
	}
	sqlite3_trace_v2(db->sq, SQLITE_TRACE_STMT, begins, NULL);
	sqlite3_progress_handler(db->sq, 1, interrupt, NULL);
}

bool faultstmt_disarm(struct db *db)
{
	sqlite3_trace_v2(db->sq, 0, NULL, NULL);
	db_guard_install(db);
	return fault.failed;
}

int64_t faultstmt_sweep(struct db *db, enum fault_when when,
	enum err_code (*go)(void *ctx, struct err *e), void (*reset)(void *ctx), void *ctx)
{
	for (int64_t at = 1;; at++) {
		struct err e = {0};
		enum err_code rc;

		if (reset)
			reset(ctx);
		faultstmt_arm(db, when, at);
		rc = go(ctx, &e);
		if (!faultstmt_disarm(db)) {
			assert_ok(rc, e);
			return at - 1;
		}
		if (!rc || rc != e.code || !*e.msg)
			fail_msg("fault %d of statement %lld: code %d, \"%s\"", when,
				(long long)at, rc, e.msg);
	}
}

int64_t faultstmt_sweep_both(struct db *db, enum err_code (*go)(void *ctx, struct err *e),
	void (*reset)(void *ctx), void *ctx)
{
	return faultstmt_sweep(db, FAULT_PREPARE, go, reset, ctx) +
		faultstmt_sweep(db, FAULT_RUN, go, reset, ctx);
}

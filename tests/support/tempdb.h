/* A scratch directory with a database in it, for one test. */
#ifndef TPUCOST_TESTS_SUPPORT_TEMPDB_H
#define TPUCOST_TESTS_SUPPORT_TEMPDB_H

#include "base/mem.h"
#include "base/time/clock.h"
#include "base/time/tz.h"
#include "db/db.h"
#include "db_sql.h"

struct tempdb {
	char dir[64];
	char path[96];
	struct clock clock; /* a fake one */
	struct db *db;
	struct tz *tz;  /* UTC, or of tempdb_open_in */
	struct arena a; /* for the test, until tempdb_close */
	struct tempdb *outer;
};

/* Fails the test when it cannot be made. Nothing is derived in it. */
void tempdb_open(struct tempdb *t, ts_t now);
/* The same, and what is asked of views is of that moment: in UTC, with sums in USD. */
void tempdb_open_as_of(struct tempdb *t, ts_t now);
/* The same as tempdb_open, with another time zone. */
void tempdb_open_in(struct tempdb *t, const char *zone, ts_t now);
void tempdb_close(struct tempdb *t); /* and remove everything */
/* Teardown of cmocka: closes the one that was opened last. */
int tempdb_teardown(void **state);

/* First column of the first row of any SELECT: as integer, and as text in `buf`. */
int64_t tempdb_int(struct tempdb *t, const char *sql);
const char *tempdb_text(struct tempdb *t, const char *sql, char *buf, size_t size);
/* The same text is `want`, or the test fails and shows both. */
void tempdb_expect(struct tempdb *t, const char *sql, const char *want);
/* The rows of a named query: blanks between columns, "; " between rows, "-" for NULL. Parameters have
 * commas between; one that begins with a digit is a number, "-" is NULL. A query may have several
 * statements. */
const char *tempdb_ask(struct tempdb *t, const char *query, const char *params);
/* Run SQL through the sqlite3 engine directly, for arranging a test. Derived rows that it changes are
 * seen instead of those that are derived from then on. */
void tempdb_exec(struct tempdb *t, const char *sql);
/* The same, with values as of sqlite3_mprintf: %Q is a text in quotes, or NULL. */
void tempdb_execf(struct tempdb *t, const char *fmt, ...);
void tempdb_forget_changes(struct tempdb *t); /* see what is derived again */
/* Close it, and open the same file once more. */
void tempdb_reopen(struct tempdb *t, enum db_mode mode);
/* A row to be found again: with a key that begins with "k", tempdb_metas counts it. */
void tempdb_put_meta(struct tempdb *t, const char *key, const char *value);
int64_t tempdb_metas(struct tempdb *t);

/* Stores a quota; what it does not say: of project p, source quota, without dimensions, seen at 0. */
void tempdb_put_quota(struct tempdb *t, struct q_quota_put_in q);

/* Fill account_known from the bill that is in it, as deriving does. */
void tempdb_know_accounts(struct tempdb *t);
/* The bill of each restated day is what the newest restatement of each invoice month says. */
void tempdb_bill_restated(struct tempdb *t);

#endif

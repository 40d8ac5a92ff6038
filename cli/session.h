/* A query's view of the database: opened read-only, with the derived tables computed for
 * the present moment and configuration as temporary tables. */
#ifndef TPUCOST_CLI_SESSION_H
#define TPUCOST_CLI_SESSION_H

#include "base/base.h"
#include "base/err.h"

struct app;

/* Open app->db read-only and derive for app->now, what is rarely asked for only when the
 * command or its options name it. */
enum err_code session_open(struct app *app, struct err *e) must_check;
/* The same with parts and a period of the caller's: `skip` of rules/derive.h is left out. */
enum err_code session_open_for(
	struct app *app, unsigned skip, ts_t since, ts_t until, struct err *e) must_check;
/* Derive what that SQL can show and was left out so far. */
enum err_code session_need(struct app *app, const char *sql, struct err *e) must_check;
void session_close(struct app *app);

/* What an answer rests on. */
enum basis { BASIS_NONE, BASIS_INVENTORY, BASIS_BILLING };

struct freshness {
	int64_t polled, complete, stale;
	ts_t oldest; /* last complete poll of the source that is furthest behind; 0: never */
};
enum err_code session_freshness(
	struct app *app, enum basis basis, struct freshness *out, struct err *e) must_check;
/* One line on standard error when the basis is old or has gaps; nothing with --quiet. */
enum err_code session_note(struct app *app, enum basis basis, struct err *e) must_check;

#endif

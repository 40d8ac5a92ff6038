/* A query's view of the database: opened read-only, with derived rows that are computed for the present
 * moment and configuration when they are first read. What they are computed from and what is read
 * beside them is of one moment, though a poll may end in between. */
#ifndef TPUCOST_CLI_SESSION_H
#define TPUCOST_CLI_SESSION_H

#include "base/base.h"
#include "base/err.h"

struct app;

/* Open app->db read-only, for app->now and the period of --since and --until. */
enum err_code session_open(struct app *app, struct err *e) must_check;
/* The same with a period of the caller's. */
enum err_code session_open_for(
	struct app *app, ts_t since, ts_t until, struct err *e) must_check;
void session_close(struct app *app);
/* Were the sums of days in the file made by this version, for the zone that is configured now, by its
 * rules? `app` is a struct app: this is a db_fit_fn. */
enum err_code session_rollups_fit(void *app, bool *fit, struct err *e) must_check;
/* Open app->db for writing; derived rows are computed as well when they are first read. */
enum err_code session_open_to_write(struct app *app, struct err *e) must_check;

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
/* The levels of access alone, for people: nothing where the answer is for programs. */
enum err_code session_note_access(struct app *app, struct err *e) must_check;

#endif

/* Database of a query: opened read-only, with derived rows that are computed for the present
 * moment and configuration when they are first read. All rows of a query have the same state,
 * even if a poll ends during the query. */
#ifndef TPUCOST_CLI_SESSION_H
#define TPUCOST_CLI_SESSION_H

#include "base/base.h"
#include "base/err.h"

struct app;
struct tpu_zones;

/* Key of meta: the stored screen of `status` (cli/screen/kept.c). What a command writes may change it. */
#define STATUS_KEPT "status"

/* Sets the period of an answer as of app->now (TS_NONE: absent). */
typedef enum err_code session_period_fn(
	struct app *app, void *ctx, ts_t *since, ts_t *until, struct err *e);
/* Opens app->db read-only for that period. It is asked for before the database is opened, and again if the clock is
 * wrong: then it ends when the clock was right. */
enum err_code session_open_of(
	struct app *app, session_period_fn *period, void *ctx, struct err *e) must_check;
/* Opens app->db read-only, for app->now and the period of --since and --until. E_USAGE, before the
 * database is opened: the period is not valid; afterwards: --project is unknown. */
enum err_code session_open(struct app *app, struct err *e) must_check;
/* Opens app->db read-only with a period of the caller. */
enum err_code session_open_for(
	struct app *app, ts_t since, ts_t until, struct err *e) must_check;
/* The present time of figures: `now`, or if the last poll found the clock of this machine wrong, the last time at
 * which it was right. Also sets the currency of figures, if it is not configured. app->db is open. */
enum err_code session_present(
	struct app *app, ts_t now, ts_t *out, struct err *e) must_check;
/* E_USAGE with a suggestion if neither the configuration nor the open database has a project of
 * --project. */
enum err_code session_check_project(struct app *app, struct err *e) must_check;
void session_close(struct app *app);
/* Tests whether the daily sums in the file were made by this version, for the configured zone and
 * its current rules. `app` is a struct app: this is a db_fit_fn. */
enum err_code session_rollups_fit(void *app, bool *fit, struct err *e) must_check;
/* If the file has sums of days of the bill in another time zone, or without what another `detail` needs, the next poll has
 * to read it again: its source then counts as never read, and is due. */
enum err_code session_mark_bill(struct app *app, struct err *e) must_check;
/* For app->db, such a bill was never read, and a line on standard error says so: app->bill_hidden. */
enum err_code session_hide_bill(struct app *app, struct err *e) must_check;
/* Opens app->db for writing. E_BUSY: this machine is a standby, where a command loses what it records (see on_standby),
 * or with app->needs_net, tpucost-net asks whether it is. */
enum err_code session_open_to_record(struct app *app, struct err *e) must_check;
/* The same; derived rows are also computed when they are first read. */
enum err_code session_open_to_write(struct app *app, struct err *e) must_check;

/* Kinds of data, of which an answer is based on one or a sum: mainly on the last of them. */
enum basis {
	BASIS_NONE,
	BASIS_INVENTORY = 1,
	BASIS_METRICS = 2,
	BASIS_QUOTAS = 4,
	BASIS_BILLING = 8,
	BASIS_ALL = 15
};
/* The main one of a sum, and its name: "records" of tpucost itself, if it is none. */
enum basis basis_main(unsigned basis);
const char *basis_name(unsigned basis);

struct freshness {
	int64_t polled, complete, stale;
	int64_t unread; /* of these, projects that were added to the configuration */
	ts_t oldest;    /* last complete poll of the oldest source; 0: never */
};
/* Of all sources of a sum of enum basis. */
enum err_code session_freshness(
	struct app *app, unsigned basis, struct freshness *out, struct err *e) must_check;
/* Prints lines on standard error if the data is old or incomplete; nothing with --quiet. `basis`: a sum. */
enum err_code session_note(struct app *app, unsigned basis, struct err *e) must_check;
/* Prints one line on standard error if the clock of this machine is wrong: see session_present(). */
void session_note_clock(struct app *app);
/* Prints one line on standard error if estimates cannot be converted to the configured currency. */
enum err_code session_note_rate(struct app *app, struct err *e) must_check;
/* Prints only the levels of access, for text output: nothing if the output is for programs. */
enum err_code session_note_access(struct app *app, struct err *e) must_check;

/* Sets the zones of TPUs: the built-in ones, those of the configuration, if it was loaded, and those
 * of its database, if it exists and can be read. */
void zones_known(struct app *app, struct tpu_zones *z);

#endif

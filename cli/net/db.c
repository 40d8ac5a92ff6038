/* Command `db`: maintenance of the database and its billing data. */
#include "base/time/civil.h"
#include "cli/query.h"
#include "cli/net/wire.h"
#include "collector/bill/store.h"
#include "db_sql.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int upkeep_list(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "billing_tables",
		.columns = "kind,row_count,first_day,last_day,name",
		.order = "first_day IS NULL, first_day, name",
		.empty = "No billing data; see: tpucost help import",
	};

	if (session_open(app, e))
		return cmd_fail(e);
	return query_run(app, &q, e);
}

/* A polled table would be polled again; except the old one of two tables with the same name. */
static enum err_code check_not_polled(struct app *app, const char *name, struct err *e)
{
	struct q_billing_table_newer_in in = {.name = name};
	struct q_billing_table_newer row;
	size_t i = 0;
	bool found;

	while (i < app->cfg->n_billing_tables &&
		strcmp(app->cfg->billing_tables[i].name, name) != 0)
		i++;
	if (i == app->cfg->n_billing_tables)
		return E_OK;
	if (q_billing_table_newer_one(app->db, &in, &app->arena, &row, &found, e))
		return e->code;
	if (found && row.n)
		return E_OK;
	return err_set_fix(e, E_USAGE,
		"remove it from billing: first, or it is polled again",
		"db forget: '%s' is in the configuration", name);
}

static int upkeep_forget(struct app *app, const char *name, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	cleanup(close_fd) int lock = -1;
	size_t units;

	if (writer_open(app, &lock, e) || check_not_polled(app, name, e) ||
		billing_forget(
			app->db, app->cfg->tz, clock_now(app->clock), name, &units, e) ||
		writer_derive(app, e))
		return cmd_fail(e);
	sbuf_add_term(&b, name);
	sbuf_addf(&b, ": removed, with %zu day%s of the export\n", units,
		units == 1 ? "" : "s");
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

/* ---- check ------------------------------------------------------------------------------------- */

/* Each partition was stored together with its sum. */
static enum err_code upkeep_check_sums(struct app *app, struct err *e)
{
	struct q_upkeep_wrong q;
	struct db_rows rows;
	struct err wrong = {0};
	size_t n = 0;

	if (q_upkeep_wrong_open(app->db, &rows, e))
		return e->code;
	while (q_upkeep_wrong_next(&rows, &q))
		if (!n++)
			err_set(&wrong, E_DB,
				"database %s is damaged: the rows of unit %lld of %s (%s) "
				"do not match the sum that was stored with them",
				app->cfg->database, (long long)q.unit, q.name, q.currency);
	if (db_rows_close(&rows, e))
		return e->code;
	if (!n)
		return E_OK;
	*e = wrong;
	return err_fix(e,
		"%zu units are damaged; restore a backup, or for each table: tpucost db "
		"forget NAME, then collect or import it again",
		n);
}

static enum err_code check_day(struct app *app, day_t day, struct err *e)
{
	struct q_upkeep_day_wrong_in in = {.day = day};
	struct q_upkeep_day_wrong q;
	char date[DATE_BUF];
	bool found;

	if (q_upkeep_day_wrong_one(app->db, &in, &app->arena, &q, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	return err_set_fix(e, E_DB,
		"restore a backup, or for each table: tpucost db forget NAME, then collect "
		"or import it again",
		"database %s is damaged: the sum in %s of %s does not match that day's "
		"rows of the bill",
		app->cfg->database, q.name, date_format(day, date));
}

/* Compares each day with the sum of its rows of the bill. Sums of an older version are not
 * compared: they are not used, and the next poll computes them again. */
static enum err_code check_days(struct app *app, bool *compared, struct err *e)
{
	struct q_upkeep_days q;
	struct db_rows rows;
	struct err wrong = {0};

	if (db_rollups_current(app->db, compared, e))
		return e->code;
	if (!*compared)
		return E_OK;
	if (q_upkeep_days_open(app->db, &rows, e))
		return e->code;
	while (!wrong.code && q_upkeep_days_next(&rows, &q))
		(void)!check_day(app, (day_t)q.day, &wrong);
	if (db_rows_close(&rows, e))
		return e->code;
	if (wrong.code)
		*e = wrong;
	return wrong.code;
}

static int upkeep_check(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct q_guard_bill bill;
	int64_t tables, rows;
	bool found, compared;

	if (db_open(app->cfg->database, DB_READ, app->clock, &app->db, e) ||
		db_check(app->db, e) || db_check_references(app->db, e) ||
		upkeep_check_sums(app, e) || check_days(app, &compared, e) ||
		db_count(app->db, &tables, &rows, e) ||
		q_guard_bill_one(app->db, &app->arena, &bill, &found, e))
		return cmd_fail(e);
	sbuf_add_term(&b, app->cfg->database);
	sbuf_addf(&b,
		": valid; %lld rows in %lld tables; the rows of the bill match their sums "
		"in all %lld units%s\n",
		(long long)rows, (long long)tables, (long long)bill.units,
		compared ? ""
			 : "; daily sums are of an older version and were not compared: "
			   "tpucost collect computes them again");
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

/* ---- compact ----------------------------------------------------------------------------------- */

static int64_t upkeep_size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (int64_t)st.st_size;
}

/* The database is copied to its directory, and to a temporary file, which may be on the same
 * disk. */
static enum err_code check_room(const char *database, struct err *e)
{
	int64_t need = 2 * upkeep_size_of(database), room;
	struct statvfs fs;

	if (statvfs(database, &fs))
		return err_sys(e, E_IO, errno, "db compact: stat %s", database);
	room = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
	if (room >= need)
		return E_OK;
	return err_set_fix(e, E_IO, "free some space on the disk",
		"db compact: %lld MiB are free in the directory of %s, but %lld MiB are "
		"needed",
		(long long)(room / MIB), database, (long long)(need / MIB + 1));
}

static int compact(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const char *path = app->cfg->database;
	cleanup(close_fd) int lock = -1;
	int64_t before;

	if (access(path, F_OK)) {
		err_sys(e, E_NOTFOUND, errno, "database %s", path);
		return cmd_fail(e);
	}
	app->on_standby = true;
	if (writer_open(app, &lock, e) || db_check(app->db, e) || check_room(path, e))
		return cmd_fail(e);
	before = upkeep_size_of(path);
	if (db_compact(app->db, e))
		return cmd_fail(e);
	sbuf_add_term(&b, path);
	sbuf_addf(&b, ": %lld KiB, before %lld KiB\n",
		(long long)(upkeep_size_of(path) / 1024), (long long)(before / 1024));
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_db(struct app *app, struct err *e)
{
	const char *what = app->n_args ? app->args[0] : "list";

	if (!strcmp(what, "list") && app->n_args <= 1)
		return upkeep_list(app, e);
	if (!strcmp(what, "forget") && app->n_args == 2)
		return upkeep_forget(app, app->args[1], e);
	if (!strcmp(what, "check") && app->n_args == 1)
		return upkeep_check(app, e);
	if (!strcmp(what, "compact") && app->n_args == 1)
		return compact(app, e);
	if (!strcmp(what, "plan") && app->n_args == 1)
		return plan_show(app, e);
	err_set(e, E_USAGE, "db: expected list, plan, forget NAME, check or compact");
	near_fix(e, near_below(&app->arena, app->cmd, what), "see: tpucost help db");
	return cmd_fail(e);
}

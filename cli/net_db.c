/* Looking after the database: what billing data is in it, and taking some of it out. */
#include "cli/config.h"
#include "cli/near.h"
#include "cli/query.h"
#include "cli/wire.h"
#include "collector/forget.h"
#include "db_sql.h"

#include <string.h>

static int list(struct app *app, struct err *e)
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

static bool is_polled(const struct config *cfg, const char *name)
{
	for (size_t i = 0; i < cfg->n_billing_tables; i++)
		if (!strcmp(cfg->billing_tables[i].name, name))
			return true;
	return false;
}

/* What is polled comes back; but not the old one of two tables of one name. */
static enum err_code check_not_polled(struct app *app, const char *name, struct err *e)
{
	struct q_billing_table_newer_in in = {.name = name};
	struct q_billing_table_newer row;
	bool found;

	if (!is_polled(app->cfg, name))
		return E_OK;
	if (q_billing_table_newer_one(app->db, &in, &app->arena, &row, &found, e))
		return e->code;
	if (found && row.n)
		return E_OK;
	err_set(e, E_USAGE, "db forget: \"%s\" is in the configuration", name);
	return err_fix(e, "take it out of billing: first, or it comes back");
}

static int forget(struct app *app, const char *name, struct err *e)
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
	sbuf_addf(&b, ": taken out, with %zu days of the export\n", units);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_db(struct app *app, struct err *e)
{
	const char *what = app->n_args ? app->args[0] : "list";

	if (!strcmp(what, "list") && app->n_args <= 1)
		return list(app, e);
	if (!strcmp(what, "forget") && app->n_args == 2)
		return forget(app, app->args[1], e);
	err_set(e, E_USAGE, "db: want \"list\" or \"forget NAME\"");
	near_fix(e, near_below(&app->arena, app->cmd, what), "see: tpucost help db");
	return cmd_fail(e);
}

/* Looking after the database: what billing data is in it, and taking some of it out. */
#include "base/civil.h"
#include "base/json.h"
#include "cli/config.h"
#include "cli/out.h"
#include "cli/wire.h"
#include "collector/forget.h"
#include "db_sql.h"

#include <string.h>

static void json_row(struct jw *w, const struct q_billing_table_list *t)
{
	char day[DATE_BUF];

	jw_begin(w, '{');
	jw_kstr(w, "name", t->name);
	jw_kstr(w, "kind", t->kind);
	jw_ki64(w, "units", t->units);
	jw_ki64(w, "rows", t->row_count);
	jw_kstr(w, "first", t->first.set ? date_format((day_t)t->first.v, day) : NULL);
	jw_kstr(w, "last", t->last.set ? date_format((day_t)t->last.v, day) : NULL);
	jw_end(w, '}');
}

static void text_row(struct sbuf *b, const struct q_billing_table_list *t)
{
	char first[DATE_BUF] = "-", last[DATE_BUF] = "-";

	if (t->first.set)
		date_format((day_t)t->first.v, first);
	if (t->last.set)
		date_format((day_t)t->last.v, last);
	sbuf_addf(b, "%-6s  %10lld rows  %s to %s  ", t->kind, (long long)t->row_count,
		first, last);
	sbuf_add_term(b, t->name);
	sbuf_addc(b, '\n');
}

static enum err_code list(
	struct app *app, enum out_format format, struct sbuf *b, struct err *e)
{
	struct q_billing_table_list row;
	struct jw w = {.b = b};
	struct db_rows rows;

	if (q_billing_table_list_open(app->db, &rows, e))
		return e->code;
	if (format == OUT_JSON)
		jw_begin(&w, '[');
	while (q_billing_table_list_next(&rows, &row)) {
		if (format == OUT_JSON)
			json_row(&w, &row);
		else
			text_row(b, &row);
	}
	if (format == OUT_JSON) {
		jw_end(&w, ']');
		sbuf_addc(b, '\n');
	} else if (!b->len) {
		sbuf_adds(b, "No billing data.\n");
	}
	return db_rows_close(&rows, e);
}

static enum err_code forget(struct app *app, struct sbuf *b, struct err *e)
{
	size_t units;

	if (billing_forget(app->db, app->cfg->tz, clock_now(app->clock), app->args[1],
		    &units, e) ||
		writer_derive(app, e))
		return e->code;
	sbuf_add_term(b, app->args[1]);
	sbuf_addf(b, ": %zu days taken out\n", units);
	return E_OK;
}

int cmd_db(struct app *app, struct err *e)
{
	const char *what = app->n_args ? app->args[0] : "list";
	bool forgets = !strcmp(what, "forget");
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	cleanup(close_fd) int lock = -1;
	enum out_format format;

	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	if (format != OUT_TABLE && format != OUT_JSON) {
		err_set(e, E_USAGE, "db: --format is table or json");
		return cmd_fail(e);
	}
	if (forgets ? app->n_args != 2 : (strcmp(what, "list") != 0 || app->n_args > 1)) {
		err_set(e, E_USAGE, "db: want \"list\" or \"forget NAME\"");
		err_fix(e, "see: tpucost help db");
		return cmd_fail(e);
	}
	if (writer_open(app, &lock, e) ||
		(forgets ? forget(app, &b, e) : list(app, format, &b, e)) ||
		out_write(&b, e))
		return cmd_fail(e);
	return EXIT_FINE;
}

/* Command `hold`: protects resources from actions. Part of tpucost-net, because it writes audit
 * entries. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/enforce/enforce.h"
#include "cli/query.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

#define LAST_MOMENT \
	INT64_C(253402300799) /* 9999-12-31T23:59:59Z: the last time that can be displayed */

/* A date is inclusive: protecting a little longer does no harm. */
static enum err_code hold_end(struct app *app, ts_t *out, struct err *e)
{
	const char *text = app->o.until;
	int64_t seconds;
	day_t day;

	if (!text) {
		err_set(e, E_USAGE, "hold: --until is missing");
		return near_fix(e,
			app->n_args == 1 ? near_below(&app->arena, app->cmd, app->args[0])
					 : NULL,
			"give an end, such as --until 2026-12-01 or --until 3d");
	}
	if (!duration_parse(text, &seconds, NULL))
		*out = app->now + seconds;
	else if (!date_parse(text, &day, NULL))
		*out = tz_day_start(app->cfg->tz, day + 1);
	else if (rfc3339_parse(text, out, NULL, NULL)) {
		return err_set_fix(e, E_USAGE,
			"use 3d, 12h, 2026-12-01 or 2026-12-01T08:00:00Z",
			"--until: '%.60s' is not a valid time", text);
	}
	if (*out <= app->now)
		return err_set(e, E_USAGE, "--until: '%.60s' is in the past", text);
	*out = *out < LAST_MOMENT ? *out : LAST_MOMENT;
	return E_OK;
}

/* An action that was recorded may already be requested: it is reported, and the hold is for later
 * actions. */
static enum err_code check_in_flight(
	struct app *app, const char *id, bool *late, struct err *e)
{
	struct q_decide_in_flight_in in = {.resource = id};
	struct q_decide_in_flight row;

	if (q_decide_in_flight_one(app->db, &in, &app->arena, &row, late, e))
		return e->code;
	if (*late)
		say("tpucost: hold: too late for action %lld: the %s of %s is in progress "
		    "(%s); the hold applies to later actions",
			(long long)row.action, row.verb, row.resource, row.state);
	return E_OK;
}

static const char *until_detail(struct app *app, ts_t until)
{
	char when[RFC3339_BUF];

	return arena_printf(&app->arena, "\"until\":\"%s\"", rfc3339_format(until, when));
}

/* Two persons may protect one resource. The longer hold stays: only `hold remove` ends it earlier. */
static enum err_code put_hold(struct app *app, const struct q_hold_put_in *in,
	struct q_hold_get *longer, struct err *e)
{
	bool found;

	if (q_hold_get_one(app->db, &(struct q_hold_get_in){.id = in->id}, &app->arena,
		    longer, &found, e))
		return e->code;
	if (found && longer->until > in->until)
		return E_OK;
	*longer = (struct q_hold_get){.until = TS_NONE};
	return q_hold_put(app->db, in, e) ? e->code
					  : person_note(app, "hold-added", 0, in->id,
						    until_detail(app, in->until), e);
}

static int add_hold(struct app *app, const char *name, struct err *e)
{
	struct q_hold_put_in in = {
		.created = app->now, .comment = app->o.comment ? app->o.comment : ""};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_hold_get longer;
	const char *host = NULL;
	bool late;

	app->decides = true;
	if (hold_end(app, &in.until, e) || person_comment(app, e) ||
		session_open_to_write(app, e) || db_begin(app->db, &tx, e) ||
		enforce_resource(app, name, false, &in.id, &host, e) ||
		put_hold(app, &in, &longer, e) || check_in_flight(app, in.id, &late, e) ||
		db_commit(&tx, e) || person_keep(app, e))
		return cmd_fail(e);
	if (host)
		say_unless_quiet("%s is a host of %s: the hold is for the whole slice",
			str_after_last(host, '/'), in.id);
	if (longer.until != TS_NONE)
		say_unless_quiet("%s is already protected until %s%s%s%s: its hold stays; "
				 "to end it: "
				 "tpucost hold remove %s",
			in.id, person_time(app, longer.until), *longer.comment ? " (" : "",
			longer.comment, *longer.comment ? ")" : "", in.id);
	else
		say_unless_quiet(
			"%s is protected until %s", in.id, person_time(app, in.until));
	return late ? EXIT_NO : EXIT_FINE;
}

static enum err_code find_hold(
	struct app *app, const char *name, const char **id, ts_t *until, struct err *e)
{
	struct q_hold_get_in get;
	struct q_hold_get row;
	bool found = false;

	if (enforce_resource(app, name, true, &get.id, NULL, e) == E_NOTFOUND) {
		err_clear(e);
		if (enforce_resource(app, name, false, &get.id, NULL, e))
			return e->code;
	}
	if (e->code || q_hold_get_one(app->db, &get, &app->arena, &row, &found, e))
		return e->code;
	if (!found)
		return err_set_fix(e, E_NOTFOUND, "see: tpucost hold list",
			"there is no hold on %s", get.id);
	*id = get.id;
	*until = row.until;
	return E_OK;
}

static int remove_hold(struct app *app, const char *name, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_hold_drop_in drop;
	ts_t until = TS_NONE;

	app->decides = true;
	if (person_comment(app, e) || session_open_to_write(app, e) ||
		db_begin(app->db, &tx, e) || find_hold(app, name, &drop.id, &until, e) ||
		q_hold_drop(app->db, &drop, e) ||
		person_note(app, "hold-removed", 0, drop.id, until_detail(app, until), e) ||
		db_commit(&tx, e) || person_keep(app, e))
		return cmd_fail(e);
	say_unless_quiet("%s is no longer held", drop.id);
	return EXIT_FINE;
}

static int list_holds(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "holds",
		.columns = "id,until,active,comment",
		.order = "until, id",
		.empty = "There are no holds.",
	};

	app->o.until = NULL;
	return session_open(app, e) ? cmd_fail(e) : query_run_local(app, &q, e);
}

int cmd_hold(struct app *app, struct err *e)
{
	const char *what = app->n_args ? app->args[0] : "list";
	bool adds = !strcmp(what, "add"), removes = !strcmp(what, "remove");

	if ((adds || removes) && app->n_args < 2) {
		err_set(e, E_USAGE, "hold %s: no id is given", what);
		err_fix(e, adds ? "see: tpucost ps" : "see: tpucost hold list");
		return cmd_fail(e);
	}
	if (!adds && !removes && app->n_args > 1) {
		err_set(e, E_USAGE, "hold: unexpected argument '%.200s'", app->args[1]);
		near_fix(e, near_below(&app->arena, app->cmd, what),
			"see: tpucost help hold");
		return cmd_fail(e);
	}
	if (removes)
		return remove_hold(app, app->args[1], e);
	if (!adds && !strcmp(what, "list"))
		return list_holds(app, e);
	return add_hold(app, adds ? app->args[1] : what, e);
}

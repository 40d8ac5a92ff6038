/* Telling the program to be quiet about something, or to leave something alone. */
#include "base/civil.h"
#include "base/str.h"
#include "base/tz.h"
#include "cli/config.h"
#include "cli/query.h"
#include "cli/rule_cmd.h"
#include "cli/say.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

#define MAX_COMMENT 1000
#define LAST_MOMENT \
	INT64_C(253402300799) /* 9999-12-31T23:59:59Z: the last that can be shown */

static enum err_code check_comment(struct app *app, struct err *e)
{
	const char *s = app->o.comment;

	if (s && strlen(s) > MAX_COMMENT)
		return err_set(e, E_USAGE, "--comment: longer than %d bytes", MAX_COMMENT);
	if (s && !utf8_valid(s, strlen(s)))
		return err_set(e, E_USAGE, "--comment: it is not UTF-8");
	return E_OK;
}

static enum err_code open_for_writing(struct app *app, struct err *e)
{
	return db_open(app->cfg->database, DB_WRITE, app->clock, &app->db, e);
}

static int list(struct app *app, const struct query *q, struct err *e)
{
	if (app->n_args > 1) {
		err_set(e, E_USAGE, "%s list: unexpected argument \"%s\"", app->cmd->name,
			app->args[1]);
		return cmd_fail(e);
	}
	if (session_open(app, e))
		return cmd_fail(e);
	return query_run(app, q, e);
}

static int done(struct app *app, const char *text)
{
	if (!app->o.quiet)
		say("%s", text);
	return EXIT_FINE;
}

static const char *local_time(struct app *app, ts_t t)
{
	struct civil c = civil_from_ts(t + tz_offset(app->cfg->tz, t));

	return arena_printf(&app->arena, "%04d-%02d-%02d %02d:%02d %s", c.year, c.month,
		c.day, c.hour, c.minute, app->cfg->timezone);
}

/* ---- silence ----------------------------------------------------------------------------------- */

/* A short name mutes nothing: subjects are whole. */
static enum err_code check_subject(struct app *app, const char *name, struct err *e)
{
	struct q_alert_said_in in = {.rule = name, .subject = app->o.subject};
	struct q_alert_said row;
	bool found = true;

	if (app->o.subject && q_alert_said_one(app->db, &in, &app->arena, &row, &found, e))
		return e->code;
	if (!found)
		say("note: %s has no alert about \"%s\" now; for its subjects run: tpucost "
		    "alerts --columns rule,subject",
			name, app->o.subject);
	return E_OK;
}

static enum err_code add_silence(struct app *app, const char *name, struct err *e)
{
	struct q_silence_add_in in = {.rule = name,
		.subject = app->o.subject ? app->o.subject : "",
		.created = app->now,
		.comment = app->o.comment ? app->o.comment : ""};
	int64_t seconds;

	if (!rule_find(app, name, e) || check_comment(app, e))
		return e->code;
	if (!app->o.hold_for) {
		err_set(e, E_USAGE, "silence: --for is missing");
		return err_fix(e, "say how long, e.g. --for 2h");
	}
	if (duration_parse(app->o.hold_for, &seconds, NULL)) {
		err_set(e, E_USAGE, "--for: \"%.60s\" is not a time", app->o.hold_for);
		return err_fix(e, "use 30m, 2h or 3d");
	}
	if (!seconds)
		return err_set(e, E_USAGE, "--for: 0 is no time");
	in.until = app->now + seconds;
	if (open_for_writing(app, e) || q_silence_add(app->db, &in, e))
		return e->code;
	done(app,
		arena_printf(&app->arena, "%s is silent until %s", name,
			local_time(app, in.until)));
	return check_subject(app, name, e);
}

static enum err_code remove_silence(struct app *app, struct err *e)
{
	struct q_silence_drop_in drop;
	struct q_silence_get_in get;
	struct q_silence_get row;
	struct q_alert_unmute_in unmute;
	cleanup(db_tx_end) struct db_tx tx = {0};
	int64_t number;
	bool found;

	if (app->n_args < 2 || !str_to_i64(app->args[1], 1, INT64_MAX, &number)) {
		err_set(e, E_USAGE, "silence remove: which number?");
		return err_fix(e, "see: tpucost silence list");
	}
	get.silence = drop.silence = number;
	if (open_for_writing(app, e) || db_begin(app->db, &tx, e) ||
		q_silence_get_one(app->db, &get, &app->arena, &row, &found, e))
		return e->code;
	if (!found) {
		err_set(e, E_NOTFOUND, "there is no silence %lld", (long long)number);
		return err_fix(e, "see: tpucost silence list");
	}
	unmute = (struct q_alert_unmute_in){
		.rule = row.rule, .subject = row.subject, .created = row.created};
	if (q_silence_drop(app->db, &drop, e) || q_alert_unmute(app->db, &unmute, e) ||
		db_commit(&tx, e))
		return e->code;
	done(app, arena_printf(&app->arena, "%s speaks again", row.rule));
	return E_OK;
}

int cmd_silence(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "silences",
		.columns = "silence,rule,subject,until,active,comment",
		.order = "silence",
		.empty = "Nothing is silenced.",
	};
	const char *what = app->n_args ? app->args[0] : "list";

	if (!strcmp(what, "list"))
		return list(app, &q, e);
	if (!strcmp(what, "remove"))
		return remove_silence(app, e) ? cmd_fail(e) : EXIT_FINE;
	if (app->n_args > 1) {
		err_set(e, E_USAGE, "silence: unexpected argument \"%s\"", app->args[1]);
		err_fix(e, "name one subject with --subject");
		return cmd_fail(e);
	}
	return add_silence(app, what, e) ? cmd_fail(e) : EXIT_FINE;
}

/* ---- hold -------------------------------------------------------------------------------------- */

/* A date is meant to be included: protecting a little longer harms nobody. */
static enum err_code hold_end(struct app *app, ts_t *out, struct err *e)
{
	const char *text = app->o.until;
	int64_t seconds;
	day_t day;

	if (!text) {
		err_set(e, E_USAGE, "hold: --until is missing");
		return err_fix(e, "say until when, e.g. --until 2026-12-01 or --until 3d");
	}
	if (!duration_parse(text, &seconds, NULL))
		*out = app->now + seconds;
	else if (!date_parse(text, &day, NULL))
		*out = tz_day_start(app->cfg->tz, day + 1);
	else if (rfc3339_parse(text, out, NULL, NULL)) {
		err_set(e, E_USAGE, "--until: \"%.60s\" is not a time", text);
		return err_fix(e, "use 3d, 12h, 2026-12-01 or 2026-12-01T08:00:00Z");
	}
	if (*out <= app->now)
		return err_set(e, E_USAGE, "--until: %.60s is over", text);
	*out = *out < LAST_MOMENT ? *out : LAST_MOMENT;
	return E_OK;
}

/* The id of a resource that exists, by its id or its short name. */
static enum err_code resource_id(
	struct app *app, const char *name, const char **id, struct err *e)
{
	struct q_resource_named_in in = {.name = name};
	struct q_resource_named row;
	struct db_rows rows;
	size_t n = 0;

	if (q_resource_named_open(app->db, &in, &rows, e))
		return e->code;
	while (q_resource_named_next(&rows, &row))
		if (!n++ || !strcmp(row.id, name))
			*id = arena_strdup(&app->arena, row.id);
	if (db_rows_close(&rows, e))
		return e->code;
	if (!n) {
		err_set(e, E_NOTFOUND, "no machine or TPU is called \"%.200s\"", name);
		return err_fix(e, "see: tpucost ps --all");
	}
	if (n > 1 && strcmp(*id, name) != 0) {
		err_set(e, E_USAGE, "several things are called \"%.200s\"", name);
		return err_fix(e, "give the whole id, such as %s", *id);
	}
	return E_OK;
}

static enum err_code add_hold(struct app *app, const char *name, struct err *e)
{
	struct q_hold_put_in in = {
		.created = app->now, .comment = app->o.comment ? app->o.comment : ""};

	if (hold_end(app, &in.until, e) || check_comment(app, e) ||
		open_for_writing(app, e) || resource_id(app, name, &in.id, e) ||
		q_hold_put(app->db, &in, e))
		return e->code;
	done(app,
		arena_printf(&app->arena, "nothing acts on %s until %s", in.id,
			local_time(app, in.until)));
	return E_OK;
}

static enum err_code remove_hold(struct app *app, struct err *e)
{
	struct q_hold_drop_in drop = {0};
	struct q_hold_get_in get = {0};
	struct q_hold_get row;
	bool found;

	if (app->n_args < 2) {
		err_set(e, E_USAGE, "hold remove: which id?");
		return err_fix(e, "see: tpucost hold list");
	}
	get.id = app->args[1];
	if (open_for_writing(app, e) ||
		q_hold_get_one(app->db, &get, &app->arena, &row, &found, e))
		return e->code;
	if (!found &&
		(resource_id(app, app->args[1], &get.id, e) ||
			q_hold_get_one(app->db, &get, &app->arena, &row, &found, e)))
		return e->code;
	if (!found) {
		err_set(e, E_NOTFOUND, "there is no hold on %s", get.id);
		return err_fix(e, "see: tpucost hold list");
	}
	drop.id = get.id;
	if (q_hold_drop(app->db, &drop, e))
		return e->code;
	done(app, arena_printf(&app->arena, "%s is not held any more", drop.id));
	return E_OK;
}

int cmd_hold(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "holds",
		.columns = "id,until,active,comment",
		.order = "until, id",
		.empty = "Nothing is held.",
	};
	const char *what = app->n_args ? app->args[0] : "list";

	if (!strcmp(what, "list")) {
		app->o.until = NULL;
		return list(app, &q, e);
	}
	if (!strcmp(what, "remove"))
		return remove_hold(app, e) ? cmd_fail(e) : EXIT_FINE;
	if (app->n_args > 1) {
		err_set(e, E_USAGE, "hold: unexpected argument \"%s\"", app->args[1]);
		return cmd_fail(e);
	}
	return add_hold(app, what, e) ? cmd_fail(e) : EXIT_FINE;
}

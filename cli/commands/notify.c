/* Command `notify`: channels and messages, with their state. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

const struct query query_channels = {
	.view = "channels",
	.columns = "name,kind,state,waiting,dead,last_sent?,error",
	.order = "name",
	.empty = "No messages were sent yet. To test a channel: tpucost notify test NAME",
};

const struct query query_notifications = {
	.view = "notifications",
	.columns = "id,channel,recipient?,kind,state,attempts?,created,subject,error?",
	.order = "id DESC",
	.empty = "There are no messages yet.",
	.time = "created",
};

int cmd_notify(struct app *app, struct err *e)
{
	if (!app->n_args && (app->o.since || app->o.until))
		return cmd_refuse(e, "use: tpucost notify list --since ...",
			"notify: --since and --until apply to messages, not to channels");
	if (!app->n_args)
		return query_run(app, &query_channels, e);
	if (!strcmp(app->args[0], "list"))
		return query_run(app, &query_notifications, e);
	err_set(e, E_USAGE, "notify: unknown action '%s'", app->args[0]);
	near_fix(e, near_below(&app->arena, app->cmd, app->args[0]),
		"use: tpucost notify [list | test NAME | retry NAME|ID]");
	return cmd_fail(e);
}

struct retrying {
	int64_t *v; /* their numbers */
	size_t n, cap;
	const char *channel;
};

/* Finds the dead messages of a channel, or the one with that number. */
static enum err_code find_dead(struct app *app, struct retrying *r, struct err *e)
{
	struct q_notification_dead_in in = {.channel = app->args[0], .id = -1};
	struct q_notification_dead q;
	struct db_rows rows;

	if (str_to_i64(app->args[0], 1, INT64_MAX, &in.id))
		in.channel = "";
	if (q_notification_dead_open(app->db, &in, &rows, e))
		return e->code;
	while (q_notification_dead_next(&rows, &q)) {
		*arena_push(&app->arena, r) = q.id;
		r->channel = arena_strdup(&app->arena, q.base);
	}
	return db_rows_close(&rows, e);
}

static enum err_code revive(struct app *app, struct retrying *r, struct err *e)
{
	struct q_channel_on_in on;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(app->db, &tx, e) || find_dead(app, r, e))
		return e->code;
	for (size_t i = 0; i < r->n; i++) {
		struct q_notification_retry_in in = {.id = r->v[i], .now = app->now};

		if (q_notification_retry(app->db, &in, e))
			return e->code;
	}
	on.channel = r->channel ? r->channel : app->args[0];
	if (q_channel_on(app->db, &on, e))
		return e->code;
	return db_commit(&tx, e);
}

int cmd_notify_retry(struct app *app, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct retrying r = {0};
	bool known = false;

	if (session_open_to_record(app, e) || revive(app, &r, e))
		return app->needs_net ? EXIT_FAILED : cmd_fail(e);
	for (size_t i = 0; i < cfg->n_channels; i++)
		known |= !strcmp(cfg->channels[i].name, app->args[0]);
	if (!r.n && !known) {
		err_set(e, E_USAGE,
			"notify retry: no channel and no undeliverable message is named "
			"'%.60s'",
			app->args[0]);
		near_fix(e, NEAR_OF(app->args[0], cfg->channels, cfg->n_channels, name),
			"see: tpucost notify, and tpucost notify list");
		return cmd_fail(e);
	}
	if (r.n)
		say_unless_quiet("%zu message%s will be retried by the next tpucost run",
			r.n, r.n == 1 ? "" : "s");
	else
		say_unless_quiet("%s: no undeliverable alert or report; the next tpucost "
				 "run retries "
				 "the channel",
			app->args[0]);
	return EXIT_FINE;
}

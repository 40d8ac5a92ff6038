/* Sending of messages and reports through channels: due ones, requested ones and tests. */
#include "cli/net/wire.h"

#include "base/fs.h"
#include "base/net/http.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/detail.h"
#include "cli/out/out.h"
#include "cli/session.h"
#include "db/db.h"
#include "reports/message/message.h"
#include "reports/kinds.h"
#include "reports/schedule.h"
#include "db_sql.h"

#include <string.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_URL 4096
#define SEND_SECONDS 120 /* a user is waiting */

/* ---- sending ----------------------------------------------------------------------------------- */

struct sending {
	struct app *app;
	struct sender sender;
	struct tellings *list;
};

static void sending_done(struct sending *s)
{
	http_free(s->sender.http);
}

/* One attempt each: retries are the task of the outbox. Destinations of URLs are checked. */
static enum err_code open_client(struct app *app, struct http **out, struct err *e)
{
	struct http_opts o = {.user_agent = "tpucost/" TPUCOST_VERSION,
		.clock = app->clock,
		.max_attempts = 1,
		.connect_timeout_ms = 10000,
		.total_timeout_ms = 30000,
		.guard = true};

	return http_new(&o, out, e);
}

static void send_letter(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	struct sending *s = ctx;

	channel_send(&s->sender, c, l, out);
}

static void on_attempt(void *ctx, const struct channel *c, const struct letter *l,
	const struct send_result *r)
{
	struct sending *s = ctx;
	struct tellings *t = s->list;
	struct arena *a = &s->app->arena;

	*arena_push(a, t) = (struct told){.channel = c->name,
		.base = c->base,
		.recipient = arena_strdup(a, l->recipient),
		.class = r->class,
		.reply = arena_strdup(a, r->reply),
		.error = r->class == SEND_SENT ? NULL : arena_strdup(a, r->err.msg),
		.fix = r->class == SEND_SENT ? NULL : arena_strdup(a, r->err.fix)};
}

enum err_code notify_send(struct app *app, struct db *db, int64_t max_seconds,
	const char *only, struct outbox_sent *out, struct tellings *list, struct err *e)
{
	cleanup(sending_done) struct sending sending = {
		.app = app, .sender = {.clock = app->clock}, .list = list};
	struct outbox o = outbox_of(app->cfg);
	struct outbox_post post = {.send = send_letter,
		.ctx = &sending,
		.clock = app->clock,
		.max_seconds = max_seconds,
		.step = on_attempt,
		.step_ctx = &sending,
		.only = only};

	if (outbox_add_owners(db, &o, true, &app->arena, e) ||
		open_client(app, &sending.sender.http, e))
		return e->code;
	return outbox_send(db, &o, &post, out, e);
}

/* ---- all channels in parallel ------------------------------------------------------------------- */

/* Letters to owners that the same channel sends, with the same result, are one problem. */
static bool same_trouble(const struct told *a, const struct told *b)
{
	return a->error && b->error && a->class == b->class && a->base &&
		str_eq(a->base, b->base);
}

/* Every cycle reports failing channels: it may be the only way to report them. */
static void say_trouble(const struct tellings *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct told *t = &list->v[i];
		size_t before = 0, more = 0;
		char others[48] = "";

		for (size_t k = 0; k < list->n; k++)
			if (k != i && same_trouble(t, &list->v[k]))
				*(k < i ? &before : &more) += 1;
		if (!t->error || before)
			continue;
		if (more)
			snprintf(others, sizeof(others), " and %zu more", more);
		say("tpucost: channel %s%s: %s: %s%s%s", t->channel, others,
			send_class_name(t->class), t->error, *t->fix ? "; " : "", t->fix);
	}
}

static enum err_code sending_find_due(struct app *app, bool *due, struct err *e)
{
	struct q_channel_due_in in = {.now = clock_now(app->clock)};
	struct q_channel_due q;
	struct db_rows rows;

	if (q_channel_due_open(app->db, &in, &rows, e))
		return e->code;
	while (q_channel_due_next(&rows, &q))
		for (size_t i = 0; i < app->cfg->n_channels; i++)
			due[i] |= !strcmp(app->cfg->channels[i].name, q.channel);
	return db_rows_close(&rows, e);
}

/* Sends all messages of one channel, with a database connection of its own. */
static int send_channel(const struct app *app, size_t i, int64_t max_seconds)
{
	struct config cfg = *app->cfg;
	struct app one = {.clock = app->clock, .cfg = &cfg, .cmd = app->cmd, .o = app->o};
	struct tellings list = {0};
	struct outbox_sent sent;
	struct err e = {0};
	int rc = EXIT_FINE;

	cfg.channels = &app->cfg->channels[i];
	cfg.n_channels = 1;
	if (db_open(cfg.database, DB_WRITE, one.clock, &one.db, &e) ||
		notify_send(&one, one.db, max_seconds, NULL, &sent, &list, &e))
		rc = cmd_fail(&e);
	if (!app->daemon)
		say_trouble(&list);
	if (rc == EXIT_FINE && sent.failed)
		rc = EXIT_PARTIAL;
	db_close(one.db);
	arena_done(&one.arena);
	return rc;
}

/* Returns 0 if the messages were sent in this process, because no process could be created. */
static pid_t sending_start(const struct app *app, size_t i, int64_t max_seconds, int *rc)
{
	pid_t pid = fork();

	if (!pid)
		_exit(send_channel(app, i, max_seconds));
	if (pid > 0)
		return pid;
	*rc = send_channel(app, i, max_seconds);
	return 0;
}

static int sending_wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

enum err_code notify_send_all(struct app *app, int64_t max_seconds, bool *failed,
	struct outbox_sent *out, struct err *e)
{
	size_t n = app->cfg->n_channels;
	struct outbox o = outbox_of(app->cfg);
	bool *due = arena_alloc(&app->arena, n * sizeof(*due));
	pid_t *pids = arena_alloc(&app->arena, n * sizeof(*pids));
	int *rc = arena_alloc(&app->arena, n * sizeof(*rc));

	*out = (struct outbox_sent){0};
	if (sending_find_due(app, due, e))
		return e->code;
	/* A connection must not be used after a fork (sqlite.org/howtocorrupt.html 2.7). */
	db_close(app->db);
	app->db = NULL;
	fflush(NULL);
	for (size_t i = 0; i < n; i++)
		if (due[i])
			pids[i] = sending_start(app, i, max_seconds, &rc[i]);
	for (size_t i = 0; i < n; i++) {
		if (pids[i])
			rc[i] = sending_wait_for(pids[i]);
		failed[i] = rc[i] != EXIT_FINE;
		out->failed += failed[i];
	}
	return session_open_to_write(app, e) ? e->code : outbox_count(app->db, &o, out, e);
}

/* ---- reports ----------------------------------------------------------------------------------- */

#define ASK_MS 60000 /* BigQuery, for one report */

/* Makes the report of a date as a document in app->arena, from a separate read-only connection. */
static enum err_code notify_report(struct app *app, const struct schedule *s, day_t date,
	ts_t now, struct doc **out, struct err *e)
{
	const struct report_kind *kind = report_kind_find(s->kind);
	struct app reader = {.clock = app->clock,
		.now = now,
		.cfg = app->cfg,
		.cmd = app->cmd,
		.o.quiet = true};
	struct report_ask ask = {.settings = &app->cfg->settings,
		.now = now,
		.since = TS_NONE,
		.until = TS_NONE};
	enum err_code rc;

	schedule_ask(s, date, &app->arena, &ask);
	rc = kind->period ? kind->period(&ask, e) : E_OK;
	if (!rc)
		rc = session_open_for(&reader, ask.since, ask.until, e);
	if (!rc)
		ask.unanswered = detail_for_report(&reader, kind, &ask, ASK_MS);
	if (!rc && !reader.db)
		rc = session_open_for(&reader, ask.since, ask.until, e);
	ask.db = reader.db;
	if (!rc)
		rc = kind->build(&ask, &app->arena, out, e);
	session_close(&reader);
	arena_done(&reader.arena);
	return rc ? err_wrap(e, "%s report", kind->name) : E_OK;
}

static enum err_code wanted_by(struct app *app, struct db *db, const struct schedule *s,
	day_t date, day_t today, const struct channel **wanted, size_t *n, struct err *e)
{
	struct outbox o = outbox_of(app->cfg);

	*n = 0;
	for (size_t i = 0; i < s->n_to; i++) {
		const struct channel *c = outbox_channel(&o, s->to[i]);
		bool due;

		if (schedule_wanted(db, s, c, date, today, &app->arena, &due, e))
			return e->code;
		if (due)
			wanted[(*n)++] = c;
	}
	return E_OK;
}

static enum err_code put_due(
	struct app *app, struct db *db, const struct schedule *s, ts_t now, struct err *e)
{
	const struct channel **wanted = arena_alloc(&app->arena, s->n_to * sizeof(*wanted));
	day_t date = schedule_date(s, app->cfg->tz, now);
	struct outbox_what what = {
		.kind = s->kind, .dedup = schedule_dedup(s, date, &app->arena)};
	const char *message;
	struct doc *d;
	size_t n;

	if (wanted_by(app, db, s, date, tz_day(app->cfg->tz, now), wanted, &n, e))
		return e->code;
	if (!n)
		return E_OK;
	if (notify_report(app, s, date, now, &d, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (outbox_put(db, wanted[i], &what, d, clock_now(app->clock), &app->arena,
			    &message, e))
			return e->code;
	return E_OK;
}

enum err_code notify_due(struct app *app, struct db *db, struct err *e)
{
	enum err_code rc = E_OK;
	ts_t now;

	if (session_present(app, clock_now(app->clock), &now, e) ||
		schedules_note(db, app->cfg->schedules, app->cfg->n_schedules,
			tz_day(app->cfg->tz, now), &app->arena, e))
		return e->code;
	/* A report that cannot be made must not delay the others. */
	for (size_t i = 0; i < app->cfg->n_schedules; i++) {
		struct err why = {0};

		if (put_due(app, db, &app->cfg->schedules[i], now, &why) && !rc) {
			rc = why.code;
			*e = why;
		}
	}
	return rc;
}

/* ---- heartbeat --------------------------------------------------------------------------------- */

static enum err_code beat(struct app *app, struct err *e)
{
	const struct config *cfg = app->cfg;
	cleanup(sbuf_done) struct sbuf url = SBUF_MAX(MAX_URL);
	struct http *http;
	enum err_code rc;

	if (cfg->heartbeat)
		sbuf_adds(&url, cfg->heartbeat);
	else if (fs_read_secret(cfg->heartbeat_file, MAX_URL, &url, e))
		return e->code;
	sbuf_trunc(&url, strcspn(url.s, "\r\n"));
	if (open_client(app, &http, e))
		return e->code;
	rc = heartbeat_send(http, url.s, e);
	http_free(http);
	return rc;
}

void notify_heartbeat(struct app *app)
{
	struct err e = {0};

	if ((app->cfg->heartbeat || app->cfg->heartbeat_file) && beat(app, &e))
		say_err("tpucost", &e);
}

/* ---- commands ---------------------------------------------------------------------------------- */

static const struct channel *telling_find_channel(
	struct app *app, const char *name, struct err *e)
{
	struct outbox o = outbox_of(app->cfg);
	const struct channel *c = outbox_channel(&o, name);

	if (c)
		return c;
	err_set(e, E_USAGE, "%s: there is no channel '%.60s'", app->cmd->name, name);
	if (strchr(name, '/'))
		err_fix(e,
			"use NAME/ADDRESS with a channel that sends mail, and the domain "
			"of a to_owner: in the rules");
	else
		near_fix(e, NEAR_OF(name, o.channels, o.n, name),
			"channels are configured under notify:");
	return NULL;
}

/* Alertmanager accepts only alerts. */
static enum err_code test_doc(
	struct app *app, const struct channel *c, ts_t now, struct doc **out, struct err *e)
{
	struct q_outbox_list news = {.event = "firing",
		.rule = "notify-test",
		.subject = c->name,
		.severity = "info",
		.summary = arena_printf(&app->arena,
			"This is a test of channel %s: %s are delivered here.", c->name,
			c->base ? "alerts about machines of this owner"
				: "alerts and reports"),
		.at = now,
		.since = now,
		.as_of = now};

	if (c->kind == CHANNEL_ALERTMANAGER)
		return alert_doc(NULL, &app->cfg->settings, &news, 1, false, now,
			&app->arena, out, e);
	*out = doc_new(&app->arena, "test", app->cfg->tz, now);
	(*out)->title = "tpucost: test message";
	(*out)->headline = news.summary;
	(*out)->tone = TONE_GOOD;
	doc_note(*out, "There is no problem, and no action is required.");
	return E_OK;
}

static enum err_code put_test(
	struct app *app, const struct channel *c, const char **message, struct err *e)
{
	ts_t now = clock_now(app->clock);
	struct outbox_what what = {.kind = "test",
		.dedup = arena_printf(&app->arena, "test|%lld|%lld", (long long)now,
			(long long)clock_mono_ms(app->clock))};
	struct doc *d;

	if (test_doc(app, c, now, &d, e))
		return e->code;
	d->subject = arena_printf(&app->arena, "[tpucost] test of channel %s", c->name);
	return outbox_put(app->db, c, &what, d, now, &app->arena, message, e);
}

static void say_told(struct sbuf *b, const struct told *t)
{
	sbuf_addf(b, "%s%s%s: %s", t->channel, *t->recipient ? " to " : "", t->recipient,
		send_class_name(t->class));
	if (t->class == SEND_SENT && *t->reply)
		sbuf_addf(b, " (%s)", t->reply);
	if (t->error)
		sbuf_addf(b, ": %s", t->error);
	if (t->fix && *t->fix)
		sbuf_addf(b, "; %s", t->fix);
	sbuf_addc(b, '\n');
}

static int show_told(const struct tellings *list, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	for (size_t i = 0; i < list->n; i++) {
		say_told(&b, &list->v[i]);
		if (list->v[i].class != SEND_SENT)
			rc = EXIT_FAILED;
	}
	return out_write(&b, e) ? cmd_fail(e) : rc;
}

int cmd_notify_test(struct app *app, struct err *e)
{
	struct outbox o = outbox_of(app->cfg);
	const struct channel *c = outbox_owner(&o, app->args[0], &app->arena);
	struct tellings list = {0};
	struct outbox_sent sent;
	const char *message;

	if (!c)
		c = telling_find_channel(app, app->args[0], e);
	if (!c || db_open(app->cfg->database, DB_WRITE, app->clock, &app->db, e) ||
		put_test(app, c, &message, e) ||
		notify_send(app, app->db, SEND_SECONDS, message, &sent, &list, e))
		return cmd_fail(e);
	return show_told(&list, e);
}

/* Channels of a report that is sent manually: those of --to, else of its schedule, else all. */
static enum err_code targets_of(struct app *app, const struct report_kind *kind,
	const char **names, size_t *n, struct err *e)
{
	const struct config *cfg = app->cfg;
	char *rest = NULL, *list = arena_strdup(&app->arena, app->o.to);

	*n = 0;
	for (char *s = list ? strtok_r(list, ", ", &rest) : NULL; s;
		s = strtok_r(NULL, ", ", &rest)) {
		const struct channel *c = telling_find_channel(app, s, e);

		if (!c)
			return e->code;
		if (!channel_traits[c->kind].reports)
			return err_set(e, E_USAGE,
				"report: channel %s accepts alerts but not reports", s);
		if (*n < cfg->n_channels)
			names[(*n)++] = c->name;
	}
	for (size_t i = 0; i < cfg->n_schedules && !list && !*n; i++)
		if (!strcmp(cfg->schedules[i].kind, kind->name))
			for (size_t k = 0; k < cfg->schedules[i].n_to; k++)
				names[(*n)++] = cfg->schedules[i].to[k];
	for (size_t i = 0, all = !list && !*n; all && i < cfg->n_channels; i++)
		if (channel_traits[cfg->channels[i].kind].reports)
			names[(*n)++] = cfg->channels[i].name;
	if (*n)
		return E_OK;
	if (list)
		return err_set_fix(e, E_USAGE, "channels are configured under notify:",
			"report: --to names no channel");
	err_set(e, E_CONFIG, "report: no channel accepts reports");
	return err_fix(e, "add one under notify: in %s", cfg->path);
}

/* Puts all messages into the outbox before the first one is sent, so that none is lost on a
 * crash. */
static enum err_code put_report(struct app *app, struct db *db, const char *const *names,
	const char **messages, size_t n, const struct outbox_what *what,
	const struct doc *doc, struct err *e)
{
	struct outbox o = outbox_of(app->cfg);
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(db, &tx, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (outbox_put(db, outbox_channel(&o, names[i]), what, doc,
			    clock_now(app->clock), &app->arena, &messages[i], e))
			return e->code;
	return db_commit(&tx, e);
}

int send_report(struct app *app, const struct report_kind *kind, const struct doc *doc,
	struct err *e)
{
	const char **names = arena_alloc(
		&app->arena, (app->cfg->n_channels + 1) * sizeof(*names));
	struct outbox_what what = {.kind = kind->name,
		.dedup = arena_printf(&app->arena, "by hand|%s|%lld|%lld", kind->name,
			(long long)app->now, (long long)clock_mono_ms(app->clock))};
	const char **messages;
	struct outbox_sent sent;
	struct tellings list = {0};
	struct db *db = NULL;
	enum err_code rc;
	size_t n;

	if (targets_of(app, kind, names, &n, e) ||
		db_open(app->cfg->database, DB_WRITE, app->clock, &db, e))
		return cmd_fail(e);
	messages = arena_alloc(&app->arena, n * sizeof(*messages));
	rc = put_report(app, db, names, messages, n, &what, doc, e);
	for (size_t i = 0; i < n && !rc; i++)
		if (messages[i])
			rc = notify_send(
				app, db, SEND_SECONDS, messages[i], &sent, &list, e);
	db_close(db);
	return rc ? cmd_fail(e) : show_told(&list, e);
}

/* Sending on all channels at once. */
#include "cli/cmd.h"
#include "cli/net/wire.h"
#include "cli/say.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every cycle says which channels do not work: it may be the only place left to say it. */
static void say_trouble(const struct tellings *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct told *t = &list->v[i];

		if (t->error)
			say("tpucost: channel %s: %s: %s%s%s", t->channel,
				send_class_name(t->class), t->error, *t->fix ? "; " : "",
				t->fix);
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

/* Everything of one channel, with a connection of its own. */
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

/* 0 when it was done here, as no process could be made. */
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
	/* A connection must not go through a fork (sqlite.org/howtocorrupt.html 2.7). */
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
	if (session_open_to_write(app, e))
		return e->code;
	return outbox_count(app->db, &o, out, e);
}

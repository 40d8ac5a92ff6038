/* Actions: the lease of this machine, and the connection of the rules to Google. */
#include "cli/enforce/enforce.h"

#include "base/fs.h"
#include "base/sbuf.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/net/wire.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/message/action_text.h"
#include "rules/enforce/enforce.h"

#include <sys/file.h>
#include <unistd.h>

/* Time to wait for operations to end; later ones are checked by the next run. Shorter than the
 * minute between runs of cron. */
#define WAIT_SECONDS 30
#define MAX_SAID 10

/* "BOOT:PROCESS" */
static const char *owner(struct app *app)
{
	cleanup(sbuf_done) struct sbuf boot = SBUF_INIT;

	if (fs_read("/proc/sys/kernel/random/boot_id", 200, &boot, NULL))
		sbuf_adds(&boot, "unknown");
	if (boot.len && boot.s[boot.len - 1] == '\n')
		boot.s[boot.len - 1] = '\0';
	return arena_printf(&app->arena, "%s:%lld", boot.s, (long long)getpid());
}

/* Only one process of this machine acts at a time. The kernel releases the lock when its holder
 * dies. */
static enum err_code take_turn(const struct config *cfg, int *fd, struct err *e)
{
	if (lock_open(cfg, ".enforce", fd, e))
		return e->code;
	if (flock(*fd, LOCK_EX | LOCK_NB))
		return err_set(e, E_BUSY, "another tpucost on this machine is acting");
	return E_OK;
}

static enum err_code acting_run(
	struct app *app, bool recover, struct enforce_result *out, struct err *e)
{
	struct enforce_opts o = {.settings = &app->cfg->settings,
		.clock = app->clock,
		.owner = owner(app),
		.wait_seconds = WAIT_SECONDS,
		.recover = recover,
		.leader = leader_of(app)};
	cleanup(close_fd) int turn = -1;
	cleanup(hands_close_ptr) const struct hands *hands = NULL;

	if (take_turn(app->cfg, &turn, e))
		return e->code;
	config_look_for_halts(app->cfg, &app->arena);
	o.hands = hands = hands_open(app);
	return enforce_run(app->db, &o, &app->arena, out, e);
}

static void acting_say_notes(const struct enforce_result *r)
{
	for (size_t i = 0; i < r->n_notes; i++)
		say("tpucost: %s", r->notes[i]);
}

/* "at 2026-11-21 19:10 (UTC)", or the condition that it waits for */
static const char *warned_when(struct app *app, ts_t due)
{
	const struct tz *tz = app->cfg->tz;
	ts_t opens = window_wait(
		app->cfg->settings.enforcement, tz, due, clock_now(app->clock));
	char at[TZ_TIME_BUF];

	return opens != TS_NONE ? window_words(tz, opens, &app->arena)
				: arena_printf(&app->arena, "at %s (%s)",
					  tz_time(tz, due, at), tz_name(tz));
}

enum err_code enforce_say_warned(struct app *app, ts_t since, struct err *e)
{
	struct q_plan_warned_in in = {.since = since};
	const struct tz *tz = app->cfg->tz;
	struct arena *a = &app->arena;
	struct q_plan_warned q;
	struct db_rows rows;
	size_t n = 0;

	if (q_plan_warned_open(app->db, &in, &rows, e))
		return e->code;
	while (q_plan_warned_next(&rows, &q))
		if (n++ < MAX_SAID)
			say("tpucost: WILL BE %s %s (rule %s) %s; to prevent it, run: %s",
				verb_of(q.verb) == VERB_DELETE ? "DELETED" : "STOPPED",
				q.resource, q.rule, warned_when(app, q.due),
				hold_command(q.resource, tz, clock_now(app->clock), a));
	if (n > MAX_SAID)
		say("tpucost: and %zu more; all of them: tpucost enforce", n - MAX_SAID);
	return db_rows_close(&rows, e);
}

int enforce_begin(struct app *app, struct err *e)
{
	const char *why;

	if (enforce_find_restored(app->db, &app->cfg->settings, clock_now(app->clock),
		    &app->arena, &why, e))
		return cmd_fail(e);
	if (why)
		say("tpucost: NOT ARMED: actions are blocked for this database: %s; "
		    "all actions start over from their warning after: tpucost enforce "
		    "resume",
			why);
	return EXIT_FINE;
}

int enforce_act(struct app *app, bool *acted, struct err *e)
{
	struct enforce_result r;
	bool in_flight, ready;
	const char *why;

	*acted = false;
	/* Also if nothing is due: restarts of machines and cleared actions are noted now. */
	if (enforce_note(app->db, &app->cfg->settings, &app->arena, &why, e))
		return cmd_fail(e);
	if (enforce_waiting(app->db, &in_flight, &ready, clock_now(app->clock), e))
		return cmd_fail(e);
	if (!in_flight && !ready)
		return EXIT_FINE;
	if (acting_run(app, false, &r, e)) {
		cmd_fail(e);
		return e->code == E_BUSY ? EXIT_PARTIAL : EXIT_FAILED;
	}
	acting_say_notes(&r);
	*acted = r.n_notes > 0 || r.done > 0 || r.failed > 0;
	return r.failed ? EXIT_PARTIAL : EXIT_FINE;
}

int enforce_recover(struct app *app, struct err *e)
{
	cleanup(close_fd) int lock = -1;
	struct enforce_result r;
	bool in_flight, ready;
	int rc = EXIT_FINE;

	if (access(app->cfg->database, F_OK))
		return EXIT_FINE;
	/* The next step reports why the database cannot be opened. */
	if (writer_open(app, &lock, e)) {
		db_close(app->db);
		app->db = NULL;
		return EXIT_FINE;
	}
	if (enforce_waiting(app->db, &in_flight, &ready, clock_now(app->clock), e) ||
		(in_flight && acting_run(app, true, &r, e))) {
		rc = cmd_fail(e);
	} else if (in_flight) {
		acting_say_notes(&r);
		rc = r.failed ? EXIT_PARTIAL : EXIT_FINE;
	}
	db_close(app->db);
	app->db = NULL;
	return rc;
}

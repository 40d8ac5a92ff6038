/* `tpucost collect`: polls once and evaluates the rules. `run`: one cycle, or a daemon. `enforce --apply`: acts now,
 * which is what `run` does without its other polls and reports. */
#include "cli/daemon/daemon.h"
#include "cli/enforce/enforce.h"
#include "cli/net/wire.h"
#include "cli/out/out.h"
#include "cli/session.h"
#include "reports/kinds.h"

static int print_sources(struct app *app, int rc, struct err *e)
{
	int printed = cmd_sources(app, e);

	return printed ? printed : rc;
}

int cmd_collect(struct app *app, struct err *e)
{
	struct cycle c = {
		.only = (const char *const *)app->args, .n_only = (size_t)app->n_args};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct judgement judged;
	struct collect_result r;
	int rc, known;

	app->on_standby = true; /* a take-over replaces what it polls */
	if (cycle_run(app, &c, &r, e))
		return cmd_fail(e);
	known = cycle_judge(app, &judged, e);
	rc = known == EXIT_FAILED ? known : cycle_exit(&r);
	if (rc == EXIT_FINE)
		rc = known;
	if (app->format != OUT_TABLE)
		return print_sources(app, rc, e);
	if (!app->o.quiet) {
		sbuf_addf(&b, "%zu polled: %zu complete", r.polled, r.ok);
		if (r.partial)
			sbuf_addf(&b, ", %zu partial", r.partial);
		if (r.failed)
			sbuf_addf(&b, ", %zu failed", r.failed);
		if (r.disabled)
			sbuf_addf(&b, ", %zu not enabled", r.disabled);
		sbuf_addf(
			&b, "%s\n", r.partial || r.failed ? "; see: tpucost sources" : "");
	}
	/* also when quiet: cron mails only the changes */
	cycle_events(app, &b, &judged);
	return out_write(&b, e) ? cmd_fail(e) : rc;
}

static int run_once(struct app *app, struct err *e)
{
	struct report_ask ask = {
		.settings = &app->cfg->settings, .since = TS_NONE, .until = TS_NONE};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct judgement judged = {0};
	struct doc *doc;
	bool whole;
	int rc = cycle_whole(app, &judged, &whole, e);

	if (!whole)
		return rc;
	if (app->format != OUT_TABLE)
		return print_sources(app, rc, e);
	if (!app->o.quiet) {
		ask.db = app->db;
		if (session_present(app, clock_now(app->clock), &ask.now, e) ||
			daily_build(&ask, &app->arena, &doc, e))
			return cmd_fail(e);
		sbuf_addf(&b, "%s\n", doc->headline);
	}
	/* also when quiet: cron mails only the changes */
	cycle_events(app, &b, &judged);
	return out_write(&b, e) ? cmd_fail(e) : rc;
}

int cmd_run(struct app *app, struct err *e)
{
	return app->o.once ? run_once(app, e) : daemon_run(app, e);
}

int cmd_enforce_apply(struct app *app, struct err *e)
{
	static const char *const only[] = {"instances"};
	const struct cycle c = {.only = only, .n_only = ARRAY_LEN(only)};
	int recovered, acted, shown;
	struct collect_result r;
	struct judgement judged;
	bool standby;
	pid_t keeper;

	if (leader_enter(app, &standby, e))
		return cmd_fail(e);
	if (standby)
		return EXIT_NO;
	keeper = leader_keeper(app);
	recovered = enforce_recover(app, e);
	/* Guards refuse stale data, so poll first. */
	acted = cycle_run(app, &c, &r, e) ? cmd_fail(e) : judge_and_act(app, &judged, e);
	leader_keeper_end(keeper);
	leader_leave(app);
	if (acted == EXIT_FAILED)
		return acted;
	app->now = clock_now(app->clock);
	shown = enforce_show(app, e);
	if (shown == EXIT_FAILED || acted == EXIT_FINE)
		acted = shown;
	if (acted == EXIT_FINE)
		acted = cycle_exit(&r);
	return acted == EXIT_FINE ? recovered : acted;
}

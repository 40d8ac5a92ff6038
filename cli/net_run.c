#include "cli/config.h"
#include "cli/out.h"
#include "cli/say.h"
#include "cli/wire.h"
#include "reports/report.h"

/* What began, got worse or ended with this cycle; what merely goes on is in `alerts`. */
static void add_events(struct sbuf *b, const struct judgement *j)
{
	static const char *const words[] = {[EVENT_FIRING] = "ALERT",
		[EVENT_WORSE] = "WORSE",
		[EVENT_REPEAT] = "STILL",
		[EVENT_RESOLVED] = "RESOLVED"};

	for (size_t i = 0; i < j->n_said; i++) {
		const struct said *s = &j->said[i];

		if (s->muted)
			continue;
		sbuf_addf(b, "%s %s %s: ", words[s->event], severity_name(s->severity),
			s->rule);
		sbuf_add_term(b, s->summary);
		sbuf_addc(b, '\n');
	}
}

int cmd_run(struct app *app, struct err *e)
{
	struct cycle c = {.only_due = true};
	struct sbuf b = SBUF_INIT;
	struct collect_result r;
	struct judgement judged;
	struct report report;
	enum out_format format;
	int rc;

	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	if (!app->o.once) {
		err_set(e, E_USAGE, "run: --once is needed");
		err_fix(e, "call \"tpucost run --once\" from cron or a systemd timer");
		return cmd_fail(e);
	}
	if (cycle_run(app, &c, &r, e))
		return cmd_fail(e);
	rc = cycle_exit(&r);
	if (writer_judge(app, &judged, e))
		return cmd_fail(e);
	for (size_t i = 0; i < judged.n_errors; i++)
		say("tpucost: rule %s", judged.errors[i]);
	if (judged.n_errors && rc == EXIT_FINE)
		rc = EXIT_PARTIAL;
	if (format != OUT_TABLE) {
		int printed = cmd_sources(app, e);

		return printed ? printed : rc;
	}
	if (!app->o.quiet) {
		if (report_daily(app->db, app->cfg->tz, clock_now(app->clock), &app->arena,
			    &report, e))
			return cmd_fail(e);
		report_headline(&report, &b);
		sbuf_addc(&b, '\n');
	}
	add_events(&b, &judged); /* also when quiet: cron mails what began, and only that */
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}

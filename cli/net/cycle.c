/* One cycle: poll, evaluate rules, send messages, act, send results. */
#include "cli/net/wire.h"

#include "cli/daemon/daemon.h"
#include "cli/enforce/enforce.h"
#include "db_sql.h"
#include "reports/cause.h"

#include <string.h>

/* Maximum of lines per rule and kind; the others are counted: one cause can affect every project.
 * */
#define MAX_SAID 10

static const char *const event_words[] = {[EVENT_FIRING] = "ALERT",
	[EVENT_WORSE] = "WORSE",
	[EVENT_REPEAT] = "STILL",
	[EVENT_RESOLVED] = "RESOLVED"};

/* Events of one rule and kind. */
struct events {
	size_t lines, left_out;
};

/* Adds the number of events of a rule that were omitted. */
static void cycle_add_rest(
	struct sbuf *b, const char *rule, const struct events n[ARRAY_LEN(event_words)])
{
	for (size_t k = 0; k < ARRAY_LEN(event_words); k++)
		if (n[k].left_out)
			sbuf_addf(b, "%s %s: and %zu more; all of them: tpucost alerts\n",
				event_words[k], rule, n[k].left_out);
}

/* Alerts of sources with the same cause are one line: a cause can concern every project. */
static const size_t *cycle_groups(
	struct app *app, const struct judgement *j, const char **causes)
{
	const char **keys = arena_alloc(&app->arena, (j->n_said + 1) * sizeof(*keys));

	for (size_t i = 0; i < j->n_said; i++) {
		const struct said *s = &j->said[i];

		causes[i] = s->muted ? NULL
				     : cause_of_alert(&app->cfg->settings, s->rule,
					       s->summary, &app->arena);
		keys[i] = causes[i] ? arena_printf(&app->arena, "%s %d %d %s", s->rule,
					      (int)s->event, (int)s->severity, causes[i])
				    : NULL;
	}
	return cause_groups(keys, j->n_said, &app->arena);
}

/* Appends the alerts that began, became worse or ended with this cycle; unchanged ones are in
 * `alerts`. Events of one rule follow each other. */
void cycle_events(struct app *app, struct sbuf *b, const struct judgement *j)
{
	const char **causes = arena_alloc(&app->arena, (j->n_said + 1) * sizeof(*causes));
	const size_t *same = cycle_groups(app, j, causes);
	struct events n[ARRAY_LEN(event_words)] = {0};
	const char *rule = "";

	for (size_t i = 0; i < j->n_said; i++) {
		const struct said *s = &j->said[i];

		if (s->muted || !same[i])
			continue;
		if (strcmp(rule, s->rule) != 0) {
			cycle_add_rest(b, rule, n);
			memset(n, 0, sizeof(n));
			rule = s->rule;
		}
		if (n[s->event].lines++ >= MAX_SAID) {
			n[s->event].left_out += same[i];
			continue;
		}
		sbuf_addf(b, "%s %s %s: ", event_words[s->event],
			severity_name(s->severity), s->rule);
		sbuf_add_term(b,
			cause_summary(&app->cfg->settings, s->rule, same[i], causes[i],
				s->summary, &app->arena));
		sbuf_addc(b, '\n');
	}
	cycle_add_rest(b, rule, n);
}

#define SEND_SECONDS 60 /* the next cycle sends the remaining messages */

/* A channel that failed is not tried for up to an hour; until then it is reported as failing. */
static enum err_code say_late(
	struct app *app, const bool *said, size_t *late, struct err *e)
{
	*late = 0;
	for (size_t i = 0; i < app->cfg->n_channels; i++) {
		const char *name = app->cfg->channels[i].name;
		struct q_notification_late_in in = {.channel = name};
		struct q_notification_late q;
		bool found;

		if (q_notification_late_one(app->db, &in, &app->arena, &q, &found, e))
			return e->code;
		if (!found || !q.n || said[i])
			continue;
		*late += 1;
		if (!app->daemon)
			say("tpucost: channel %s: %lld message%s not delivered yet: %s",
				name, (long long)q.n, q.n == 1 ? "" : "s",
				q.error ? q.error : "the last attempt failed");
	}
	return E_OK;
}

/* Composes due reports and messages on events, and sends them. */
static int cycle_tell(struct app *app, struct err *e)
{
	struct outbox outbox = outbox_of(app->cfg);
	bool *failed = arena_alloc(&app->arena, app->cfg->n_channels * sizeof(*failed));
	struct outbox_sent sent;
	int rc = EXIT_FINE;
	size_t late;

	/* A report that cannot be made must not delay alerts. */
	if (notify_due(app, app->db, e))
		rc = cmd_fail(e);
	/* If messages cannot be composed, those composed earlier are still sent. */
	if (outbox_add_owners(app->db, &outbox, false, &app->arena, e) ||
		outbox_compose(app->db, &outbox, clock_now(app->clock), &app->arena, e))
		rc = cmd_fail(e);
	if (outbox.owners_missed)
		say("tpucost: %zu owner%s will get no end of alerts sent to them: "
		    "no rule mails their domain",
			outbox.owners_missed, outbox.owners_missed == 1 ? "" : "s");
	if (notify_send_all(app, SEND_SECONDS, failed, &sent, e) ||
		say_late(app, failed, &late, e))
		return cmd_fail(e);
	if (sent.off && !app->daemon)
		say("tpucost: %zu of %zu channels are disabled; see: tpucost notify",
			sent.off, app->cfg->n_channels);
	if (rc == EXIT_FINE && (sent.failed || sent.off || late))
		rc = EXIT_PARTIAL;
	return rc;
}

/* Without access to Google, the last state is still known and must be reported: the data is
 * becoming stale. */
static enum err_code go_on_without(struct app *app, struct err *e)
{
	const struct err why = *e;
	cleanup(close_fd) int lock = -1;

	if (!app->db && writer_open(app, &lock, e))
		return e->code;
	say_err("tpucost", &why);
	return writer_derive(app, e);
}

/* Tests whether only Google is unreachable, and everything else can continue. */
static bool is_google(enum err_code code)
{
	return code == E_AUTH || code == E_NET || code == E_HTTP || code == E_DENIED ||
		code == E_DATA || code == E_IO || code == E_CONFIG;
}

int cycle_judge(struct app *app, struct judgement *judged, struct err *e)
{
	*judged = (struct judgement){0};
	if (enforce_begin(app, e))
		return EXIT_FAILED;
	if (writer_judge(app, judged, e))
		return cmd_fail(e);
	for (size_t i = 0; i < judged->n_errors && !app->daemon; i++)
		say("tpucost: rule %s", judged->errors[i]);
	return judged->n_errors ? EXIT_PARTIAL : EXIT_FINE;
}

int judge_and_act(struct app *app, struct judgement *judged, struct err *e)
{
	ts_t began = clock_now(app->clock);
	int rc = cycle_judge(app, judged, e), told, acted;
	bool news;

	/* If the rules fail, messages on the last known state are still sent. */
	told = cycle_tell(app, e);
	if (rc == EXIT_FAILED)
		return rc;
	/* No action without a warning: by now, warnings were sent. */
	if (daemon_ending())
		return rc;
	acted = app->db ? enforce_act(app, &news, e) : EXIT_FAILED;
	if (acted != EXIT_FAILED && news)
		told = cycle_tell(app, e);
	if (app->db && enforce_say_warned(app, began, e))
		told = cmd_fail(e);
	if (told != EXIT_FINE && rc != EXIT_FAILED)
		rc = told;
	return acted == EXIT_FAILED || rc == EXIT_FINE ? acted : rc;
}

int cycle_whole(struct app *app, struct judgement *judged, bool *whole, struct err *e)
{
	struct cycle c = {.only_due = true};
	int rc, told, recovered = enforce_recover(app, e);
	struct collect_result r;

	*whole = false;
	if (!cycle_run(app, &c, &r, e))
		rc = cycle_exit(&r);
	else if (app->daemon && e->code == E_BUSY)
		return EXIT_BUSY;
	else if (!is_google(e->code) || go_on_without(app, e))
		return cmd_fail(e);
	else
		rc = EXIT_FAILED;
	if (daemon_ending())
		return rc;
	told = judge_and_act(app, judged, e);
	if (told == EXIT_FAILED)
		rc = told;
	if (rc == EXIT_FINE)
		rc = told != EXIT_FINE ? told : recovered;
	if (rc != EXIT_FAILED)
		notify_heartbeat(app);
	*whole = app->db != NULL;
	return rc;
}

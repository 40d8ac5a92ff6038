/* One cycle: poll, evaluate rules, send messages, act, send results. */
#include "cli/net/wire.h"

#include "base/str.h"
#include "base/strmap.h"
#include "cli/daemon/daemon.h"
#include "cli/enforce/enforce.h"
#include "cli/screen/screen.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/cause.h"
#include "reports/fix.h"

#include <string.h>
#include <sys/file.h>

/* Maximum of lines per rule and kind; the others are counted: one cause can affect every project.
 * */
#define MAX_SAID 10
#define MAX_OWNER 63 /* bytes; Google's labels are not longer */

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

static const char *cycle_key(
	struct app *app, const char *rule, const char *severity, const char *cause)
{
	return cause ? arena_printf(&app->arena, "%s %s %s", rule, severity, cause) : NULL;
}

/* Alerts of sources with the same cause are one line: a cause can concern every project. Sets the cause of each, and the
 * size of the group at its first one. */
static const size_t *cycle_groups(
	struct app *app, const struct judgement *j, const char **causes)
{
	const char **keys = arena_alloc(&app->arena, (j->n_said + 1) * sizeof(*keys));

	for (size_t i = 0; i < j->n_said; i++) {
		const struct said *s = &j->said[i];

		causes[i] = s->muted ? NULL
				     : cause_of_alert(&app->cfg->settings, s->rule,
					       s->summary, &app->arena);
		keys[i] = cycle_key(app, s->rule,
			arena_printf(&app->arena, "%s %d", severity_name(s->severity),
				(int)s->event),
			causes[i]);
	}
	return cause_groups(keys, j->n_said, &app->arena);
}

/* Counts the alerts that fire with each cause. Without the database, none. */
static void cycle_count(struct app *app, struct strmap *fires)
{
	struct q_outbox_firing_in in = {.now = clock_now(app->clock)};
	struct q_outbox_firing row;
	struct err ignored = {0};
	struct db_rows rows;

	if (!app->db || q_outbox_firing_open(app->db, &in, &rows, &ignored))
		return;
	while (q_outbox_firing_next(&rows, &row)) {
		const char *key = cycle_key(app, row.rule, row.severity,
			cause_of_alert(
				&app->cfg->settings, row.rule, row.summary, &app->arena));

		if (key && !strmap_put(fires, key, 1))
			++*strmap_get(fires, key);
	}
	(void)!db_rows_close(&rows, &ignored);
}

/* A cause is printed when it begins and when it has ended for all: not when more sources get old, or some recover. */
static bool cycle_goes_on(struct app *app, const struct strmap *fires, const struct said *s,
	const char *cause, size_t same)
{
	const char *key = cycle_key(app, s->rule, severity_name(s->severity), cause);
	const size_t *n = key ? strmap_get(fires, key) : NULL;

	return n && (s->event == EVENT_RESOLVED || (s->event == EVENT_FIRING && *n > same));
}

/* With --quiet, an alert that still fires is not printed again. */
static bool cycle_leaves_out(struct app *app, const struct said *s)
{
	return s->muted || (s->event == EVENT_REPEAT && app->o.quiet) ||
		(s->event == EVENT_RESOLVED && fix_ends_unsaid(&app->cfg->settings, s));
}

/* Events of one rule follow each other. */
void cycle_events(struct app *app, struct sbuf *b, const struct judgement *j)
{
	const char **causes = arena_alloc(&app->arena, (j->n_said + 1) * sizeof(*causes));
	const size_t *same = cycle_groups(app, j, causes);
	struct events n[ARRAY_LEN(event_words)] = {0};
	cleanup(strmap_done) struct strmap fires = {0};
	const char *rule = "";

	cycle_count(app, &fires);
	for (size_t i = 0; i < j->n_said; i++) {
		const struct said *s = &j->said[i];

		if (cycle_leaves_out(app, s) || !same[i] ||
			cycle_goes_on(app, &fires, s, causes[i], same[i]))
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
		sbuf_addf(b, "%s %s %s", event_words[s->event], severity_name(s->severity),
			s->rule);
		if (s->owner) {
			sbuf_adds(b, " (owner ");
			sbuf_add_term(b,
				arena_strndup(&app->arena, s->owner,
					utf8_fit(s->owner, MAX_OWNER)));
			sbuf_addc(b, ')');
		}
		sbuf_adds(b, ": ");
		sbuf_add_term(b,
			cause_summary(&app->cfg->settings, s->rule, same[i], causes[i],
				s->summary, &app->arena));
		sbuf_addc(b, '\n');
	}
	cycle_add_rest(b, rule, n);
}

/* To the log of the daemon, as soon as they are stored: the cycle may be ended before the messages are sent. */
static void cycle_log(struct app *app, const struct judgement *j)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char *rest, *line;

	cycle_events(app, &b, j);
	rest = b.s;
	while (b.len && (line = strsep(&rest, "\n")))
		if (*line)
			daemon_tell(
				str_starts(line, "RESOLVED") ? TALE_NEWS : TALE_WARN, line);
	for (size_t i = 0; i < j->n_errors; i++)
		daemon_tell(
			TALE_TROUBLE, arena_printf(&app->arena, "rule %s", j->errors[i]));
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

/* Owners without mail, once for each change; doctor names them at any time. */
static enum err_code say_left_out(
	struct app *app, const struct err *left_out, struct err *e)
{
	struct q_meta_put_in put = {
		.key = "owners_left_out", .value = left_out->code ? left_out->msg : ""};
	const char *was;

	if (db_meta(app->db, put.key, &app->arena, &was, e))
		return e->code;
	if (str_eq(was, put.value))
		return E_OK;
	if (left_out->code)
		say_err("tpucost", left_out);
	return q_meta_put(app->db, &put, e);
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
	if (say_left_out(app, &outbox.left_out, e))
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

/* Did the previous cycle fail with this error? */
static enum err_code cycle_fails_so(
	struct app *app, const char *error, bool *known, struct err *e)
{
	struct q_source_list *v;
	size_t n;

	if (q_source_list_all(app->db, &app->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && !*known; i++)
		*known = !strcmp(v[i].state, "failed") && v[i].error &&
			trouble_is_same(v[i].error, error);
	return E_OK;
}

/* Without access to Google, the last state is still known and must be reported: the data is
 * becoming stale. */
static enum err_code go_on_without(struct app *app, struct err *e)
{
	const struct err why = *e;
	const struct q_source_fail_all_in in = {
		.error = why.msg, .fix = why.fix[0] ? why.fix : NULL};
	cleanup(close_fd) int lock = -1;
	bool known = false;

	/* without credentials, no poll began: that is the cause for all sources */
	if (!app->db &&
		(writer_open(app, &lock, e) || cycle_fails_so(app, why.msg, &known, e) ||
			q_source_fail_all(app->db, &in, e)))
		return e->code;
	if (!known || !app->o.quiet || app->daemon)
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
	struct err kept = {0};

	*judged = (struct judgement){0};
	if (enforce_begin(app, e))
		return EXIT_FAILED;
	if (writer_judge(app, judged, e))
		return cmd_fail(e);
	if (app->daemon)
		cycle_log(app, judged);
	if (status_keep(app, &kept)) /* `status` computes it then */
		say_err("tpucost: status", &kept);
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

/* The cycle of another process does the work of this one: not a failure, unless it `hangs`. */
static int cycle_failed(struct app *app, bool hangs, struct err *e)
{
	cleanup(close_fd) int lock = -1;
	struct err none = {0};

	if (e->code == E_BUSY && app->daemon)
		return EXIT_BUSY;
	if (hangs || e->code != E_BUSY || lock_open(app->cfg, ".lock", &lock, &none) ||
		!flock(lock, LOCK_EX | LOCK_NB))
		return cmd_fail(e);
	say_unless_quiet("%s; this cycle is left out", e->msg);
	err_clear(e);
	return EXIT_FINE;
}

static int cycle_led(struct app *app, struct judgement *judged, bool *whole, struct err *e)
{
	struct cycle c = {.only_due = true};
	int rc, told, sent, recovered = enforce_recover(app, e);
	struct collect_result r;
	struct composed made;
	bool shipped = false;

	if (!cycle_run(app, &c, &r, e))
		rc = cycle_exit(&r);
	else if (!is_google(e->code))
		return cycle_failed(app, false, e);
	else if (go_on_without(app, e))
		return cmd_fail(e);
	else
		rc = EXIT_FAILED;
	if (daemon_ending())
		return rc;
	sent = cycle_unpublish(app, e);
	told = judge_and_act(app, judged, e);
	if (told == EXIT_FAILED)
		rc = told;
	if (rc == EXIT_FINE)
		rc = told != EXIT_FINE ? told : recovered;
	if (rc == EXIT_FINE)
		rc = sent;
	cycle_compose(app, &made);
	if (app->db && leader_ship(app, &shipped, e)) {
		cmd_fail(e);
		rc = rc == EXIT_FINE ? EXIT_PARTIAL : rc;
	}
	made.held = publish_needs_backup(app->cfg) && !shipped;
	sent = cycle_publish(app, &made, e);
	if (rc == EXIT_FINE)
		rc = sent;
	if (rc != EXIT_FAILED)
		notify_heartbeat(app);
	*whole = app->db != NULL;
	return rc;
}

int cycle_whole(struct app *app, struct judgement *judged, bool *whole, struct err *e)
{
	bool standby;
	pid_t keeper = 0;
	int rc;

	*whole = false;
	if (leader_enter(app, &standby, e)) {
		bool hangs = e->code == E_BUSY && !leader_renew(app, e);

		leader_leave(app);
		return cycle_failed(app, hangs, e);
	}
	if (!standby && !app->daemon)
		keeper = leader_keeper(app);
	rc = standby ? EXIT_FINE : cycle_led(app, judged, whole, e);
	if (rc == EXIT_FINE && leader_is_unknown(app))
		rc = EXIT_PARTIAL;
	leader_keeper_end(keeper);
	if (rc == EXIT_FAILED && (e->code == E_DB || e->code == E_IO))
		leader_resign(app);
	leader_leave(app);
	return rc;
}

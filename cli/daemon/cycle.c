/* One cycle of the daemon, and its records. */
#include "base/money.h"
#include "cli/config/config.h"
#include "cli/net/wire.h"
#include "cli/enforce/enforce.h"
#include "cli/daemon/daemon.h"
#include "collector/collect.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/cause.h"

#include <stdio.h>
#include <string.h>

#define MAX_KEY 300

int daemon_start(struct app *app)
{
	cleanup(close_fd) int lock = -1;
	struct err e = {0};

	/* The process that polls at this moment has opened it and made these checks. */
	if (writer_open(app, &lock, &e))
		return e.code == E_BUSY ? EXIT_FINE : cmd_fail(&e);
	db_close(app->db);
	app->db = NULL;
	close_fd(&lock);
	lock = -1;
	/* Operations that cannot be finished yet are handled by each cycle. */
	return enforce_recover(app, &e) == EXIT_FAILED ? EXIT_PARTIAL : EXIT_FINE;
}

/* ---- records of a cycle ------------------------------------------------------------------------ */

/* NULL: the source does not fail. */
static const char *source_cause(const struct q_source_list *q, struct arena *a)
{
	if (strcmp(q->state, "failed") != 0 && strcmp(q->state, "partial") != 0)
		return NULL;
	return cause_of(q->error ? q->error : q->state, a);
}

/* An unreachable place is the same problem for all sources and projects: `n` have that cause. */
static void tell_source(const struct q_source_list *q, const char *cause, size_t n)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "source %.*s\t", MAX_KEY, cause);
	if (n > 1)
		sbuf_addf(&b, "%zu sources, among them ", n);
	sbuf_addf(&b, "%s%s%s: %s%s%s", q->source, *q->project ? " of " : "", q->project,
		q->error ? q->error : q->state, q->fix ? "; " : "", q->fix ? q->fix : "");
	daemon_tell(TALE_TROUBLE, b.s);
}

static void tale_sooner(ts_t *next, ts_t at, ts_t now)
{
	if (at > now && at < *next)
		*next = at;
}

static enum err_code tell_sources(struct app *app, ts_t now, ts_t *next, struct err *e)
{
	struct q_source_list *v;
	const char **causes;
	const size_t *same;
	size_t n;

	if (q_source_list_all(app->db, &app->arena, &v, &n, e))
		return e->code;
	causes = arena_alloc(&app->arena, n * sizeof(*causes));
	for (size_t i = 0; i < n; i++)
		causes[i] = source_cause(&v[i], &app->arena);
	same = cause_groups(causes, n, &app->arena);
	for (size_t i = 0; i < n; i++) {
		int64_t every = config_poll_seconds(app->cfg, v[i].poll_group);

		if (causes[i] && same[i])
			tell_source(&v[i], causes[i], same[i]);
		tale_sooner(next,
			status_next(every ? every : DAEMON_REST, v[i].last_attempt,
				v[i].failures),
			now);
	}
	return E_OK;
}

static enum err_code tell_channels(struct app *app, struct err *e)
{
	struct outbox outbox = outbox_of(app->cfg);
	struct q_daemon_channels q;
	struct db_rows rows;

	if (outbox_add_owners(app->db, &outbox, true, &app->arena, e) ||
		q_daemon_channels_open(app->db, &rows, e))
		return e->code;
	while (q_daemon_channels_next(&rows, &q)) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		const char *what = q.off ? "is switched off" : "does not deliver";

		if ((!q.off && !q.waiting) || !outbox_channel(&outbox, q.channel))
			continue;
		sbuf_addf(&b, "channel %s %s\tchannel %s %s: %s; see: tpucost notify",
			q.channel, what, q.channel, what,
			q.error ? q.error : "the last attempt failed");
		daemon_tell(TALE_TROUBLE, b.s);
	}
	return db_rows_close(&rows, e);
}

/* "3 TPUs, 8.00 USD/h net" */
static enum err_code tell_status(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct q_resource_count count;
	struct q_daemon_burn burn;
	char text[NANOS_BUF];
	struct db_rows rows;
	size_t n = 0;
	bool found;

	if (q_resource_count_one(app->db, &app->arena, &count, &found, e) ||
		q_daemon_burn_open(app->db, &rows, e))
		return e->code;
	sbuf_addf(&b, "%lld TPU%s", found ? (long long)count.tpus : 0LL,
		found && count.tpus == 1 ? "" : "s");
	while (q_daemon_burn_next(&rows, &burn)) {
		if (burn.currency && burn.net.set)
			sbuf_addf(&b, "%s%s %s/h net", n++ ? " and " : ", ",
				nanos_format_fixed(burn.net.v,
					money_digits(burn.currency, true), text),
				burn.currency);
		else
			sbuf_adds(&b, ", some of unknown price");
	}
	daemon_tell(TALE_STATUS, b.s);
	return db_rows_close(&rows, e);
}

static enum err_code tell_all(struct app *app, struct err *e)
{
	ts_t now = clock_now(app->clock), next = now + DAEMON_REST;
	struct q_daemon_due_in in = {.now = now};
	struct q_daemon_due due;
	char text[24];
	bool found;

	if (tell_sources(app, now, &next, e) || tell_channels(app, e) ||
		tell_status(app, e) ||
		q_daemon_due_one(app->db, &in, &app->arena, &due, &found, e))
		return e->code;
	if (found && due.at.set)
		tale_sooner(&next, due.at.v, now);
	/* reports are due at whole minutes */
	for (size_t i = 0; i < app->cfg->n_schedules; i++)
		if (schedule_date(&app->cfg->schedules[i], app->cfg->tz, now) !=
			schedule_date(&app->cfg->schedules[i], app->cfg->tz, now + 60))
			tale_sooner(&next, now - now % 60 + 60, now);
	snprintf(text, sizeof(text), "%lld", (long long)(next - now));
	daemon_tell(TALE_NEXT, text);
	return E_OK;
}

int daemon_cycle(struct app *app)
{
	struct judgement judged = {0};
	struct err e = {0};
	bool whole = false;
	int rc;

	app->now = clock_now(app->clock);
	rc = cycle_whole(app, &judged, &whole, &e);
	if (!whole)
		return rc; /* failed, or a standby */
	if (tell_all(app, &e))
		return cmd_fail(&e);
	daemon_tell(TALE_WHOLE, "");
	return rc;
}

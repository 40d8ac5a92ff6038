/* Combination of polling, derivation and rule evaluation, with one writer at a time. */
#include "base/fs.h"
#include "base/net/http.h"
#include "base/strmap.h"
#include "cli/config/config.h"
#include "cli/daemon/daemon.h"
#include "cli/net/wire.h"
#include "cli/session.h"
#include "db/db.h"
#include "db/rollup/rollup.h"
#include "db_sql.h"
#include "gcp/gcp.h"
#include "reports/cause.h"
#include "rules/derive/derive.h"
#include "rules/enforce/enforce.h"
#include "rules/history.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PER_HOST 20     /* concurrent requests to one host of Google */
#define RETRY_MS 120000 /* requests that still fail are retried by the next poll */

/* ---- progress ------------------------------------------------------------------------------- */

/* Problem of one or more sources and projects. */
struct problem {
	const char *prefix; /* of the first one: "tpucost: vm of lab" */
	struct err err;
	const char *cause;
	size_t n;
	bool fixes; /* each needs another fix */
	bool over;  /* it has ended */
};

struct progress {
	bool show; /* a line that is redrawn, on a terminal */
	bool quiet, daemon;
	bool changes; /* of what fails, only what began, changed or ended */
	struct arena *a;
	struct strmap by_cause;
	struct problem *v;
	size_t n, cap;
};

static void wire_add_problem(
	struct progress *g, const struct poll *p, const struct err *err, bool over)
{
	const char *cause = cause_of(err->msg, g->a);
	const char *key = arena_printf(g->a, "%d %s", over, cause);
	size_t *at = strmap_get(&g->by_cause, key);

	if (at) {
		g->v[*at].n++;
		g->v[*at].fixes |= strcmp(g->v[*at].err.fix, err->fix) != 0;
		return;
	}
	strmap_put(&g->by_cause, key, g->n);
	*arena_push(g->a, g) = (struct problem){
		.prefix = arena_printf(g->a, "tpucost: %s%s%s", p->source->name,
			*p->project ? " of " : "", p->project),
		.err = *err,
		.cause = arena_strdup(g->a, cause),
		.n = 1,
		.over = over};
}

/* One line for each cause, with the number of sources that it concerns. */
static void say_problems(struct progress *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct problem *p = &g->v[i];

		if (p->n > 1)
			snprintf(p->err.msg, sizeof(p->err.msg), "%zu sources: %s", p->n,
				p->cause);
		if (p->fixes)
			err_fix(&p->err, "run: tpucost doctor");
		if (p->over)
			say("%s: resolved: %s", p->n > 1 ? "tpucost" : p->prefix,
				p->err.msg);
		else
			say_err(p->n > 1 ? "tpucost" : p->prefix, &p->err);
	}
	strmap_done(&g->by_cause);
}

static void say_problem(struct progress *g, const struct poll *p, const struct err *err)
{
	struct err was = {0};

	if (g->changes && p->was_failed && p->was_error) {
		if (err && trouble_is_same(err->msg, p->was_error))
			return;
		if (!err) {
			err_set(&was, E_NET, "%s", p->was_error);
			wire_add_problem(g, p, &was, true);
		}
	}
	if (err)
		wire_add_problem(g, p, err, false);
	for (size_t i = 0; !err && i < p->n_gaps; i++) {
		struct err gap = {0};

		err_set(&gap, E_NET, "%s is unreachable; the last known data is kept",
			p->gaps[i]);
		wire_add_problem(g, p, &gap, false);
	}
}

static void on_step(void *ctx, const struct poll *p, bool done, const struct err *err)
{
	struct progress *g = ctx;

	daemon_alive();
	if (g->daemon)
		return;
	if (g->show && !done)
		fprintf(stderr, "\r\033[Kpolling %s%s%s ...", p->source->name,
			*p->project ? " of " : "", p->project);
	if (!done)
		return;
	if (g->show)
		fputs("\r\033[K", stderr);
	/* An API that is not enabled is reported once; `sources` continues to show it. */
	if (err && err->code == E_DISABLED && (g->quiet || p->was_disabled))
		return;
	/* Cron would mail an unreachable zone every minute; the rule source-stale reports it. */
	if (!err && g->quiet && p->was_partial)
		return;
	say_problem(g, p, err);
}

static int64_t wire_interval_of(void *ctx, const struct source *s)
{
	return config_poll_seconds(ctx, s->group);
}

/* ---- one writer at a time ------------------------------------------------------------------- */

static enum err_code keep_rollups(struct app *app, bool rebuilt, struct err *e)
{
	char stamp[TZ_STAMP_BUF];
	struct q_meta_put_in put = {
		.key = "rollup_timezone", .value = tz_stamp(app->cfg->tz, stamp)};
	/* see the view restatements */
	struct q_meta_put_in days = {.key = "days_since",
		.value = arena_printf(
			&app->arena, "%lld", (long long)clock_now(app->clock))};
	const char *was;

	if (db_meta(app->db, put.key, &app->arena, &was, e))
		return e->code;
	if (!rebuilt && !strcmp(was, stamp))
		return E_OK;
	if (rollup_all(app->db, app->cfg->tz, e))
		return e->code;
	if (*was && strcmp(was, stamp) != 0 && q_meta_put(app->db, &days, e))
		return e->code;
	return q_meta_put(app->db, &put, e);
}

/* Done before polling, so that rollups of the new data have their tables. */
static enum err_code wire_prepare(struct app *app, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	bool rebuilt;

	if (db_begin(app->db, &tx, e) || db_keep_rollups(app->db, &rebuilt, e) ||
		keep_rollups(app, rebuilt, e) || session_mark_bill(app, e))
		return e->code;
	return db_commit(&tx, e);
}

/* Process that holds the lock; 0: unknown. Its id is written after locking, and remains in the
 * file when the holder is killed: an id without a process is not the holder's. */
static pid_t holder(int fd)
{
	char text[24] = "";
	long long pid;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	pid = strtoll(text, NULL, 10);
	if (pid <= 0 || pid > INT_MAX || (kill((pid_t)pid, 0) && errno != EPERM))
		return 0;
	return (pid_t)pid;
}

/* A full disk does not prevent the lock; the holder is then unknown. */
static void name_holder(int fd)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%lld\n", (long long)getpid());

	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n)
		return;
}

enum err_code lock_open(
	const struct config *cfg, const char *suffix, int *fd, struct err *e)
{
	cleanup(free_ptr) char *database = fs_real(cfg->database);
	cleanup(sbuf_done) struct sbuf path = SBUF_INIT;
	int why;

	sbuf_addf(&path, "%s%s", database, suffix);
	*fd = open(path.s, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return E_OK;
	why = errno;
	err_sys(e, E_IO, why, "open %s", path.s);
	return err_fix(e, "%s", db_sys_fix(why, true));
}

enum err_code lock_take(const struct config *cfg, const char *suffix, const char *doing,
	const char *fix, int *fd, struct err *e)
{
	pid_t pid;

	if (lock_open(cfg, suffix, fd, e))
		return e->code;
	if (!flock(*fd, LOCK_EX | LOCK_NB)) {
		name_holder(*fd);
		return E_OK;
	}
	pid = holder(*fd);
	if (pid)
		err_set(e, E_BUSY, "another tpucost %s %s: process %lld", doing,
			cfg->database, (long long)pid);
	else
		err_set(e, E_BUSY, "another tpucost %s %s", doing, cfg->database);
	return err_fix(e, "%s", fix);
}

static bool has_wal(const char *database)
{
	cleanup(free_ptr) char *real = fs_real(database);
	cleanup(sbuf_done) struct sbuf path = SBUF_INIT;
	struct stat st;

	sbuf_addf(&path, "%s-wal", real);
	return !stat(path.s, &st) && st.st_size;
}

/* One writer at a time: a cron job and a daemon, or two cron jobs, must not poll at once. */
enum err_code writer_open(struct app *app, int *lock, struct err *e)
{
	bool left;

	if (lock_take(app->cfg, ".lock", "is polling into", "wait until it ends", lock, e))
		return e->code;
	left = has_wal(app->cfg->database);
	if (session_open_to_write(app, e) || (left && db_check_wal(app->db, e)))
		return e->code;
	return wire_prepare(app, e);
}

/* ---- a poll --------------------------------------------------------------------------------- */

struct parts {
	struct net net;
	int lock;
};

static void parts_done(struct parts *p)
{
	net_done(&p->net);
	if (p->lock >= 0)
		close(p->lock);
}

void net_done(struct net *n)
{
	gcp_free(n->gcp);
	http_free(n->http);
}

enum err_code net_open(struct app *app, struct net *n, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct http_opts http = {.user_agent = "tpucost/" TPUCOST_VERSION " (gzip)",
		.clock = app->clock,
		.max_per_host = cfg->endpoint_all ? 0 : PER_HOST,
		.retry_budget_ms = RETRY_MS};
	struct gcp_opts gcp = {.endpoint_all = cfg->endpoint_all,
		.credentials = cfg->credentials,
		.clock = app->clock};

	if (http_new(&http, &n->http, e))
		return e->code;
	gcp.http = n->http;
	return gcp_new(&gcp, &n->gcp, e);
}

struct collect_settings net_settings(const struct config *cfg)
{
	return (struct collect_settings){.projects = cfg->projects.v,
		.n_projects = cfg->projects.n,
		.tables = cfg->billing_tables,
		.n_tables = cfg->n_billing_tables,
		.discovery = cfg->discovery,
		.only_files = config_only_files(cfg),
		.max_bytes = cfg->billing_max_gib * GIB,
		.by_day = cfg->billing_by_day,
		.tz = cfg->tz};
}

enum err_code writer_record(struct app *app, const char *name, const char *group,
	size_t items, const char *note, struct err *why, struct err *e)
{
	const struct source source = {.name = name, .group = group};
	struct poll p = {.source = &source,
		.project = "",
		.db = app->db,
		.arena = &app->arena,
		.now = clock_now(app->clock),
		.items = items,
		.note = note};

	if (why->code ==
		E_DISABLED) /* it is configured, so its API is missing, not unused */
		why->code = E_DENIED;
	status_advise(why);
	return status_put(&p, why->code ? why : NULL, e);
}

enum err_code writer_derive(struct app *app, struct err *e)
{
	struct derive_opts o = {
		.settings = &app->cfg->settings, .since = TS_NONE, .until = TS_NONE};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (session_hide_bill(app, e) || db_begin(app->db, &tx, e) ||
		session_present(app, clock_now(app->clock), &o.now, e) ||
		derive(app->db, &o, e))
		return e->code;
	return db_commit(&tx, e);
}

#define TRAFFIC_LATE 300 /* age in seconds of the newest counters of traffic */

enum err_code writer_judge(struct app *app, struct judgement *out, struct err *e)
{
	struct outbox outbox = outbox_of(app->cfg);
	struct q_history_forget_in old;
	struct q_egress_note_in traffic;
	ts_t now, known;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(app->db, &tx, e) ||
		session_present(app, clock_now(app->clock), &now, e) ||
		history_now(app->db, now, &known, e))
		return e->code;
	if (app->clock_unknown) /* rules need a time */
		return db_commit(&tx, e);
	old.before = history_from(&app->cfg->settings, known);
	traffic.day = date_format(
		tz_day(app->cfg->tz, now - TRAFFIC_LATE), (char[DATE_BUF]){0});
	if (q_egress_note(app->db, &traffic, e) ||
		judge(app->db, &app->cfg->settings, now, &app->arena, out, e) ||
		outbox_add_owners(app->db, &outbox, false, &app->arena, e) ||
		outbox_note(app->db, &outbox, out, clock_now(app->clock), e) ||
		enforce_track(app->db, &app->cfg->settings, now, e) ||
		q_history_forget(app->db, &old, e) || db_shrink(app->db, e))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code cycle_run(
	struct app *app, const struct cycle *c, struct collect_result *r, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct progress progress = {.show = !app->o.quiet && isatty(STDERR_FILENO),
		.quiet = app->o.quiet,
		.daemon = app->daemon,
		.changes = app->o.quiet && c->only_due,
		.a = &app->arena};
	struct collect_settings settings = net_settings(cfg);
	cleanup(parts_done) struct parts parts = {.lock = -1};
	struct collector collector = {.settings = &settings,
		.clock = app->clock,
		.watch = {.step = on_step, .ctx = &progress},
		.only = c->only,
		.n_only = c->n_only,
		.interval = c->only_due ? wire_interval_of : NULL,
		.interval_ctx = app->cfg,
		.cause = cause_of};

	enum err_code rc;

	if (collect_check_names(c->only, c->n_only, e) || net_open(app, &parts.net, e) ||
		writer_open(app, &parts.lock, e))
		return e->code;
	settings.currency = cfg->settings.currency;
	collector.gcp = parts.net.gcp;
	collector.db = app->db;
	rc = collect(&collector, r, e);
	say_problems(&progress);
	if (rc)
		return rc;
	net_done(&parts.net);
	parts.net = (struct net){0}; /* its memory is of use for the rules */
	return writer_derive(app, e);
}

int cycle_exit(const struct collect_result *r)
{
	if (r->polled && r->failed == r->polled)
		return EXIT_FAILED;
	return r->failed || r->partial ? EXIT_PARTIAL : EXIT_FINE;
}

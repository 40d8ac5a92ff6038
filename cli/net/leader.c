/* The lease that machines share, and the copy of the database in Cloud Storage. */
#include "base/fs.h"
#include "base/net/http.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "base/url/url.h"
#include "cli/daemon/daemon.h"
#include "cli/enforce/enforce.h"
#include "cli/net/leading.h"
#include "cli/net/wire.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"
#include "gcp/storage.h"
#include "rules/act/audit.h"
#include "rules/act/leader.h"
#include "rules/enforce/halt.h"
#include "rules/enforce/enforce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEN "lease_seen" /* key of meta: what a standby without a daemon has seen */
#define SLICE_MS 200

/* ---- Cloud Storage ----------------------------------------------------------------------------- */

static enum err_code leading_get(
	void *ctx, struct arena *a, const char **text, int64_t *generation, struct err *e)
{
	struct leading *l = ctx;

	return gcs_read(l->net.gcp, &l->object, LEASE_MAX, a, text, generation, e);
}

static enum err_code leading_put(
	void *ctx, const char *text, int64_t generation, struct err *e)
{
	struct leading *l = ctx;

	return gcs_write(l->net.gcp, &l->object, text, generation, NULL, e);
}

/* The boot and the file of the database: the same for all processes that work on it, and not for a copy. */
static enum err_code leading_owner(struct leading *l, struct err *e)
{
	cleanup(sbuf_done) struct sbuf boot = SBUF_INIT;
	struct stat st;

	if (stat(l->app->cfg->database, &st))
		return err_sys(e, E_IO, errno, "lease: check %s", l->app->cfg->database);
	if (fs_read("/proc/sys/kernel/random/boot_id", 200, &boot, e))
		return err_wrap(e, "lease");
	snprintf(l->owner, sizeof(l->owner), "%.*s:%llu:%llu", (int)strcspn(boot.s, "\n"),
		boot.s, (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	l->leader.owner = l->owner;
	return E_OK;
}

static void leading_name(struct leading *l)
{
	char host[65] = "";

	if (gethostname(host, sizeof(host) - 1) || !*host)
		snprintf(host, sizeof(host), "a machine without a name");
	l->leader.host = arena_strdup(&l->app->arena, host);
}

static void leading_free(struct leading *l)
{
	if (!l)
		return;
	net_done(&l->net);
	free(l);
}

/* With the credentials that collect: they cannot stop anything. */
static enum err_code leading_open(struct app *app, struct leading **out, struct err *e)
{
	const struct config *cfg = app->cfg;
	const char *lease = cfg->enforcement.lease;
	struct leading *l = xcalloc(1, sizeof(*l));

	*out = l;
	l->app = app;
	l->store = (struct leader_store){
		.ctx = l, .name = lease, .get = leading_get, .put = leading_put};
	l->leader = (struct leader){.store = &l->store,
		.clock = app->clock,
		.why = "the lease could not be read",
		.backups = cfg->backup.to != NULL};
	leading_name(l);
	if (lease)
		url_of_object(lease, &app->arena, &l->object.bucket, &l->object.name);
	if (cfg->backup.to)
		url_of_object(arena_printf(&app->arena, "%s/tpucost.db", cfg->backup.to),
			&app->arena, &l->copy.bucket, &l->copy.name);
	return net_open(app, &l->net, e);
}

/* ---- before a cycle ---------------------------------------------------------------------------- */

static enum err_code take_over(struct leading *l, const struct lease *is, struct err *e)
{
	const char *why, *lost;
	struct err ignored = {0};
	bool restored, bad;

	l->leader.epoch = is->epoch;
	bad = copy_restore(l, &restored, &lost, e) != E_OK;
	if (bad && l->app->db) {
		struct err fault = *e;

		(void)!writer_record(
			l->app, COLLECT_BACKUP, COLLECT_BACKUP, 0, NULL, &fault, &ignored);
		(void)!leading_set_meta(l, STANDBY_MARK, STANDBY_OF_NONE, &ignored);
	}
	if (bad ||
		leader_take_over(&l->leader, l->app->db, &l->app->cfg->settings, is,
			restored, lost, &l->app->arena, &why, e)) {
		(void)!leader_give_up(&l->leader, &l->app->arena, &ignored);
		l->leader.epoch = 0;
		return err_wrap(e, "take over the lease");
	}
	if (!l->app->daemon)
		say("tpucost: holds the lease %s now, in epoch %" PRId64 "%s%s",
			l->store.name, l->leader.epoch, *is->from ? "; before: " : "",
			is->from);
	if (why)
		say("tpucost: NOT ARMED: actions are blocked for this database: %s; all "
		    "actions start over from their warning after: tpucost enforce resume",
			why);
	return E_OK;
}

/* "GENERATION BOOT MS" */
static void watch_load(struct leading *l, const char *text, struct leader_watch *w)
{
	size_t boot = strcspn(l->leader.owner, ":");
	int64_t generation, ms;
	char *end;

	errno = 0;
	generation = strtoll(text, &end, 10);
	if (errno || end == text || *end != ' ' ||
		strncmp(end + 1, l->leader.owner, boot) != 0 || end[1 + boot] != ' ' ||
		!str_to_i64(end + 2 + boot, 0, INT64_MAX, &ms))
		return;
	*w = (struct leader_watch){.seen = true, .generation = generation, .since_ms = ms};
}

static enum err_code watch_store(
	struct leading *l, const struct leader_watch *w, struct err *e)
{
	return leading_set_meta(l, SEEN,
		w->seen ? arena_printf(&l->app->arena, "%" PRId64 " %.*s %" PRId64,
				  w->generation, (int)strcspn(l->leader.owner, ":"),
				  l->leader.owner, w->since_ms)
			: "",
		e);
}

/* The daemon has another process that watches and takes over. */
static enum err_code leading_step(struct leading *l, struct lease *is, struct err *e)
{
	struct app *app = l->app;
	struct leader_watch w = {0};
	struct leader_facts facts;
	const char *seen = "";
	int64_t known;

	if (leader_facts_of(app->db, &app->cfg->settings, &app->arena, &facts, e) ||
		leader_epoch_of(app->db, &app->arena, &known, e) ||
		db_meta(l->app->db, SEEN, &l->app->arena, &seen, e))
		return e->code;
	if (!app->daemon)
		watch_load(l, seen, &w);
	if (leader_step(&l->leader, &facts, &w, known, &app->arena, is, e))
		return e->code;
	return app->daemon ? E_OK : watch_store(l, &w, e);
}

/* The holder of the lease is unknown: this machine does not act. It still polls and sends messages, unless it was a standby,
 * it never sent a message (a standby that is being set up), or its database is that of another one because a take-over was
 * not completed. */
static enum err_code leading_unsure(
	struct leading *l, struct err *why, bool *standby, struct err *e)
{
	const char *host = "", *backup = "", *former;
	struct q_outbox_used row;
	int64_t known;
	bool found;

	if (db_meta(l->app->db, STANDBY_MARK, &l->app->arena, &host, e) ||
		db_meta(l->app->db, DB_BACKUP_MARK, &l->app->arena, &backup, e) ||
		leader_former_of(l->app->db, &l->app->arena, &former, e) ||
		leader_epoch_of(l->app->db, &l->app->arena, &known, e) ||
		q_outbox_used_one(l->app->db, &l->app->arena, &row, &found, e))
		return e->code;
	*standby = (*host && !str_eq(host, STANDBY_OF_NONE)) || *backup || former ||
		(!known && !row.used);
	l->unknown = true;
	l->leader.why = arena_printf(&l->app->arena, "the lease is unknown: %s", why->msg);
	if (writer_record(l->app, COLLECT_LEASE, COLLECT_LEASE, 0, NULL, why, e))
		return e->code;
	say_err(*standby ? "tpucost: this machine does not poll or act: it may be a standby"
			 : "tpucost: nothing is stopped or deleted",
		why);
	return E_OK;
}

static enum err_code leading_enter(struct leading *l, bool *standby, struct err *e)
{
	struct lease is;
	struct err why = {0}, ignored;
	int64_t known;
	bool knows;

	if (leading_owner(l, e))
		return e->code;
	if (leading_step(l, &is, &why))
		return why.code == E_DB ? (*e = why, e->code)
					: leading_unsure(l, &why, standby, e);
	/* If the database cannot be written, the cycle fails, and gives the lease up. */
	(void)!writer_record(l->app, COLLECT_LEASE, COLLECT_LEASE, 0, NULL, &why, &ignored);
	*standby = !leader_holds(&l->leader, &is);
	if (leader_knows(l->app->db, &is, &l->app->arena, &knows, e) ||
		leader_epoch_of(l->app->db, &l->app->arena, &known, e))
		return e->code;
	/* Another epoch: the lease is an earlier one, or the database is. */
	if (!*standby && (!is.ready || !knows || known != is.epoch)) {
		if (take_over(l, &is, e))
			return e->code;
		/* The database that was restored has an older one. */
		(void)!writer_record(
			l->app, COLLECT_LEASE, COLLECT_LEASE, 0, NULL, &why, &ignored);
		return leading_set_meta(l, STANDBY_MARK, "", e);
	}
	l->leader.epoch = *standby ? 0 : is.epoch;
	l->leader.why = arena_printf(&l->app->arena, "%s holds the lease %s",
		*is.host ? is.host : "no machine", l->store.name);
	return leading_set_meta(l, STANDBY_MARK,
		!*standby          ? ""
			: *is.host ? is.host
				   : STANDBY_OF_NONE,
		e);
}

enum err_code leader_enter(struct app *app, bool *standby, struct err *e)
{
	cleanup(close_fd) int lock = -1;
	struct leading *l;
	struct err why = {0};
	enum err_code rc;
	bool broken;

	*standby = false;
	if (!app->cfg->enforcement.lease)
		return E_OK;
	broken = !app->leading && leading_open(app, &app->leading, &why);
	l = app->leading;
	l->unknown = false;
	rc = writer_open(app, &lock, e);
	if (!rc)
		rc = broken ? leading_unsure(l, &why, standby, e)
			    : leading_enter(l, standby, e);
	db_close(app->db);
	app->db = NULL;
	if (rc)
		return rc;
	if (*standby && !l->unknown && !app->daemon)
		say_unless_quiet("standby: %s; this machine does not poll", l->leader.why);
	return E_OK;
}

void leader_leave(struct app *app)
{
	leading_free(app->leading);
	app->leading = NULL;
}

void leader_resign(struct app *app)
{
	struct leading *l = app->leading;
	struct err ignored = {0};

	if (l && l->leader.epoch && !leader_give_up(&l->leader, &app->arena, &ignored))
		say("tpucost: released the lease %s: another machine may take it over",
			l->store.name);
}

bool leader_is_unknown(const struct app *app)
{
	return app->leading && app->leading->unknown;
}

const struct leader *leader_of(const struct app *app)
{
	return app->leading ? &app->leading->leader : NULL;
}

/* ---- after a cycle ------------------------------------------------------------------------------- */

/* *why: a database that may not act must not replace the copy of one that did; NULL: it may act. */
static enum err_code leading_withholds(struct app *app, const char **why, struct err *e)
{
	const struct leader *l = leader_of(app);
	const char *note;

	*why = NULL;
	if (l && !l->epoch) {
		*why = arena_printf(&app->arena, "not made: %s", l->why);
		return E_OK;
	}
	if (enforce_note(app->db, &app->cfg->settings, &app->arena, &note, e))
		return e->code;
	if (note)
		*why = arena_printf(&app->arena,
			"not made: actions are blocked for this database: %s; see: tpucost "
			"enforce",
			note);
	return E_OK;
}

enum err_code leader_ship(struct app *app, bool *shipped, struct err *e)
{
	struct q_source_drop_in lease = {.source = COLLECT_LEASE, .project = ""},
				backup = {.source = COLLECT_BACKUP, .project = ""};
	char today[DATE_BUF];
	struct leading *l;
	struct err fault = {0};
	const char *was = "", *why;

	*shipped = false;
	if ((!app->cfg->enforcement.lease && q_source_drop(app->db, &lease, e)) ||
		(!app->cfg->backup.to && q_source_drop(app->db, &backup, e)))
		return e->code;
	if (!app->cfg->backup.to)
		return E_OK;
	date_format(tz_day(app->cfg->tz, clock_now(app->clock)), today);
	if (db_meta(app->db, DB_SHIPPED, &app->arena, &was, e) ||
		(app->cfg->backup.daily && str_eq(was, today)))
		return e->code;
	if (leading_withholds(app, &why, e))
		return e->code;
	if (why)
		return writer_record(
			app, COLLECT_BACKUP, COLLECT_BACKUP, 0, why, &fault, e);
	if (!app->leading && leading_open(app, &app->leading, e))
		return e->code;
	l = app->leading;
	if (copy_ship(l, &fault))
		err_wrap(&fault, "backup to %s", app->cfg->backup.to);
	if (writer_record(app, COLLECT_BACKUP, COLLECT_BACKUP, 0, NULL, &fault, e))
		return e->code;
	if (fault.code) {
		*e = fault;
		return e->code;
	}
	*shipped = true;
	return leading_set_meta(l, DB_SHIPPED, today, e);
}

/* ---- decisions of users -------------------------------------------------------------------------- */

/* A take-over may have replaced the database after the decision was committed. */
static enum err_code leading_decided(struct leading *l, bool resumed, struct err *e)
{
	struct app *app = l->app;
	struct leader_facts facts;

	if (leading_owner(l, e) ||
		leader_epoch_of(app->db, &app->arena, &l->leader.epoch, e) ||
		leader_facts_of(app->db, &app->cfg->settings, &app->arena, &facts, e) ||
		leader_note_decision(
			&l->leader, app->db, &facts, resumed, &app->arena, e) ||
		leader_facts_of(app->db, &app->cfg->settings, &app->arena, &facts, e))
		return e->code;
	if (resumed ||
		(facts.decided_at == app->now &&
			str_eq(facts.decider, audit_user(&app->arena))))
		return E_OK;
	return err_set_fix(e, E_CONFLICT, "run the command again",
		"it is missing in the database: a backup was restored");
}

static enum err_code leading_say_where(struct err *e)
{
	if (*e->fix)
		return e->code;
	return err_fix(e, "%s",
		e->code == E_BUSY ? "run the command on the machine that holds the lease"
				  : "run the command again when the lease is held");
}

enum err_code leader_decided(struct app *app, bool resumed, struct err *e)
{
	struct leading *l = NULL;
	enum err_code rc;

	if (!app->cfg->enforcement.lease)
		return E_OK;
	rc = leading_open(app, &l, e);
	if (!rc)
		rc = leading_decided(l, resumed, e);
	leading_free(l);
	if (!rc)
		return E_OK;
	err_wrap(e, "recorded in this database only");
	return leading_say_where(e);
}

enum err_code leader_ask(struct app *app, struct err *e)
{
	struct leading *l = NULL;
	bool bad = leading_open(app, &l, e) || leading_owner(l, e) ||
		leader_epoch_of(app->db, &app->arena, &l->leader.epoch, e) ||
		leader_confirm(&l->leader, &app->arena, e);

	leading_free(l);
	if (!bad)
		return E_OK;
	err_wrap(e,
		e->code == E_BUSY || e->code == E_NOTFOUND
			? "nothing was recorded, because this machine is a standby"
			: "nothing was recorded");
	return leading_say_where(e);
}

enum err_code leader_halt_all(
	struct app *app, const char *why, struct lease *was, struct err *e)
{
	struct leading *l = NULL;
	struct err ignored = {0};
	enum err_code rc;

	*was = (struct lease){.host = ""};
	if (!app->cfg->enforcement.lease)
		return E_OK;
	rc = leading_open(app, &l, e);
	if (!rc)
		rc = leader_halt(&l->leader,
			why ? arena_printf(&app->arena, "%s on %s", why, l->leader.host)
			    : NULL,
			&app->arena, was, e);
	if (!rc && !leading_owner(l, &ignored) && leader_holds(&l->leader, was))
		was->halt_file = NULL;
	leading_free(l);
	return rc;
}

/* ---- process that keeps the lease ---------------------------------------------------------------- */

/* The facts and the epoch as of now; false: the database cannot be read. */
static bool keeper_facts(
	struct leading *l, struct arena *a, struct leader_facts *facts, int64_t *known)
{
	struct err ignored = {0};
	struct db *db = NULL;
	bool read;

	read = !db_open(l->app->cfg->database, DB_READ, l->app->clock, &db, &ignored) &&
		!leader_facts_of(db, &l->app->cfg->settings, a, facts, &ignored) &&
		!leader_epoch_of(db, a, known, &ignored);
	db_close(db);
	return read;
}

static const char *keeper_step(struct leading *l, struct leader_watch *w, struct arena *a)
{
	struct leader_facts facts;
	struct lease is;
	struct err e = {0};
	int64_t known;

	if (leading_owner(l, &e))
		return arena_strdup(a, e.msg);
	/* One that cannot work must not keep others from it. */
	if (!keeper_facts(l, a, &facts, &known))
		return "not renewed: the database cannot be read";
	if (leader_step(&l->leader, &facts, w, known, a, &is, &e))
		return arena_strdup(a, e.msg);
	if (leader_holds(&l->leader, &is))
		return arena_printf(
			a, "holds the lease %s in epoch %" PRId64, l->store.name, is.epoch);
	return *is.host
		? arena_printf(a, "standby: %s holds the lease %s in epoch %" PRId64,
			  is.host, l->store.name, is.epoch)
		: arena_printf(a, "standby: no machine holds the lease %s", l->store.name);
}

/* When a cycle last read the lease, or tried to; TS_NONE: unknown. */
static ts_t leading_tried(struct leading *l)
{
	struct q_source_state_in in = {.source = COLLECT_LEASE, .project = ""};
	struct q_source_state row;
	struct err ignored = {0};
	struct db *db = NULL;
	bool found, bad;

	bad = db_open(l->app->cfg->database, DB_READ, l->app->clock, &db, &ignored) ||
		q_source_state_one(db, &in, &l->app->arena, &row, &found, &ignored);
	db_close(db);
	return bad || !found ? TS_NONE : row.last_attempt;
}

bool leader_renew(struct app *app, struct err *e)
{
	struct leader_watch w = {0}; /* so it takes nothing over */
	ts_t tried;

	if (!app->leading || !app->leading->net.gcp)
		return true;
	tried = leading_tried(app->leading);
	if (tried == TS_NONE || clock_now(app->clock) - tried < DAEMON_SILENT_MS / 1000) {
		(void)keeper_step(app->leading, &w, &app->arena);
		return true;
	}
	err_wrap(e,
		"no cycle was possible for 30 minutes, and another machine may take over "
		"the lease %s",
		app->leading->store.name);
	err_fix(e, "if that process hangs, end it");
	return false;
}

/* Are there records of the cycle since the last time? -1: its daemon watches it. */
static bool keeper_hears(int cycle)
{
	char record[DAEMON_TALE_MAX];
	bool any = cycle < 0;

	while (cycle >= 0 && recv(cycle, record, sizeof(record), 0) > 0)
		any = true;
	return any;
}

/* Until the parent ends, or is silent for too long. */
static int keeper_run(struct app *app, int cycle)
{
	struct leader_watch w = {0};
	pid_t parent = getppid();
	struct leading *l = NULL;
	struct err e = {0};
	int64_t heard = clock_mono_ms(app->clock);

	if (leading_open(app, &l, &e)) {
		daemon_tell(TALE_LEASE, e.msg);
		leading_free(l);
		return EXIT_FAILED;
	}
	while (!daemon_ending() && getppid() == parent) {
		int64_t next = clock_mono_ms(app->clock) + LEASE_RENEW * 1000;
		cleanup(arena_done) struct arena a = {0};

		if (keeper_hears(cycle))
			heard = clock_mono_ms(app->clock);
		else if (clock_mono_ms(app->clock) - heard >= DAEMON_SILENT_MS) {
			say_to(NULL);
			say("tpucost: this cycle made no progress for 30 minutes, and "
			    "another machine may take over the lease");
			break;
		}
		daemon_tell(TALE_LEASE, keeper_step(l, &w, &a));
		while (!daemon_ending() && getppid() == parent &&
			clock_mono_ms(app->clock) < next)
			clock_sleep_ms(app->clock, SLICE_MS);
	}
	leading_free(l);
	return EXIT_FINE;
}

int leader_keep(struct app *app)
{
	return keeper_run(app, -1);
}

pid_t leader_keeper(struct app *app)
{
	int pair[2];
	pid_t pid;

	if (!leader_of(app) || !leader_of(app)->epoch ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return 0;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(pair[0]);
		daemon_child(-1);
		_exit(keeper_run(app, pair[1]));
	}
	close(pair[1]);
	if (pid < 0)
		close(pair[0]);
	else
		daemon_report_to(pair[0]);
	return pid > 0 ? pid : 0;
}

void leader_keeper_end(pid_t pid)
{
	if (pid <= 0)
		return;
	daemon_report_to(-1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

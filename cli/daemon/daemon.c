/* Daemon: time, signals, systemd. The work is done by the processes that it starts. */
#include "base/time/civil.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/net/wire.h"
#include "cli/daemon/daemon.h"
#include "db/db.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICE_MS INT64_C(10000) /* maximum time between two readings of the clocks */
#define END_MS INT64_C(5000)    /* for the current step, after a request to end */
#define REAP_MS INT64_C(30000)  /* a killed process that does not end is left to systemd */
#define BUSY_REST 10            /* seconds to wait while another process polls */
#define BUSY_LONG_MS INT64_C(900000)
#define JUMP 30 /* seconds by which clocks may differ */

struct daemon {
	struct app *app;
	int lock, signals, tales;
	pid_t child;
	pid_t keeper;       /* process that keeps the lease of several machines; 0: none */
	int lease;          /* its records */
	char holder[200];   /* the newest one */
	bool lease_changed; /* since the last cycle */
	int status;         /* of the child that ended last */
	int64_t alive;      /* its last sign of life, monotonic ms */
	int64_t killed;     /* time when it was killed; 0: it was not */
	int64_t wait;       /* seconds until something is due */
	int64_t busy_since; /* monotonic ms; 0: no other process polls */
	bool end, reload, whole;
	int64_t ping_ms; /* 0: there is no watchdog */
	ts_t wall;       /* the clocks at the last reading */
	int64_t mono;
	char line[200]; /* status of the last cycle */
	dev_t device;   /* of the database's file; inode 0: it does not exist */
	ino_t inode;
	struct troubles troubles;
};

/* ---- events ------------------------------------------------------------------------------------- */

static void on_tale(struct daemon *d, enum tale kind, const char *text)
{
	switch (kind) {
	case TALE_ALIVE:
		break;
	case TALE_NEWS:
		log_info("%s", text);
		break;
	case TALE_WARN:
		log_warn("%s", text);
		break;
	case TALE_TROUBLE:
		troubles_met(&d->troubles, text);
		break;
	case TALE_STATUS:
		snprintf(d->line, sizeof(d->line), "%.*s", 150, text);
		break;
	case TALE_NEXT:
		d->wait = strtoll(text, NULL, 10);
		break;
	case TALE_WHOLE:
		d->whole = true;
		break;
	case TALE_LEASE:
		if (!strncmp(d->holder, text, sizeof(d->holder) - 1))
			break;
		snprintf(d->holder, sizeof(d->holder), "%.*s", (int)sizeof(d->holder) - 1,
			text);
		if (str_starts(text, "lease"))
			log_warn("%s", text);
		else
			log_info("%s", text);
		d->lease_changed = true;
		break;
	}
}

static void read_tales(struct daemon *d, int fd)
{
	char packet[1 + DAEMON_TALE_MAX + 1];
	ssize_t n;

	while ((n = recv(fd, packet, sizeof(packet) - 1, MSG_DONTWAIT)) > 0) {
		packet[n] = '\0';
		/* those of the process that keeps the lease say nothing about the cycle */
		if (fd == d->tales)
			d->alive = clock_mono_ms(d->app->clock);
		on_tale(d, (enum tale)packet[0], packet + 1);
	}
}

static void read_signals(struct daemon *d)
{
	struct signalfd_siginfo si;

	while (read(d->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		if (si.ssi_signo == SIGTERM || si.ssi_signo == SIGINT)
			d->end = true;
		else if (si.ssi_signo == SIGHUP)
			d->reload = true;
	}
	if (d->child && waitpid(d->child, &d->status, WNOHANG) == d->child)
		d->child = 0;
	if (d->keeper && waitpid(d->keeper, NULL, WNOHANG) == d->keeper)
		d->keeper = 0;
}

/* The monotonic clock does not advance while the machine is suspended. */
static bool clocks_jumped(struct daemon *d)
{
	ts_t wall = clock_now(d->app->clock);
	int64_t mono = clock_mono_ms(d->app->clock);
	int64_t jump = (wall - d->wall) - (mono - d->mono) / 1000;
	char text[DURATION_BUF];

	d->wall = wall;
	d->mono = mono;
	if (jump >= -JUMP && jump <= JUMP)
		return false;
	duration_format(jump < 0 ? -jump : jump, text);
	if (jump < 0)
		log_warn("the clock was set back by %s", text);
	else
		log_info(
			"%s passed without this process: the machine was suspended, or the "
			"clock was set",
			text);
	return true;
}

/* Waits for events, for at most `ms`. Returns true if the clocks jumped. */
static bool pump(struct daemon *d, int64_t ms)
{
	/* poll() ignores those that are -1 */
	struct pollfd fds[] = {{.fd = d->signals, .events = POLLIN},
		{.fd = d->tales, .events = POLLIN}, {.fd = d->lease, .events = POLLIN}};
	int64_t slice = d->ping_ms && d->ping_ms < SLICE_MS ? d->ping_ms : SLICE_MS;

	ms = ms < 0 ? 0 : ms > slice ? slice : ms;
	poll(fds, ARRAY_LEN(fds), (int)ms);
	if (d->tales >= 0)
		read_tales(d, d->tales);
	if (d->lease >= 0)
		read_tales(d, d->lease);
	read_signals(d);
	/* Without progress, the watchdog is not reset and systemd ends the process. */
	if (d->ping_ms &&
		!(d->killed && clock_mono_ms(d->app->clock) - d->killed > REAP_MS))
		systemd_notify("WATCHDOG=1");
	return clocks_jumped(d);
}

/* ---- a process for each cycle -------------------------------------------------------------------- */

static void in_child(struct daemon *d, int fd, int (*run)(struct app *app))
{
	struct app *app = d->app;
	int rc;

	close(d->signals);
	close(d->lock);
	daemon_child(fd);
	rc = run(app);
	say_to(NULL);
	db_close(app->db);
	config_free(app);
	arena_done(&app->arena);
	troubles_done(&d->troubles);
	exit(rc);
}

/* *fd gets the records of the process. 0: it could not be started. */
static pid_t daemon_fork(struct daemon *d, int (*run)(struct app *app), int *fd)
{
	int pair[2];
	pid_t pid;

	*fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		log_error("cannot start a process: %s", strerror(errno));
		return 0;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(pair[0]);
		in_child(d, pair[1], run);
	}
	close(pair[1]);
	if (pid > 0) {
		*fd = pair[0];
		setpgid(pid, pid); /* also done by the child: the first call counts */
		return pid;
	}
	log_error("cannot start a process: %s", strerror(errno));
	close(pair[0]);
	return 0;
}

static void keeper_end(struct daemon *d)
{
	/* A renewal that is lost does no harm: it is repeated. */
	if (d->keeper) {
		kill(d->keeper, SIGKILL);
		waitpid(d->keeper, NULL, 0);
	}
	d->keeper = 0;
	close_fd(&d->lease);
	d->lease = -1;
}

/* Another process writes to the database, perhaps for ever. */
static bool cycles_hang(const struct daemon *d)
{
	return d->busy_since &&
		clock_mono_ms(d->app->clock) - d->busy_since >= DAEMON_SILENT_MS;
}

/* Also if it ended unexpectedly. */
static void keeper_start(struct daemon *d)
{
	if (d->keeper || !d->app->cfg->enforcement.lease || cycles_hang(d))
		return;
	keeper_end(d);
	d->keeper = daemon_fork(d, leader_keep, &d->lease);
}

/* Kills the cycle and all processes that it started. The next cycle finds everything that was
 * lost. */
static void kill_child(struct daemon *d, const char *why)
{
	if (d->killed)
		return;
	if (why)
		log_error("%s", why);
	kill(-d->child, SIGKILL);
	d->killed = clock_mono_ms(d->app->clock);
}

static void look_at_child(struct daemon *d, int64_t *asked)
{
	int64_t now = clock_mono_ms(d->app->clock);

	if (d->end && !*asked) {
		*asked = now;
		kill(d->child, SIGTERM);
	}
	if (*asked && now - *asked >= END_MS)
		kill_child(d, NULL);
	else if (now - d->alive >= DAEMON_SILENT_MS)
		kill_child(d, "a cycle reported no progress for 30 minutes and was killed");
}

/* Runs the process and returns its exit code, or -1 if it was killed or could not be started. */
static int run_child(struct daemon *d, int (*run)(struct app *app))
{
	int64_t asked = 0;

	d->killed = 0;
	d->whole = false;
	d->alive = clock_mono_ms(d->app->clock);
	d->child = daemon_fork(d, run, &d->tales);
	if (!d->child)
		return -1;
	while (d->child) {
		pump(d, d->end ? 200 : SLICE_MS);
		if (d->child)
			look_at_child(d, &asked);
	}
	read_tales(d, d->tales);
	close_fd(&d->tales);
	d->tales = -1;
	return WIFEXITED(d->status) ? WEXITSTATUS(d->status) : -1;
}

/* Cron's `run --once` may be polling; a process that does so for a long time is reported. */
static void busy(struct daemon *d)
{
	int64_t now = clock_mono_ms(d->app->clock);

	d->wait = BUSY_REST;
	if (!d->busy_since)
		d->busy_since = now;
	else if (now - d->busy_since >= BUSY_LONG_MS)
		troubles_met(&d->troubles,
			"another tpucost has been polling for a long time; this one is "
			"waiting");
	/* one that cannot work must not keep others from it */
	if (cycles_hang(d) && d->app->cfg->enforcement.lease) {
		keeper_end(d);
		troubles_met(&d->troubles,
			"no cycle was possible for 30 minutes, and another machine may "
			"take over the lease; if the other tpucost hangs, end it");
	}
}

/* A database that was removed is created again, without the holds that protected resources. */
static void look_at_database(struct daemon *d)
{
	struct stat st = {0};

	stat(d->app->cfg->database, &st);
	if (d->inode && (st.st_ino != d->inode || st.st_dev != d->device))
		log_warn("database %s is %s: holds, silences and the audit of the old one "
			 "are not in the new one",
			d->app->cfg->database, st.st_ino ? "now another file" : "missing");
	d->inode = st.st_ino;
	d->device = st.st_dev;
}

static void cycle(struct daemon *d)
{
	int64_t began = clock_mono_ms(d->app->clock);
	char text[64];
	struct stat st;
	int rc;

	d->wait = DAEMON_REST;
	d->lease_changed = false;
	keeper_start(d);
	look_at_database(d);
	troubles_round(&d->troubles);
	rc = run_child(d, daemon_cycle);
	/* the database that the cycle created is known from now on */
	if (!d->inode && !stat(d->app->cfg->database, &st)) {
		d->inode = st.st_ino;
		d->device = st.st_dev;
	}
	if (rc == EXIT_BUSY) {
		busy(d);
		return;
	}
	d->busy_since = 0;
	if (rc < 0 && !d->killed && WIFSIGNALED(d->status)) {
		snprintf(text, sizeof(text), "a cycle was killed by signal %d",
			WTERMSIG(d->status));
		troubles_met(&d->troubles, text);
	}
	if (d->whole)
		troubles_over(&d->troubles);
	log_debug("cycle of %" PRId64 " ms: exit status %d; %s",
		clock_mono_ms(d->app->clock) - began, rc, d->line);
}

/* ---- between cycles ------------------------------------------------------------------------------- */

static void tell_systemd(const struct daemon *d)
{
	size_t n = d->troubles.n + d->troubles.left_out;
	char troubles[40] = "";

	if (n)
		snprintf(troubles, sizeof(troubles), "; %zu trouble%s", n,
			n == 1 ? "" : "s");
	systemd_notify("STATUS=%s%s; next poll %" PRId64 " s", d->line, troubles, d->wait);
}

static void rest(struct daemon *d)
{
	int64_t began = clock_mono_ms(d->app->clock);
	ts_t due = clock_now(d->app->clock) + d->wait;

	tell_systemd(d);
	while (!d->end && !d->reload && !d->lease_changed) {
		int64_t left = (due - clock_now(d->app->clock)) * 1000;

		if (left <= 0 || clock_mono_ms(d->app->clock) - began >= d->wait * 1000 ||
			pump(d, left))
			break;
	}
}

static void log_config(const struct app *app, const char *what)
{
	log_info("%s: %s; %zu project%s, %zu channel%s, enforcement %s, database %s", what,
		app->cfg->path, app->cfg->projects.n, app->cfg->projects.n == 1 ? "" : "s",
		app->cfg->n_channels, app->cfg->n_channels == 1 ? "" : "s",
		app->cfg->enforcement.mode, app->cfg->database);
}

static void daemon_take_config(struct app *app, struct app *fresh)
{
	const char *database = app->cfg->database;

	if (strcmp(fresh->cfg->database, database) != 0) {
		log_warn("database: %s takes effect after a restart; until then %s is used",
			fresh->cfg->database, database);
		config_keep_database(fresh->cfg, arena_strdup(&fresh->arena, database));
	}
	config_free(app);
	arena_done(&app->arena);
	app->arena = fresh->arena;
	app->cfg = fresh->cfg;
	log_config(app, "reloaded");
}

/* An invalid configuration changes nothing. */
static void reload(struct daemon *d)
{
	struct app fresh = *d->app;
	struct err e = {0};

	d->reload = false;
	keeper_end(d); /* the lease may be another one */
	systemd_notify("RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		clock_mono_ms(d->app->clock) * 1000);
	fresh.arena = (struct arena){0};
	fresh.cfg = NULL;
	if (config_load(&fresh, &e)) {
		log_error("not reloaded, the old configuration stays in use: %s%s%s", e.msg,
			*e.fix ? "; " : "", e.fix);
		config_free(&fresh);
		arena_done(&fresh.arena);
	} else {
		daemon_take_config(d->app, &fresh);
	}
	systemd_notify("READY=1");
}

static enum err_code open_signals(struct daemon *d, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	if (!sigprocmask(SIG_BLOCK, &set, NULL))
		d->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return d->signals < 0 ? err_sys(e, E_IO, errno, "wait for signals") : E_OK;
}

static int serve(struct daemon *d)
{
	int rc;

	d->wall = clock_now(d->app->clock);
	d->mono = clock_mono_ms(d->app->clock);
	rc = run_child(d, daemon_start);
	if (d->end)
		return EXIT_FINE;
	if (rc != EXIT_FINE && rc != EXIT_PARTIAL)
		return rc < 0 ? EXIT_FAILED : rc;
	log_config(d->app, "running");
	systemd_notify("READY=1");
	while (!d->end) {
		cycle(d);
		if (!d->end)
			rest(d);
		if (d->reload && !d->end)
			reload(d);
	}
	return EXIT_FINE;
}

int daemon_run(struct app *app, struct err *e)
{
	struct daemon d = {.app = app, .lock = -1, .signals = -1, .tales = -1, .lease = -1};
	enum log_level level = app->o.verbose ? LOG_DEBUG
		: app->o.quiet                ? LOG_WARN
					      : LOG_INFO;
	int rc;

	if (lock_take(app->cfg, ".daemon", "runs as a daemon on",
		    "stop it first, or use its configuration", &d.lock, e) ||
		open_signals(&d, e)) {
		close_fd(&d.lock);
		return cmd_fail(e);
	}
	log_setup(level, getenv("JOURNAL_STREAM") != NULL);
	app->daemon = true;
	d.ping_ms = systemd_watchdog_ms() / 3;
	rc = serve(&d);
	keeper_end(&d);
	systemd_notify("STOPPING=1");
	if (rc == EXIT_FINE)
		log_info("ended");
	close_fd(&d.signals);
	close_fd(&d.lock);
	troubles_done(&d.troubles);
	return rc;
}

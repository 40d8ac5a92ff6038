/* `tpucost run` without --once. Each cycle is a separate process (docs/adr/0016-daemon.md), so
 * that leaks, crashes and hangs end with it. The daemon keeps the configuration, the time, and
 * the problems that were already logged. */
#ifndef TPUCOST_CLI_DAEMON_DAEMON_H
#define TPUCOST_CLI_DAEMON_DAEMON_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Runs until SIGTERM or SIGINT. Returns an exit code. */
int daemon_run(struct app *app, struct err *e);

/* ---- in the process of a cycle; no effect in other processes ----------------------------------- */

/* Sends a sign of life. A cycle of the daemon that sends none for so long is killed; another one does not keep the
 * lease, nor does a command that writes for so long: either may hang. */
#define DAEMON_SILENT_MS INT64_C(1800000)
void daemon_alive(void);
/* Sends records to `fd`, a socket that does not block, and closes the one before; -1: to nothing. */
void daemon_report_to(int fd);
/* Tests whether the process must end after the current step. */
bool daemon_ending(void);

/* ---- shared by its files ----------------------------------------------------------------------- */

#define DAEMON_REST 60       /* seconds between cycles, unless something is due before */
#define DAEMON_TALE_MAX 4000 /* bytes of a record */

/* Records from a cycle to the daemon, one packet each: this letter and a text. */
enum tale {
	TALE_ALIVE = 'a',
	TALE_NEWS = 'n', /* logged once, good or bad */
	TALE_WARN = 'w', /* logged once, bad */
	TALE_TROUBLE =
		't', /* "KEY\tTEXT": sent in each cycle as long as the problem lasts */
	TALE_STATUS = 's',
	TALE_NEXT = 'd',  /* seconds until something is due */
	TALE_LEASE = 'l', /* holder of the lease of several machines */
	TALE_WHOLE = 'o', /* all lasting problems were sent: others have ended */
};

/* ---- cli/daemon/child.c: process of a cycle ------------------------------------------------------ */

/* From now on, sends records to `fd` and handles the signals that end the process. */
void daemon_child(int fd);
void daemon_tell(enum tale kind, const char *text);

/* ---- cli/daemon/cycle.c: in that process; these return exit codes --------------------------------- */

/* Checks before the first cycle: opens the database, and handles operations that an earlier process
 * left unfinished. */
int daemon_start(struct app *app);
int daemon_cycle(struct app *app);

/* ---- cli/daemon/log.c --------------------------------------------------------------------------- */

/* Lasting problems, logged when they begin and when they end. */
struct trouble;
struct troubles {
	struct trouble *v;
	size_t n, cap;
	size_t left_out; /* number of problems beyond the limit */
};

/* Do the texts differ only in durations? */
bool trouble_is_same(const char *text, const char *other);
/* Begins a round: no problem was met yet. */
void troubles_round(struct troubles *t);
/* Records a problem of this round: "KEY\tTEXT"; without a tab the text is the key. Durations in a
 * key are ignored. */
void troubles_met(struct troubles *t, const char *record);
/* Ends the round: problems that were not met have ended. */
void troubles_over(struct troubles *t);
void troubles_done(struct troubles *t);

/* ---- cli/daemon/systemd.c ----------------------------------------------------------------------- */

/* Sends lines of NAME=VALUE, together at most 511 bytes, to systemd. Without it, no effect. */
void systemd_notify(const char *fmt, ...) printf_like(1, 2);
/* Interval in which systemd expects WATCHDOG=1, in milliseconds; 0: it expects none. */
int64_t systemd_watchdog_ms(void);

#endif

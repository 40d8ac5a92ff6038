/* `tpucost run` without --once. Each cycle is a process of its own (docs/adr/0016-daemon.md): what it
 * leaks, breaks or hangs in ends with it. The one that stays keeps the configuration, the time, and
 * what was said already. */
#ifndef TPUCOST_CLI_DAEMON_DAEMON_H
#define TPUCOST_CLI_DAEMON_DAEMON_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Runs until SIGTERM or SIGINT. Exit code. */
int daemon_run(struct app *app, struct err *e);

/* ---- in the process of a cycle; without effect elsewhere --------------------------------------- */

/* A sign of life: what gives none for long is ended. */
void daemon_alive(void);
/* Is it to end after the step in hand? */
bool daemon_ending(void);

/* ---- between its files ------------------------------------------------------------------------- */

#define DAEMON_REST 60       /* seconds between cycles, when nothing is due before */
#define DAEMON_TALE_MAX 4000 /* bytes of a record */

/* Records from a cycle to the daemon, a packet each: this letter and a text. */
enum tale {
	TALE_ALIVE = 'a',
	TALE_NEWS = 'n',    /* said once, good or bad */
	TALE_WARN = 'w',    /* said once, bad */
	TALE_TROUBLE = 't', /* "KEY\tTEXT": said again in each cycle as long as it lasts */
	TALE_STATUS = 's',
	TALE_NEXT = 'd',  /* seconds until something is due */
	TALE_WHOLE = 'o', /* all that lasts has been told: what was not is over */
};

/* ---- cli/daemon/child.c: the process of a cycle -------------------------------------------------- */

/* Records go to `fd` from now on, and signals that end are minded. */
void daemon_child(int fd);
void daemon_tell(enum tale kind, const char *text);

/* ---- cli/daemon/cycle.c: in that process; exit codes ---------------------------------------------- */

/* What is looked at before the first cycle: can the database be opened, and what did an earlier
 * process leave half done? */
int daemon_start(struct app *app);
int daemon_cycle(struct app *app);

/* ---- cli/daemon/log.c --------------------------------------------------------------------------- */

/* What lasts, so that it is said when it begins and when it ends. */
struct trouble;
struct troubles {
	struct trouble *v;
	size_t n, cap;
	size_t left_out; /* beyond the cap */
};

/* A new round: nothing has been met yet. */
void troubles_round(struct troubles *t);
/* Met in this round. "KEY\tTEXT"; without a tab the text is the key. Times in a key do not count. */
void troubles_met(struct troubles *t, const char *record);
/* The round is complete: what was not met is over. */
void troubles_over(struct troubles *t);
void troubles_done(struct troubles *t);

#endif

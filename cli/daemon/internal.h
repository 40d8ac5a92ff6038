/* What the files of the daemon share. */
#ifndef TPUCOST_CLI_DAEMON_INTERNAL_H
#define TPUCOST_CLI_DAEMON_INTERNAL_H

#include "base/sbuf.h"
#include "cli/daemon/daemon.h"

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

/* ---- net_daemon_child.c: the process of a cycle -------------------------------------------------- */

/* Records go to `fd` from now on, and signals that end are minded. */
void daemon_child(int fd);
void daemon_tell(enum tale kind, const char *text);

/* ---- net_daemon_cycle.c: in that process; exit codes ---------------------------------------------- */

/* What is looked at before the first cycle: can the database be opened, and what did an earlier
 * process leave half done? */
int daemon_start(struct app *app);
int daemon_cycle(struct app *app);

/* ---- net_daemon_log.c --------------------------------------------------------------------------- */

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

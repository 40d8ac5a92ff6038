/* `tpucost run` without --once. Each cycle is a process of its own (docs/adr/0016-daemon.md): what it
 * leaks, breaks or hangs in ends with it. The one that stays keeps the configuration, the time, and
 * what was said already. */
#ifndef TPUCOST_CLI_DAEMON_DAEMON_H
#define TPUCOST_CLI_DAEMON_DAEMON_H

#include "cli/cmd.h"

/* Runs until SIGTERM or SIGINT. Exit code. */
int daemon_run(struct app *app, struct err *e);

/* ---- in the process of a cycle; without effect elsewhere --------------------------------------- */

/* A sign of life: what gives none for long is ended. */
void daemon_alive(void);
/* Is it to end after the step in hand? */
bool daemon_ending(void);

#endif

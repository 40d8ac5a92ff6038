/* Repeated output: --watch and `top`. */
#ifndef TPUCOST_CLI_SCREEN_WATCH_H
#define TPUCOST_CLI_SCREEN_WATCH_H

#include "cli/cmd.h"
#include "cli/out/out.h"

#define WATCH_MOST 86400 /* seconds */

struct watch {
	const char *title; /* in the first line */
	int64_t seconds;   /* between two drawings */
	bool document;     /* the output is for programs: no text between two documents */
	int (*draw)(struct app *app, struct err *e);
};

/* Runs `draw` in a new process each time, with the present app->now and terminal size, so each run opens the database
 * and frees all memory. On a terminal the output replaces the previous one until Ctrl-C or q; otherwise it is appended.
 * Returns 0 after Ctrl-C or q, or the exit status of the first run when that failed (1, 2). */
int watch_run(struct app *app, const struct watch *w, struct err *e);
/* Checks the options of a repeated command: the interval, and the formats that can be repeated. */
enum err_code watch_check(
	const struct app *app, enum out_format *format, struct err *e) must_check;
/* Is standard output a terminal that supports cursor movement? */
bool watch_can_redraw(void);

#endif

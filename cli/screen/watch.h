/* Drawing again and again: --watch and `top`. */
#ifndef TPUCOST_CLI_SCREEN_WATCH_H
#define TPUCOST_CLI_SCREEN_WATCH_H

#include "cli/cmd.h"
#include "cli/out/out.h"

#define WATCH_MOST 86400 /* seconds */

struct watch {
	const char *title; /* of the line at the top */
	int64_t seconds;   /* between two drawings */
	bool document; /* what is drawn is read by programs: nothing between two of them */
	int (*draw)(struct app *app, struct err *e);
};

/* Runs `draw` in a process of its own each time, with a fresh app->now and standard output as the
 * terminal is then: so the database is opened anew, and nothing is left behind. In a terminal the
 * same place is drawn over until Ctrl-C or q, else what is drawn is appended. Returns 0 after
 * these, and what the first drawing returned when that is no answer (1, 2). */
int watch_run(struct app *app, const struct watch *w, struct err *e);
/* The options of a command that is watched: an interval, and what can be repeated. */
enum err_code watch_check(
	const struct app *app, enum out_format *format, struct err *e) must_check;
/* Is it a terminal that can be drawn over? */
bool watch_can_redraw(void);

#endif

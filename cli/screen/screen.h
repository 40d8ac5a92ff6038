/* Screens: the summary lines of `status` and `top`, and repeated output. */
#ifndef TPUCOST_CLI_SCREEN_SCREEN_H
#define TPUCOST_CLI_SCREEN_SCREEN_H

#include "cli/cmd.h"
#include "cli/out/out.h"

/* ---- summary of burn, budgets, grants and credits ----------------------------------------------- */

#define GLANCE_INDENT 9 /* width of the first word of each line, with its blanks */

/* "Burn     62.00 HKD/h net ...". The database must be open. Shows at most `most` lines of each kind and the number of
 * the others. */
enum err_code glance_add(struct app *app, struct sbuf *b, const struct out_style *style,
	size_t most, struct err *e) must_check;
/* One summary line: the word, then the text, wrapped below itself. `color` may be NULL. */
void glance_line(struct sbuf *b, const char *word, const char *text, const char *color,
	const struct out_style *style);

#define GLANCE_CURRENCIES 8 /* others are left out */

struct glance_burn {
	const char *currency[GLANCE_CURRENCIES]; /* that of the most expensive part first */
	int64_t hour[GLANCE_CURRENCIES], day[GLANCE_CURRENCIES]; /* net, nanos */
	size_t n;
	int64_t unknown; /* parts without a price */
};

/* The present burn of the projects of --project. The view burn also reads the past, which takes several times as long.
 * The session must be open; the texts are allocated from its arena. E_OVERFLOW: the sum does not fit. */
enum err_code glance_burn_read(
	struct app *app, struct glance_burn *out, struct err *e) must_check;

/* ---- the whole document: cli/screen/status.c ---------------------------------------------------- */

/* Opens the database and builds the document of `status`, with all rows. */
struct doc;
enum err_code status_document(struct app *app, struct doc **d, struct err *e) must_check;

/* Stores the screen, if there are many resources: at the end of a poll, with everything derived. */
enum err_code status_keep(struct app *app, struct err *e) must_check;

/* ---- the same as of the last poll: cli/screen/kept.c --------------------------------------------- */

/* Are these so many that it is worth it? */
bool kept_wanted(int64_t resources);
/* Stores the screen as of that time, with lines as long as they are and without colors, and the exit code. */
enum err_code kept_put(struct app *app, ts_t at, const char *screen, int exit_code,
	struct err *e) must_check;
/* Appends the screen that was stored; nothing: there is none, or it is not current. The database must be open. */
enum err_code kept_show(struct app *app, const struct out_style *style, struct sbuf *b,
	int *exit_code, struct err *e) must_check;

/* ---- --watch and `top`: cli/screen/watch.c ------------------------------------------------------ */

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

/* Acting, as `run` and `enforce --apply` do it. */
#ifndef TPUCOST_CLI_ENFORCE_H
#define TPUCOST_CLI_ENFORCE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "rules/judge.h"

struct app;

/* What an earlier run left half done is looked at before anything else. Opens the database and
 * closes it again; does nothing where there is none yet. Exit code. */
int enforce_recover(struct app *app, struct err *e);
/* Act on what is ready. app->db is open for writing. *acted: there is something to tell. Exit code. */
int enforce_act(struct app *app, bool *acted, struct err *e);

/* What was warned of since then and is not stopped yet: when it is, and the line that prevents it. */
enum err_code enforce_say_warned(struct app *app, ts_t since, struct err *e) must_check;

/* From judging to the last message: rules, warnings, actions, what came of them. Exit code; *judged
 * is what the rules said. cli/net_run.c. */
int judge_and_act(struct app *app, struct judgement *judged, struct err *e);

/* Everything from looking at what an earlier run left to the heartbeat. *whole: it came to its end, and
 * app->db is open. Exit code; EXIT_BUSY only to a daemon. cli/net_run.c. */
#define EXIT_BUSY 99
int cycle_whole(struct app *app, struct judgement *judged, bool *whole, struct err *e);
/* What began, got worse or ended, a line each. */
void run_events(struct sbuf *b, const struct judgement *j);

#endif

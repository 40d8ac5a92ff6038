/* What `run` does each time, and `enforce --apply` in part. */
#ifndef TPUCOST_CLI_NET_CYCLE_H
#define TPUCOST_CLI_NET_CYCLE_H

#include "base/sbuf.h"
#include "cli/cmd.h"
#include "rules/judge/judge.h"

/* From judging to the last message: rules, warnings, actions, what came of them. Exit code; *judged
 * is what the rules said. */
int judge_and_act(struct app *app, struct judgement *judged, struct err *e);

/* Everything from looking at what an earlier run left to the heartbeat. *whole: it came to its end, and
 * app->db is open. Exit code; EXIT_BUSY only to a daemon. */
#define EXIT_BUSY 99
int cycle_whole(struct app *app, struct judgement *judged, bool *whole, struct err *e);
/* What began, got worse or ended, a line each. */
void cycle_events(struct sbuf *b, const struct judgement *j);

#endif

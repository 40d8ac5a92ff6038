/* Sentences and commands about one action. All texts are the arena's. */
#ifndef TPUCOST_REPORTS_MESSAGE_ACTION_TEXT_H
#define TPUCOST_REPORTS_MESSAGE_ACTION_TEXT_H

#include "reports/fix.h"
#include "reports/message/action_notes.h"
#include "reports/doc/doc.h"

#define HOURS_A_MONTH 730

/* "tpu-wrong will be stopped at 19:10": for subjects and headlines. */
const char *action_news(const struct doc *d, const struct action_note *n, struct arena *a);
/* "tpu-wrong (v3-8 in us-central1-b, project p) will be stopped at 19:10": where there is no room
 * for more. */
const char *action_line(const struct doc *d, const struct action_note *n, struct arena *a);
/* "will be stopped": what stands in the table. */
const char *action_words(const struct action_note *n);
/* Everything else that is to be known, in sentences. */
const char *action_detail(
	const struct doc *d, const struct action_note *n, struct arena *a);
/* What to type: to prevent it, to approve it, to mend or to undo it; NULL: nothing. */
const char *action_command(
	const struct doc *d, const struct action_note *n, struct arena *a);

/* The words before another command, which is stored: how to start it again after a stop, or what
 * lets a rule act again; NULL: there is none. */
const char *action_also(const struct action_note *n, struct arena *a, const char **command);

/* What it costs since its start at the price it had when it ended, nanos; none: not known. */
struct opt_i64 action_cost(const struct action *x, ts_t now);
/* "19:10", with the date unless it is today's. */
const char *action_when(const struct doc *d, ts_t t);

#endif

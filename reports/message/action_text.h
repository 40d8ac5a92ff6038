/* Sentences and commands about one action. All texts are allocated from `a`. */
#ifndef TPUCOST_REPORTS_MESSAGE_ACTION_TEXT_H
#define TPUCOST_REPORTS_MESSAGE_ACTION_TEXT_H

#include "reports/fix.h"
#include "reports/message/action_notes.h"
#include "reports/doc/doc.h"

#define HOURS_A_MONTH 730

/* "tpu-wrong will be stopped at 19:10": for subjects and headlines. */
const char *action_news(const struct doc *d, const struct action_note *n, struct arena *a);
/* "tpu-wrong (v3-8 in us-central1-b, project p) will be stopped at 19:10": for small outputs. */
const char *action_line(const struct doc *d, const struct action_note *n, struct arena *a);
/* "will be stopped": for the table. */
const char *action_words(const struct action_note *n, struct arena *a);
/* All other facts, in sentences. */
const char *action_detail(
	const struct doc *d, const struct action_note *n, struct arena *a);
/* The command that prevents, approves, fixes or reverts it; NULL: none. */
const char *action_command(
	const struct doc *d, const struct action_note *n, struct arena *a);

/* Introduction of a second command, which is stored in *command: it starts the machine again after
 * a stop, or lets a rule act again; NULL: none. */
const char *action_also(const struct action_note *n, struct arena *a, const char **command);

/* Its cost since its start at the price that it had when it ended, in nanos; none: unknown. */
struct opt_i64 action_cost(const struct action *x, ts_t now);
/* "could not be stopped: attempts failed, the next at 19:10" */
const char *action_failing_words(
	const struct doc *d, enum verb verb, ts_t next, struct arena *a);
/* "stop after a grace of 30m, armed; then delete 7d later, after a grace of 1d, not armed", allocated from
 * `a`; NULL: the rule only notifies. */
const char *action_steps_text(const struct rule *r, struct arena *a);
/* "19:10", with the date unless it is today. */
const char *action_when(const struct doc *d, ts_t t);

#endif

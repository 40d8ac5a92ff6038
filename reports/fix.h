/* The command that mends something, to paste into a shell: one function a question. Texts are the arena's;
 * NULL: there is none. */
#ifndef TPUCOST_REPORTS_FIX_H
#define TPUCOST_REPORTS_FIX_H

#include "base/mem.h"
#include "db_sql.h"
#include "rules/enforce/action.h"
#include "rules/settings.h"

/* ---- what an alert is about -------------------------------------------------------------------- */

enum fix { FIX_LOOK, FIX_STOP, FIX_DELETE };

const struct rule *fix_rule(const struct settings *s, const char *name); /* or NULL */
/* The built-in rule that this one is made of, else its own name. `r` may be NULL. */
const char *fix_kind(const struct rule *r, const char *name);
/* What is to be done with a thing that a rule found: only what it says is wrong is stopped. `kind`
 * is of fix_kind. */
enum fix fix_of(const struct rule *r, const char *kind, const struct q_thing *t);
/* That command; with a disk, *detail gets what is lost besides. */
const char *fix_thing(const struct rule *r, const char *kind, const struct q_thing *t,
	struct arena *a, const char **detail);
/* For rules over other views than resources: the command, what the subject is ("budget"), and
 * what of the subject is its name. */
const char *fix_figure(const char *kind, const char *subject, struct arena *a,
	const char **what, const char **name);
/* What nothing else is known to mend is taken apart at least. */
const char *fix_why(const char *rule, const char *subject, struct arena *a);

/* ---- one thing --------------------------------------------------------------------------------- */

/* What ends its cost. Of `t` kind, project, location, name and state are needed, and where they are known
 * source, provisioning, queued and hosts. */
const char *fix_stop(const struct q_thing *t, struct arena *a);
/* "tpucost hold add ID --until DATE", a week from now. */
const char *hold_command(const char *id, const struct tz *tz, ts_t now, struct arena *a);
/* What starts it again after an action; of one that has to be made anew nobody knows how. */
const char *restart_command(const struct action *x, struct arena *a);

/* A command that ends in a blank or so, with the word behind it. */
const char *fix_with(const char *command, const char *word, struct arena *a);

/* ---- what an error says ------------------------------------------------------------------------ */

/* The command of a fix that consists of one: "run: gcloud ...". */
const char *fix_command(const char *fix, struct arena *a);
/* The command in "what went wrong; run: COMMAND, or ...", and the same without it. */
const char *reason_fix(const char *reason, struct arena *a);
const char *reason_without_fix(const char *reason, struct arena *a);

#endif

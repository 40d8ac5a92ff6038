/* Commands that fix a problem, to paste into a shell: one function for each kind of problem. Texts
 * are allocated from `a`; NULL: no command exists. */
#ifndef TPUCOST_REPORTS_FIX_H
#define TPUCOST_REPORTS_FIX_H

#include "base/mem.h"
#include "db_sql.h"
#include "rules/enforce/action.h"
#include "rules/judge/judge.h"
#include "rules/settings.h"

/* ---- subject of an alert ----------------------------------------------------------------------- */

enum fix { FIX_LOOK, FIX_STOP, FIX_DELETE };

const struct rule *fix_rule(const struct settings *s, const char *name); /* or NULL */
/* Is its end not reported? It is about the past, or became worse. Alertmanager needs the end all the same. */
bool fix_ends_unsaid(const struct settings *s, const struct said *x);
/* The built-in rule that this rule is derived from, otherwise its own name. `r` may be NULL. */
const char *fix_kind(const struct rule *r, const char *name);
/* Fix for a resource that a rule found: stopped only if the resource is the problem. `kind` is from
 * fix_kind. */
enum fix fix_of(const struct rule *r, const char *kind, const struct q_thing *t);
/* The command of that fix, if it is not exempt or on hold. */
const char *fix_thing(
	const struct rule *r, const char *kind, const struct q_thing *t, struct arena *a);
/* For rules over views other than resources: the command, the kind of the subject ("budget"), and
 * the part of the subject that is its name. */
const char *fix_figure(const char *kind, const char *subject, struct arena *a,
	const char **what, const char **name);
/* The default if no fix is known: a command that explains the alert. */
const char *fix_why(const char *rule, const char *subject, struct arena *a);

/* ---- one resource ------------------------------------------------------------------------------ */

/* The command that ends the cost of `t`. Needs kind, project, location, name and state, and, if
 * known, source, provisioning, queued and hosts. */
const char *fix_stop(const struct q_thing *t, struct arena *a);
/* Can it not be stopped, only deleted? */
bool fix_deletes(const struct q_thing *t);
/* A sentence about that command: it deletes data; NULL: it does not. */
const char *fix_warning(const struct q_thing *t);
/* The command that deletes a reservation, or its unused part; NULL: Google does not allow it, or it is
 * not known. */
const char *fix_reservation(const struct q_daily_unused *r, struct arena *a);
/* "tpucost hold add ID --until DATE", a week from now. */
const char *hold_command(const char *id, const struct tz *tz, ts_t now, struct arena *a);
/* The command that starts it again after an action; NULL if it must be created again and the
 * command is unknown. */
const char *restart_command(const struct action *x, struct arena *a);

/* A command that ends in a blank or colon, with the quoted word appended. */
const char *fix_with(const char *command, const char *word, struct arena *a);

/* ---- text of an error -------------------------------------------------------------------------- */

/* The command of a fix that is a single command: "run: gcloud ...". */
const char *fix_command(const char *fix, struct arena *a);
/* The command in "what failed; run: COMMAND, or ...", and the text without it. */
const char *reason_fix(const char *reason, struct arena *a);
const char *reason_without_fix(const char *reason, struct arena *a);

#endif

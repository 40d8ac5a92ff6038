/* What mends what an alert is about, as one command to paste. */
#ifndef TPUCOST_REPORTS_MEND_H
#define TPUCOST_REPORTS_MEND_H

#include "base/mem.h"
#include "reports/stop_command.h"
#include "rules/settings.h"

enum mend { MEND_LOOK, MEND_STOP, MEND_DELETE };

const struct rule *mend_rule(const struct settings *s, const char *name); /* or NULL */
/* The built-in rule that this one is made of, else its own name. `r` may be NULL. */
const char *mend_kind(const struct rule *r, const char *name);

/* What is to be done with a thing that a rule found: only what it says is wrong is stopped. `kind`
 * is of mend_kind; `covered` by a grant, where that applies. */
enum mend mend_of(const struct rule *r, const char *kind, const struct stop_target *t,
	struct opt_i64 covered);
/* That command, or NULL; with a disk, *detail gets what is lost besides. Arena. */
const char *mend_thing(const struct rule *r, const char *kind, const struct stop_target *t,
	struct opt_i64 covered, struct arena *a, const char **detail);

/* For rules over other views than resources: the command, what the subject is ("budget"), and
 * what of the subject is its name. NULL where none is known. Arena. */
const char *mend_figure(const char *kind, const char *subject, struct arena *a,
	const char **what, const char **name);

/* What nothing else is known to mend is taken apart at least. Arena. */
const char *mend_why(const char *rule, const char *subject, struct arena *a);

#endif

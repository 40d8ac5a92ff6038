/* The guards themselves. Private to rules/enforce/. Each leaves *why NULL when it
 * passes; any of rule, subject and live may be NULL in what it is asked. */
#ifndef TPUCOST_RULES_ENFORCE_GUARD_INTERNAL_H
#define TPUCOST_RULES_ENFORCE_GUARD_INTERNAL_H

#include "rules/enforce/guard.h"

#define GUARD_CLOCK 300   /* seconds that clocks may differ */
#define GUARD_AHEAD 86400 /* what is written further ahead is of a clock that was wrong */
#define GUARD_FRESH 600   /* seconds that a look of the inventory is good for */
#define GUARD_DELETE_AGE 3600 /* seconds; younger ones may have been made anew just now */
#define GUARD_SHRINK 1800     /* seconds */
#define GUARD_SHRINK_MIN 3
#define GUARD_BILL_AGE 172800 /* seconds */
#define GUARD_APPROVAL 86400  /* seconds that an approval is good for */

#define GUARD_FN(name) \
	enum err_code name(const struct guard_ask *q, const char **why, struct err *e)

/* rules/enforce/exempt.c */
GUARD_FN(guard_exempt);
/* rules/enforce/guard_target.c: what it is */
GUARD_FN(guard_kind);
GUARD_FN(guard_hosts);
GUARD_FN(guard_state);
GUARD_FN(guard_delete);
GUARD_FN(guard_managed);
GUARD_FN(guard_protected);
GUARD_FN(guard_local_ssd);
GUARD_FN(guard_own_host);
GUARD_FN(guard_identity);
GUARD_FN(guard_restarted);
GUARD_FN(guard_changed);
/* rules/enforce/guard_facts.c: what is known, and what happened before */
GUARD_FN(guard_fresh);
GUARD_FN(guard_clock);
GUARD_FN(guard_shrink);
GUARD_FN(guard_anomaly);
GUARD_FN(guard_back_off);
GUARD_FN(guard_disarmed);
GUARD_FN(guard_other);
/* rules/enforce/guard.c: what people decided */
GUARD_FN(guard_rule_gone);
GUARD_FN(guard_restored);
GUARD_FN(guard_window);
GUARD_FN(guard_halt);
GUARD_FN(guard_project);
GUARD_FN(guard_armed);
GUARD_FN(guard_mode);

#endif

/* Functions of the guards. Private to rules/enforce/. Each leaves *why NULL when it passes; rule,
 * subject and live in its input may be NULL. */
#ifndef TPUCOST_RULES_ENFORCE_GUARD_INTERNAL_H
#define TPUCOST_RULES_ENFORCE_GUARD_INTERNAL_H

#include "rules/enforce/guard.h"

#define GUARD_CLOCK 300       /* largest permitted difference of the clocks in seconds */
#define GUARD_AHEAD 86400     /* entries further ahead were written by a wrong clock */
#define GUARD_FRESH 600       /* validity of a poll of the inventory in seconds */
#define GUARD_DELETE_AGE 3600 /* seconds; younger ones may have just been created again */
#define GUARD_SHRINK 1800     /* seconds */
#define GUARD_SHRINK_MIN 3
#define GUARD_BILL_AGE 172800 /* seconds */
#define GUARD_APPROVAL 86400  /* validity of an approval in seconds */

#define GUARD_FN(name) \
	enum err_code name(const struct guard_ask *q, const char **why, struct err *e)

/* rules/enforce/exempt.c */
GUARD_FN(guard_exempt);
/* rules/enforce/guard_target.c: the machine itself */
GUARD_FN(guard_kind);
GUARD_FN(guard_family);
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
/* rules/enforce/guard_facts.c: age of data, and earlier events */
GUARD_FN(guard_fresh);
GUARD_FN(guard_clock);
GUARD_FN(guard_shrink);
GUARD_FN(guard_anomaly);
GUARD_FN(guard_back_off);
GUARD_FN(guard_grant_zone);
GUARD_FN(guard_disarmed);
GUARD_FN(guard_other);
/* rules/enforce/guard.c: decisions of users */
GUARD_FN(guard_rule_gone);
GUARD_FN(guard_restored);
GUARD_FN(guard_window);
GUARD_FN(guard_halt);
GUARD_FN(guard_project);
GUARD_FN(guard_armed);
GUARD_FN(guard_mode);

#endif

/* What pasted commands became, in one line, for tests. */
#ifndef TPUCOST_TESTS_SUPPORT_PASTE_H
#define TPUCOST_TESTS_SUPPORT_PASTE_H

#include "cli/paste/paste.h"

/* "KIND NAME PROJECT PLACE TYPE PROVISIONING", then those of "xCOUNT GiB queued gpu=NxTYPE
 * ssd=GiB of=BESIDE from=TIME" that there are, things joined with "; "; with `notes` each note
 * behind " # ". "-" is what is not said. An error is "!MESSAGE; FIX". */
const char *paste_summary(
	struct arena *a, const char *text, const struct paste_env *env, bool notes);
const char *proposal_summary(struct arena *a, const struct proposal *p, bool notes);

#endif

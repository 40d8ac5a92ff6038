/* Cause of a failed poll: one cause, such as a wrong clock or no network, concerns many sources and projects. */
#ifndef TPUCOST_REPORTS_CAUSE_H
#define TPUCOST_REPORTS_CAUSE_H

#include "base/mem.h"
#include "rules/settings.h"

/* The part of the error of a source that is the same for all sources and projects with that cause. Errors that differ
 * in more than the list that met them are different causes. "" if `error` is NULL. A part of `error`, or allocated
 * from `a`. */
const char *cause_of(const char *error, struct arena *a);
/* The same for an alert of a rule over the view `sources`, whose summary ends with the error. NULL: another rule, or no
 * error in the summary. */
const char *cause_of_alert(
	const struct settings *s, const char *rule, const char *summary, struct arena *a);
/* The summary of a group of `n` alerts of a rule with that cause: "4 stale sources: CAUSE", since more sources may
 * have failed; with the reason for its end, if it ended. Of one, its own. */
const char *cause_summary(const struct settings *s, const char *rule, size_t n,
	const char *cause, const char *summary, struct arena *a);
/* Groups of equal keys: at the first of a group its size, at the others 0. A NULL is alone. Allocated from `a`. */
const size_t *cause_groups(const char *const *keys, size_t n, struct arena *a);

#endif

/* Figures of alerts: every list of alerts shows the same. */
#ifndef TPUCOST_REPORTS_PRESENT_H
#define TPUCOST_REPORTS_PRESENT_H

#include "rules/judge/explain.h"

struct present {
	struct db *db; /* with derived rows of `now` */
	const struct settings *settings;
	ts_t now;
	struct arena *a;
	/* private: the rules that were asked for, with what matches now */
	struct present_rule {
		const char *name;
		bool known;
		struct explanation matches;
	} * rules;
	size_t n, cap;
};

/* Set *summary of an alert that has not ended; it is of the time `last_true`. Some views are
 * computed for the present (budgets, for example): an alert about them has the present figure. Other
 * figures end with "As of 2026-11-21 07:00." if they are older than three polls.
 *
 * Returns true for an alert that fires only because of its rule's `keep_for`: its condition does not hold since `ceased`
 * (TS_NONE: it holds). Its summary is "was: m is used up. Not so since 2026-11-21 07:00.", with the present figure if
 * there is one. Its severity stays. Allocated from the arena, or unchanged. */
bool present_summary(struct present *p, const char *rule, const char *subject,
	ts_t last_true, ts_t ceased, const char **summary);

#endif

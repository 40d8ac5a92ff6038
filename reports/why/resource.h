/* The sections of a resource that have files of their own. */
#ifndef TPUCOST_REPORTS_WHY_RESOURCE_H
#define TPUCOST_REPORTS_WHY_RESOURCE_H

#include "reports/why/internal.h"

struct q_explain_resource;

/* List price per hour, term by term. */
enum err_code explain_gross(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* What a grant pays of it, or why none does, and who has the room. */
enum err_code explain_net(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* The last 24 hours, and how it was over time. */
enum err_code explain_lately(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* The newest stretches in which nothing of it changed. */
enum err_code explain_history(
	struct explaining *x, const char *id, struct err *e) must_check;
/* Does it work, and what traffic may cost. */
enum err_code explain_idle(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* What ends it, and what goes on costing then. */
enum err_code explain_ending(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* What the bill of the last days says of it. */
enum err_code explain_billed(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;

#endif

/* Until when each project of the bill is billed. */
#ifndef TPUCOST_RULES_BILL_BILLED_UNTIL_H
#define TPUCOST_RULES_BILL_BILLED_UNTIL_H

#include "base/strmap.h"
#include "rules/derive/internal.h"

struct billed_until {
	bool bill; /* one was read */
	ts_t *v;   /* end of the newest usage hour; TS_NONE: longer ago than it matters */
	size_t n;
	struct strmap by_name; /* project -> place in v; those that were ever billed */
};

/* Looked up once, and of d. E_DB. */
enum err_code billed_until(
	struct deriving *d, const struct billed_until **out, struct err *e) must_check;
void billed_until_done(struct billed_until *u); /* or NULL */

#endif

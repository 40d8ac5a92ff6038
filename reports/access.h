/* Summary, in one sentence, of the data that the figures are based on. It has the levels of the
 * view `access`, but reads them with a shorter statement. */
#ifndef TPUCOST_REPORTS_ACCESS_H
#define TPUCOST_REPORTS_ACCESS_H

#include "base/err.h"
#include "base/mem.h"
#include "reports/doc/doc.h"

struct db;

/* Sources of the figures, and the effect of each missing one: "inventory, metrics. No billing export: cost and credit
 * are unknown; run: tpucost doctor". A configured source "cannot be read" or "has not been read yet". Sources that
 * depend on a missing one are not listed. The text is allocated from `a`. */
enum err_code access_words(struct db *db, struct arena *a, const char **out, bool *missing,
	struct err *e) must_check;
/* The same as the fact "rests_on" of a document. It has the label only when a source is missing; without it, only
 * programs see the fact. */
void access_fact(const struct db_reader *r, struct doc *doc, const char *label);

#endif

/* What the answers rest on, in a sentence: the levels of the view `access`, by a statement that is shorter. */
#ifndef TPUCOST_REPORTS_ACCESS_H
#define TPUCOST_REPORTS_ACCESS_H

#include "base/err.h"
#include "base/mem.h"
#include "reports/doc/doc.h"

struct db;

/* "inventory, metrics. No billing export: cost and credit are unknown; tpucost doctor says how." One that
 * is configured "cannot be read" or "was not read yet". Of what builds on something that is missing
 * nothing is said. Arena. */
enum err_code access_words(
	struct db *db, struct arena *a, const char **out, struct err *e) must_check;
/* The same as the fact "rests_on" of a document. */
enum err_code access_fact(
	struct doc *doc, struct db *db, const char *label, struct err *e) must_check;

#endif

/* Taking a table or an imported file out again: it was the wrong one, or another one took its
 * place. */
#ifndef TPUCOST_COLLECTOR_BILL_FORGET_H
#define TPUCOST_COLLECTOR_BILL_FORGET_H

#include "base/err.h"

struct db;
struct tz;

/* Everything that came from the table or file of that name goes, and the days it was in are
 * summed anew, in one transaction. The path of a file is enough where one was imported under
 * it. *units: how many days of the export went. E_NOTFOUND: there is no such name; E_CONFLICT:
 * there are several. */
enum err_code billing_forget(struct db *db, const struct tz *tz, ts_t now, const char *name,
	size_t *units, struct err *e) must_check;

#endif

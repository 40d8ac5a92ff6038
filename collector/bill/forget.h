/* Removal of a table or an imported file: because it was wrong, or was replaced. */
#ifndef TPUCOST_COLLECTOR_BILL_FORGET_H
#define TPUCOST_COLLECTOR_BILL_FORGET_H

#include "base/err.h"

struct db;
struct tz;

/* Deletes all data of the table or file with that name, and sums its days again, in one
 * transaction. For a file, the path is sufficient if one file was imported under it. *units: number
 * of deleted days of the export. E_NOTFOUND: the name does not exist; E_CONFLICT: it is
 * ambiguous. */
enum err_code billing_forget(struct db *db, const struct tz *tz, ts_t now, const char *name,
	size_t *units, struct err *e) must_check;

#endif

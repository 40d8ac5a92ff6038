/* Results of each source in each project: the table source_status. */
#ifndef TPUCOST_COLLECTOR_STATUS_H
#define TPUCOST_COLLECTOR_STATUS_H

#include "collector/source/source.h"

/* Reports whether the poll is due. Not within the interval of the last attempt; after failures with
 * increasing delays, up to five minutes (or the interval, if that is longer). A clock that was set
 * back makes it due. */
enum err_code status_due(struct db *db, const char *source, const char *project,
	int64_t interval, ts_t now, bool *due, struct err *e) must_check;

/* The time when it is due, after that many consecutive failures. */
ts_t status_next(int64_t interval, ts_t last_attempt, int64_t failures);

/* Sets the fields of the poll that depend on the previous one. */
enum err_code status_past(struct poll *p, struct err *e) must_check;

/* Stores the result; `why` is NULL on success. Resources of a failed poll are marked as not
 * current. */
enum err_code status_put(struct poll *p, const struct err *why, struct err *e) must_check;

/* Adds the default fix to an error without one. */
void status_advise(struct err *why);

#endif

/* What became of each source in each project: the table source_status. */
#ifndef TPUCOST_COLLECTOR_STATUS_H
#define TPUCOST_COLLECTOR_STATUS_H

#include "collector/source/source.h"

/* Is it time to poll? Not within the interval of the last attempt; after failures less and
 * less often, down to every five minutes (or the interval, where that is longer). A clock
 * that was set back makes it due. */
enum err_code status_due(struct db *db, const char *source, const char *project,
	int64_t interval, ts_t now, bool *due, struct err *e) must_check;

/* When that is, after so many failures in succession. */
ts_t status_next(int64_t interval, ts_t last_attempt, int64_t failures);

/* Fill in what the poll should know of the one before it. */
enum err_code status_past(struct poll *p, struct err *e) must_check;

/* Keep the outcome; `why` is NULL when it went well. What a failed poll left behind is shown
 * as not current. */
enum err_code status_put(struct poll *p, const struct err *why, struct err *e) must_check;

/* An error that says nothing of what to do gets the usual advice. */
void status_advise(struct err *why);

#endif

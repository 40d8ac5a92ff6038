/* By which clock stored rows get old. */
#ifndef TPUCOST_RULES_HISTORY_H
#define TPUCOST_RULES_HISTORY_H

#include "base/err.h"

struct db;

/* Time by which rows that are old enough are deleted: the last one that a poll confirmed, at most `now`; if nothing is
 * polled, `now`; 0 if no poll succeeded. The clock of a machine can be wrong until it reaches the network, and what is
 * deleted then does not come back: a hold, for example. */
enum err_code history_now(struct db *db, ts_t now, ts_t *out, struct err *e) must_check;

#endif

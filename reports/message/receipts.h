/* What was stopped, and what it would have cost: at the price that it had, since it was stopped and
 * until it ran again or was gone. An estimate, as every price of what runs is. Of what was stopped
 * in [since, until); counted until `until` or now, what comes first. */
#ifndef TPUCOST_REPORTS_MESSAGE_RECEIPTS_H
#define TPUCOST_REPORTS_MESSAGE_RECEIPTS_H

#include "reports/doc/doc.h"

struct db;

/* Each, and the sums by currency: the section `receipts`. */
enum err_code receipts_section(struct db *db, ts_t since, ts_t until, const char *title,
	struct doc *d, struct err *e) must_check;
/* All, as one note: "tpucost saved about 12.30 USD in these days: 2 machines stopped or deleted.";
 * nothing for none. `when`: "in these days". */
enum err_code receipts_say(struct db *db, ts_t since, ts_t until, const char *when,
	struct doc *d, struct err *e) must_check;

#endif

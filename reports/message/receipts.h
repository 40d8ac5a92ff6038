/* Savings of actions: the cost of what was stopped, at the price that it had, from the stop until
 * it ran again or was deleted. An estimate, like every price of a running resource. Includes
 * actions in [since, until); counted until `until` or now, whichever is earlier. */
#ifndef TPUCOST_REPORTS_MESSAGE_RECEIPTS_H
#define TPUCOST_REPORTS_MESSAGE_RECEIPTS_H

#include "reports/doc/doc.h"

struct db;

/* One row for each, and the sums by currency: the section `receipts`. */
enum err_code receipts_section(struct db *db, ts_t since, ts_t until, const char *title,
	struct doc *d, struct err *e) must_check;
/* All of them as one note: "tpucost saved about 12.30 USD in these days: 2 machines stopped or
 * deleted."; no note for none. `when`: "in these days". */
enum err_code receipts_say(struct db *db, ts_t since, ts_t until, const char *when,
	struct doc *d, struct err *e) must_check;

#endif

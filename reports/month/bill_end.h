/* End of the bill in reports. Private to reports/. */
#ifndef TPUCOST_REPORTS_MONTH_BILL_END_H
#define TPUCOST_REPORTS_MONTH_BILL_END_H

#include "reports/doc/doc.h"
#include "rules/bill/end.h"

/* As bill_end_find(), with `read`, `unread` and `lacks`. */
struct bill_end bill_end_read(const struct db_reader *r, const struct tz *tz, ts_t now);
/* "The bill ends at 2026-11-17 20:00, 4d 2h ago: later usage is not on it.", or "The newest usage
 * on the bill ..." if that is older than 30 days. Allocated from the document's arena. */
const char *bill_end_note(const struct bill_end *end, const struct doc *d);
/* The last read, if it is too old for costs that are not final; else TS_NONE. */
ts_t bill_end_stale(const struct bill_end *end);
/* Adds the fact billing_newest_usage. */
void bill_end_fact(const struct bill_end *end, struct doc *d, const char *title);

#endif

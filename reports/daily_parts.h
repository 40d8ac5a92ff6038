/* What the parts of the daily report share. Private to reports/daily*.c. */
#ifndef TPUCOST_REPORTS_DAILY_PARTS_H
#define TPUCOST_REPORTS_DAILY_PARTS_H

#include "reports/kinds.h"
#include "reports/report.h"

struct daily {
	const struct report_ask *ask;
	struct db *db;
	struct arena *a;
	struct doc *doc;
	struct report r; /* what the headline is made of */
};

#endif

/* What nothing is ever done to: the label tpucost-keep, read. */
#ifndef TPUCOST_RULES_ENFORCE_EXEMPT_H
#define TPUCOST_RULES_ENFORCE_EXEMPT_H

#include "base/mem.h"
#include "base/time/tz.h"

#define KEEP_LABEL "tpucost-keep"

struct keep {
	bool exempt;
	bool bad;        /* labels or value mean nothing: exempt all the same */
	ts_t until;      /* of a label that ends, also when it is over; else TS_NONE */
	const char *why; /* why it is exempt, in words; NULL when it is not; arena */
};

/* `labels` is a JSON object; NULL: could not be read. "forever", or "until-YYYYMMDD": to the end
 * of that day in the zone. */
struct keep keep_read(const char *labels, const struct tz *tz, ts_t now, struct arena *a);

#endif

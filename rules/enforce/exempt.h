/* Exemption of resources from all actions: the label tpucost-keep. */
#ifndef TPUCOST_RULES_ENFORCE_EXEMPT_H
#define TPUCOST_RULES_ENFORCE_EXEMPT_H

#include "base/mem.h"
#include "base/time/tz.h"

#define KEEP_LABEL "tpucost-keep"

struct keep {
	bool exempt;
	bool bad;   /* invalid labels or value: exempt all the same */
	ts_t until; /* end of a limited exemption, also if it has passed; else TS_NONE */
	const char *why; /* the reason; NULL: not exempt; from the arena */
};

/* `labels` is a JSON object; NULL: could not be read. "forever", or "until-YYYYMMDD": to the end of
 * that day in the zone. */
struct keep keep_read(const char *labels, const struct tz *tz, ts_t now, struct arena *a);

#endif

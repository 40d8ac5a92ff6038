/* What was used of the lines of grants: hours, never money. Private to reports/grant/. */
#ifndef TPUCOST_REPORTS_GRANT_USE_H
#define TPUCOST_REPORTS_GRANT_USE_H

#include "rules/period.h"

/* What is counted of TPUs. */
struct use {
	struct opt_i64 chip_seconds; /* absent: of a TPU whose size is not known */
	int64_t tpu_seconds, tpus;
	const char *last; /* id that was counted last */
};

/* Lines of one grant for the same thing, whose counts add up, in their part of the period. */
struct line_use {
	const struct grant *g; /* the first of them */
	int64_t chips;         /* granted */
	ts_t from,
		to; /* from >= to: it has no part in it; from TS_NONE: begins nobody knows when */
	struct use use;
	int64_t active_days, peak_chips;
	ts_t first, last;       /* use; TS_NONE: never */
	struct opt_i64 percent; /* of granted chips x time, nanos */
};

/* TPUs of one type in one place. */
struct type_use {
	const char *type, *family, *zone, *provisioning;
	struct use use;
};

struct week_use {
	day_t monday;
	struct use use;
};

struct grant_use {
	struct line_use *lines;
	size_t n_lines;
	struct type_use *types;
	size_t n_types, cap_types;
	struct week_use
		*weeks; /* of the zone, from the first with use to the last that is known */
	size_t n_weeks;
	ts_t from, to; /* of all lines together; from >= to: none has begun */
};

/* Lines of the grant of that name (NULL: of all) in [since, until); TS_NONE: as they have it. */
void grant_use_lines(const struct settings *s, const char *name, ts_t since, ts_t until,
	ts_t now, struct arena *a, struct grant_use *out);
/* What `p` has of them. Weeks that begin after `known` are those with use. */
void grant_use_count(const struct settings *s, const struct period *p, ts_t known,
	struct arena *a, struct grant_use *u);

#endif

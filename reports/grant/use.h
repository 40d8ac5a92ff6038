/* Use of the lines of grants, in hours; without amounts of money. Private to reports/grant/. */
#ifndef TPUCOST_REPORTS_GRANT_USE_H
#define TPUCOST_REPORTS_GRANT_USE_H

#include "rules/period.h"

/* Counts over TPUs. */
struct use {
	struct opt_i64 chip_seconds; /* absent: a TPU has an unknown size */
	int64_t tpu_seconds, tpus;
	const char *last; /* the last counted id */
};

/* Lines of one grant with the same terms. Their counts are added, and each applies to its part of
 * the period. */
struct line_use {
	const struct grant *g; /* the first of the lines */
	int64_t chips;         /* granted */
	ts_t from,
		to; /* from >= to: no part of the period; from TS_NONE: the beginning is unknown */
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
	/* in the zone, from the first week with use to the last known week */
	struct week_use *weeks;
	size_t n_weeks;
	ts_t from, to; /* of all lines together; from >= to: no line has begun */
};

/* Lines of the grant with that name (NULL: of all grants) in [since, until); TS_NONE: the limits of
 * the lines. */
void grant_use_lines(const struct settings *s, const char *name, ts_t since, ts_t until,
	ts_t now, struct arena *a, struct grant_use *out);
/* Counts their use in `p`. Of the weeks that begin after `known`, only those with use are
 * listed. */
void grant_use_count(const struct settings *s, const struct period *p, ts_t known,
	struct arena *a, struct grant_use *u);

#endif

/* Coverage by grants, and the reasons for missing coverage: at one instant, and over a period.
 *
 * A running TPU is covered when a grant matches in project (if it names one: Google gives quota to
 * a single one), family, zone, provisioning class and time [starts, until), the TPU was created
 * since the grant began, and room is left. A grant of devices covers only TPUs of exactly its type
 * and counts TPUs; one of chips or cores covers any slice of its family and counts chips. Room goes
 * to the oldest TPU first (created, then name, then id), wholly or not at all; of several matching
 * grants, the one that ends first is used first, then the one listed first. A TPU of unknown class
 * may use room: a younger one that has room only without it may be covered.
 *
 * A grant that extends another joins its window to it: TPUs need to be created only since the first
 * of them began, and where both run, the room is the larger of the two for each (type, zone, class,
 * unit), not the sum. A gap between them remains a gap. */
#ifndef TPUCOST_RULES_GRANT_COVERAGE_H
#define TPUCOST_RULES_GRANT_COVERAGE_H

#include "base/mem.h"
#include "base/time/tz.h"
#include "rules/grant/grant.h"

/* Of several, the first is reported. */
enum why {
	WHY_COVERED,
	WHY_OVER_CAPACITY,
	WHY_CREATED_BEFORE, /* an active grant covers it once it is created again */
	WHY_EXPIRED,
	WHY_NOT_STARTED,
	WHY_WRONG_PROVISIONING,
	WHY_PROVISIONING_UNKNOWN, /* of it, or of an older one that may use the room: it may be covered */
	WHY_WRONG_TYPE,
	WHY_WRONG_ZONE,
	WHY_NO_GRANT,
	WHY_FAMILY_UNKNOWN, /* this version does not know the TPU generation */
};
#define WHY_CODES 11
/* "covered" "over-capacity" "expired" ... "no-grant" */
const char *why_name(enum why w);

struct cov_span {
	ts_t starts, ends; /* [starts, ends); TS_NONE as ends: still running */
};

struct cov_node {
	const char *id, *name; /* the id begins with the project and '/' */
	const char *type;      /* may be NULL */
	const char *family;    /* canonical; NULL when unknown */
	const char *zone;
	const char *provisioning; /* "on-demand" "spot" "flex-start" "reserved" "unknown" */
	struct opt_i64 chips;     /* absent: covered only by a grant of exactly its type */
	ts_t created;             /* TS_NONE (unknown) matches the start of every grant */
	bool running;             /* coverage_at: it runs at that instant */
	bool named_only; /* its project is not watched: only a grant that names it applies */
	const struct cov_span *spans; /* coverage_sweep: running times, in order */
	size_t n_spans;
};

struct cov_input {
	const struct cov_node *nodes;
	size_t n_nodes;
	const struct grant *grants;
	size_t n_grants;
	const struct tz *tz; /* for dates in sentences; NULL: UTC */
	bool wordless;       /* no texts are needed: each is "" */
	ts_t now; /* present time, for sentences about another instant ("ends", "ended"); 0: the
		   * instant itself */
};

/* Time since which TPUs must have been created to be covered by a line: the start of the first grant that it renews;
 * TS_NONE: at any time. */
ts_t cov_created_since(const struct grant *grants, size_t n, size_t line);

struct cov_verdict {
	bool applies; /* false for a node that does not run: the other members are unset */
	bool covered;
	int64_t grant; /* index of the grant's line; -1 when not covered */
	enum why why;
	const char *text; /* a sentence that names the nearest grant; arena; never NULL */
};

/* Store verdicts at instant t in out[n_nodes]. `used` is NULL or has n_grants elements, which
 * receive the chips that each line covers; -1: unknown, as it may cover TPUs of unknown class. */
void coverage_at(const struct cov_input *in, ts_t t, struct arena *a,
	struct cov_verdict *out, int64_t *used);

/* One node over an interval with a constant verdict. */
struct cov_row {
	size_t node;
	ts_t starts, ends;
	bool covered;
	int64_t grant; /* as above */
	enum why why;
	const char *text;            /* as of the start of the interval */
	struct opt_i64 chip_seconds; /* absent when the chips are unknown */
};

/* Absent when the chips are unknown, or when it does not fit. */
struct opt_i64 cov_chip_seconds(struct opt_i64 chips, ts_t starts, ts_t ends);

/* All nodes that ran in [from, to), sorted by node, then time; adjacent intervals with the same
 * grant and code are one row. Returns an array allocated from the arena. */
const struct cov_row *coverage_sweep(
	const struct cov_input *in, ts_t from, ts_t to, struct arena *a, size_t *n);

#endif

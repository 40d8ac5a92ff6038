/* Resources that ran in a period: TPUs compared with the grants, and costs at today's list prices
 * by owner. Read from the inventory's history; nothing is stored. */
#ifndef TPUCOST_RULES_PERIOD_H
#define TPUCOST_RULES_PERIOD_H

#include "rules/grant/coverage.h"
#include "rules/settings.h"

struct db;

/* One TPU in an interval with a constant verdict. */
struct period_tpu {
	const char *id, *uid, *project, *zone;
	const char *type, *family, *provisioning; /* NULL: not reported */
	ts_t starts, ends;
	bool covered;
	int64_t grant; /* line of settings.grants; -1 when not covered */
	enum why why;
	struct opt_i64 chips, chip_seconds; /* absent: a type of unknown size */
	struct opt_i64 gross; /* nanos; absent: unknown, or whether a grant pays it */
	const char *currency; /* its currency, or NULL */
};

/* Resources of one owner in one currency. */
struct period_owner {
	const char *owner;         /* NULL: no owner */
	const char *currency;      /* NULL: no known price */
	struct opt_i64 gross, net; /* nanos; also absent if the sum does not fit */
	int64_t resources;
	int64_t unpriced; /* seconds without a price, of those resources */
};

struct period {
	struct period_tpu *tpus; /* by TPU, then time */
	size_t n_tpus;
	struct period_owner *owners; /* most expensive first */
	size_t n_owners;
};

/* Read the period [from, to), which ends at `now` at the latest. A resource that was not polled in
 * time counts until it was last seen. *out is allocated from `a`. */
enum err_code period_read(struct db *db, const struct settings *s, ts_t now, ts_t from,
	ts_t to, struct arena *a, struct period *out, struct err *e) must_check;

/* Quality of the TPU inventory. */
struct watched {
	ts_t since;  /* all of them, without interruption; TS_NONE: not all */
	ts_t until;  /* newest complete poll if it is too old; TS_NONE: until now */
	bool unread; /* and nothing was read since; otherwise some places are unreachable */
};
enum err_code period_watched(struct db *db, const struct settings *s, ts_t now,
	struct watched *out, struct err *e) must_check;

#endif

/* Estimate of resources before they are created: their costs, whether a grant covers them, and the
 * effects on budgets, quotas and rules.
 *
 * The proposed resources are added to those of the database, created at this moment, in a temporary
 * table that replaces the stored one; everything is derived before and after, and compared. So
 * verdicts, prices and burn are the same as everywhere else in the program, and nothing is written.
 * Figures per hour are exact nano-units; unknown values are absent. */
#ifndef TPUCOST_RULES_ESTIMATE_ESTIMATE_H
#define TPUCOST_RULES_ESTIMATE_ESTIMATE_H

#include "db_sql.h"
#include "rules/grant/coverage.h"
#include "rules/price/price.h"
#include "rules/estimate/proposal.h"
#include "rules/settings.h"

struct db;

#define ESTIMATE_MAX_THINGS 10000 /* of a proposal in total */
#define ESTIMATE_MAX_HITS 50      /* of rules that it would break */

/* Resources of one wish: `count` equal ones. */
struct estimate_thing {
	const struct wish *wish;
	struct q_resource_put_in r; /* as it would be stored, except for id and time */
	int64_t count;
	ts_t starts; /* when it may start: now, or later if that is requested */
	struct opt_i64 chips, vcpus, memory_mib; /* of one */
	bool priced;
	struct price each;         /* gross per hour of one */
	struct price_exact exact;  /* the same before rounding */
	struct opt_i64 gross, net; /* per hour, of all resources; see estimate_cost */
	/* seconds until it, or the machine of a disk, ends by itself; 0: it does not, or unknown */
	int64_t run;
	bool remains;     /* a disk that is still charged after the run */
	int64_t run_paid; /* seconds of all resources that no grant pays until then */
	/* TPUs: a verdict on each. NULL and 0 for resources that no grant can cover. */
	bool applies;
	bool unknown; /* covered if the grant is for its project, or has room; net is absent */
	int64_t covered; /* number of covered ones */
	enum why why;    /* of the first one without coverage, else of the first */
	const char *why_text;
	const char *grant_name; /* that covers the first of them, or NULL */
	int64_t grant;          /* its line; -1: none */
	struct opt_i64 room;    /* chips of the line that remain after the proposal */
	/* The first moment after its start at which a covered one becomes paid: how many do then (0: none ever
	 * does), and the line that covered the last of them. */
	ts_t lapses;
	int64_t lapsing, lapses_in;
	const struct estimate_quota
		*quota; /* that it exceeds, or that leaves least; NULL: none */
	/* Metric of the quota that a TPU of Compute Engine uses, without the service, also if no limit
	 * is known; NULL: that is not known either. */
	const char *pool_metric;
	const char *
		capacity; /* sentence on TPUs like it that were asked for; NULL: none was */
};

/* Another place, type or class in which all TPUs of a wish would be free. */
struct estimate_advice {
	size_t thing;
	const char *grant_name;
	const char *zone, *type, *provisioning; /* NULL: unchanged */
	int changes;                            /* number of the changed ones */
};

struct estimate_budget {
	struct q_proposal_budgets q; /* before; expected does not change at once */
	struct opt_i64 after;        /* forecast; a lower bound when `unpriced` */
	struct opt_i64 runs_out_after;
	bool unpriced, changes, breaks;
};

struct estimate_quota {
	struct q_proposal_quotas q; /* used includes the known part of the usage */
	int64_t needs;
	bool fits; /* false only if known */
};

struct estimate_hit {
	const struct rule *rule;
	const char *subject, *summary;
	const struct estimate_thing *thing; /* of the proposal that it is about, or NULL */
	size_t more;  /* others of the same wish, for which it holds, too */
	bool refuses; /* a rule of the configuration that denies it */
};

struct estimate {
	struct estimate_thing *things;
	size_t n_things;
	struct estimate_advice *advice; /* fewest changes first */
	size_t n_advice;
	struct estimate_budget *budgets; /* only changed and unknown ones */
	size_t n_budgets;
	bool has_budgets; /* the configuration has any */
	struct estimate_quota *quotas;
	size_t n_quotas;
	struct estimate_hit *hits;
	size_t n_hits;
	const char **places; /* sentences on the locations */
	size_t n_places;
	const char **notes;
	size_t n_notes;
	/* Why TPUs may or may not be covered, so that budgets and sums are unknown, too: there are
	 * none then, but hits of the resources themselves; and what to do. NULL: everything is known. */
	const char *unknown, *unknown_fix;
	/* Sentence on a machine type that neither tpucost nor Google listed: the answer is unknown. NULL:
	 * there is none. */
	const char *unknown_type;
	bool tpus;    /* are there TPUs? */
	bool refused; /* the answer is "no" */
	/* A rule of the configuration, or a budget that decides, could not be evaluated: a note names it. */
	bool unjudged;
};

/* Every wish must have a project, and a zone or region. The settings' and the proposal's strings
 * are referenced, everything else is allocated from the arena. Call it after derive() of this
 * moment into temporary tables (db_temp_derived: stored views do not read others), inside a
 * transaction that is not committed. E_LIMIT: too many resources. */
enum err_code estimate(struct db *db, const struct settings *s, const struct proposal *p,
	ts_t now, struct arena *a, struct estimate *out, struct err *e) must_check;

/* Is it a TPU that uses quota? A reservation used it when it was created. */
bool estimate_uses_quota(const struct estimate_thing *t);

/* Cost of all resources for so many seconds, gross or net; rounded once. Absent where a price is
 * unknown. */
struct opt_i64 estimate_cost(const struct estimate_thing *t, bool net, int64_t seconds);
/* The same for their run; net, it includes what runs after its grant has ended. Absent
 * where no end is known, too. */
struct opt_i64 estimate_run_cost(const struct estimate_thing *t, bool net);

#endif

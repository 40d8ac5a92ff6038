/* What somebody is about to create: what it costs, whether a grant covers it, and what it does to
 * budgets, quotas and rules.
 *
 * The proposal's things become resources of the database, created this very moment, in a temporary
 * table that stands for the stored one; everything is derived before and after, and compared. So
 * verdicts, prices and burn are those of the program everywhere else, and nothing is written.
 * Figures per hour are nano-units and exact; what is not known is absent. */
#ifndef TPUCOST_RULES_ESTIMATE_ESTIMATE_H
#define TPUCOST_RULES_ESTIMATE_ESTIMATE_H

#include "db_sql.h"
#include "rules/grant/coverage.h"
#include "rules/price/exact.h"
#include "rules/estimate/proposal.h"
#include "rules/settings.h"

struct db;

#define ESTIMATE_MAX_THINGS 10000 /* of a proposal, all counted */
#define ESTIMATE_MAX_HITS 50      /* of rules that it would break */

/* All that one wish asks for: `count` of the same. */
struct estimate_thing {
	const struct wish *wish;
	struct q_resource_put_in r; /* as it would be stored, but for id and moment */
	int64_t count;
	struct opt_i64 chips, vcpus, memory_mib; /* of one */
	bool priced;
	struct price each;         /* gross per hour of one */
	struct price_exact exact;  /* the same before it is rounded */
	struct opt_i64 gross, net; /* per hour, of all of them; see estimate_cost */
	/* TPUs: a verdict on each. NULL and 0 for what no grant could cover. */
	bool applies;
	bool unknown; /* would be covered if the grant were for its project; net is absent */
	int64_t covered; /* how many are */
	enum why why;    /* of the first that is not covered, else of the first */
	const char *why_text;
	const char *grant_name; /* that covers the first of them, or NULL */
	int64_t grant;          /* its line; -1: none */
	struct opt_i64 room;    /* chips that are free in it besides the proposal */
};

/* One other place, type or class in which all TPUs of a wish would be free. */
struct estimate_advice {
	size_t thing;
	const char *grant_name;
	const char *zone, *type, *provisioning; /* NULL: stays */
	int changes;                            /* how many of them */
};

struct estimate_budget {
	struct q_proposal_budgets q; /* before; what is expected does not change at once */
	struct opt_i64 after;        /* forecast; a lower bound when `unpriced` */
	struct opt_i64 runs_out_after;
	bool unpriced, changes, breaks;
};

struct estimate_quota {
	struct q_proposal_quotas q; /* with what is used as far as it is known */
	int64_t needs;
	bool fits; /* false only where it is known */
};

struct estimate_hit {
	const struct rule *rule;
	const char *subject, *summary;
	bool of_thing; /* about something of the proposal */
	bool refuses;  /* a rule of the configuration that forbids it */
};

struct estimate {
	struct estimate_thing *things;
	size_t n_things;
	struct estimate_advice *advice; /* the fewest changes first */
	size_t n_advice;
	struct estimate_budget *budgets; /* only those that change */
	size_t n_budgets;
	bool has_budgets; /* the configuration has any */
	struct estimate_quota *quotas;
	size_t n_quotas;
	struct estimate_hit *hits;
	size_t n_hits;
	const char **places; /* sentences on what is where */
	size_t n_places;
	const char **notes;
	size_t n_notes;
	/* Whose TPUs nobody knows to be free or not, and so neither what becomes of budgets and
	 * sums: there are none then, but hits of the things themselves. NULL: all is known. */
	const char *unknown_project;
	bool tpus;     /* are there any? */
	bool refused;  /* the answer is "no" */
	bool unjudged; /* a rule of the configuration could not be judged: a note names it */
};

/* Every wish must have a project, and a zone or region. The settings' and the proposal's strings
 * are kept by reference, all else is in the arena. Run after derive() of this moment into
 * temporary tables (db_temp_derived: views that are kept do not see others), inside a
 * transaction that is not committed. E_LIMIT: more than can be judged. */
enum err_code estimate(struct db *db, const struct settings *s, const struct proposal *p,
	ts_t now, struct arena *a, struct estimate *out, struct err *e) must_check;

/* What all of it costs for so many hours, gross or net; rounded once. Absent where a price is not
 * known. */
struct opt_i64 estimate_cost(const struct estimate_thing *t, bool net, int64_t hours);

#endif

/* Declarations that the parts of an estimate share. Private to rules/estimate/. */
#ifndef TPUCOST_RULES_ESTIMATE_INTERNAL_H
#define TPUCOST_RULES_ESTIMATE_INTERNAL_H

#include "base/strmap.h"
#include "rules/derive/internal.h"
#include "rules/estimate/estimate.h"

struct estimating {
	struct db *db;
	const struct settings *s;
	const struct proposal *p;
	ts_t now;
	struct arena *a;
	struct estimate *out;
	struct strmap ids;     /* of the proposed resources -> index of their wish */
	struct strmap taken;   /* ids that exist already */
	struct strmap hits;    /* "rule\nsubject" that held before */
	struct deriving world; /* facts with the proposal in them, priced */
	bool *unread;          /* by line of a grant: its use is unknown */
	bool refused_by_rule;
	size_t cap_quotas, cap_hits, cap_places, cap_notes;
};

static inline void estimate_note(struct estimating *x, const char *text)
{
	struct estimate *out = x->out;

	*arena_append(x->a, out->notes, out->n_notes, x->cap_notes) = text;
}

/* Machine that a disk or an address is created with, or NULL: the wish it names, of those with that name the one
 * in its zone, or else the first machine. */
const struct estimate_thing *estimate_owner(
	const struct estimating *x, const struct estimate_thing *t);

/* Present budgets, and the additions by the burn of the resources. */
enum err_code estimate_budgets_before(struct estimating *x, struct err *e) must_check;
enum err_code estimate_budgets_after(struct estimating *x, struct err *e) must_check;
/* Subjects for which rules hold: before, and those added by the proposal. */
enum err_code estimate_rules(struct estimating *x, bool after, struct err *e) must_check;
/* Verdicts of the TPUs, and places where they would be free. Uses the facts. */
enum err_code estimate_coverage(struct estimating *x, struct err *e) must_check;
enum err_code estimate_quotas(struct estimating *x, struct err *e) must_check;
void estimate_places(struct estimating *x);

#endif

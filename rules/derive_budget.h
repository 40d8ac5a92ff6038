/* What is gathered for one budget. Private to rules/derive_budget*.c. */
#ifndef TPUCOST_RULES_DERIVE_BUDGET_H
#define TPUCOST_RULES_DERIVE_BUDGET_H

#include "base/sbuf.h"
#include "base/strmap.h"
#include "rules/derive_parts.h"

/* Until when the projects of the bill are billed; TS_NONE: longer ago than it matters. */
struct billed {
	bool bill; /* one was read */
	ts_t *v;
	size_t n;
	struct strmap by_name;
};

/* A part of a resource that costs something, in the currency of the budget. */
struct live_part {
	int64_t per_hour;
	ts_t since; /* TS_NONE: not known */
	bool advised;
};

struct budget_project {
	const char *name; /* "": the billing account itself */
	int64_t spent;
	struct live_part *parts;
	size_t n, cap;
	ts_t oldest; /* of what runs, the first that began; TS_NONE: not known */
};

struct budget_work {
	struct deriving *d;
	const struct budget *b;
	const struct billed *billed;
	struct budget_facts f;
	struct budget_project *projects;
	size_t n, cap;
	struct strmap by_name;
	int64_t rate; /* of the budget's currency; 0: not known */
	int64_t spent;
	bool converted;
	const char *no_rate; /* an amount in this currency could not be converted */
	const char *broken;  /* why the condition failed */
	size_t resources, unpriced, undecided, late, advised;
	const char *last_id, *last_undecided, *last_unpriced, *last_advised;
	const char *live_cur;
	int64_t live_rate; /* of live_cur */
};

/* What the figures rest on, in words; of the arena. */
const char *budget_basis(const struct budget_work *w);

#endif

/* From facts to what they mean: coverage, prices, burn, grants, credit. Fills the derived
 * tables (db/derived.sql) for one moment; no network, no clock of its own. */
#ifndef TPUCOST_RULES_DERIVE_DERIVE_H
#define TPUCOST_RULES_DERIVE_DERIVE_H

#include "rules/settings.h"

struct db;

/* Parts that only some views show, and that cost something where there is much. */
enum derive_part {
	DERIVE_ENDS = 1,      /* grant_ends grant_plan */
	DERIVE_CREDITS = 2,   /* credits */
	DERIVE_RECONCILE = 4, /* reconciliation */
	DERIVE_ERRORS = 8,    /* estimate_errors; budgets go by them */
	DERIVE_BUDGETS = 16,  /* budgets budget_parts */
};
#define DERIVE_OF_BILL (DERIVE_CREDITS | DERIVE_RECONCILE | DERIVE_ERRORS | DERIVE_BUDGETS)

struct derive_opts {
	const struct settings *settings;
	ts_t now;
	/* Period of the coverage view; TS_NONE as `since`: of every running TPU the stretch
	 * that lasts until now. */
	ts_t since, until;
	unsigned skip; /* of enum derive_part: what is left out */
};

/* Derive everything anew. Run inside a transaction. */
enum err_code derive(struct db *db, const struct derive_opts *o, struct err *e) must_check;

/* The same bit by bit, as tables are read: see db_fill_derived(). */
struct derivation *derive_begin(struct db *db, const struct derive_opts *o);
/* Fill that derived table, and what goes with it; one that is not of derive is left alone. A
 * failure is final: no other is filled after it. */
enum err_code derive_table(
	struct derivation *x, const char *table, struct err *e) must_check;
void derive_end(struct derivation *x);

/* A part of what one thing burns now: a row of the table burn_part. */
struct derived_burn {
	const char *project, *category; /* the derivation's, as the currency is */
	const char *currency;           /* NULL: its price is not known */
	struct opt_i64 net;             /* nanos an hour */
};
typedef enum err_code derive_burn_fn(
	void *ctx, const struct derived_burn *b, struct err *e);
/* Each of them, in the order of the things' ids, without a table that it is stored in. The first
 * error ends it. */
enum err_code derive_each_burn(
	struct derivation *x, derive_burn_fn *each, void *ctx, struct err *e) must_check;

/* Of a row of the table budget_state; all of it is the derivation's. */
struct derived_budget {
	const char *name, *currency;
	int64_t amount;
	struct opt_i64 expected, runs_out;
};
/* Those that are configured, in that order, without the table. */
enum err_code derive_budget_list(struct derivation *x, struct derived_budget **out,
	size_t *n, struct err *e) must_check;

/* A TPU or machine that runs, or may, and that no grant covers; all of it is the derivation's. */
struct derived_uncovered {
	const char *id, *kind, *source, *project, *location, *name, *state;
	const char *type, *provisioning, *queued; /* NULL: not known, or none */
	const char *why, *why_text;
	const char *currency; /* NULL: its price is not known */
	struct opt_i64 hosts;
	struct opt_i64 net; /* nanos an hour */
	bool held;          /* on hold, or a label says that nothing is done with it */
};
/* Each of them, in the order of their ids. */
enum err_code derive_uncovered_list(struct derivation *x, struct derived_uncovered **out,
	size_t *n, struct err *e) must_check;

#endif

/* From facts to what they mean: coverage, prices, burn, grants, credit. Fills the derived
 * tables (db/derived.sql) for one moment; no network, no clock of its own. */
#ifndef TPUCOST_RULES_DERIVE_H
#define TPUCOST_RULES_DERIVE_H

#include "rules/settings.h"

struct db;

struct derive_opts {
	const struct settings *settings;
	ts_t now;
	/* Period of the coverage view; TS_NONE as `since`: of every running TPU the stretch
	 * that lasts until now. */
	ts_t since, until;
	/* Leave out what rests on the bill: credits, budgets, reconciliation. */
	bool without_bill;
};

/* Derive everything anew. Run inside a transaction. */
enum err_code derive(struct db *db, const struct derive_opts *o, struct err *e) must_check;

#endif

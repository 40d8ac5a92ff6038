/* From facts to what they mean: coverage, prices, burn, grants, credit. Makes the derived rows
 * (db/derived.sql) of one moment; no network, no clock of its own. */
#ifndef TPUCOST_RULES_DERIVE_DERIVE_H
#define TPUCOST_RULES_DERIVE_DERIVE_H

#include "rules/settings.h"

struct db;

struct derive_opts {
	const struct settings *settings;
	ts_t now;
	/* Period of the coverage view; TS_NONE as `since`: of every running TPU the stretch
	 * that lasts until now. */
	ts_t since, until;
};

/* What was derived before is forgotten. Each table is derived when SQL first reads it, from the facts
 * as they are then: for who changes none meanwhile. A failure is final: no other is derived after
 * it. The settings must last as long. */
enum err_code derive_begin(
	struct db *db, const struct derive_opts *o, struct err *e) must_check;
/* The same, and all tables at once. Run inside a transaction. */
enum err_code derive(struct db *db, const struct derive_opts *o, struct err *e) must_check;

#endif

/* Derivation of facts: coverage, prices, burn, grants, credit. Computes the derived rows
 * (db/derived.sql) of one moment; no network, no clock of its own. */
#ifndef TPUCOST_RULES_DERIVE_DERIVE_H
#define TPUCOST_RULES_DERIVE_DERIVE_H

#include "rules/settings.h"

struct db;

struct derive_opts {
	const struct settings *settings;
	ts_t now;
	/* Period of the coverage view; TS_NONE as `since`: for every running TPU the interval that
	 * lasts until now. */
	ts_t since, until;
};

/* Discard earlier derived rows. Each table is derived when SQL first reads it, from the facts at
 * that time: for callers that change no facts in between. A failure is final: no other table is
 * derived after it. The settings must outlive the derivation. */
enum err_code derive_begin(
	struct db *db, const struct derive_opts *o, struct err *e) must_check;
/* The same, with all tables at once. Call it inside a transaction. */
enum err_code derive(struct db *db, const struct derive_opts *o, struct err *e) must_check;

/* Seconds after which data of a poll group is old: three of its intervals. */
int64_t stale_after(const struct settings *s, const char *poll_group);

#endif

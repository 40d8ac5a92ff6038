/* Putting the parts together for commands that poll. */
#ifndef TPUCOST_CLI_NET_WIRE_H
#define TPUCOST_CLI_NET_WIRE_H

#include "cli/cmd.h"
#include "cli/config/config.h"
#include "collector/collect.h"
#include "collector/discover.h"
#include "rules/judge/judge.h"

struct cycle {
	bool only_due; /* leave out what was polled within its interval */
	const char *const *only;
	size_t n_only;
};

/* How projects are found; billing_account and scope are NULL where they are listed. */
static inline struct discovery discovery_of(const struct config *cfg)
{
	return (struct discovery){.billing_account = cfg->discovery.billing_account,
		.scope = cfg->discovery.scope,
		.only = cfg->discovery.only.v,
		.n_only = cfg->discovery.only.n,
		.except = cfg->discovery.except.v,
		.n_except = cfg->discovery.except.n};
}

/* A lock file beside the database (its real file), "DATABASE" and `suffix`, held until *fd is closed. E_BUSY:
 * "another tpucost DOING DATABASE: process N", and `fix`. */
enum err_code lock_take(const struct config *cfg, const char *suffix, const char *doing,
	const char *fix, int *fd, struct err *e) must_check;
/* The database for writing, made or migrated where needed, with its rollups; one
 * writer at a time (E_BUSY). *lock is closed by the caller. */
enum err_code writer_open(struct app *app, int *lock, struct err *e) must_check;
/* Derive everything anew for the present moment, and keep it. */
enum err_code writer_derive(struct app *app, struct err *e) must_check;

/* Open the database for writing, poll and derive. */
enum err_code cycle_run(struct app *app, const struct cycle *c, struct collect_result *r,
	struct err *e) must_check;

/* Judge every rule over what was derived, and store what came of it, together with what is to be
 * told of it. */
enum err_code writer_judge(
	struct app *app, struct judgement *out, struct err *e) must_check;

/* What the poll's outcome means for the exit status. */
int cycle_exit(const struct collect_result *r);

#endif

/* Putting the parts together for commands that poll. */
#ifndef TPUCOST_CLI_WIRE_H
#define TPUCOST_CLI_WIRE_H

#include "cli/cmd.h"
#include "collector/collect.h"

struct cycle {
	bool only_due; /* leave out what was polled within its interval */
	const char *const *only;
	size_t n_only;
};

/* Open the database for writing, poll, derive and keep the derived tables. */
enum err_code cycle_run(struct app *app, const struct cycle *c, struct collect_result *r,
	struct err *e) must_check;

/* What the poll's outcome means for the exit status. */
int cycle_exit(const struct collect_result *r);

#endif

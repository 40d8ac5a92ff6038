/* What is polled no more: projects and tables that left the configuration, or were not found
 * any more. Nobody would ever see what becomes of them; so they are not shown as if they were
 * there, nor as sources that do not answer. Their history stays. */
#ifndef TPUCOST_COLLECTOR_UNWATCH_H
#define TPUCOST_COLLECTOR_UNWATCH_H

#include "base/time/clock.h"
#include "base/err.h"

struct db;
struct source;

struct unwatch {
	struct db *db;
	/* Is this source polled in this project (or for the table of this label)? */
	bool (*polls)(void *ctx, const struct source *s, const char *project);
	/* Are the resources of this project polled? */
	bool (*watches)(void *ctx, const char *project);
	/* Was it left out on purpose? Then it goes at once. */
	bool (*left_out)(void *ctx, const char *project);
	void *ctx;
	ts_t before;  /* leave what was polled at this moment or later as it is */
	bool changed; /* filled in */
};

enum err_code unwatch(struct unwatch *u, struct err *e) must_check;

#endif

/* Polling: which sources, in which projects, and what became of it. */
#ifndef TPUCOST_COLLECTOR_COLLECT_H
#define TPUCOST_COLLECTOR_COLLECT_H

#include "collector/source/source.h"

struct collect_result {
	size_t polled;  /* polls made */
	size_t ok;      /* of these: complete */
	size_t partial; /* stored, but some location did not answer */
	size_t failed;
	size_t disabled; /* API not enabled in the project */
	bool changed;
};

/* Called before and after each poll (`done`), for progress and messages. `err` is NULL
 * when it went well. */
struct collect_watch {
	void (*step)(void *ctx, const struct poll *p, bool done, const struct err *err);
	void *ctx;
};

struct collector {
	const struct collect_settings *settings;
	struct gcp *gcp;
	struct db *db;
	struct clock *clock;
	struct collect_watch watch;
	/* What to poll: names of sources or groups; NULL or empty: all. */
	const char *const *only;
	size_t n_only;
	/* When set: skip what was attempted less than this many seconds ago. */
	int64_t (*interval)(void *ctx, const struct source *s);
	void *interval_ctx;
};

/* E_USAGE when one of them names no source and no group. */
enum err_code collect_check_names(
	const char *const *only, size_t n_only, struct err *e) must_check;

/* A poll that fails is counted in `result`,
 * not returned: only trouble with the database is an error here. */
enum err_code collect(
	struct collector *c, struct collect_result *result, struct err *e) must_check;

#endif

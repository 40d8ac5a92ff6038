/* Polling: selection of sources and projects, and the results. */
#ifndef TPUCOST_COLLECTOR_COLLECT_H
#define TPUCOST_COLLECTOR_COLLECT_H

#include "collector/source/source.h"

/* In source_status, but not polled. */
#define COLLECT_PUBLISH "publish" /* a group, too */
#define COLLECT_LEASE "lease"     /* a group, too */
#define COLLECT_BACKUP "backup"   /* a group, too */
#define COLLECT_OTHERS COLLECT_PUBLISH "," COLLECT_LEASE "," COLLECT_BACKUP

struct collect_result {
	size_t polled;  /* number of polls */
	size_t ok;      /* of these: complete */
	size_t partial; /* stored, but a location was unreachable */
	size_t failed;
	size_t disabled; /* API not enabled in the project */
	bool changed;
};

/* Called before and after each poll (`done`), for progress and messages. `err` is NULL on
 * success. */
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
	/* Polls to make: names of sources or groups; NULL or empty: all. */
	const char *const *only;
	size_t n_only;
	/* If set: skips polls that were attempted less than this many seconds ago. */
	int64_t (*interval)(void *ctx, const struct source *s);
	void *interval_ctx;
	/* The part of an error that is the same for all sources with that cause. If set: when a source recovers, all others
	 * that failed with the same cause are due. */
	const char *(*cause)(const char *error, struct arena *a);
};

/* E_USAGE if one of them is not a source or a group. */
enum err_code collect_check_names(
	const char *const *only, size_t n_only, struct err *e) must_check;

/* A failed poll is counted in `result`, not returned: only errors of the database are returned. */
enum err_code collect(
	struct collector *c, struct collect_result *result, struct err *e) must_check;

/* Reports whether the poll is due. Not within the interval of the last attempt; after failures with
 * increasing delays, up to five minutes (or the interval, if that is longer). A clock that was set
 * back makes it due. */
enum err_code status_due(struct db *db, const char *source, const char *project,
	int64_t interval, ts_t now, bool *due, struct err *e) must_check;

/* The time when it is due, after that many consecutive failures. */
ts_t status_next(int64_t interval, ts_t last_attempt, int64_t failures);

/* Sets the fields of the poll that depend on the previous one. */
enum err_code status_past(struct poll *p, struct err *e) must_check;
/* A poll that requested nothing knows no more than the sources on which it depends: a failure of those
 * in `why`, or E_OK. */
enum err_code status_inherit(struct poll *p, struct err *why) must_check;

/* Stores the result; `why` is NULL on success. Resources of a failed poll are marked as not
 * current. */
enum err_code status_put(struct poll *p, const struct err *why, struct err *e) must_check;

/* A source whose API was not enabled stays so until that API answers: an outage does not make data old
 * that never existed. Replaces the error by the earlier one. */
void status_unanswered(const struct poll *p, struct err *why);

/* Adds the default fix to an error without one. */
void status_advise(struct err *why);

#endif

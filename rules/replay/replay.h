/* Replaying a rule: when it would have fired on the recorded history, and what stopping at once
 * would have saved.
 *
 * The world of each moment is put together from the stretches of time that the collector
 * recorded; prices, grants, budgets and the rule are those of now, and the bill is what is known
 * of it today. What no history is kept of cannot be replayed, and is refused, never guessed. */
#ifndef TPUCOST_RULES_REPLAY_REPLAY_H
#define TPUCOST_RULES_REPLAY_REPLAY_H

#include "db_sql.h"
#include "rules/judge/judge.h"

#define REPLAY_TICK 600       /* seconds between two moments at the most */
#define REPLAY_TICK_BILL 3600 /* for rules about the bill, which has hours */
#define REPLAY_MAX_MOMENTS 50000
#define REPLAY_MAX_ROWS 1000000 /* of history */

struct replay_opts {
	const struct settings *settings;
	const struct rule *rule;
	ts_t since, until;
	/* Told now and then how far it is; may be NULL. */
	void (*progress)(void *ctx, size_t done, size_t all);
	void *ctx;
};

/* An episode while it is counted. */
struct replay_counting {
	__int128 saved; /* nanos x seconds */
	int64_t rate;   /* nanos an hour from the last moment on */
	bool known, unpriced;
	bool seen, ran; /* was it running when it fired? */
};

/* From the moment that it would have fired to the one that it did not hold any more. */
struct episode {
	const char *subject;
	enum severity severity;
	ts_t fired;
	ts_t resolved; /* TS_NONE: it fires still at the end */
	/* Of a resource: the net price of the time from the end of the grace on; not priced when
	 * a price was not known, or when it is not about one resource. */
	bool priced;
	int64_t saved; /* nanos */
	char currency[4];
	bool of_resource;
	bool stopped_anyway; /* it ran no more within an hour */
	struct replay_counting counting;
};

struct replay {
	ts_t since, until;         /* what was looked at: `since` may be later than asked */
	const char *short_because; /* why it is later, or NULL */
	ts_t recorded; /* what was gone before is in no record; TS_NONE: nothing is recorded */
	bool of_bill;
	struct episode *v; /* in order of `fired` */
	size_t n, cap;
	size_t moments;
};

/* Can the rule be replayed at all? E_USAGE says what of it has no history. */
enum err_code replay_possible(const struct rule *r, struct err *e) must_check;

/* `db` is open for reading, with nothing derived yet; afterwards it is of no other use.
 * Everything in the arena. E_LIMIT: there is too much to do. */
enum err_code replay_run(struct db *db, const struct replay_opts *o, struct arena *a,
	struct replay *out, struct err *e) must_check;

/* A stretch of time in which the thing is as it is stored begins. */
enum err_code replay_interval(struct db *db, const struct q_resource_put_in *r, ts_t starts,
	struct err *e) must_check;

#endif

/* Replay of a rule: the times when it would have fired on the recorded history, and the savings of
 * an immediate stop.
 *
 * The state of each moment is rebuilt from the intervals that the collector recorded; prices,
 * grants, budgets and the rule are the present ones, and the bill is as known today. Data without a
 * history cannot be replayed, and is refused instead of guessed. */
#ifndef TPUCOST_RULES_REPLAY_REPLAY_H
#define TPUCOST_RULES_REPLAY_REPLAY_H

#include "db_sql.h"
#include "rules/judge/judge.h"

#define REPLAY_TICK 600       /* longest time between two moments in seconds */
#define REPLAY_TICK_BILL 3600 /* for rules about the bill, which has hours */
#define REPLAY_MAX_MOMENTS 50000
#define REPLAY_MAX_ROWS 1000000 /* of history */

struct replay_opts {
	const struct settings *settings;
	const struct rule *rule;
	ts_t since, until;
	/* Called from time to time with the progress; may be NULL. */
	void (*progress)(void *ctx, size_t done, size_t all);
	void *ctx;
};

/* An episode while it is counted. */
struct replay_counting {
	__int128 saved; /* nanos x seconds */
	int64_t rate;   /* nanos an hour since the last moment */
	bool known, unpriced;
	bool seen, ran; /* state when it fired */
};

/* Time from the moment it would have fired until it no longer held. */
struct episode {
	const char *subject;
	enum severity severity;
	ts_t matched; /* the condition held since then */
	ts_t fired;
	ts_t resolved; /* TS_NONE: it still fires at the end */
	/* For a resource: the net price of the time after the grace period; not priced when a price
	 * was unknown, or when it is not about one resource. */
	bool priced;
	int64_t saved; /* nanos */
	char currency[4];
	bool of_resource;
	bool stopped_anyway; /* it stopped within an hour anyway */
	struct replay_counting counting;
};

struct replay {
	ts_t since, until; /* the replayed period: `since` may be later than requested */
	const char *short_because; /* reason why it is later, or NULL */
	ts_t recorded; /* resources deleted before are not recorded; TS_NONE: nothing is recorded */
	bool of_bill;
	struct episode *v; /* in order of `fired` */
	size_t n, cap;
	size_t moments;
};

/* Can the rule be replayed? E_USAGE names the part without a history. */
enum err_code replay_possible(const struct rule *r, struct err *e) must_check;

/* `db` is open for reading, with nothing derived yet; it cannot be used for anything else
 * afterwards. Results are allocated from `a`. E_LIMIT: too many changes or moments. */
enum err_code replay_run(struct db *db, const struct replay_opts *o, struct arena *a,
	struct replay *out, struct err *e) must_check;

#endif

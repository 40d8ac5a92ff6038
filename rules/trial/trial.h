/* Test of rules on a small simulated world that changes step by step on a fake clock: existing
 * resources, the bill, and the answers to polls. Its facts are stored in a database in memory as
 * the collector would store them, and are derived and evaluated as in a cycle of the program; so
 * the results are the same as with real resources.
 *
 * The world is the true state; the database contains the results of polls. A source that does not
 * respond, or a zone that is unreachable, keeps its last known state, which becomes stale. */
#ifndef TPUCOST_RULES_TRIAL_TRIAL_H
#define TPUCOST_RULES_TRIAL_TRIAL_H

#include "base/strmap.h"
#include "db_sql.h"
#include "rules/judge/judge.h"

struct clock;

#define WORLD_MAX_THINGS 10000
#define WORLD_TABLE 1 /* the only one of the bill */

/* A resource of the world. NULL and NONE: missing. Strings outlive the world. */
struct world_thing {
	/* As a poll stores it; the world sets id, uid, source, zone, region and now. */
	struct q_resource_put_in r;
	struct opt_i64 vcpus, memory_mib; /* of a machine type that the program lacks */
	/* Measurements. */
	bool measured;
	ts_t idle_since;               /* TS_NONE: it works */
	struct opt_i64 sent, received; /* bytes per second */
};

/* One line of the bill: an hour of use, or an amount divided among several. */
struct world_line {
	ts_t from, until; /* whole hours */
	const char *project, *service, *sku, *sku_id, *location, *region, *zone, *resource;
	const char *invoice_month, *cost_type, *currency, *usage_unit, *credit_type;
	int64_t cost, credits, usage; /* nanos */
	int64_t rate;                 /* units of currency in one USD, nanos; 0: unknown */
};

/* Response of a source to polls from now on. */
enum world_answer {
	ANSWERS,
	ANSWERS_NOT,    /* polls fail */
	ANSWERS_OLD,    /* last complete poll so long ago that it is stale */
	ANSWERS_NO_API, /* its API is not enabled */
};

#define WORLD_SOURCES 11

struct world_item {
	struct world_thing t;
	bool gone;
	bool changed; /* not yet read by a poll */
};

struct world {
	struct db *db;
	const struct settings *settings;
	struct arena arena;
	struct {
		struct world_item *v;
		size_t n, cap;
	} items;
	struct strmap by_id;
	struct {
		const char **v;
		size_t n, cap;
	} projects;
	struct strmap known_projects;
	enum world_answer answers[WORLD_SOURCES];
	bool set_back[WORLD_SOURCES]; /* its last success must be set back */
	const char *const *unreachable;
	size_t n_unreachable;
	int64_t uids, units;
	bool billed, open_bill, has_quotas;
	ts_t first_hour, last_hour; /* of the lines of the current bill */
};

/* Begin an empty world; the settings are kept by reference. */
enum err_code world_begin(struct world *w, struct clock *clock, const struct settings *s,
	struct err *e) must_check;
void world_end(struct world *w);

/* Id of the resource, from kind, project, location and name; allocated from `a`. */
const char *world_id(const struct world_thing *t, struct arena *a);
/* Is it a source of the program ("tpu", "billing", ...)? `near`, if not NULL, receives the most
 * similar one. */
bool world_source_known(const char *name, const char **near);

/* Add or change a resource. With another time of creation it is another resource of the same
 * name. */
enum err_code world_put(
	struct world *w, const struct world_thing *t, struct err *e) must_check;
/* Remove a resource. */
void world_remove(struct world *w, const char *id);
enum err_code world_bill(
	struct world *w, const struct world_line *l, struct err *e) must_check;
/* Call it after adding lines: they become effective together, as one partition of the export. */
enum err_code world_billed(struct world *w, ts_t now, struct err *e) must_check;
enum err_code world_quota(
	struct world *w, struct q_quota_put_in *q, ts_t now, struct err *e) must_check;
void world_answers(struct world *w, const char *source, enum world_answer how);
/* Unreachable zones; the list is kept by reference. */
void world_unreachable(struct world *w, const char *const *zones, size_t n);

/* One cycle: poll every reachable source, and evaluate every rule. */
enum err_code world_tick(struct world *w, ts_t now, struct arena *a, struct judgement *out,
	struct err *e) must_check;

/* ---- trials ------------------------------------------------------------------------------------- */

#define TRIAL_MAX_TICKS 100000
/* Resources times ticks: limits the run time of a trial. */
#define TRIAL_MAX_WORK 5000000

struct trial_expect {
	const char *rule;
	const char *subject; /* the whole subject, or NULL */
	const char *name;    /* a part of it between slashes, or NULL */
	enum alert_state state;
	const char *severity; /* a word, or NULL: any */
	const char *summary;  /* text that it contains, or NULL */
	const char *value;    /* a decimal number, or NULL */
	ts_t fired;           /* when it began to fire; TS_NONE: at any time */
};

struct trial_source {
	const char *name;
	enum world_answer how;
};

struct trial_step {
	ts_t at;
	const char *note; /* or NULL */
	struct world_thing *things;
	const char **gone; /* ids */
	struct world_line *lines;
	struct q_quota_put_in *quotas;
	struct trial_source *sources;
	const char **unreachable;
	struct trial_expect *expects;
	const char **quiet; /* rules of which nothing fired since the previous step */
	size_t n_things, n_gone, n_lines, n_quotas, n_sources, n_unreachable, n_expects,
		n_quiet;
	bool zones_told;  /* the list of unreachable zones is given, possibly empty */
	bool expect_none; /* nothing fired since the previous step, and nothing fires */
};

struct trial {
	const char *file;
	ts_t start;
	int64_t tick; /* seconds */
	struct trial_step *steps;
	size_t n_steps;
	const struct settings *settings;
};

/* Result of one check. Texts are allocated from the arena. */
struct trial_check {
	size_t step; /* from 1 */
	ts_t at;
	const char *rule, *subject; /* subject may be NULL */
	const char *expected, *actual;
	bool ok;
};

struct trial_result {
	struct trial_check *v;
	size_t n, cap, failed;
	size_t ticks;
};

/* "+1d2h", "+0m", "-3d": from the start to `at`. */
const char *trial_offset(const struct trial *t, ts_t at, struct arena *a);

/* Run it. An error is one of the machine or the database; failed expectations are in the result.
 * E_LIMIT: too many ticks. */
enum err_code trial_run(const struct trial *t, struct clock *clock, struct arena *a,
	struct trial_result *out, struct err *e) must_check;

/* ---- private to rules/trial/ ------------------------------------------------------------------- */

/* Store the present result of a poll in the database. */
enum err_code world_store_thing(
	struct world *w, struct world_item *item, ts_t now, struct err *e) must_check;
/* Record that a poll covers this project. */
void world_project(struct world *w, const char *project);

#endif

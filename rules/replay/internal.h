/* Declarations that the parts of replaying share. Private to rules/replay/. */
#ifndef TPUCOST_RULES_REPLAY_INTERNAL_H
#define TPUCOST_RULES_REPLAY_INTERNAL_H

#include "base/strmap.h"
#include "db_sql.h"
#include "rules/replay/replay.h"

/* Parts of the history that a rule needs. */
struct replay_needs {
	bool traits;  /* facts that resource_interval does not contain */
	bool metrics; /* idle times */
	bool bill;
};
struct replay_needs replay_needs_of(const struct rule *r);

enum change_kind { CHANGE_END, CHANGE_TRAIT, CHANGE_METRIC, CHANGE_START };

/* One change of the state; changes of one moment are in the order of the kinds. */
struct change {
	ts_t at;
	enum change_kind kind;
	size_t i; /* in the list of its kind */
};

struct history {
	struct db *db;
	struct arena *arena;
	struct q_replay_intervals *intervals;
	struct q_replay_traits *traits;
	struct q_replay_metrics *metrics;
	size_t n_intervals, n_traits, n_metrics;
	bool *continues; /* each interval: the next one of that resource begins when it ends */
	struct change *changes;
	size_t n_changes, next;
	struct strmap trait_of;    /* "id\nuid" -> the active one, + 1; 0: none yet */
	struct strmap interval_of; /* id -> the existing one, + 1; 0: none */
	struct strmap metric_of;   /* "project\nmetric\nsubject" -> place in live */
	struct {
		size_t *v, n, cap;
	} live; /* metrics that were reported last */
};

/* Read the recorded history, from the tables themselves. */
enum err_code history_load(struct history *h, struct db *db,
	const struct replay_needs *needs, ts_t since, ts_t until, struct arena *a,
	struct err *e) must_check;
void history_done(struct history *h);
/* Bring the tables that replace the stored ones to this moment. */
enum err_code history_go(struct history *h, ts_t now, struct err *e) must_check;
/* Next change after the last applied one; TS_NONE: none. */
ts_t history_next(const struct history *h);

#endif

#include "rules/replay/replay.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db/rollup/rollup.h"
#include "rules/derive/derive.h"
#include "rules/replay/internal.h"

#include <string.h>

#define STOPPED_SOON HOUR_SECONDS

struct replaying {
	struct db *db;
	const struct replay_opts *o;
	struct replay *out;
	struct arena *arena;
	struct arena moment;
	struct rule rule;
	struct settings settings; /* of that rule only */
	struct replay_needs needs;
	struct history history;
	size_t first_open; /* episodes before it have ended and are counted */
	ts_t billed;       /* the bill is loaded up to this hour */
	ts_t last;         /* moment */
};

/* ---- episodes ---------------------------------------------------------------------------------- */

static struct episode *find_open(struct replaying *r, const char *subject)
{
	for (size_t i = r->out->n; i > r->first_open; i--) {
		struct episode *x = &r->out->v[i - 1];

		if (x->resolved == TS_NONE && !strcmp(x->subject, subject))
			return x;
	}
	return NULL;
}

static void replay_hear(struct replaying *r, const struct judgement *j, ts_t now)
{
	for (size_t i = 0; i < j->n_said; i++) {
		const struct said *s = &j->said[i];
		struct episode *x = find_open(r, s->subject);

		if (s->event == EVENT_FIRING)
			*arena_push(r->arena, r->out) = (struct episode){
				.subject = arena_strdup(r->arena, s->subject),
				.severity = s->severity,
				.matched = s->since,
				.fired = now,
				.resolved = TS_NONE};
		else if (x && s->event == EVENT_RESOLVED)
			x->resolved = now;
		else if (x)
			x->severity = s->severity;
	}
}

/* Add the time since the last moment, at the price of that moment. */
static void count_time(struct replaying *r, ts_t now)
{
	for (size_t i = r->first_open; i < r->out->n; i++) {
		struct replay_counting *c = &r->out->v[i].counting;
		const struct rule_action *then = &r->rule.then;
		ts_t from = r->out->v[i].fired + then->grace;

		if (from < r->out->v[i].matched + then->after)
			from = r->out->v[i].matched + then->after;
		if (r->out->v[i].resolved != TS_NONE || now <= from)
			continue;
		if (from < r->last)
			from = r->last;
		if (c->known)
			c->saved += (__int128)c->rate * (now - from);
		else
			c->unpriced = true;
	}
}

/* Prices from now on, and resources that have stopped. */
static enum err_code replay_look(struct replaying *r, ts_t now, struct err *e)
{
	for (size_t i = r->first_open; i < r->out->n; i++) {
		struct episode *x = &r->out->v[i];
		struct replay_counting *c = &x->counting;
		struct q_replay_rate_in in = {.id = x->subject};
		struct q_replay_rate row;
		bool found;

		if (q_replay_rate_one(r->db, &in, &r->moment, &row, &found, e))
			return e->code;
		if (!c->seen) {
			x->of_resource = found;
			c->ran = found && !strcmp(row.state, "running");
			c->seen = true;
		}
		if (x->of_resource && now > x->fired && now - x->fired <= STOPPED_SOON &&
			(!found || (c->ran && strcmp(row.state, "running") != 0)))
			x->stopped_anyway = true;
		if (x->resolved != TS_NONE)
			continue;
		c->known = found && row.net.set && row.currency &&
			(!*x->currency || !strcmp(x->currency, row.currency));
		if (!c->known)
			continue;
		c->rate = row.net.v;
		memcpy(x->currency, row.currency, 4);
	}
	return E_OK;
}

static enum err_code replay_sum_up(struct replaying *r, struct err *e)
{
	for (size_t i = 0; i < r->out->n; i++) {
		struct episode *x = &r->out->v[i];

		x->priced = x->of_resource && *x->currency && !x->counting.unpriced;
		if (x->priced &&
			!i128_div_round(x->counting.saved, HOUR_SECONDS, &x->saved))
			return err_set(e, E_OVERFLOW, "replay: %s: the sum is too large",
				x->subject);
	}
	return E_OK;
}

/* Load the bill up to now: hours that have ended. */
static enum err_code go_bill(struct replaying *r, ts_t now, struct err *e)
{
	ts_t until = now - HOUR_SECONDS + 1;
	struct rollup_range range = {.first = r->billed, .last = until - 1};
	bool all = r->billed == INT64_MIN;

	if (db_shadow_copy(r->db, "usage", "hour", r->billed, until, e))
		return e->code;
	r->billed = until;
	return all ? rollup_all(r->db, r->settings.tz, e)
		   : rollup_days(r->db, r->settings.tz, &range, e);
}

static enum err_code judge_moment(struct replaying *r, ts_t now, struct err *e)
{
	struct derive_opts o = {
		.settings = &r->settings, .now = now, .since = TS_NONE, .until = TS_NONE};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct judgement j;

	if (db_begin(r->db, &tx, e) || history_go(&r->history, now, e) ||
		(r->needs.bill && go_bill(r, now, e)) || derive_begin(r->db, &o, e) ||
		judge(r->db, &r->settings, now, &r->moment, &j, e))
		return e->code;
	if (j.n_errors)
		return err_set(e, E_USAGE, "rule %s", j.errors[0]);
	count_time(r, now);
	replay_hear(r, &j, now);
	if (replay_look(r, now, e))
		return e->code;
	/* Ended episodes at the front need not be checked again. */
	while (r->first_open < r->out->n && r->out->v[r->first_open].resolved != TS_NONE &&
		now - r->out->v[r->first_open].fired > STOPPED_SOON)
		r->first_open++;
	return db_commit(&tx, e);
}

/* Moment after `t`: of a change, of a grant's beginning or end, or the next tick. */
static ts_t next_moment(const struct replaying *r, ts_t from, ts_t t, int64_t tick)
{
	const struct settings *s = &r->settings;
	ts_t next = t + tick - (t - from) % tick, change = history_next(&r->history);

	if (change != TS_NONE && change < next)
		next = change;
	for (size_t i = 0; i < s->n_grants; i++) {
		ts_t edges[] = {s->grants[i].starts, s->grants[i].until};

		for (size_t k = 0; k < ARRAY_LEN(edges); k++)
			if (edges[k] != TS_NONE && edges[k] > t && edges[k] < next)
				next = edges[k];
	}
	return next < r->out->until ? next : r->out->until;
}

static enum err_code replay_check_size(
	const struct replaying *r, ts_t from, int64_t tick, struct err *e)
{
	int64_t all = (r->out->until - from) / tick + (int64_t)r->history.n_changes;

	for (size_t i = 0; i < r->history.n_changes; i++)
		all -= r->history.changes[i].at <= from;
	if (all <= REPLAY_MAX_MOMENTS)
		return E_OK;
	err_set(e, E_LIMIT, "%lld moments are too many, at most %d", (long long)all,
		REPLAY_MAX_MOMENTS);
	return err_fix(e, "choose a shorter time: --since, --until");
}

static enum err_code run_moments(struct replaying *r, struct err *e)
{
	const struct replay_opts *o = r->o;
	int64_t tick = r->needs.bill ? REPLAY_TICK_BILL : REPLAY_TICK;
	/* A condition that held all the time before fires at the beginning. */
	ts_t from = r->out->since - r->rule.hold_for, now = from;

	if (replay_check_size(r, from, tick, e))
		return e->code;
	for (r->last = from;; now = next_moment(r, from, now, tick)) {
		if (judge_moment(r, now, e))
			return e->code;
		r->last = now;
		arena_reset(&r->moment);
		r->out->moments++;
		if (o->progress)
			o->progress(o->ctx, (size_t)((now - from) / 60),
				(size_t)((r->out->until - from) / 60));
		if (now >= r->out->until)
			return replay_sum_up(r, e);
	}
}

static enum err_code take_place(struct replaying *r, struct err *e)
{
	static const char *const tables[] = {"resource", "resource_interval", "host",
		"source_status", "source_gap", "metric", "quota_item", "alert",
		"alert_event", "rule_state", "silence", "hold"};
	static const char *const bill[] = {"usage"};

	if (db_shadow(r->db, tables, ARRAY_LEN(tables), false, e) ||
		db_shadow_copy(r->db, "source_status", NULL, 0, 0, e) ||
		(r->needs.bill && db_shadow(r->db, bill, 1, true, e)))
		return e->code;
	return db_make_rollups(r->db, e);
}

/* Not before the needed data was recorded. */
static enum err_code begin_later(struct replaying *r, struct err *e)
{
	struct replay *out = r->out;
	struct q_replay_known k;
	bool found;

	if (q_replay_known_one(r->db, r->arena, &k, &found, e))
		return e->code;
	out->recorded = ts_of_opt(k.recorded);
	if ((r->needs.traits && !k.traits.set) || (r->needs.metrics && !k.metrics.set)) {
		err_set(e, E_USAGE,
			"rule %s cannot be replayed: it uses %s, which have not "
			"been recorded yet",
			r->rule.name, r->needs.metrics ? "idle times" : "details");
		return err_fix(e, "collect for a while; history is kept from now on");
	}
	if (r->needs.traits && k.traits.v > out->since) {
		out->since = k.traits.v;
		out->short_because =
			"the data that the rule uses has been recorded since then";
	}
	if (r->needs.metrics && k.metrics.v > out->since) {
		out->since = k.metrics.v;
		out->short_because = "idle times have been recorded since then";
	}
	if (out->since > out->until)
		out->since = out->until;
	return E_OK;
}

static enum err_code replay_all(struct replaying *r, struct err *e)
{
	if (begin_later(r, e) ||
		history_load(&r->history, r->db, &r->needs,
			r->out->since - r->rule.hold_for - DAY_SECONDS, r->out->until,
			r->arena, e) ||
		take_place(r, e))
		return e->code;
	return run_moments(r, e);
}

enum err_code replay_run(struct db *db, const struct replay_opts *o, struct arena *a,
	struct replay *out, struct err *e)
{
	struct replaying r = {.db = db,
		.o = o,
		.out = out,
		.arena = a,
		.rule = *o->rule,
		.settings = *o->settings,
		.needs = replay_needs_of(o->rule),
		.billed = INT64_MIN};
	enum err_code rc;

	if (replay_possible(o->rule, e))
		return e->code;
	*out = (struct replay){
		.since = o->since, .until = o->until, .of_bill = r.needs.bill};
	r.rule.enabled = true;
	r.settings.rules = &r.rule;
	r.settings.n_rules = 1;
	r.settings.n_listed = 0; /* those with a history */
	rc = replay_all(&r, e);
	history_done(&r.history);
	arena_done(&r.moment);
	return rc;
}

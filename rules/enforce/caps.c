/* Limits on the number of actions that may be sent. Those that a user approved pass them, but count: to approve one of
 * two that are due must not release the other. */
#include "base/time/civil.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/enforce/guard_internal.h"

struct capping {
	struct db *db;
	const struct enforcement *en;
	ts_t now;
	struct arena *a;
	struct action *const *ready;
	size_t n_ready;
	struct q_caps_sent *sent; /* of other runs, in the last day or the future */
	size_t n_sent;
	const char *why;
};

/* A machine whose stop is retried counts once. */
static enum err_code load_sent(struct capping *c, struct err *e)
{
	struct q_caps_sent_in in = {
		.since = c->now - DAY_SECONDS, .seen = c->now - GUARD_FRESH};
	size_t n;

	if (q_caps_sent_all(c->db, &in, c->a, &c->sent, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		bool ready = false;

		for (size_t k = 0; k < c->n_ready; k++)
			ready |= c->ready[k]->number == c->sent[i].action;
		if (!ready)
			c->sent[c->n_sent++] = c->sent[i];
	}
	return E_OK;
}

/* NULL: any. */
struct which {
	const char *rule, *verb, *kind;
	bool running; /* only those that ran */
	bool gone;    /* of those that were sent: only those that do not run now */
};

static bool is_of(
	struct which w, const char *rule, const char *verb, const char *kind, bool dead)
{
	return !(w.running && dead) && (!w.rule || str_eq(w.rule, rule)) &&
		(!w.verb || str_eq(w.verb, verb)) && (!w.kind || str_eq(w.kind, kind));
}

static int64_t count_sent(const struct capping *c, struct which w, int64_t seconds)
{
	int64_t n = 0;

	for (size_t i = 0; i < c->n_sent; i++)
		n += c->sent[i].at > c->now - seconds && !(w.gone && c->sent[i].runs) &&
			is_of(w, c->sent[i].rule, c->sent[i].verb, c->sent[i].kind,
				c->sent[i].dead);
	return n;
}

static int64_t count_ready(const struct capping *c, struct which w)
{
	int64_t n = 0;

	for (size_t i = 0; i < c->n_ready; i++)
		n += is_of(w, c->ready[i]->rule, verb_name(c->ready[i]->verb),
			c->ready[i]->t.kind, c->ready[i]->dead);
	return n;
}

static void limit(struct capping *c, const char *key, const char *of, struct which w,
	int64_t seconds, int64_t max)
{
	int64_t ready = count_ready(c, w), sent = seconds ? count_sent(c, w, seconds) : 0;

	if (c->why || !ready || sent + ready <= max)
		return;
	c->why = arena_printf(c->a,
		"limit reached: %lld due%s, at most %lld %s (enforcement.%s)",
		(long long)ready,
		sent ? arena_printf(c->a, " and %lld done", (long long)sent) : "",
		(long long)max, of, key);
}

/* ---- share of running machines ----------------------------------------------------------------- */

/* The list that contains the project's machines must be complete and recent. */
static enum err_code look_at_source(
	struct capping *c, const struct action *a, struct err *e)
{
	struct q_source_state_in in = {.source = a->t.source, .project = a->t.project};
	struct q_source_state row;
	bool found;

	if (q_source_state_one(c->db, &in, c->a, &row, &found, e))
		return e->code;
	if (!found || !str_eq(row.state, "ok") || c->now - row.last_success.v > GUARD_FRESH)
		c->why = arena_printf(c->a,
			"the number of running machines is unknown: %s in %s was not read "
			"completely (enforcement.max_share)",
			in.source, in.project);
	return E_OK;
}

static enum err_code share_of(struct capping *c, const char *kind, struct err *e)
{
	/* 0 permits nothing at all */
	struct which w = {.kind = kind, .running = c->en->max_share > 0}, gone = w;
	int64_t ready = count_ready(c, w), sent = count_sent(c, w, HOUR_SECONDS), all, max;
	struct q_caps_running_in in = {.kind = kind, .seen = c->now - GUARD_FRESH};
	struct q_caps_running row;
	bool found;

	if (q_caps_running_one(c->db, &in, c->a, &row, &found, e))
		return e->code;
	gone.gone = true; /* one whose stop failed is among those that run */
	all = row.n + count_sent(c, gone, HOUR_SECONDS);
	max = all * c->en->max_share / 100;
	if (max < 1)
		max = c->en->max_share > 0;
	if (ready && sent + ready > max)
		c->why = arena_printf(c->a,
			"limit reached: %lld due and %lld done within an hour, of %lld "
			"that run; at most %lld %% (enforcement.max_share)",
			(long long)ready, (long long)sent, (long long)all,
			(long long)c->en->max_share);
	return E_OK;
}

static void check_counts(struct capping *c)
{
	const struct enforcement *en = c->en;

	limit(c, "max_per_run", "a run", (struct which){0}, 0, en->max_per_run);
	for (size_t i = 0; i < c->n_ready; i++)
		limit(c, "max_per_rule_hour", "an hour for each rule",
			(struct which){.rule = c->ready[i]->rule}, HOUR_SECONDS,
			en->max_per_rule_hour);
	limit(c, "max_per_hour", "an hour", (struct which){0}, HOUR_SECONDS,
		en->max_per_hour);
	limit(c, "max_per_day", "a day", (struct which){0}, DAY_SECONDS, en->max_per_day);
	limit(c, "max_deletes_per_hour", "deletes an hour",
		(struct which){.verb = verb_name(VERB_DELETE)}, HOUR_SECONDS,
		en->max_deletes_per_hour);
}

enum err_code caps_check(struct db *db, const struct settings *s,
	struct action *const *ready, size_t n, ts_t now, struct arena *a, const char **why,
	struct err *e)
{
	struct capping c = {.db = db,
		.en = s->enforcement,
		.now = now,
		.a = a,
		.ready = ready,
		.n_ready = n};
	bool bound = false;

	*why = NULL;
	for (size_t i = 0; i < n; i++)
		bound |= !guard_approved(ready[i], now);
	if (!bound)
		return E_OK;
	if (!c.en) {
		*why = "enforcement is off";
		return E_OK;
	}
	if (load_sent(&c, e))
		return e->code;
	check_counts(&c);
	for (size_t i = 0; !c.why && i < c.n_ready; i++)
		if (look_at_source(&c, c.ready[i], e) ||
			(!c.why && share_of(&c, c.ready[i]->t.kind, e)))
			return e->code;
	*why = c.why;
	return E_OK;
}

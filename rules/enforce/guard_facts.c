/* Guards on the age of data, and on earlier events. */
#include "base/str.h"
#include "db/db.h"
#include "db/names.h"
#include "db/vocab.h"
#include "db_sql.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/guard_internal.h"
#include "rules/grant/tpu.h"
#include "rules/grant/zones.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int64_t guard_interval_of(const struct settings *s, const char *group)
{
	for (size_t i = 0; i < s->n_intervals; i++)
		if (str_eq(s->intervals[i].group, group))
			return s->intervals[i].seconds;
	return GUARD_FRESH / 3;
}

/* A place without data does not make the others old: `complete` applies to its own place. */
static const char *source_trouble(
	const struct guard_ask *q, const struct q_source_state *src)
{
	const struct target *t = &q->action->t;
	ts_t read = str_eq(src->state, "partial") ? src->last_attempt
		: src->last_success.set           ? src->last_success.v
						  : TS_NONE;

	if (!str_eq(src->state, "ok") && !str_eq(src->state, "partial"))
		return arena_printf(q->a, "the last poll of %s in %s failed: %s", t->source,
			t->project, src->state);
	if (read == TS_NONE || q->now - read > 3 * guard_interval_of(q->s, src->poll_group))
		return arena_printf(
			q->a, "%s in %s was not read recently", t->source, t->project);
	return NULL;
}

static enum err_code of_the_source(
	const struct guard_ask *q, const char **why, struct err *e)
{
	struct q_source_state_in in = {
		.source = q->action->t.source, .project = q->action->t.project};
	struct q_source_state row;
	bool found;

	if (q_source_state_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	*why = found ? source_trouble(q, &row)
		     : arena_printf(q->a, "%s in %s has not been read yet", in.source,
			       in.project);
	return E_OK;
}

/* Facts from before the stop: that the machine was running then does not mean that it was started
 * again. */
static enum err_code after_the_poll(
	const struct guard_ask *q, const char **why, struct err *e)
{
	struct q_guard_unseen_in in = {.uid = q->action->t.uid,
		.resource = q->action->t.id,
		.action = q->action->number,
		.seen = q->subject->last_seen,
		.until = q->now + GUARD_CLOCK};
	struct q_guard_unseen row;
	bool found;

	if (q_guard_unseen_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (found)
		*why = arena_printf(q->a,
			"action %lld ended after the last poll, which does not show it yet",
			(long long)row.action);
	return E_OK;
}

GUARD_FN(guard_fresh)
{
	const struct enforce_subject *s = q->subject;

	/* first why nothing was read at all */
	if (of_the_source(q, why, e))
		return e->code;
	if (*why)
		return E_OK;
	if (!s)
		*why = "the last poll did not find it";
	else if (!s->complete)
		*why = arena_printf(
			q->a, "%s was unreachable in the last poll", s->t.location);
	else if (s->last_seen == TS_NONE || q->now - s->last_seen > GUARD_FRESH)
		*why = "it was not read in the last ten minutes";
	else if (!q->fresh)
		*why = "the rule does not match this resource on fresh data";
	return *why ? E_OK : after_the_poll(q, why, e);
}

static bool in_the_future(ts_t t, ts_t now)
{
	return t != TS_NONE && t > now + GUARD_CLOCK;
}

/* The audit log is never deleted: an entry that was once written a year ahead must not block
 * everything for a year. The clock is compared with Google's directly before the call anyway. */
GUARD_FN(guard_clock)
{
	struct q_guard_newest_in in = {.until = q->now + GUARD_AHEAD};
	struct q_guard_newest row;
	bool found;

	if (q_guard_newest_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (q->clock_skew != INT64_MIN &&
		(q->clock_skew > GUARD_CLOCK || q->clock_skew < -GUARD_CLOCK))
		*why = arena_printf(q->a,
			"the clock of this machine is %lld seconds %s Google's",
			(long long)llabs((long long)q->clock_skew),
			q->clock_skew > 0 ? "ahead of" : "behind");
	else if (row.at.set && in_the_future(row.at.v, q->now))
		*why = "the clock of this machine was set back: the database is ahead of "
		       "it";
	else if ((q->live && in_the_future(q->live->created, q->now)) ||
		(q->subject && in_the_future(q->subject->created, q->now)))
		*why = "it was created in the future, according to this machine's clock";
	return E_OK;
}

static enum err_code of_project(
	const struct guard_ask *q, const char *project, const char **why, struct err *e)
{
	int64_t polls = 3 * guard_interval_of(q->s, "instances");
	struct q_guard_shrunk_in in = {.project = project,
		.since = q->now - (polls > GUARD_SHRINK ? polls : GUARD_SHRINK)};
	struct q_guard_shrunk row;
	bool found;

	if (q_guard_shrunk_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (row.vanished >= GUARD_SHRINK_MIN && row.vanished * 2 > row.ran)
		*why = arena_printf(q->a,
			"%lld of %lld machines and TPUs of %s disappeared recently: is the "
			"list complete?",
			(long long)row.vanished, (long long)row.ran, in.project);
	return E_OK;
}

struct guard_known {
	const char *project, *why; /* NULL: it passes */
};

GUARD_FN(guard_shrink)
{
	const char *project = q->action->t.project;
	struct guard_memo *m = q->memo;

	for (size_t i = 0; m && i < m->n; i++)
		if (str_eq(m->v[i].project, project)) {
			*why = m->v[i].why;
			return E_OK;
		}
	if (of_project(q, project, why, e))
		return e->code;
	if (!m)
		return E_OK;
	*arena_push(q->a, m) = (struct guard_known){arena_strdup(q->a, project), *why};
	return E_OK;
}

/* Views of what was polled and set, with its prices. Every other view has amounts of the bill, or what rules or
 * Google made of them: a new one too, until it is listed here. */
static const char *const polled_views[] = {"resources", "grants", "coverage",
	"coverage_totals", "grant_ends", "grant_plan", "burn", "burned", "egress",
	"hidden_costs", "period_resources", "period_burn", "period_hidden", "quotas",
	"quota_holds", "sources", "gaps", "silences", "holds", "present", "hosts",
	"commitments", "capacity"};

static bool is_of_the_bill(const char *word, size_t n)
{
	for (size_t i = 0; i < n_views; i++)
		if (names_same(word, n, views[i]->name))
			return !str_in(
				views[i]->name, polled_views, ARRAY_LEN(polled_views));
	return false;
}

/* A text, as in owner = 'audit', and not a name in quotes, as in FROM 'audit'. */
static bool is_text(const char *sql, const char *word)
{
	const char *p = word - 1;

	if (p <= sql || *p != '\'')
		return false;
	while (p > sql && isspace((unsigned char)p[-1]))
		p--;
	return p > sql && p[-1] != ',' &&
		(p - sql < 4 ||
			(!names_same(p - 4, 4, "from") && !names_same(p - 4, 4, "join")));
}

static bool names_the_bill(struct arena *a, const char *where)
{
	const char *sql = arena_printf(a, "SELECT 1 WHERE %s", where ? where : "1"), *word;
	struct names it;
	size_t n;

	names_begin(&it, sql);
	while (names_next(&it, &word, &n))
		if (is_of_the_bill(word, n) && !is_text(sql, word))
			return true;
	return false;
}

/* By more than half? A change of sign always is. */
static bool jumped(int64_t was, int64_t is)
{
	__int128 moved = (__int128)is - was, half = was;

	if (moved < 0)
		moved = -moved;
	if (half < 0)
		half = -half;
	return 2 * moved > half;
}

struct day_change {
	const char *date, *currency; /* NULL: none */
	int64_t was, is;
};

static const char *day_trouble(const struct guard_ask *q, const struct day_change *d)
{
	if (!d->date || !jumped(d->was, d->is))
		return NULL;
	return arena_printf(q->a,
		"the bill of %s was restated by more than half recently (restatements)",
		d->date);
}

/* A day has a row for each change of an invoice month: it is compared from the first amount to the last, so that a
 * small change does not hide a large one. */
static enum err_code look_at_restatements(
	const struct guard_ask *q, const char **why, struct err *e)
{
	struct q_guard_restated_in in = {.since = q->now - GUARD_BILL_AGE};
	struct q_guard_restated row;
	struct day_change d = {0};
	struct db_rows rows;

	if (q_guard_restated_open(q->db, &in, &rows, e))
		return e->code;
	while (!*why && q_guard_restated_next(&rows, &row)) {
		if (!row.old_net.set || !row.new_net.set) {
			*why = arena_printf(q->a,
				"the bill of %s was restated recently, in another time "
				"zone: by how much is unknown",
				row.day);
			break;
		}
		if (!str_eq(d.date, row.day) || !str_eq(d.currency, row.currency)) {
			*why = day_trouble(q, &d);
			d = (struct day_change){.date = arena_strdup(q->a, row.day),
				.currency = arena_strdup(q->a, row.currency),
				.was = row.old_net.v};
		}
		d.is = row.new_net.v;
	}
	if (!*why)
		*why = day_trouble(q, &d);
	return db_rows_close(&rows, e);
}

GUARD_FN(guard_anomaly)
{
	struct q_guard_bill row;
	bool found;

	if (!q->rule || !names_the_bill(q->a, q->rule->where))
		return E_OK;
	if (q_guard_bill_one(q->db, q->a, &row, &found, e))
		return e->code;
	if (!row.exported.set)
		*why = "the rule depends on the bill, and there is none";
	else if (q->now - row.exported.v > GUARD_BILL_AGE)
		*why = "the rule depends on the bill, which is older than two days";
	else if (row.quarantined)
		*why = "the rule depends on the bill, and a part of it is in quarantine";
	return *why ? E_OK : look_at_restatements(q, why, e);
}

/* ---- earlier events ---------------------------------------------------------------------------- */

GUARD_FN(guard_back_off)
{
	struct q_guard_stopped_before_in in = {.uid = q->action->t.uid,
		.resource = q->action->t.id,
		.action = q->action->number,
		.since = q->now - ENFORCE_BACK_OFF};
	struct q_guard_stopped_before row;
	char at[TZ_TIME_BUF];
	bool found;

	if (q->action->follows) /* it was not started since */
		return E_OK;
	if (q_guard_stopped_before_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (found)
		*why = arena_printf(q->a,
			"tpucost stopped it at %s (%s) and it was started again: hold or "
			"approve it",
			tz_time(q->s->tz, row.sent, at), tz_name(q->s->tz));
	return E_OK;
}

/* One wrong letter makes every TPU of the grant uncovered, whether the zone with that letter exists or
 * not. */
GUARD_FN(guard_grant_zone)
{
	const char *type = q->subject ? q->subject->type : NULL;
	struct tpu_zones zones = {0};
	bool read = false;

	for (size_t i = 0; i < q->s->n_grants && !*why; i++) {
		const struct grant *g = &q->s->grants[i];
		struct err bad = {0};

		if (!str_eq(g->family, tpu_family_of_type(type)) ||
			!grant_runs_at(g, q->now))
			continue;
		if (!read && tpu_zones_read(q->db, q->a, &zones, e))
			return e->code;
		if (!read)
			tpu_zones_add_prices(&zones, q->a, q->s->prices, q->s->n_prices);
		read = true;
		if (tpu_zone_check(&zones, g->type ? g->type : g->family, g->zone, &bad))
			*why = arena_printf(q->a, "grant %s: %s", g->name, bad.msg);
	}
	return E_OK;
}

GUARD_FN(guard_disarmed)
{
	struct q_disarmed_get_in in = {.rule = q->action->rule,
		.policy = q->action->policy ? q->action->policy : "",
		.project = q->action->t.project};
	struct q_disarmed_get row;
	bool found;

	if (q_disarmed_get_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (found)
		*why = arena_printf(q->a,
			"rule %s does not act in %s until: tpucost enforce resume; %s",
			in.rule, in.project, row.reason);
	return E_OK;
}

GUARD_FN(guard_other)
{
	struct q_guard_in_flight_in in = {.uid = q->action->t.uid,
		.resource = q->action->t.id,
		.action = q->action->number};
	struct q_guard_in_flight row;
	bool found;

	if (q_guard_in_flight_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (found)
		*why = arena_printf(q->a, "action %lld of rule %s is in progress",
			(long long)row.action, row.rule);
	return E_OK;
}

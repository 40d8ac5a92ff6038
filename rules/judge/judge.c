#include "rules/judge/judge.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/budget/budget.h"
#include "rules/history.h"
#include "rules/judge/internal.h"

#include <string.h>

#define KEEP_RESOLVED (7 * DAY_SECONDS)
#define FREEZE_FROM 3 /* rules on resources from which a copy of the rows is faster */

/* ---- loading ----------------------------------------------------------------------------------- */

static enum alert_state judge_state_of(const char *word)
{
	enum alert_state s = ALERT_RESOLVED;

	while (s > ALERT_NONE && strcmp(alert_state_name(s), word) != 0)
		s--;
	return s;
}

static void add_known(
	struct judging *j, const char *rule, const char *subject, const struct alert *alert)
{
	*arena_append(j->arena, j->known, j->n_known, j->cap_known) = (struct known){
		.rule = arena_strdup(j->arena, rule),
		.subject = arena_strdup(j->arena, subject),
		.alert = *alert};
	strmap_put(
		&j->index, arena_printf(j->arena, "%s\n%s", rule, subject), j->n_known - 1);
}

static enum err_code judge_load_known(struct judging *j, struct err *e)
{
	struct q_alert_list q;
	struct db_rows rows;

	if (q_alert_list_open(j->db, &rows, e))
		return e->code;
	while (q_alert_list_next(&rows, &q)) {
		struct alert a = {.state = judge_state_of(q.state),
			.severity = severity_parse(q.severity),
			.since = q.since,
			.last_true = q.last_true,
			.ceased = ts_of_opt(q.ceased),
			.fired = ts_of_opt(q.fired),
			.resolved = ts_of_opt(q.resolved),
			.said = ts_of_opt(q.said),
			.said_as = severity_parse(q.said_as),
			.stage = q.stage};

		add_known(j, q.rule, q.subject, &a);
	}
	j->n_loaded = j->n_known;
	return db_rows_close(&rows, e);
}

/* ---- reporting --------------------------------------------------------------------------------- */

/* Is the event silenced? A condition that continues is reported again when the silence ends, not
 * only after `repeat`. */
static enum err_code look_for_silence(struct judging *j, const struct rule *r,
	const char *subject, enum alert_event ev, struct alert *a, bool *muted,
	struct err *e)
{
	struct q_silenced_in in = {.rule = r->name, .subject = subject, .now = j->now};
	struct q_silenced row;

	*muted = false;
	if (ev == EVENT_NONE)
		return E_OK;
	if (q_silenced_one(j->db, &in, j->arena, &row, muted, e))
		return e->code;
	if (*muted && ev != EVENT_RESOLVED)
		a->said = row.until - alert_repeat(r, a->said_as);
	return E_OK;
}

static enum err_code say_event(struct judging *j, const char *rule, const char *subject,
	enum alert_event ev, const struct alert *alert, const char *summary, bool muted,
	struct err *e)
{
	struct q_event_add_in in = {.at = j->now,
		.rule = rule,
		.subject = subject,
		.kind = alert_event_name(ev),
		.severity = severity_name(alert->severity),
		.summary = summary,
		.muted = muted};
	struct q_alert_thing_in about = {.subject = subject};
	struct judgement *out = j->out;
	struct q_alert_thing thing;
	bool found;

	if (ev == EVENT_NONE)
		return E_OK;
	if (q_alert_thing_one(j->db, &about, j->arena, &thing, &found, e))
		return e->code;
	*arena_append(j->arena, out->said, out->n_said, j->cap_said) = (struct said){
		.rule = rule,
		.subject = subject,
		.summary = summary,
		.owner = thing.owner,
		.event = ev,
		.severity = alert->severity,
		.since = alert->since,
		.muted = muted};
	return q_event_add(j->db, &in, e);
}

static void judge_count(struct judging *j, const struct alert *a)
{
	j->out->pending += a->state == ALERT_PENDING;
	j->out->firing += a->state == ALERT_FIRING;
}

/* With another condition, the worst stage of the old one no longer counts. */
static struct alert judge_alert_of(const struct judging *j, const struct rule *r,
	const struct known *k, const struct observation *o)
{
	struct alert a = k ? k->alert : (struct alert){.state = ALERT_NONE};

	if (o->data == DATA_FRESH && strmap_get(&j->renewed, r->name)) {
		a.stage = a.stage < o->stage ? a.stage : o->stage;
		a.said_as = a.said_as < o->severity ? a.said_as : o->severity;
	}
	return a;
}

static enum err_code put_hit(
	struct judging *j, const struct rule *r, const struct hit *h, struct err *e)
{
	size_t *at = strmap_get(
		&j->index, arena_printf(j->arena, "%s\n%s", r->name, h->subject));
	struct known *k = at ? &j->known[*at] : NULL;
	struct alert a = judge_alert_of(j, r, k, &h->o);
	enum alert_event ev = alert_step(&a, r, &h->o, j->now);
	struct q_alert_put_in in = {.rule = r->name,
		.subject = h->subject,
		.state = alert_state_name(a.state),
		.data = alert_data_name(a.data),
		.severity = severity_name(a.severity),
		.since = a.since,
		.last_true = a.last_true,
		.ceased = opt_of_ts(a.ceased),
		.fired = opt_of_ts(a.fired),
		.resolved = opt_of_ts(a.resolved),
		.said_as = severity_name(a.said_as),
		.stage = a.stage,
		.value = h->value,
		.summary = h->summary,
		.labels = r->labels ? r->labels : "{}"};
	bool muted;

	if (k && k->seen) /* two rows with one name: the first one counts */
		return E_OK;
	if (!k) {
		add_known(j, r->name, h->subject, &a);
		k = &j->known[j->n_known - 1];
	}
	k->seen = true;
	if (a.state == ALERT_NONE) /* it holds on stale data: no reason to begin */
		return E_OK;
	judge_count(j, &a);
	if (look_for_silence(j, r, h->subject, ev, &a, &muted, e))
		return e->code;
	in.said = opt_of_ts(a.said);
	if (q_alert_put(j->db, &in, e))
		return e->code;
	return say_event(j, r->name, h->subject, ev, &a, h->summary, muted, e);
}

/* An open alert whose condition did not hold. */
static enum err_code move_known(struct judging *j, const struct rule *r, struct known *k,
	const struct observation *o, struct err *e)
{
	struct q_alert_drop_in drop = {.rule = r->name, .subject = k->subject};
	struct q_alert_get_in get = {.rule = r->name, .subject = k->subject};
	enum alert_event ev = alert_step(&k->alert, r, o, j->now);
	struct q_alert_move_in in = {.rule = r->name,
		.subject = k->subject,
		.state = alert_state_name(k->alert.state),
		.data = alert_data_name(k->alert.data),
		.ceased = opt_of_ts(k->alert.ceased),
		.resolved = opt_of_ts(k->alert.resolved),
		.said = opt_of_ts(k->alert.said)};
	struct q_alert_get row;
	bool found, muted;

	if (k->alert.state == ALERT_NONE)
		return q_alert_drop(j->db, &drop, e);
	judge_count(j, &k->alert);
	if (look_for_silence(j, r, k->subject, ev, &k->alert, &muted, e) ||
		q_alert_get_one(j->db, &get, j->arena, &row, &found, e))
		return e->code;
	if (found && ev == EVENT_RESOLVED) {
		if (judge_ended(j, r, k, o, row.summary, &row.summary, e))
			return e->code;
		in.summary = row.summary;
	}
	if (q_alert_move(j->db, &in, e))
		return e->code;
	if (!found)
		return E_OK;
	if (say_event(j, r->name, k->subject, ev, &k->alert, row.summary, muted, e))
		return e->code;
	if (ev == EVENT_RESOLVED)
		j->out->said[j->out->n_said - 1].worse = o->worse;
	return E_OK;
}

static bool is_open(const struct known *k)
{
	return k->alert.state == ALERT_PENDING || k->alert.state == ALERT_FIRING;
}

/* Range of the rule's alerts: they are adjacent. */
static void range_of(const struct judging *j, const char *rule, size_t *first, size_t *n)
{
	size_t i = 0;

	while (i < j->n_loaded && strcmp(j->known[i].rule, rule) < 0)
		i++;
	*first = i;
	while (i < j->n_loaded && !strcmp(j->known[i].rule, rule))
		i++;
	*n = i - *first;
}

static enum err_code move_missing(
	struct judging *j, const struct rule *r, bool judged, struct err *e)
{
	struct observation *o;
	size_t first, n, open = 0;

	range_of(j, r->name, &first, &n);
	for (size_t i = first; i < first + n; i++)
		open += is_open(&j->known[i]) && !j->known[i].seen;
	if (!open)
		return E_OK;
	o = arena_alloc(j->arena, n * sizeof(*o));
	for (size_t i = 0; i < n; i++)
		o[i].data = DATA_UNKNOWN;
	if (judged && judge_missing(j, r, first, n, o, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct known *k = &j->known[first + i];

		if (is_open(k) && !k->seen && move_known(j, r, k, &o[i], e))
			return e->code;
	}
	return E_OK;
}

static bool judge_acts(const struct rule *r)
{
	return r->then.action && strcmp(r->then.action, "notify") != 0;
}

/* Did the condition cease to hold in the time of the alert, as the machine was started or created again? A VM
 * that stops at 22:30 and starts at 07:50 while nothing is polled has run for 10 minutes at 08:00. Google does
 * not report the start of a TPU node: after a time without evaluation it need not have run all the time. *began is
 * TS_NONE if not. *again: it holds again, or may. */
static enum err_code judge_interrupted(struct judging *j, const struct rule *r,
	const struct hit *h, const struct alert *a, ts_t *began, bool *again, struct err *e)
{
	struct q_resource_began_in in = {.id = h->subject};
	struct q_resource_began row;
	bool found;

	*began = TS_NONE;
	*again = judge_acts(r) && a->ceased != TS_NONE;
	if (q_resource_began_one(j->db, &in, j->arena, &row, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	if (row.unstated && judge_acts(r) && j->now - a->last_true > DB_UNSEEN)
		*again = true;
	if (r->hold_for && row.began > a->since && row.began <= j->now)
		*began = row.began;
	return E_OK;
}

/* The time of `for` starts again after an interruption. A firing alert continues, as its condition holds at each
 * evaluation, unless its rule acts: then it ends, and must hold for its time before another action. If the condition
 * ceased for less than `keep_for`, or may have, the alert continues, and only its time starts again. */
static enum err_code judge_hit(
	struct judging *j, const struct rule *r, const struct hit *h, struct err *e)
{
	const size_t *at = strmap_get(
		&j->index, arena_printf(j->arena, "%s\n%s", r->name, h->subject));
	struct known *k = at ? &j->known[*at] : NULL;
	struct observation over = {0};
	bool acts = judge_acts(r), again;

	if (strcmp(r->on, "resources") != 0 || h->o.data != DATA_FRESH || !k || k->seen ||
		k->alert.state == ALERT_RESOLVED ||
		(!acts && (!r->hold_for || k->alert.state == ALERT_FIRING)))
		return put_hit(j, r, h, e);
	if (judge_interrupted(j, r, h, &k->alert, &over.begins, &again, e))
		return e->code;
	if (over.begins != TS_NONE && k->alert.state == ALERT_FIRING) {
		k->alert.last_true = k->alert.since;
		if (move_known(j, r, k, &over, e))
			return e->code;
	} else if (again || over.begins != TS_NONE) {
		k->alert.since = j->now;
	}
	return put_hit(j, r, h, e);
}

static enum err_code judge_rule(
	struct judging *j, const struct rule *r, struct hits *hits, struct err *e)
{
	if (judge_hits(j, r, hits, e))
		return e->code;
	for (size_t i = 0; i < hits->n; i++)
		if (judge_hit(j, r, &hits->v[i], e))
			return e->code;
	return move_missing(j, r, true, e);
}

static void add_thresholds(struct sbuf *b, const struct thresholds *t)
{
	for (size_t i = 0; i < t->n; i++)
		sbuf_addf(b, "%s%lld", i ? "," : " ", (long long)t->at[i]);
	sbuf_addc(b, ';');
}

/* Text that determines when it fires. The rows of budgets are settings too. */
static const char *rule_own_text(const struct judging *j, const struct rule *r)
{
	return arena_printf(j->arena, "on %s where %s for %lld", r->on, r->where,
		(long long)r->hold_for);
}

static const char *rule_text(const struct judging *j, const struct rule *r)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool budgets = !strcmp(r->on, "budgets");

	sbuf_adds(&b, rule_own_text(j, r));
	for (size_t i = 0; budgets && i < j->s->n_budgets; i++) {
		const struct budget *v = &j->s->budgets[i];

		sbuf_addf(&b, " budget %s %lld %s per %s %lld %lld %s of %s", v->name,
			(long long)v->amount.nanos, v->amount.cur, budget_per_name(v->per),
			(long long)v->starts, (long long)v->ends,
			v->gross ? "gross" : "net", v->where ? v->where : "all");
		add_thresholds(&b, &v->alert_at);
		add_thresholds(&b, &v->forecast_at);
	}
	return arena_strdup(j->arena, b.s);
}

static enum err_code judge_one(struct judging *j, const struct rule *r, struct err *e)
{
	struct q_rule_state_put_in in = {
		.rule = r->name, .text = rule_text(j, r), .judged = j->now};
	struct judgement *out = j->out;
	struct hits hits = {0};
	struct err why = {0};
	struct rule anew = *r;

	if (strmap_get(&j->renewed, r->name)) {
		anew.keep_for = 0;
		r = &anew;
	}
	if (judge_rule(j, r, &hits, &why)) {
		/* Is it an error of the rule, or of the database? */
		if (why.code != E_USAGE && why.code != E_LIMIT) {
			*e = why;
			return err_wrap(e, "rule %s", r->name);
		}
		*arena_append(j->arena, out->errors, out->n_errors,
			j->cap_errors) = arena_printf(j->arena, "%s: %s", r->name, why.msg);
		in.error = why.msg;
		if (move_missing(j, r, false, e))
			return e->code;
	}
	in.hits = (int64_t)hits.n;
	return q_rule_state_put(j->db, &in, e);
}

/* ---- changed rules ----------------------------------------------------------------------------- */

/* Users who were notified of a problem are notified that the rule is no longer evaluated. */
static enum err_code end_alerts(struct judging *j, const char *rule, struct err *e)
{
	struct q_alert_firing_of_in in = {.rule = rule};
	struct q_alert_firing_of *v;
	size_t n;

	if (q_alert_firing_of_all(j->db, &in, j->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct alert a = {
			.severity = severity_parse(v[i].severity), .since = v[i].since};
		const char *summary = judge_was(
			j->arena, v[i].summary, "the rule was switched off or removed");

		if (say_event(j, rule, v[i].subject, EVENT_RESOLVED, &a, summary, false, e))
			return e->code;
	}
	return E_OK;
}

/* The alerts of a removed rule end; with another condition, it must hold for its time again, and
 * firing alerts end at once if it does not hold: the time they are kept was for the old one. */
static enum err_code renew_rule(
	struct judging *j, const struct q_rule_state_list *was, struct err *e)
{
	const struct rule *r = NULL;
	struct q_rule_drop_in drop = {.rule = was->rule};
	struct q_alert_drop_in pending = {.rule = was->rule, .state = "pending"};

	for (size_t i = 0; !r && i < j->s->n_rules; i++)
		if (j->s->rules[i].enabled && !strcmp(j->s->rules[i].name, was->rule))
			r = &j->s->rules[i];
	if (!r)
		return end_alerts(j, was->rule, e) ? e->code : q_rule_drop(j->db, &drop, e);
	if (!strcmp(rule_text(j, r), was->text))
		return E_OK;
	strmap_put(&j->renewed, r->name, !str_starts(was->text, rule_own_text(j, r)));
	return q_alert_drop(j->db, &pending, e);
}

static enum err_code renew_rules(struct judging *j, struct err *e)
{
	struct q_rule_state_list *list;
	size_t n;

	if (q_rule_state_list_all(j->db, j->arena, &list, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (renew_rule(j, &list[i], e))
			return e->code;
	return E_OK;
}

/* Views that nearly every condition reads, directly or to find whether a row is fresh. */
static const struct {
	const char *view, *index;
} frozen[] = {
	{"resources",
		"kind, project, state"}, /* conditions compare resources of a project */
	{"sources", "project, source"},
	{"gaps", "project, source"},
};

/* Each view that is created makes the database prepare all statements again, so all are created first. */
static enum err_code judge_prepare(struct judging *j, struct err *e)
{
	size_t on_resources = 0;

	for (size_t i = 0; i < j->s->n_rules; i++)
		on_resources += j->s->rules[i].enabled &&
			!strcmp(j->s->rules[i].on, "resources");
	j->frozen = on_resources >= FREEZE_FROM;
	for (size_t i = 0; j->frozen && i < ARRAY_LEN(frozen); i++)
		if (db_freeze_view(j->db, frozen[i].view, frozen[i].index, e))
			return e->code;
	for (size_t i = 0; i < j->s->n_rules; i++) {
		const struct rule *r = &j->s->rules[i];

		if (r->enabled && (db_need(j->db, r->on, e) || db_need(j->db, r->where, e)))
			return e->code;
	}
	return E_OK;
}

static enum err_code judge_rules(struct judging *j, struct err *e)
{
	if (renew_rules(j, e) || judge_load_known(j, e) || judge_prepare(j, e))
		return e->code;
	for (size_t i = 0; i < j->s->n_rules; i++)
		if (j->s->rules[i].enabled && judge_one(j, &j->s->rules[i], e))
			return e->code;
	return E_OK;
}

enum err_code judge(struct db *db, const struct settings *s, ts_t now, struct arena *a,
	struct judgement *out, struct err *e)
{
	struct judging j = {.db = db, .s = s, .now = now, .arena = a, .out = out};
	struct q_judge_forget_in old;
	enum err_code rc;
	ts_t known;

	*out = (struct judgement){0};
	rc = judge_rules(&j, e);
	for (size_t i = 0; j.frozen && i < ARRAY_LEN(frozen); i++)
		db_unfreeze_view(db, frozen[i].view);
	if (j.frozen)
		mem_trim();
	strmap_done(&j.index);
	strmap_done(&j.renewed);
	if (!rc)
		rc = history_now(db, now, &known, e);
	if (!rc) {
		old.ended = known - KEEP_RESOLVED;
		old.history = history_from(s, known);
		rc = q_judge_forget(db, &old, e);
	}
	return rc ? err_wrap(e, "judge") : E_OK;
}

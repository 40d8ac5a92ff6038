/* Guards on the machine itself: from the last poll, and from a live check if there was one. */
#include "base/data/json.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/guard_internal.h"
#include "rules/grant/tpu.h"

#include <string.h>

static const struct live *looked(const struct guard_ask *q)
{
	return q->live && q->live->found ? q->live : NULL;
}

static bool target_empty(const char *s)
{
	return !s || !*s;
}

static int64_t target_more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Largest of the values from the last poll, a live check and the name of its type; 0: the newer of
 * the first two has none. */
static int64_t hosts(const struct guard_ask *q)
{
	const struct live *l = looked(q);
	int64_t n = q->subject ? q->subject->hosts : 0;
	int64_t of_type = target_more(q->subject ? hosts_of_type(q->subject->type) : 0,
		l ? hosts_of_type(l->type) : 0);

	if (of_type > 1)
		n = target_more(n, of_type);
	if (!l)
		return n;
	if (!l->hosts)
		return n > 1 ? n : 0;
	return target_more(n, l->hosts);
}

/* The queued resource that made it, or "". */
static const char *queued_of(const struct guard_ask *q)
{
	if (looked(q) && !target_empty(q->live->queued))
		return str_after_last(q->live->queued, '/');
	if (q->subject && !target_empty(q->subject->queued))
		return str_after_last(q->subject->queued, '/');
	return "";
}

static const char *cannot_stop(const struct guard_ask *q)
{
	const struct enforce_subject *s = q->subject;
	const struct live *l = looked(q);
	const char *what = only_deleted(&(struct stop_facts){.kind = q->action->t.kind,
		.source = q->action->t.source,
		.hosts = hosts(q),
		.queued = *queued_of(q),
		.spot = (l && l->spot) || (s && price_class_preemptible(s->provisioning)),
		.flex_start = (l && l->flex_start) ||
			(s && str_eq(s->provisioning, "flex-start"))});

	return what ? arena_printf(q->a, "%s cannot be stopped, only deleted", what) : NULL;
}

/* The queued resource would remain, or create it again. */
static const char *not_alone(const struct guard_ask *q)
{
	const char *queued = queued_of(q);

	if (str_eq(q->action->t.kind, "queued"))
		return NULL;
	if (*queued)
		return arena_printf(q->a,
			"it belongs to queued resource %s: only that can be deleted, with "
			"all its nodes",
			queued);
	if (looked(q) && q->live->multislice)
		return "it is part of a multislice: no action is taken on a single node";
	return NULL;
}

/* A node pool with groups in several zones is scaled as a whole. */
static enum err_code not_in_one_zone(
	const struct guard_ask *q, const char **why, struct err *e)
{
	const struct target *t = &q->action->t;
	struct q_pool_others_in in = {
		.project = t->project, .group = t->group, .id = t->id};
	struct q_pool_others row;
	bool found;

	if (!target_is_pool(t))
		return E_OK;
	if (q_pool_others_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (found)
		*why = arena_printf(q->a,
			"its node pool is also in %s: no action is taken on a pool with "
			"nodes in several zones, because all of them would end",
			row.zone);
	return E_OK;
}

GUARD_FN(guard_kind)
{
	const struct target *t = &q->action->t;

	if (!str_eq(t->kind, "vm") && !str_eq(t->kind, "tpu") && !str_eq(t->kind, "queued"))
		*why = arena_printf(q->a, "no action is ever taken on a %s",
			t->kind ? t->kind : "thing");
	else if ((*why = not_alone(q)) == NULL && q->action->verb == VERB_STOP)
		*why = cannot_stop(q);
	return *why ? E_OK : not_in_one_zone(q, why, e);
}

/* Its size, its price and whether it can be stopped are guesses. */
GUARD_FN(guard_family)
{
	(void)e;
	if (q->subject && tpu_family_unknown(q->subject->type, q->action->t.kind))
		*why = arena_printf(q->a,
			"this version of tpucost does not know the TPU family of %s",
			q->subject->type);
	return E_OK;
}

/* A node that is being repaired may have no endpoints for a while. */
GUARD_FN(guard_hosts)
{
	(void)e;
	if (q->action->verb == VERB_STOP && str_eq(q->action->t.source, "tpu") && !hosts(q))
		*why = "its number of hosts is unknown: slices of several cannot be "
		       "stopped";
	else if (target_is_pool(&q->action->t) && q->subject && !q->subject->topology)
		*why = "the topology of its node pool is unknown: its nodes may be several "
		       "slices";
	return E_OK;
}

/* Google's states that permit an action; machines in any other state, also in an unrecognized one,
 * are not touched. Leftovers that do not run can only be deleted. */
enum guard_which { RUNS, ONLY_DELETED, DELETED_LATER };
static const struct {
	const char *source, *raw;
	enum guard_which which;
} states[] = {
	{"vm", "RUNNING", RUNS},
	{"vm", "TERMINATED", DELETED_LATER},
	{"tpu", "READY", RUNS},
	{"tpu", "STOPPED", DELETED_LATER},
	{"tpu", "PREEMPTED", ONLY_DELETED},
	{"tpu", "TERMINATED", ONLY_DELETED},
	{"slice", "RUNNING", ONLY_DELETED}, /* all of its hosts */
	{"slice", "TERMINATED", ONLY_DELETED},
	{"queued", "ACTIVE", ONLY_DELETED},
	{"queued", "ACCEPTED", ONLY_DELETED},
	{"queued", "WAITING_FOR_RESOURCES", ONLY_DELETED},
	{"queued", "SUSPENDED", ONLY_DELETED},
	{"queued", "FAILED", ONLY_DELETED},
};

/* A machine that somebody stopped may be needed again: it is deleted if this rule stopped it, and then in no
 * other state, or if it was never meant to last: spot and flex-start. */
static bool guard_permits(
	const struct guard_ask *q, enum guard_which which, const char *state)
{
	const struct enforce_subject *s = q->subject;

	if (q->action->follows)
		return which == DELETED_LATER;
	if (q->action->verb == VERB_STOP)
		return which == RUNS && str_eq(state, "running");
	return which != DELETED_LATER ||
		(s &&
			(price_class_preemptible(s->provisioning) ||
				str_eq(s->provisioning, "flex-start")));
}

GUARD_FN(guard_state)
{
	const struct live *l = looked(q);
	const char *raw = l ? l->raw_state : q->subject ? q->subject->raw_state : NULL;
	const char *state = l ? l->state : q->subject ? q->subject->state : NULL;
	const struct action *a = q->action;
	bool may = false;

	(void)e;
	for (size_t i = 0; !may && i < ARRAY_LEN(states); i++)
		may = str_eq(a->t.source, states[i].source) && str_eq(raw, states[i].raw) &&
			guard_permits(q, states[i].which, state);
	if (!may)
		*why = arena_printf(q->a, "its state is %s: it is not %s in that state",
			target_empty(raw) ? "unknown" : raw, verb_past(q->action->verb));
	return E_OK;
}

GUARD_FN(guard_delete)
{
	const struct enforcement *en = q->s->enforcement;
	const struct rule_action *step = enforce_step(q->rule, q->action->verb);
	ts_t created = looked(q) ? q->live->created
		: q->subject     ? q->subject->created
				 : TS_NONE;

	(void)e;
	if (q->action->verb != VERB_DELETE)
		return E_OK;
	if (!step || !step->allow_delete)
		*why = arena_printf(
			q->a, "rule %s does not set allow_delete: true", q->action->rule);
	else if (!en || !en->allow_delete)
		*why = "enforcement does not set allow_delete: true";
	else if (created == TS_NONE)
		*why = "its creation time is unknown";
	else if (q->now - created < GUARD_DELETE_AGE)
		*why = "it is younger than an hour";
	return E_OK;
}

/* ---- ownership --------------------------------------------------------------------------------- */

/* Labels that services put on their resources (Google Cloud: Dataproc, GKE, ... labels). A live
 * check finds more. */
static const struct {
	const char *prefix, *owner;
} owners[] = {
	{"goog-gke-", "a GKE cluster"},
	{"goog-k8s-", "a GKE cluster"},
	{"goog-dataproc-", "a Dataproc cluster"},
	{"goog-dataflow-", "a Dataflow job"},
	{"goog-composer-", "Cloud Composer"},
};

static const char *target_owner_of(const char *labels)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (!labels || json_parse(labels, strlen(labels), &j, NULL))
		return NULL; /* the guard on exemptions handles these */
	JSON_EACH (label, j)
		for (size_t i = 0; i < ARRAY_LEN(owners); i++)
			if (str_starts(json_key(label), owners[i].prefix))
				return owners[i].owner;
	return NULL;
}

/* A whole node pool, in a configuration that permits to scale it. */
static bool target_may_scale(const struct guard_ask *q)
{
	const struct enforcement *en = q->s->enforcement;

	return en && en->gke && target_is_pool(&q->action->t);
}

GUARD_FN(guard_managed)
{
	const char *owner = q->subject && !target_may_scale(q)
		? target_owner_of(q->subject->labels)
		: NULL;
	const struct target *t = &q->action->t;

	(void)e;
	/* One machine of a group that is not a slice. */
	if (t->group && !target_is_pool(t) &&
		!str_eq(str_after_last(t->group, '/'), t->name))
		owner = arena_printf(q->a, "the managed instance group %.63s",
			str_after_last(t->group, '/'));
	if (looked(q) && !target_empty(q->live->managed_by))
		owner = q->live->managed_by;
	if (owner)
		*why = arena_printf(q->a, "it belongs to %s%s", owner,
			target_is_pool(t) && !target_may_scale(q)
				? ", and enforcement.gke is not true"
				: "");
	return E_OK;
}

GUARD_FN(guard_protected)
{
	(void)e;
	if (looked(q) && q->live->deletion_protection)
		*why = "its deletion protection is on";
	return E_OK;
}

GUARD_FN(guard_local_ssd)
{
	struct q_resource_get_in in = {.id = q->action->t.id};
	struct q_resource_get row;
	bool found;

	if (q_resource_get_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if ((found && row.local_ssd_gib.v) || (looked(q) && q->live->local_ssd))
		*why = "it has local SSDs, whose content would be lost";
	return E_OK;
}

GUARD_FN(guard_own_host)
{
	(void)e;
	if (looked(q) && q->live->own_host)
		*why = "tpucost runs on it";
	return E_OK;
}

/* ---- identity ---------------------------------------------------------------------------------- */

/* Created after the episode began: it cannot be the machine that the warning was about. Clocks may
 * differ a little if an id identifies the machine; queued resources have no id. */
static bool too_new(const struct guard_ask *q, ts_t created)
{
	const struct action *a = q->action;
	int64_t slack = target_empty(a->t.uid) ? 0 : GUARD_CLOCK;

	return created != TS_NONE && created > a->began + slack &&
		created <= q->now + GUARD_CLOCK;
}

GUARD_FN(guard_identity)
{
	const struct action *a = q->action;
	const struct enforce_subject *s = q->subject;
	const struct live *l = looked(q);

	(void)e;
	if (s && !str_eq(s->t.uid, a->t.uid))
		*why = "the last poll found another resource with its name";
	else if (l && !target_empty(l->uid) && !str_eq(l->uid, a->t.uid))
		*why = arena_printf(q->a,
			"another resource has its name now: id %s; the warning was about "
			"id %s",
			l->uid, a->t.uid);
	else if ((l && too_new(q, l->created)) || (s && too_new(q, s->created)))
		*why = "the resource that has its name now was created after the warning";
	else if (l && s && l->created != TS_NONE && s->created != TS_NONE &&
		l->created != s->created)
		*why = "the resource that has its name now was created at another time";
	return E_OK;
}

/* A second step is for the start that the first one ended: both times are Google's, so that seconds count. */
static enum err_code other_start(
	const struct guard_ask *q, ts_t started, const char **why, struct err *e)
{
	struct q_action_started_in in = {.action = q->action->follows};
	struct q_action_started row;
	bool found;

	if (q_action_started_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (!found || ts_of_opt(row.started) != started)
		*why = "it was started again since tpucost stopped it";
	return E_OK;
}

GUARD_FN(guard_restarted)
{
	const struct live *l = looked(q);
	ts_t was = q->action->started, is_now = l ? l->started : TS_NONE;

	if (q->action->follows && is_now != TS_NONE)
		return other_start(q, is_now, why, e);
	if (is_now == TS_NONE && q->subject)
		is_now = q->subject->started;
	if (is_now == TS_NONE)
		return E_OK;
	if (was == TS_NONE ? is_now > q->action->began : is_now != was)
		*why = "it was started again since the warning";
	return E_OK;
}

/* The facts that the rule was evaluated on must be the live ones. A queued resource has no labels
 * of its own: a live check returns those of its nodes. */
GUARD_FN(guard_changed)
{
	const struct live *l = looked(q);
	const struct enforce_subject *s = q->subject;

	(void)e;
	if (!l)
		return E_OK;
	if (target_empty(l->uid) && !target_empty(q->action->t.uid))
		*why = "Google does not report its id";
	else if (!s)
		*why = "the last poll did not find it";
	else if (!target_empty(l->type) && !target_empty(s->type) &&
		!str_eq(l->type, s->type))
		*why = arena_printf(q->a, "its type is %s now and was %s in the last poll",
			l->type, s->type);
	/* a suspended request may have been granted since */
	else if (q->action->verb == VERB_DELETE && !str_eq(l->raw_state, s->raw_state))
		*why = arena_printf(q->a, "its state is %s now and was %s in the last poll",
			l->raw_state, s->raw_state);
	else if (!str_eq(q->action->t.kind, "queued") && !str_eq(l->labels, s->labels))
		*why = "its labels are not those of the last poll";
	return E_OK;
}

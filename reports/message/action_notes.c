#include "reports/message/action_notes.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/fix.h"
#include "rules/enforce/enforce.h"

#include <stdlib.h>
#include <string.h>

/* After so long an absence, the daily report has the outcome. */
#define NEWS_FOR (30 * DAY_SECONDS)
#define MAX_NODES 20 /* limit of names in a message */

const char *note_kind_name(enum note_kind k)
{
	static const char *const names[] = {
		"unclear", "outcome", "failing", "held", "warning", "cancelled"};

	return names[k];
}

static enum note_kind notes_kind_of(const char *name)
{
	enum note_kind k = NOTE_UNCLEAR;

	while (k < NOTE_CANCELLED && strcmp(note_kind_name(k), name) != 0)
		k++;
	return k;
}

static enum err_code notes_note_of(struct db *db, const struct q_action_notes *q,
	struct arena *a, struct action_note *out, struct err *e)
{
	*out = (struct action_note){.kind = notes_kind_of(q->note),
		.opens = TS_NONE,
		.tried = ts_of_opt(q->tried),
		.name = q->name,
		.summary = q->summary,
		.type = q->type,
		.provisioning = q->provisioning,
		.owner = q->owner,
		.queued = q->queued,
		.hosts = q->hosts.set ? q->hosts.v : 0,
		.behind = q->behind != 0};
	if (action_get(db, q->action, a, &out->a, e))
		return e->code;
	out->a.remains = q->remains;
	return E_OK;
}

/* Outcomes are reported in every mode: a started action may end after the mode was changed. */
static bool may_tell(const struct action_note *n, const struct settings *s, bool quiet)
{
	bool armed = s->enforcement && s->enforcement->mode == ENFORCE_ARMED;

	switch (n->kind) {
	case NOTE_UNCLEAR:
	case NOTE_OUTCOME:
		return true;
	case NOTE_FAILING:
	case NOTE_HELD:
		return armed;
	case NOTE_WARNING:
		return armed && (!quiet || n->a.severity == SEVERITY_CRITICAL);
	case NOTE_CANCELLED:
		return !quiet;
	}
	return false;
}

static bool is_urgent(const struct action_note *n)
{
	return n->kind < NOTE_WARNING ||
		(n->kind == NOTE_WARNING && n->a.severity == SEVERITY_CRITICAL);
}

/* The grace begins when a channel accepts the warning, and an action that is due outside its window
 * waits for the window. */
static void expect_due(struct action_note *n, const struct settings *s, ts_t now)
{
	const struct rule_action *step = enforce_step(fix_rule(s, n->a.rule), n->a.verb);

	if (n->kind != NOTE_WARNING)
		return;
	if (n->a.due == TS_NONE && step)
		n->a.due = step_due(step, n->a.began, now);
	if (n->a.due != TS_NONE)
		n->a.due = action_due(&n->a, n->a.due);
	n->opens = window_wait(s->enforcement, s->tz, n->a.due, now);
	if (n->opens != TS_NONE)
		n->a.due = n->opens;
}

/* Successful outcomes are reported after actions that are still to happen. */
static int notes_gravity(const struct action_note *n)
{
	bool well = n->kind == NOTE_OUTCOME && n->a.state != ACTION_FAILED;

	return well ? 2 * NOTE_WARNING + 1 : 2 * (int)n->kind;
}

static int by_gravity(const void *pa, const void *pb)
{
	const struct action_note *a = pa, *b = pb;

	if (notes_gravity(a) != notes_gravity(b))
		return notes_gravity(a) - notes_gravity(b);
	if (a->a.due != b->a.due)
		return a->a.due < b->a.due ? -1 : 1;
	return a->a.number < b->a.number ? -1 : a->a.number > b->a.number;
}

/* A warning about a queued resource must name the machines that are deleted with it. */
static enum err_code name_nodes(
	struct db *db, struct action_notes *out, struct arena *a, struct err *e)
{
	for (size_t i = 0; i < out->n; i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		struct action_note *n = &out->v[i];
		struct q_queued_nodes_in in = {.project = n->a.t.project,
			.location = n->a.t.location,
			.name = n->a.t.name};
		struct q_queued_nodes *v;
		size_t n_v;

		if (!str_eq(n->a.t.kind, "queued"))
			continue;
		if (q_queued_nodes_all(db, &in, a, &v, &n_v, e))
			return e->code;
		for (size_t k = 0; k < n_v && k < MAX_NODES; k++)
			sbuf_addf(&b, "%s%s", k ? ", " : "", v[k].name);
		if (n_v > MAX_NODES)
			sbuf_addf(&b, " and %zu more", n_v - MAX_NODES);
		n->nodes = n_v ? arena_strdup(a, b.s) : NULL;
	}
	return E_OK;
}

void action_notes_add(struct action_notes *to, const struct action_note *n, struct arena *a)
{
	to->v = arena_grow(a, to->v, to->n, &to->cap, sizeof(*n));
	to->v[to->n++] = *n;
	to->urgent |= is_urgent(n);
}

enum err_code action_notes_read(struct db *db, const struct channel *c,
	const struct settings *s, ts_t now, struct arena *a, struct action_notes *out,
	struct err *e)
{
	struct q_action_notes_in in = {
		.channel = c->name, .since = now - NEWS_FOR, .late = now - ENFORCE_VERIFY};
	struct q_action_notice_moot_in moot = {.channel = c->name, .since = in.since};
	bool quiet = channel_quiet(c, s->tz, now);
	struct q_action_notes *v;
	size_t n_v;

	*out = (struct action_notes){0};
	if (q_action_notice_moot(db, &moot, e) ||
		q_action_notes_all(db, &in, a, &v, &n_v, e))
		return e->code;
	for (size_t i = 0; i < n_v; i++) {
		struct action_note n;

		if (notes_note_of(db, &v[i], a, &n, e))
			return e->code;
		if (!may_tell(&n, s, quiet) || !channel_is_about(c, n.a.rule, n.a.t.id))
			continue;
		expect_due(&n, s, now);
		action_notes_add(out, &n, a);
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_gravity);
	return name_nodes(db, out, a, e);
}

enum err_code action_notes_mark(struct db *db, const struct action_notes *n,
	const char *channel, const char *message, struct err *e)
{
	for (size_t i = 0; i < n->n; i++) {
		struct q_action_notice_put_in in = {.action = n->v[i].a.number,
			.kind = note_kind_name(n->v[i].kind),
			.channel = channel,
			.message = message};

		if (q_action_notice_put(db, &in, e))
			return e->code;
	}
	return E_OK;
}

enum err_code action_notes_renew(
	struct db *db, const char *channel, bool is_new, ts_t now, struct err *e)
{
	struct q_action_notice_unsaid_in unsaid = {
		.channel = channel, .since = now - NEWS_FOR};
	struct q_action_notice_past_in past = {.channel = channel, .since = now - NEWS_FOR};

	if (q_action_notice_unsaid(db, &unsaid, e))
		return e->code;
	return is_new ? q_action_notice_past(db, &past, e) : E_OK;
}

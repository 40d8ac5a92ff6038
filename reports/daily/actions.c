/* Actions on machines, planned and done; their savings; what blocks them; and messages that could not be delivered. */
#include "base/str.h"
#include "base/time/civil.h"
#include "reports/message/action_text.h"
#include "reports/daily/internal.h"
#include "reports/message/message.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/guard.h"
#include "rules/enforce/halt.h"

#include <string.h>

#define DONE_SINCE DAY_SECONDS
#define LOST_SINCE (7 * DAY_SECONDS)

static const struct doc_column act_columns[] = {
	{"subject", NULL, DOC_CODE},
	{"name", "what"},
	{"action", "action"},
	{"rule", "rule", .rank = 1},
	{"mode", "mode", .rank = 2},
	{"at", "when"},
	{"id"},
	{"state"},
	{"held"},
	{"reason"},
	{"saves_per_hour", "saves", .rank = 1},
	{"residual_per_hour"},
	{"currency"},
	{"project"},
};

#define ONLY_DELETED "can only be deleted" /* a stop is not possible: nothing is done */

/* One action, or what would be one. */
struct act {
	const struct q_daily_actions *q;
	enum verb verb;
	enum action_state state;
	bool armed, held;
	bool deletes;        /* the machine cannot be stopped, only deleted */
	bool failing;        /* several attempts failed; others follow */
	const char *by_hand; /* then: the command for the user */
	ts_t due;
	ts_t opens; /* `due` is when a window opens; TS_NONE: it is not */
};

static enum enforce_mode acts_mode_of(const struct daily *d)
{
	const struct enforcement *en = d->ask->settings->enforcement;

	return en ? en->mode : ENFORCE_OFF;
}

static const char *act_words(const struct daily *d, const struct act *x)
{
	bool past = x->due != TS_NONE && x->due <= d->now;
	const char *words = "will be";

	if (x->state == ACTION_DONE)
		return verb_past(x->verb);
	if (x->deletes && x->verb == VERB_STOP && x->state <= ACTION_RECHECK)
		return ONLY_DELETED;
	if (x->state == ACTION_FAILED || x->failing)
		words = "could not be";
	else if (action_in_flight(x->state))
		words = "is being";
	else if (!x->armed)
		words = past ? "would have been" : "would be";
	else if (x->held)
		return "held";
	else if (x->state == ACTION_PENDING)
		words = "may be";
	return arena_printf(d->a, "%s %s", words, verb_past(x->verb));
}

static struct act act_of(const struct daily *d, const struct q_daily_actions *q)
{
	struct act x = {.q = q,
		.verb = verb_of(q->verb),
		.state = action_state_of(q->state),
		.armed = acts_mode_of(d) == ENFORCE_ARMED && !strcmp(q->mode, "armed"),
		.held = *q->held != 0,
		.due = ts_of_opt(q->due),
		.opens = TS_NONE};

	x.failing = x.armed && !x.held && enforce_failing(x.state, q->attempts);
	if (x.armed && x.state <= ACTION_RECHECK)
		x.opens = window_wait(d->ask->settings->enforcement, d->tz, x.due, d->now);
	if (x.opens != TS_NONE)
		x.due = x.opens;
	return x;
}

/* The command that undoes, prevents or approves the action. */
static const char *act_command(const struct daily *d, const struct act *x)
{
	const struct q_daily_actions *q = x->q;

	if (x->state == ACTION_DONE)
		return restart_command(&(struct action){.t = {.source = q->source,
								.project = q->project,
								.location = q->location,
								.name = q->name},
					       .verb = x->verb,
					       .restart = q->restart},
			d->a);
	if (x->state == ACTION_FAILED)
		return reason_fix(q->reason, d->a);
	if (!x->armed || x->state > ACTION_RECHECK)
		return NULL;
	if (x->held)
		return guard_lets_approve(q->held)
			? arena_printf(d->a, "tpucost enforce approve %lld",
				  (long long)q->action)
			: NULL;
	if (x->failing)
		return x->by_hand;
	return hold_command(q->resource, d->tz, d->now, d->a);
}

/* ---- the section ------------------------------------------------------------------------------- */

/* Totals over the rows. */
struct acts {
	size_t done, failed, failing, running, approvals;
	const char *next; /* the next one due, armed and not held; NULL: none */
	ts_t due;
	int64_t approve; /* the first that waits for approval */
};

static void acts_count(const struct act *x, struct acts *n)
{
	n->done += x->state == ACTION_DONE;
	n->failed += x->state == ACTION_FAILED;
	n->failing += x->failing;
	n->running += action_in_flight(x->state);
	if (!x->armed || x->state > ACTION_RECHECK)
		return;
	if (x->held && guard_lets_approve(x->q->held)) {
		if (!n->approvals++)
			n->approve = x->q->action;
	} else if (!x->held && !x->failing && x->due != TS_NONE &&
		(!n->next || x->due < n->due)) {
		n->next = x->q->display_name;
		n->due = x->due;
	}
}

static void add_act(struct daily *d, struct doc_section *s, const struct act *x)
{
	const struct q_daily_actions *q = x->q;
	struct doc_row *row = doc_row(s);

	*doc_at(s, row, "subject") = cell_code(q->resource);
	*doc_at(s, row, "name") = cell_text(q->display_name);
	*doc_at(s, row, "action") = cell_text(act_words(d, x));
	*doc_at(s, row, "rule") = cell_text(q->rule);
	*doc_at(s, row, "mode") = cell_text(q->mode);
	*doc_at(s, row, "at") = cell_time(q->ended.set ? q->ended.v : x->due);
	*doc_at(s, row, "id") = cell_int(q->action);
	*doc_at(s, row, "state") = cell_text(action_state_name(x->state));
	*doc_at(s, row, "held") = cell_text(*q->held ? q->held : NULL);
	*doc_at(s, row, "reason") = cell_text(q->reason);
	*doc_at(s, row, "saves_per_hour") = cell_estimate(cell_rate(q->saves, q->currency));
	*doc_at(s, row, "residual_per_hour") = cell_estimate(
		cell_rate(q->residual, q->currency));
	*doc_at(s, row, "currency") = cell_text(q->currency);
	*doc_at(s, row, "project") = cell_text(q->project);
	if ((x->armed && x->held) || x->state == ACTION_FAILED)
		row->detail = reason_without_fix(q->reason, d->a);
	else if (x->failing)
		row->detail = action_failing_words(d->doc, x->verb, x->due, d->a);
	else if (x->opens != TS_NONE)
		row->detail = window_words(d->tz, x->opens, d->a);
	row->command = act_command(d, x);
	row->tone = x->state == ACTION_DONE               ? TONE_GOOD
		: x->state == ACTION_FAILED || x->failing ? TONE_BAD
							  : TONE_WARN;
}

/* Actions without a due time come last; pending ones might never become due. */
static void add_tracked(struct daily *d, struct doc_section *s, struct acts *sums)
{
	struct q_daily_actions_rows rows = {0};

	if (d->actions)
		rows = q_daily_actions_rows(d, .since = d->now - DONE_SINCE);
	for (size_t i = 0; i < rows.n; i++) {
		struct act x = act_of(d, &rows.v[i]);
		const struct q_thing *thing;
		bool listed = true;

		/* the project would have to be listed first */
		if (!x.armed && d->ask->settings->enforcement &&
			d->ask->settings->enforcement->n_projects &&
			guard_project_listed(
				d->db, d->ask->settings, x.q->project, d->a, &listed, d->e))
			return;
		if (!listed)
			continue;
		thing = q_thing_row(d, .id = x.q->resource);
		/* the next run ends it */
		if (thing && thing->held && x.state <= ACTION_RECHECK)
			continue;
		x.deletes = thing && fix_deletes(thing);
		x.by_hand = thing && x.failing ? fix_stop(thing, d->a) : NULL;
		acts_count(&x, sums);
		add_act(d, s, &x);
	}
}

/* Mode off tracks no actions: the firing alerts whose rules would act. */
static void add_untracked(struct daily *d, struct doc_section *s)
{
	struct q_daily_alerts_rows alerts = q_daily_alerts_rows(d);

	for (size_t i = 0; i < alerts.n; i++) {
		const struct rule *r = fix_rule(d->ask->settings, alerts.v[i].rule);
		const struct q_thing *q;
		struct doc_row *row;
		enum verb verb;

		if (!r || !r->then.action || !strcmp(r->then.action, "notify") ||
			alerts.v[i].held)
			continue;
		q = q_thing_row(d, .id = alerts.v[i].subject);
		if (!q || q->held)
			continue;
		verb = verb_of(r->then.action);
		row = doc_row(s);
		*doc_at(s, row, "subject") = cell_code(q->id);
		*doc_at(s, row, "name") = cell_text(q->display_name);
		*doc_at(s, row, "action") = cell_text(verb == VERB_STOP && fix_deletes(q)
				? ONLY_DELETED
				: arena_printf(d->a, "would be %s", verb_past(verb)));
		*doc_at(s, row, "rule") = cell_text(r->name);
		*doc_at(s, row, "mode") = cell_text(enforce_mode_name(acts_mode_of(d)));
		*doc_at(s, row, "at") = cell_time(alerts.v[i].since);
	}
}

static const char *acts_note_of(struct daily *d, const struct acts *n)
{
	const char *mode = enforce_mode_name(acts_mode_of(d));
	const char *failing = n->failing
		? arena_printf(d->a, ", %zu could not be", n->failing)
		: "";

	if (!n->done && !n->failed)
		return acts_mode_of(d) == ENFORCE_ARMED
			? arena_printf(d->a,
				  "Enforcement is armed. No resource was stopped%s.",
				  failing)
			: NULL;
	return arena_printf(d->a,
		"Enforcement is %s. Last 24 hours: %zu stopped or deleted%s%s.", mode,
		n->done, !n->failed ? "" : arena_printf(d->a, ", %zu failed", n->failed),
		failing);
}

/* ---- in a line, for the status screen ---------------------------------------------------------- */

static const struct doc_column enforce_columns[] = {
	{"mode", "mode", DOC_TEXT},
	{"next", "next", DOC_TEXT},
	{"due", "when", DOC_TIME},
	{"halted", "halted by", DOC_TEXT, .rank = 1},
	{"approvals", "to approve", DOC_INT},
	{"in_flight", "under way", DOC_INT, .rank = 1},
	{"restored", "not armed because", DOC_TEXT, .rank = 1},
	{"standby", "standby for", DOC_TEXT, .rank = 1},
};

/* The report has it only when it waits for the user; the status screen always. */
static void acts_add_enforcement(struct daily *d, const struct acts *n)
{
	const struct enforcement *en = d->ask->settings->enforcement;
	const char *path = NULL, *acts, *fault;
	bool halted = en && halt_found(en, d->db, d->a, &path), waits;
	struct generation_look look;
	struct doc_section *s;
	struct doc_row *row;

	if (generation_look(d->db, d->ask->settings, NULL, d->a, &look, d->e) ||
		standby_for(d->db, en, d->a, &acts, d->e) ||
		lease_fault(d->db, en, d->a, &fault, d->e))
		return;
	waits = acts || fault || halted || look.why || n->approvals;
	s = doc_section(d->doc, "enforcement", waits ? "Enforcement" : NULL,
		enforce_columns, ARRAY_LEN(enforce_columns));
	row = doc_row(s);
	*doc_at(s, row, "mode") = cell_text(enforce_mode_name(acts_mode_of(d)));
	*doc_at(s, row, "next") = cell_text(n->next);
	*doc_at(s, row, "due") = cell_time(n->next ? n->due : TS_NONE);
	*doc_at(s, row, "halted") = cell_text(halted ? arena_strdup(d->a, path) : NULL);
	*doc_at(s, row, "approvals") = cell_int((int64_t)n->approvals);
	*doc_at(s, row, "in_flight") = cell_int((int64_t)n->running);
	*doc_at(s, row, "restored") = cell_text(look.why);
	*doc_at(s, row, "standby") = cell_text(acts);
	s->tone = waits ? TONE_WARN : TONE_PLAIN;
	row->tone = s->tone;
	if (acts) {
		row->detail = arena_printf(d->a,
			"This machine is a standby: %s holds the lease, and this one does "
			"not poll. Run tpucost there.",
			acts);
	} else if (fault) {
		row->detail = arena_printf(d->a,
			"No resource is stopped while the lease is unknown: %s.", fault);
	} else if (look.why) {
		row->detail = arena_printf(d->a,
			"No resource is stopped, because %s. To start every action over "
			"from its warning, run:",
			look.why);
		row->command = "tpucost enforce resume";
	} else if (halted) {
		row->detail = "No resource is stopped until you resume enforcement:";
		row->command = "tpucost enforce resume";
	} else if (n->approvals) {
		row->detail = arena_printf(d->a, "%zu %s for approval.", n->approvals,
			daily_plural(n->approvals, "action waits", "actions wait"));
		row->command = arena_printf(
			d->a, "tpucost enforce approve %lld", (long long)n->approve);
	}
}

/* ---- together ---------------------------------------------------------------------------------- */

static void add_receipts(struct daily *d)
{
	int year, month, day;
	ts_t from;

	civil_from_day(d->present, &year, &month, &day);
	from = tz_day_start(d->tz, d->present - (day - 1));
	receipts_section(DB_READER(d), from, d->now + 1, "Stopped this month", d->doc);
}

/* Automatic actions come directly after the actions to take. */
static void put_after_todo(struct daily *d, size_t from)
{
	struct doc *doc = d->doc;
	struct doc_section *moved[4];
	size_t n = doc->n - from, to = 0;

	memcpy(moved, doc->sections + from, n * sizeof(*moved));
	while (to < from && strcmp(doc->sections[to]->key, "do_now") != 0)
		to++;
	if (to++ == from)
		return;
	to += d->n_follow > 0; /* and after what follows from them */
	memmove(doc->sections + to + n, doc->sections + to, (from - to) * sizeof(*moved));
	memcpy(doc->sections + to, moved, n * sizeof(*moved));
}

static void add_actions(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "actions", "Actions on machines",
		"actions", act_columns, ARRAY_LEN(act_columns));
	size_t from = d->doc->n - 1;
	struct acts n = {0};

	s->more = "tpucost enforce";
	if (acts_mode_of(d) == ENFORCE_OFF)
		add_untracked(d, s);
	add_tracked(d, s, &n);
	if (acts_mode_of(d) != ENFORCE_ARMED && !n.done && !n.failed)
		s->title = arena_printf(d->a,
			"Planned stops (enforcement %s: no resource is stopped)",
			enforce_mode_name(acts_mode_of(d)));
	s->note = acts_note_of(d, &n);
	acts_add_enforcement(d, &n);
	if (n.done || n.failed || n.failing || n.running || n.approvals || n.next) {
		s->brief = true;
		put_after_todo(d, from);
	}
	add_receipts(d);
}

/* ---- messages ---------------------------------------------------------------------------------- */

static const struct doc_column lost_columns[] = {
	{"channel", "channel"},
	{"kind", "kind", .rank = 1},
	{"subject", "message"},
	{"at", "undeliverable since", .rank = 1},
	{"attempts"},
	{"error"},
	{"id", .type = DOC_INT},
};

static void add_lost(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "lost_messages",
		"Messages that could not be delivered", "notifications", lost_columns,
		ARRAY_LEN(lost_columns));
	const char *channel = NULL, *error = NULL;
	struct doc_row *row;
	struct db_rows rows = q_daily_lost_read(d, .since = d->now - LOST_SINCE);

	s->tone = TONE_WARN;
	while ((row = doc_read(s, &rows))) {
		const char *this_channel = doc_at(s, row, "channel")->text;
		const char *this_error = doc_at(s, row, "error")->text;

		/* newest first; a repeated error is shown once for a channel */
		if (!str_eq(this_channel, channel) || !str_eq(this_error, error))
			row->detail = this_error;
		channel = this_channel;
		error = this_error;
	}
}

void daily_add_acts(struct daily *d)
{
	add_actions(d);
	add_lost(d);
}

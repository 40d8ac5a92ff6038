#include "reports/message/action_text.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "reports/shared.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/guard.h"

#include <string.h>

#define TIME_OF_DAY 11 /* in "2026-11-21 19:10" */

/* ---- rules ------------------------------------------------------------------------------------- */

static const char *step_text(const struct rule_action *s, struct arena *a)
{
	char grace[DURATION_BUF], after[DURATION_BUF];

	return arena_printf(a, "%s %s%safter a grace of %s, %s", s->action,
		s->after ? duration_format(s->after, after) : "",
		s->after ? " later, " : "",
		s->grace ? duration_format(s->grace, grace) : "0",
		s->armed ? "armed" : "not armed");
}

const char *action_steps_text(const struct rule *r, struct arena *a)
{
	enum verb verb;

	if (!enforce_acts(r, &verb))
		return NULL;
	return r->later.action ? arena_printf(a, "%s; then %s", step_text(&r->then, a),
					 step_text(&r->later, a))
			       : step_text(&r->then, a);
}

/* ---- figures ----------------------------------------------------------------------------------- */

const char *action_when(const struct doc *d, ts_t t)
{
	const char *text = moment_text(d, t);

	return tz_day(d->tz, t) == tz_day(d->tz, d->now) ? text + TIME_OF_DAY : text;
}

const char *action_failing_words(
	const struct doc *d, enum verb verb, ts_t next, struct arena *a)
{
	bool now = next <= d->now;

	return arena_printf(a, "could not be %s: attempts failed, the next %s%s",
		verb_past(verb), now ? "follows now" : "at ",
		now ? "" : action_when(d, next));
}

static const char *rate(const struct action *x, struct opt_i64 v, struct arena *a)
{
	return arena_printf(a, "about %s/h", money_words(a, v.v, x->currency));
}

struct opt_i64 action_cost(const struct action *x, ts_t now)
{
	ts_t end = x->sent != TS_NONE ? x->sent : x->ended != TS_NONE ? x->ended : now;
	int64_t nanos;

	if (!x->saves.set || x->started == TS_NONE || end < x->started ||
		!nanos_muldiv(x->saves.v, end - x->started, HOUR_SECONDS, &nanos))
		return NONE;
	return SOME(nanos);
}

/* ---- commands ---------------------------------------------------------------------------------- */

/* The command for a user to do what tpucost could not do. */
static const char *by_hand(const struct action_note *n, struct arena *a)
{
	const struct target *t = &n->a.t;
	struct q_thing thing = {.kind = t->kind,
		.source = t->source,
		.project = t->project,
		.location = t->location,
		.name = t->name,
		.state = "running",
		.provisioning = n->provisioning,
		.queued = n->queued,
		.hosts = SOME(n->hosts),
		.slice_group = t->group};

	return fix_stop(&thing, a);
}

static bool is_wrong(const struct action *x)
{
	return !strncmp(x->reason, ENFORCE_WRONG, strlen(ENFORCE_WRONG));
}

/* An action that a live check forbade permanently is not recommended either: it would lose data. */
static const char *mending(const struct action_note *n, struct arena *a)
{
	const char *fix = n->kind == NOTE_UNCLEAR ? NULL : reason_fix(n->a.reason, a);

	if (!strncmp(n->a.reason, ENFORCE_NEVER, strlen(ENFORCE_NEVER)))
		return NULL;
	if (is_wrong(&n->a))
		return restart_command(&n->a, a);
	return fix ? fix : by_hand(n, a);
}

/* If an action cannot be approved, the user must fix the problem or act manually. */
static const char *held_command(const struct action_note *n, struct arena *a)
{
	const char *fix = reason_fix(n->a.reason, a);

	if (guard_lets_approve(n->a.held))
		return arena_printf(
			a, "tpucost enforce approve %lld", (long long)n->a.number);
	return fix ? fix : by_hand(n, a);
}

const char *action_command(
	const struct doc *d, const struct action_note *n, struct arena *a)
{
	switch (n->kind) {
	case NOTE_WARNING:
		return hold_command(n->a.t.id, d->tz, d->now, a);
	case NOTE_HELD:
		return held_command(n, a);
	case NOTE_UNCLEAR:
	case NOTE_FAILING:
		return mending(n, a);
	case NOTE_OUTCOME:
		return n->a.state == ACTION_FAILED ? mending(n, a)
						   : restart_command(&n->a, a);
	case NOTE_CANCELLED:
		return NULL;
	}
	return NULL;
}

/* It is announced again, because attempts failed. */
static bool note_fails(const struct action_note *n)
{
	return n->kind == NOTE_WARNING && n->a.attempts;
}

/* ---- in a line --------------------------------------------------------------------------------- */

const char *action_words(const struct action_note *n, struct arena *a)
{
	static const char *const words[] = {[NOTE_OUTCOME] = "could not be",
		[NOTE_FAILING] = "could not be",
		[NOTE_HELD] = "not",
		[NOTE_WARNING] = "will be",
		[NOTE_CANCELLED] = "will not be"};
	const char *past = verb_past(n->a.verb);
	enum note_kind kind = note_fails(n) ? NOTE_FAILING : n->kind;

	if (n->kind == NOTE_UNCLEAR)
		return n->a.verb == VERB_DELETE ? "may still exist"
						: "may still be running";
	if (n->kind == NOTE_OUTCOME && n->a.state != ACTION_FAILED)
		return past;
	return arena_printf(
		a, "%s %s%s", words[kind], past, kind == NOTE_FAILING ? " yet" : "");
}

/* Time of the event. A warning without a grace is due now. */
static const char *news_time(
	const struct doc *d, const struct action_note *n, struct arena *a)
{
	const char *next = note_fails(n) ? ", next attempt" : "";

	if (n->kind == NOTE_OUTCOME && n->a.state == ACTION_DONE && n->a.ended != TS_NONE)
		return arena_printf(a, " at %s", action_when(d, n->a.ended));
	if (n->kind != NOTE_WARNING)
		return "";
	if (n->opens != TS_NONE)
		return arena_printf(a, "%s, %s", next, window_words(d->tz, n->opens, a));
	if (n->a.due == TS_NONE)
		return arena_printf(a, "%s when its grace ends", next);
	if (n->a.due <= d->now)
		return arena_printf(a, "%s now", next);
	return arena_printf(a, "%s at %s", next, action_when(d, n->a.due));
}

const char *action_news(const struct doc *d, const struct action_note *n, struct arena *a)
{
	return arena_printf(a, "%s %s%s%s%s", n->name, action_words(n, a),
		news_time(d, n, a), n->kind == NOTE_HELD ? ": " : "",
		n->kind == NOTE_HELD ? reason_without_fix(n->a.reason, a) : "");
}

const char *action_line(const struct doc *d, const struct action_note *n, struct arena *a)
{
	const struct target *t = &n->a.t;
	bool held = n->kind == NOTE_HELD;

	return arena_printf(a, "%s (%s%s%s, project %s) %s%s%s%s", t->name,
		n->type ? n->type : "", n->type ? " in " : "", t->location, t->project,
		action_words(n, a), news_time(d, n, a), held ? ": " : "",
		held ? action_command(d, n, a) : "");
}

/* ---- in sentences ------------------------------------------------------------------------------ */

struct saying {
	const struct doc *d;
	const struct action_note *n;
	const struct action *x;
	struct arena *a;
	struct sbuf b;
};

static void acted_say(struct saying *s, const char *fmt, ...) printf_like(2, 3);
static void acted_say(struct saying *s, const char *fmt, ...)
{
	if (s->b.len)
		sbuf_addc(&s->b, ' ');
	sbuf_add_args(&s->b, fmt);
}

/* Texts from other sources may end with or without a full stop. */
static void say_reason(struct saying *s, const char *before, const char *reason)
{
	size_t len = strlen(reason);
	bool ends = len && strchr(".!?", reason[len - 1]);

	if (len)
		acted_say(s, "%s%s%s", before, reason, ends ? "" : ".");
}

static void say_why(struct saying *s)
{
	const struct action *x = s->x;

	/* the alert was about the time before it was stopped */
	if (x->follows)
		acted_say(s,
			"Rule %s stopped it (action %lld), and it was not started since.",
			x->rule, (long long)x->follows);
	else
		say_reason(s, arena_printf(s->a, "Rule %s: ", x->rule),
			s->n->summary ? s->n->summary : "its condition is met");
}

static void say_costs_on(struct saying *s)
{
	if (s->x->saves.set)
		acted_say(s, "It still costs %s.", rate(s->x, s->x->saves, s->a));
	else
		acted_say(s, "Its cost is unknown.");
}

static void say_residual(struct saying *s)
{
	const struct action *x = s->x;

	if (!x->residual.set && x->remains && *x->remains)
		acted_say(s, "Its disks and addresses still cost about %s.", x->remains);
	else if (!x->residual.set && !x->remains)
		acted_say(s, "The cost of its disks and addresses after that is unknown.");
	else if (x->residual.v)
		acted_say(s, "Its disks and addresses still cost %s.",
			rate(x, x->residual, s->a));
	else
		acted_say(s,
			"None of its listed disks and addresses costs anything after "
			"that.");
}

/* ---- before ------------------------------------------------------------------------------------ */

static void say_when(struct saying *s)
{
	const struct action *x = s->x;
	/* "It (v3-8 in us-central1-b, project p) will be stopped" */
	const char *it = arena_printf(s->a, "It (%s%s%s, project %s) %s",
		s->n->type ? s->n->type : "", s->n->type ? " in " : "", x->t.location,
		x->t.project, action_words(s->n, s->a));

	if (note_fails(s->n))
		it = arena_printf(s->a, "%s: attempts failed%s%s. The next follows", it,
			s->n->tried == TS_NONE ? "" : ", the first at ",
			s->n->tried == TS_NONE ? "" : moment_text(s->d, s->n->tried));
	if (s->n->opens != TS_NONE)
		acted_say(s, "%s, %s.", it, window_words(s->d->tz, s->n->opens, s->a));
	else if (x->due == TS_NONE)
		acted_say(s, "%s when its grace ends.", it);
	else if (x->due <= s->d->now)
		acted_say(s, "%s now.", it);
	else
		acted_say(s, "%s at %s (%s).", it, moment_text(s->d, x->due),
			tz_name(s->d->tz));
	if (*x->held && !(s->n->opens != TS_NONE && str_eq(x->held, "window")))
		say_reason(s,
			arena_printf(s->a,
				"It is on hold now (%s), and continues later: ", x->held),
			x->reason);
}

/* The summary "It costs 8.00 USD an hour." has the figure already. */
static bool summary_says(const struct saying *s, struct opt_i64 v)
{
	const char *text = s->n->summary, *figure;

	if (!text || !v.set)
		return false;
	figure = money_words(s->a, v.v, s->x->currency);
	for (const char *p = text; (p = strstr(p, figure)); p++)
		if (p == text || !strchr("0123456789.,-", p[-1]))
			return true;
	return false;
}

static void say_saves(struct saying *s)
{
	if (s->x->saves.set)
		acted_say(s, "That saves %s.", rate(s->x, s->x->saves, s->a));
	else
		acted_say(s, "The saving is unknown.");
}

static void say_warning(struct saying *s)
{
	say_when(s);
	say_why(s);
	if (!summary_says(s, s->x->saves))
		say_saves(s);
	say_residual(s);
	if (s->x->verb == VERB_DELETE && s->x->frees)
		acted_say(s, "That frees %s.", s->x->frees);
	if (s->x->verb == VERB_DELETE && s->n->nodes)
		acted_say(s, "Its TPUs are deleted with it: %s.", s->n->nodes);
	acted_say(s,
		s->x->verb == VERB_DELETE
			? "It must then be created again, and its data is lost, with every "
			  "disk that is deleted together with it."
			: "Its disks and their data stay.");
	acted_say(s, "To prevent it:");
}

static void say_held(struct saying *s)
{
	say_reason(s, "", reason_without_fix(s->x->reason, s->a));
	say_why(s);
	say_costs_on(s);
	acted_say(s,
		guard_lets_approve(s->x->held)           ? "To approve it:"
			: reason_fix(s->x->reason, s->a) ? "To fix it:"
							 : "To do it manually:");
}

/* ---- after ------------------------------------------------------------------------------------- */

static void say_done(struct saying *s)
{
	const struct action *x = s->x;
	struct opt_i64 cost = action_cost(x, s->d->now);
	char took[DURATION_BUF], ran[DURATION_BUF];

	if (x->sent == TS_NONE || x->ended == TS_NONE || x->ended < x->sent)
		say_reason(s, "", x->reason);
	else
		acted_say(s, "It was %s at %s (%s), %s after Google was asked.",
			verb_past(x->verb), moment_text(s->d, x->ended), tz_name(s->d->tz),
			duration_format(x->ended - x->sent, took));
	say_why(s);
	if (s->n->owner)
		acted_say(s, "Its owner is %s.", s->n->owner);
	if (cost.set)
		acted_say(s, "It ran for %s and cost about %s in that time.",
			duration_format(
				(x->sent != TS_NONE ? x->sent : x->ended) - x->started,
				ran),
			money_words(s->a, cost.v, x->currency));
}

static void acted_say_saved(struct saying *s)
{
	const struct action *x = s->x;
	int64_t month;

	if (x->saves.set && nanos_muldiv(x->saves.v, HOURS_A_MONTH, 1, &month))
		acted_say(s, "That saves %s, about %s a month.", rate(x, x->saves, s->a),
			money_words(s->a, month, x->currency));
	else
		say_saves(s);
	say_residual(s);
	if (x->verb == VERB_DELETE && x->frees)
		acted_say(s, "It freed %s.", x->frees);
	if (restart_command(x, s->a))
		acted_say(s, "%s",
			x->verb == VERB_DELETE ? "To create it again:"
					       : "To start it again:");
}

/* A rule whose action failed in this way does not act in that project until a user resumes it. */
static bool is_disarmed(const struct action *x, struct arena *a)
{
	bool refused = !strncmp(x->reason, "Google refuses: ", strlen("Google refuses: "));

	return is_wrong(x) || (refused && reason_fix(x->reason, a));
}

/* " (id 123)" of the machine that has taken the name, from the sentence that contains it. */
static const char *other_id(const struct action *x, struct arena *a)
{
	const char *at = strstr(x->reason, "(id "), *end = at ? strchr(at, ')') : NULL;

	return end ? arena_printf(a, " %.*s", (int)(end + 1 - at), at) : "";
}

/* The intended machine is gone and costs nothing: the message is about the other machine. */
static void say_what_was_hit(struct saying *s)
{
	const struct target *t = &s->x->t;

	acted_say(s,
		"%s (id %s), the intended machine, is gone. Check the machine that is %s%s "
		"in %s, project %s, now%s.",
		t->name, t->uid, t->name, other_id(s->x, s->a), t->location, t->project,
		s->x->verb == VERB_STOP ? ": if it is stopped, start it again"
					: ": if it is deleted, it must be created again");
}

static void say_failed(struct saying *s)
{
	say_reason(s, "", reason_without_fix(s->x->reason, s->a));
	say_why(s);
	if (is_wrong(s->x))
		say_what_was_hit(s);
	else
		say_costs_on(s);
	if (!is_disarmed(s->x, s->a))
		acted_say(s,
			"tpucost tries again only after the machine is restarted or the "
			"rule is changed.");
	if (reason_fix(s->x->reason, s->a))
		acted_say(s, "To fix that:");
	else if (mending(s->n, s->a))
		acted_say(s,
			is_wrong(s->x) ? "To start the affected machine:"
				       : "To do it manually:");
}

static void say_failing(struct saying *s)
{
	say_reason(s, "", reason_without_fix(s->x->reason, s->a));
	say_why(s);
	say_costs_on(s);
	acted_say(s,
		"tpucost tries again, at least every 6 hours, as long as the rule "
		"matches.");
	acted_say(
		s, reason_fix(s->x->reason, s->a) ? "To fix that:" : "To do it manually:");
}

static void say_unclear(struct saying *s)
{
	const struct action *x = s->x;
	ts_t sent = x->sent != TS_NONE ? x->sent : x->intent;

	acted_say(s, "At %s (%s) tpucost asked Google to %s it; the outcome is unknown.",
		moment_text(s->d, sent), tz_name(s->d->tz), verb_name(x->verb));
	say_reason(s, "", x->reason);
	if (x->saves.set)
		acted_say(s, "It may still be running and costs %s.",
			rate(x, x->saves, s->a));
	else
		acted_say(s, "It may still be running; its cost is unknown.");
	acted_say(s, "To do it manually:");
}

const char *action_also(const struct action_note *n, struct arena *a, const char **command)
{
	const struct action *x = &n->a;

	*command = NULL;
	if (note_fails(n)) {
		*command = mending(n, a);
		return "To do it manually:";
	}
	if (n->kind == NOTE_WARNING && x->verb == VERB_STOP) {
		*command = restart_command(x, a);
		return "To start it again after that:";
	}
	if (n->kind != NOTE_OUTCOME || x->state != ACTION_FAILED || !is_disarmed(x, a))
		return NULL;
	*command = "tpucost enforce resume";
	return arena_printf(a,
		"Then, to allow the rule to act in project %s again, with a warning first:",
		x->t.project);
}

const char *action_detail(const struct doc *d, const struct action_note *n, struct arena *a)
{
	struct saying s = {.d = d, .n = n, .x = &n->a, .a = a, .b = SBUF_INIT};
	const char *text;

	switch (n->kind) {
	case NOTE_WARNING:
		say_warning(&s);
		break;
	case NOTE_HELD:
		say_held(&s);
		break;
	case NOTE_UNCLEAR:
		say_unclear(&s);
		break;
	case NOTE_FAILING:
		say_failing(&s);
		break;
	case NOTE_OUTCOME:
		if (n->a.state == ACTION_FAILED) {
			say_failed(&s);
		} else {
			say_done(&s);
			acted_say_saved(&s);
		}
		break;
	case NOTE_CANCELLED:
		say_reason(&s, "", n->a.reason);
		break;
	}
	text = arena_strdup(a, s.b.s);
	sbuf_done(&s.b);
	return text;
}

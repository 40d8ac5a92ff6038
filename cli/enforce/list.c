/* Text form of the enforcement plan. */
#include "cli/enforce/enforce.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "reports/message/action_text.h"
#include "reports/shared.h"
#include "rules/enforce/enforce.h"

#include <string.h>

#define DEFAULT_WIDTH 80
#define INDENT 4

struct listing {
	struct app *app;
	const struct plan *p;
	const struct doc *doc; /* the form of times */
	struct sbuf b;
	size_t width;
	size_t shown; /* items of p->items within --limit */
	bool part;    /* p->items are those that the user selected */
};

static void list_add_text(struct listing *l, size_t indent, const char *text)
{
	sbuf_pad(&l->b, ' ', indent);
	sbuf_add_wrapped(&l->b, text, indent, indent, l->width);
}

/* "2026-11-21 15:11" in the configured zone */
static const char *list_local(struct listing *l, ts_t t)
{
	char at[TZ_TIME_BUF];

	return arena_strdup(&l->app->arena, tz_time(l->app->cfg->tz, t, at));
}

static const char *list_amount(struct listing *l, int64_t nanos, const char *currency)
{
	char buf[NANOS_BUF];

	return arena_printf(
		&l->app->arena, "%s %s", nanos_format_short(nanos, buf), currency);
}

/* ---- settings ---------------------------------------------------------------------------------- */

static void add_mode(struct listing *l, const struct enforcement *en)
{
	static const char *const texts[] = {
		[ENFORCE_OFF] = "Mode off: nothing is planned or stopped.",
		[ENFORCE_DRY_RUN] =
			"Mode dry-run: nothing is stopped. This is what would be done. "
			"To enable actions: docs/enforce.md",
		[ENFORCE_ARMED] = "Mode armed.",
	};
	struct arena *a = &l->app->arena;

	list_add_text(l, 0, texts[en->mode]);
	if (l->p->standby)
		list_add_text(l, 0,
			arena_printf(a,
				"STANDBY: %s holds the lease. This machine does not act, "
				"poll "
				"or send messages.",
				l->p->standby));
	if (l->p->lease)
		list_add_text(l, 0,
			arena_printf(a,
				"BLOCKED: nothing is stopped while the lease is unknown: "
				"%s",
				l->p->lease));
	if (l->p->restored)
		list_add_text(l, 0,
			arena_printf(a,
				"NOT ARMED: actions are blocked for this database: %s. "
				"All actions start over from their warning after: tpucost "
				"enforce "
				"resume",
				l->p->restored));
	if (l->p->halt)
		list_add_text(l, 0,
			arena_printf(a,
				"HALTED by %s: nothing is stopped until: tpucost enforce "
				"resume",
				l->p->halt));
}

static void list_add_projects(struct listing *l, const struct enforcement *en)
{
	cleanup(sbuf_done) struct sbuf t = SBUF_INIT;

	sbuf_addf(
		&t, "Projects where actions are allowed: %s", en->n_projects ? "" : "none");
	for (size_t i = 0; i < en->n_projects; i++)
		sbuf_addf(&t, "%s%s", i ? ", " : "", en->projects[i]);
	if (l->p->unlisted)
		sbuf_addf(
			&t, "; matches in other projects, not shown: %zu", l->p->unlisted);
	list_add_text(l, 0, t.s);
}

/* Returns false if no rule has an action. */
static bool list_add_rules(struct listing *l, const struct settings *s)
{
	cleanup(sbuf_done) struct sbuf t = SBUF_INIT;
	bool any;

	for (size_t i = 0; i < s->n_rules; i++) {
		const char *text = action_steps_text(&s->rules[i], &l->app->arena);

		if (text && s->rules[i].enabled)
			sbuf_addf(&t, "%s%s (%s)",
				t.len ? ", " : "Rules with actions: ", s->rules[i].name,
				text);
	}
	any = t.len > 0;
	list_add_text(l, 0,
		any ? t.s
		    : "No rule has `then: {action: stop}`; see: tpucost help enforce");
	return any;
}

static void add_limits(struct listing *l, const struct enforcement *en)
{
	cleanup(sbuf_done) struct sbuf t = SBUF_INIT;

	sbuf_addf(&t,
		"Limits: %lld per run; used %lld of %lld per hour, %lld of %lld per day",
		(long long)en->max_per_run, (long long)l->p->in_hour,
		(long long)en->max_per_hour, (long long)l->p->in_day,
		(long long)en->max_per_day);
	if (en->allow_delete)
		sbuf_addf(&t, ", %lld of %lld deletions per hour", (long long)l->p->deletes,
			(long long)en->max_deletes_per_hour);
	list_add_text(l, 0, t.s);
}

/* ---- actions ----------------------------------------------------------------------------------- */

enum group { UNDER_WAY, TO_DO, KEPT_BACK, CLEARING, OVER, N_GROUPS };

static enum group list_group_of(const struct plan_item *i)
{
	if (action_over(i->action.state))
		return i->holds && i->action.state != ACTION_DONE ? KEPT_BACK : OVER;
	if (action_in_flight(i->action.state))
		return UNDER_WAY;
	if (!i->holds)
		return CLEARING;
	return i->todo ? TO_DO : KEPT_BACK;
}

static const char *heading(const struct enforcement *en, enum group g)
{
	static const char *const texts[] = {
		[UNDER_WAY] = "In progress",
		[KEPT_BACK] = "Blocked",
		[CLEARING] = "No longer matches; the next run ends it",
		[OVER] = "Over",
	};

	if (g == TO_DO)
		return en->mode == ENFORCE_ARMED ? "Planned" : "Would be done";
	return texts[g];
}

static void add_when(struct listing *l, struct sbuf *t, const struct plan_item *i)
{
	const struct action *x = &i->action;

	if (x->ended != TS_NONE)
		sbuf_addf(t, "%s %s", action_state_name(x->state), list_local(l, x->ended));
	else if (action_in_flight(x->state))
		sbuf_addf(t, "%s since %s", action_state_name(x->state),
			list_local(l, x->since));
	else if (i->due == TS_NONE)
		sbuf_addf(t, "%s", action_state_name(x->state));
	else if (i->opens != TS_NONE)
		sbuf_adds(t, window_words(l->app->cfg->tz, i->opens, &l->app->arena));
	else if (i->due <= l->app->now)
		sbuf_adds(t, "due now");
	else
		sbuf_addf(t, "not before %s", list_local(l, i->due));
}

static void list_add_money(struct listing *l, struct sbuf *t, const struct action *x)
{
	if (x->state == ACTION_SUPERSEDED || x->state == ACTION_CLEARED)
		return;
	if (!x->saves.set || !x->currency) {
		sbuf_adds(t, "; saving unknown");
		return;
	}
	sbuf_addf(t, "; saves %s an hour", list_amount(l, x->saves.v, x->currency));
	if (x->residual.set && x->residual.v)
		sbuf_addf(t, "; disks and addresses still cost %s an hour",
			list_amount(l, x->residual.v, x->currency));
	else if (!x->residual.set && x->remains && *x->remains)
		sbuf_addf(t, "; disks and addresses still cost %s", x->remains);
}

/* PROJECT/NAME where machines of two projects have the name. */
static const char *list_name(const struct listing *l, const struct action *x)
{
	for (size_t i = 0; i < l->p->n; i++) {
		const struct action *other = &l->p->items[i].action;

		if (str_eq(other->t.name, x->t.name) &&
			!str_eq(other->t.project, x->t.project))
			return arena_printf(
				&l->app->arena, "%s/%s", x->t.project, x->t.name);
	}
	return x->t.name;
}

static void list_add_head(struct listing *l, const struct plan_item *i)
{
	const struct action *x = &i->action;
	cleanup(sbuf_done) struct sbuf t = SBUF_INIT;

	sbuf_addf(&t, "%s %s", verb_name(x->verb), list_name(l, x));
	if (i->type)
		sbuf_addf(&t, " (%s)", i->type);
	sbuf_adds(&t, ": ");
	add_when(l, &t, i);
	list_add_money(l, &t, x);
	list_add_text(l, 2, t.s);
}

/* Adds a command, never broken: a broken command cannot be pasted. */
static void list_add_command(struct listing *l, const char *words, const char *command)
{
	if (!command)
		return;
	list_add_text(l, INDENT, words);
	sbuf_pad(&l->b, ' ', INDENT + 2);
	sbuf_add_term(&l->b, command);
	sbuf_addc(&l->b, '\n');
}

/* The second step follows if the machine stays stopped. */
static void list_add_next(struct listing *l, struct sbuf *t, const struct plan_item *i)
{
	const struct rule_action *later = &i->rule->later;
	char after[DURATION_BUF];

	sbuf_addf(t, "; deleted %s later, not before %s",
		duration_format(later->after, after), list_local(l, i->later));
	if (!later->armed)
		sbuf_adds(t, " (not armed)");
}

static void list_add_why(struct listing *l, const struct plan_item *i)
{
	const struct action *x = &i->action;
	struct arena *a = &l->app->arena;
	bool fails = !i->anew && enforce_failing(x->state, x->attempts);
	cleanup(sbuf_done) struct sbuf t = SBUF_INIT;

	sbuf_addf(&t, "rule %s", x->rule);
	if (fails)
		sbuf_addf(&t, "; action %lld %s", (long long)x->number,
			action_failing_words(l->doc, x->verb,
				i->due != TS_NONE ? i->due : x->next_at, a));
	else if (x->number)
		sbuf_addf(&t, "; action %lld, %s", (long long)x->number,
			i->anew ? "which the next run starts again, with a warning, "
				  "because the rule or the mode was changed"
				: action_state_name(x->state));
	if (i->later != TS_NONE && !i->anew)
		list_add_next(l, &t, i);
	/* else the guard or the words above have the reason */
	if (*x->reason && !*x->held && !i->anew &&
		(!fails || str_starts(x->reason, "attempt ")))
		sbuf_addf(&t, ": %s", reason_without_fix(x->reason, a));
	list_add_text(l, INDENT, t.s);
}

/* Adds commands: to fix the problem, to allow the action, or to undo it. */
static void list_add_commands(struct listing *l, const struct plan_item *i)
{
	const struct action *x = &i->action;
	struct arena *a = &l->app->arena;
	bool waits = !action_over(x->state) && !action_in_flight(x->state);

	if (x->state == ACTION_DONE)
		list_add_command(l,
			x->verb == VERB_DELETE ? "to create it again:"
					       : "to start it again:",
			restart_command(x, a));
	if (x->state == ACTION_FAILED)
		list_add_command(l, "to fix that:", reason_fix(x->reason, a));
	if (i->holds && waits && *x->held && guard_lets_approve(x->held))
		list_add_command(l, "to allow it:",
			arena_printf(
				a, "tpucost enforce approve %lld", (long long)x->number));
}

/* Adds sentences on what blocks it. Switches are the same for many actions, and are one line. */
static void add_guards(struct listing *l, const struct plan_item *i)
{
	cleanup(sbuf_done) struct sbuf switches = SBUF_INIT;

	for (size_t k = 0; k < i->n_no; k++) {
		const struct guard_no *no = &i->no[k];

		if (i->todo && plan_switch(no->name))
			sbuf_addf(&switches, "%s%s",
				switches.len ? ", " : "only blocked by: ", no->name);
		else
			list_add_text(l, INDENT,
				arena_printf(
					&l->app->arena, "%s: %s", no->name, no->reason));
	}
	if (switches.len)
		list_add_text(l, INDENT, switches.s);
}

static void list_add_item(struct listing *l, const struct plan_item *i)
{
	list_add_head(l, i);
	list_add_why(l, i);
	if (i->action.state != ACTION_DONE)
		add_guards(l, i);
	list_add_commands(l, i);
	sbuf_pad(&l->b, ' ', INDENT);
	sbuf_add_term(&l->b, i->action.t.id);
	sbuf_addc(&l->b, '\n');
}

static void list_add_group(struct listing *l, const struct enforcement *en, enum group g)
{
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < l->p->n; i++) {
		bool in = list_group_of(&l->p->items[i]) == g;

		n += in;
		shown += in && i < l->shown;
	}
	if (!n)
		return;
	if (shown < n)
		sbuf_addf(&l->b, "\n%s (%zu of %zu)\n", heading(en, g), shown, n);
	else
		sbuf_addf(&l->b, "\n%s (%zu)\n", heading(en, g), n);
	for (size_t i = 0; i < l->shown; i++)
		if (list_group_of(&l->p->items[i]) == g)
			list_add_item(l, &l->p->items[i]);
}

/* ---- savings ----------------------------------------------------------------------------------- */

/* If two rules match one machine, the first one counts. */
static bool is_counted(const struct plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->items[i].todo &&
			!strcmp(p->items[i].action.t.id, p->items[at].action.t.id))
			return true;
	return false;
}

static void list_add_sums(struct listing *l)
{
	bool part = l->part || l->app->o.limit >= 0;
	cleanup(sbuf_done) struct sbuf t = SBUF_INIT;
	struct sums s = {0};
	size_t unknown = 0;

	for (size_t i = 0; i < l->shown; i++) {
		const struct action *x = &l->p->items[i].action;

		if (!l->p->items[i].todo || is_counted(l->p, i))
			continue;
		if (!x->saves.set || !x->currency)
			unknown++;
		else if (!sums_add(&s, &l->app->arena, x->currency, x->saves.v))
			for (size_t k = 0; k < s.n; k++)
				if (str_eq(s.v[k].currency, x->currency))
					s.v[k].nanos = INT64_MAX;
	}
	for (size_t i = 0; i < s.n; i++)
		sbuf_addf(&t, "%s%s",
			t.len          ? ", "
				: part ? "The actions shown save "
				       : "All actions save ",
			s.v[i].nanos == INT64_MAX
				? "an amount that is too large to show"
				: list_amount(l, s.v[i].nanos, s.v[i].currency));
	if (t.len)
		sbuf_adds(&t, " an hour (estimate)");
	if (unknown)
		sbuf_addf(&t, "%sthe price of %zu is unknown", t.len ? "; " : "", unknown);
	if (t.len) {
		sbuf_addc(&l->b, '\n');
		list_add_text(l, 0, t.s);
	}
}

static void add_plan(struct listing *l)
{
	const struct settings *s = &l->app->cfg->settings;
	const struct enforcement *en = s->enforcement;
	bool any;

	add_mode(l, en);
	any = list_add_rules(l, s);
	if (any) {
		list_add_projects(l, en);
		add_limits(l, en);
	}
	for (int g = 0; g < N_GROUPS; g++)
		list_add_group(l, en, (enum group)g);
	list_add_sums(l);
	if (l->p->cap) {
		sbuf_addc(&l->b, '\n');
		list_add_text(l, 0,
			arena_printf(&l->app->arena, "Not all of these in one run: %s",
				l->p->cap));
	}
	if (l->p->n) {
		sbuf_addc(&l->b, '\n');
		list_add_text(l, 0,
			arena_printf(&l->app->arena, "Times are in %s.",
				tz_name(l->app->cfg->tz)));
	}
	if (any && !l->p->n)
		sbuf_addf(&l->b, "\nNo actions%s.\n",
			l->part ? " on the selected resources"
				: l->p->unlisted
				? " in these projects"
				: ": the conditions of these rules match nothing");
}

int enforce_list(struct app *app, const struct plan *p, struct err *e)
{
	struct out_style style = out_style_stdout();
	const size_t most = app->o.limit >= 0 ? (size_t)app->o.limit : p->n;
	struct listing l = {.app = app,
		.p = p,
		.doc = doc_new(&app->arena, "enforce", app->cfg->tz, app->now),
		.b = SBUF_INIT,
		.width = style.width ? (size_t)style.width : DEFAULT_WIDTH,
		.part = app->o.project || app->o.where || app->n_args,
		.shown = most < p->n ? most : p->n};
	int rc;

	add_plan(&l);
	rc = out_write(&l.b, e) ? cmd_fail(e) : EXIT_FINE;
	sbuf_done(&l.b);
	return rc;
}

/* Actions to take now: one row for each resource or figure, from TPUs that no grant covers, firing alerts, ending grants
 * and failing sources. The largest saving comes first. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "reports/cause.h"
#include "reports/daily/internal.h"
#include "reports/fix.h"
#include "reports/present.h"
#include "rules/judge/judge.h"
#include "rules/vocab/subject.h"

#include <stdlib.h>
#include <string.h>

/* ---- one row for each subject --------------------------------------------------------------------------- */

static int severity_rank(const char *severity)
{
	return str_eq(severity, "critical") ? 0 : str_eq(severity, "warning") ? 1 : 2;
}

/* Rows about the same subject are merged. A command that fixes replaces one that explains. */
static void todo_merge(struct daily *d, struct todo *into, const struct todo *t)
{
	bool first = t->acts && !into->acts; /* why it is to be stopped, before all else */

	if (t->rules && !str_in_list(t->rules, into->rules)) {
		into->rules = first ? arena_printf(d->a, "%s, %s", t->rules, into->rules)
				    : arena_printf(d->a, "%s, %s", into->rules, t->rules);
		if (t->detail && into->detail && strcmp(t->detail, into->detail) != 0)
			into->detail = first
				? sentences_text(d->a, t->detail, into->detail)
				: sentences_text(d->a, into->detail, t->detail);
	}
	if (severity_rank(t->severity) < severity_rank(into->severity))
		into->severity = t->severity;
	if (into->tone == TONE_SOFT || t->tone == TONE_BAD)
		into->tone = t->tone;
	into->follows &= t->follows;
	if (!into->command || first) {
		into->command = t->command;
		into->deletes = t->deletes;
		into->warning = t->warning;
	}
	into->acts |= t->acts;
	if (!into->saves.set) {
		into->saves = t->saves;
		into->currency = t->currency;
		into->costs |= t->costs;
	}
}

static void todo_add(struct daily *d, struct strmap *by_key, const struct todo *t)
{
	size_t *at = strmap_get(by_key, t->key);

	if (at) {
		todo_merge(d, &d->todo[*at], t);
		return;
	}
	strmap_put(by_key, t->key, d->n_todo);
	*arena_append(d->a, d->todo, d->n_todo, d->cap_todo) = *t;
}

static void todo_set_thing(struct todo *t, const struct q_thing *q)
{
	t->id = q->id;
	t->kind = q->kind;
	t->project = q->project;
	t->location = q->location;
	t->name = q->display_name;
	t->type = q->type;
}

/* ---- projects ---------------------------------------------------------------------------------- */

/* The project of what an alert is about; NULL: it concerns all. */
static const char *subject_project_of(
	struct daily *d, const struct rule *r, const char *kind, const char *subject)
{
	const struct view *v;

	if (!r)
		r = builtin_find(kind);
	if (r && str_in(r->on, (const char *const[]){"grants", "grant_ends"}, 2))
		return daily_grant_project(
			d, arena_strndup(d->a, subject, strcspn(subject, "/")));
	v = r ? view_find(r->on) : NULL;
	subject = v ? subject_project(subject_of(v), subject, d->a) : NULL;
	return v && str_eq(r->on, "sources") ? daily_source_project(d, subject) : subject;
}

/* ---- what is left out -------------------------------------------------------------------------- */

/* Is the rule silenced for that subject, or is it `held`? Then `key` is counted. `q`: the resource, or
 * NULL. */
static bool is_left_out(struct daily *d, const char *rule, const char *subject,
	const char *key, const struct q_thing *q, bool held)
{
	const struct q_daily_silenced *row = d->silences
		? q_daily_silenced_row(d, .rule = rule, .subject = subject)
		: NULL;
	struct opt_i64 until = row ? row->until : NONE;

	if (!until.set && !held)
		return false;
	*arena_push(d->a, &d->left_out) = (struct left_out){.key = key,
		.silenced = until.set,
		.held = held,
		.until = ts_of_opt(until),
		.rate = q && q->currency ? q->net : NONE,
		.currency = q ? q->currency : NULL};
	return true;
}

/* "2 silenced (about 142.60 HKD/h, until 2026-11-24 02:58)". What is also on hold is left out longer. */
static void say_left_out(struct daily *d, bool silenced, bool held, struct sbuf *b)
{
	struct sums rates = {0};
	ts_t until = TS_NONE;
	size_t n = 0;

	for (size_t i = 0; i < d->left_out.n; i++) {
		const struct left_out *l = &d->left_out.v[i];

		if (!l->key || l->silenced != silenced || l->held != held)
			continue;
		n++;
		if (l->rate.set && l->rate.v)
			(void)!sums_add(&rates, d->a, l->currency, l->rate.v);
		if (!held && (until == TS_NONE || l->until < until))
			until = l->until;
	}
	if (!n)
		return;
	sbuf_addf(b, "%s%zu %s%s%s", b->len ? ", " : "Left out: ", n,
		silenced ? "silenced" : "", silenced && held ? " and " : "",
		held ? "on hold or exempt" : "");
	if (!rates.n && until == TS_NONE)
		return;
	sbuf_adds(b, rates.n ? " (about " : " (");
	sums_words(&rates, "/h", b);
	if (until != TS_NONE)
		sbuf_addf(b, "%suntil %s", rates.n ? ", " : "", moment_text(d->doc, until));
	sbuf_addc(b, ')');
}

/* Nothing that another rule lists is left out, and each subject counts once. */
static void count_left_out(struct daily *d, struct strmap *by_key)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct strmap first = {0};

	for (size_t i = 0; i < d->left_out.n; i++) {
		struct left_out *l = &d->left_out.v[i];
		size_t *at = strmap_get(&first, l->key);

		if (at) {
			d->left_out.v[*at].silenced |= l->silenced;
			d->left_out.v[*at].held |= l->held;
		} else if (!strmap_get(by_key, l->key)) {
			strmap_put(&first, l->key, i);
			continue;
		}
		l->key = NULL;
	}
	strmap_done(&first);
	say_left_out(d, true, false, &b);
	say_left_out(d, true, true, &b);
	say_left_out(d, false, true, &b);
	d->left_out_words = b.len ? arena_printf(d->a, "%s.", b.s) : NULL;
}

/* The name under which a built-in rule is configured. */
const char *daily_rule_named(const struct daily *d, const char *builtin)
{
	for (size_t i = 0; i < d->ask->settings->n_rules; i++)
		if (str_eq(d->ask->settings->rules[i].builtin, builtin))
			return d->ask->settings->rules[i].name;
	return builtin;
}

/* Without it, its reservation costs as much. */
static void todo_set_reserved(struct daily *d, const struct q_thing *q, struct todo *t)
{
	if (!q->reservation)
		return;
	t->saves = NONE;
	t->costs = false;
	t->detail = sentences_text(d->a, t->detail,
		arena_printf(d->a,
			"It uses reservation %s, which is charged anyway: stopping it "
			"saves nothing.",
			q->reservation));
}

/* ---- TPUs that no grant covers ----------------------------------------------------------------- */

static void find_uncovered(struct daily *d, struct strmap *by_key)
{
	const char *rule = daily_rule_named(d, "tpu-not-covered");

	for (size_t i = 0; i < d->things.n; i++) {
		const struct q_daily_things *thing = &d->things.v[i];
		const char *id = thing->id;
		struct todo t = {.key = id,
			.rules = rule,
			.severity = "critical",
			.saves = thing->net,
			.currency = thing->currency,
			.costs = true,
			.tone = TONE_BAD};
		struct uncovered *sum;
		const struct q_thing *q;
		bool out;

		if (!thing->covered.set || thing->covered.v ||
			daily_stopped(d, id) != TS_NONE)
			continue;
		q = q_thing_row(d, .id = id);
		if (!q || !daily_concerns(d, q->project))
			continue;
		out = is_left_out(d, rule, id, id, q, q->held);
		sum = out ? &d->spared : &d->uncovered;
		sum->n++;
		if (t.saves.set && t.currency &&
			!sums_add(&sum->rate, d->a, t.currency, t.saves.v))
			daily_overflow(d, "the burn per hour");
		if (out)
			continue;
		todo_set_thing(&t, q);
		t.detail = arena_printf(
			d->a, "Not covered: %s", q->why_text ? q->why_text : q->why);
		daily_set_command(&t,
			fix_of(NULL, "tpu-not-covered", q) == FIX_STOP ? fix_stop(q, d->a)
								       : NULL,
			q);
		if (!t.command)
			t.command = fix_why(rule, id, d->a);
		todo_set_reserved(d, q, &t);
		todo_add(d, by_key, &t);
	}
}

/* ---- alerts ------------------------------------------------------------------------------------ */

static void fill_figure(struct daily *d, const char *kind, struct todo *t)
{
	static const char *const follow[] = {"budget", "credit", "burn", "cost"};
	const char *subject = t->key, *what = NULL, *name = subject;

	t->name = subject;
	t->command = fix_figure(kind, subject, d->a, &what, &name);
	if (!t->command)
		return;
	t->key = arena_printf(d->a, "%s:%s", what, subject);
	t->kind = what;
	t->name = arena_printf(d->a, "%s %s", what, name);
	t->follows = str_in(what, follow, ARRAY_LEN(follow));
}

/* The resource changed after the rules were evaluated, so the alert has ended. `q` is NULL for an alert that is not about
 * a resource. */
static bool todo_is_over(const char *kind, const struct rule *r, const struct q_thing *q)
{
	const char *state = q ? q->state : NULL;

	if (r && str_eq(r->on, "resources") && !q)
		return true;
	if (str_eq(kind, "tpu-not-covered"))
		return !str_eq(state, "running") || !q->covered.set || q->covered.v;
	if (str_eq(kind, "vm-forgotten") || str_eq(kind, "tpu-idle"))
		return !str_eq(state, "running");
	if (str_eq(kind, "disk-orphan"))
		return !str_eq(state, "unattached");
	if (str_eq(kind, "ip-unused"))
		return !str_eq(state, "stopped");
	/* see below */
	return str_eq(kind, "source-stale") || str_eq(kind, "grant-ending");
}

static void fill_thing(struct daily *d, const struct rule *r, const char *kind,
	const struct q_thing *q, struct todo *t)
{
	enum fix fix = fix_of(r, kind, q);

	todo_set_thing(t, q);
	if (str_eq(kind, "stopped-paying")) {
		t->saves = q->residual;
		t->currency = q->residual_currency;
	}
	if (fix == FIX_LOOK)
		return;
	daily_set_command(t, fix_thing(r, kind, q, d->a), q);
	t->saves = q->net;
	t->currency = q->currency;
	t->costs = fix == FIX_STOP;
	if (fix == FIX_STOP)
		todo_set_reserved(d, q, t);
}

/* One that fires only because of `keep_for` is nothing to do; a resource then has no row. */
static void todo_add_alert(
	struct daily *d, struct strmap *by_key, const struct q_daily_alerts *q, bool ceased)
{
	const struct rule *r = fix_rule(d->ask->settings, q->rule);
	const char *kind = fix_kind(r, q->rule);
	struct todo t = {.key = q->subject,
		.rules = q->rule,
		.severity = q->severity,
		.detail = q->summary,
		.tone = ceased || str_eq(q->severity, "info") ? TONE_SOFT
			: str_eq(q->severity, "critical")     ? TONE_BAD
							      : TONE_WARN};
	const struct q_thing *thing = q_thing_row(d, .id = q->subject);

	t.project = thing ? thing->project : subject_project_of(d, r, kind, q->subject);
	if (todo_is_over(kind, r, thing) || (ceased && thing) ||
		daily_stopped(d, q->subject) != TS_NONE || !daily_concerns(d, t.project))
		return;
	if (is_left_out(d, q->rule, q->subject, t.key, thing,
		    q->held || (thing && thing->held)))
		return;
	/* the row has the reason already */
	if (str_eq(kind, "tpu-not-covered") && strmap_get(by_key, t.key))
		t.detail = NULL;
	if (thing)
		fill_thing(d, r, kind, thing, &t);
	else
		fill_figure(d, kind, &t);
	t.follows |= ceased;
	if (!t.command)
		t.command = fix_why(t.rules, q->subject, d->a);
	todo_add(d, by_key, &t);
}

static void find_alerts(struct daily *d, struct strmap *by_key)
{
	struct present p = {
		.db = d->db, .settings = d->ask->settings, .now = d->now, .a = d->a};
	struct q_daily_alerts_rows alerts = q_daily_alerts_rows(d);

	for (size_t i = 0; i < alerts.n; i++) {
		struct q_daily_alerts *l = &alerts.v[i];

		bool ceased = present_summary(&p, l->rule, l->subject, l->last_true,
			ts_of_opt(l->ceased), &l->summary);

		todo_add_alert(d, by_key, l, ceased);
	}
}

/* ---- grants that end --------------------------------------------------------------------------- */

static const char *end_words(struct daily *d, const struct q_grant_ends *g)
{
	char left[DURATION_BUF];
	const char *price = g->per_hour.set && g->currency
		? arena_printf(d->a, ", about %s/h",
			  money_words(d->a, g->per_hour.v, g->currency))
		: ", at an unknown price";

	return arena_printf(d->a, "ends in %s; %s",
		duration_format(g->until - d->now, left),
		g->becomes_paid
			? arena_printf(d->a, "%lld %s paid%s", (long long)g->becomes_paid,
				  g->becomes_paid == 1 ? "TPU then becomes"
						       : "TPUs then become",
				  price)
			: !d->polled ? "running resources have not been collected yet"
			: d->inventory_unread ? "no TPU of the last poll becomes paid"
					      : "no running TPU becomes paid");
}

static void todo_find_ends(struct daily *d, struct strmap *by_key)
{
	const char *rule = daily_rule_named(d, "grant-ending");

	for (size_t i = 0; i < d->ends.n; i++) {
		const struct q_grant_ends *g = &d->ends.v[i];
		const char *project = daily_grant_project(d, g->name);

		if (!daily_ends_soon(d, g->until) || !daily_concerns(d, project) ||
			(g->renewed_by && !g->becomes_paid))
			continue;
		if (is_left_out(d, rule, g->name, arena_printf(d->a, "grant:%s", g->name),
			    NULL, false))
			continue;
		todo_add(d, by_key,
			&(struct todo){.key = arena_printf(d->a, "grant:%s", g->name),
				.kind = "grant",
				.project = project,
				.name = arena_printf(d->a, "grant %s", g->name),
				.rules = rule,
				.severity = g->until - d->now <= DAY_SECONDS &&
						g->becomes_paid
					? "critical"
					: "warning",
				.detail = end_words(d, g),
				.command = fix_with("tpucost grant plan ", g->name, d->a),
				.ends = true,
				.tone = TONE_WARN});
	}
}

/* ---- reservations ------------------------------------------------------------------------------ */

static void todo_find_unused(struct daily *d, struct strmap *by_key)
{
	struct q_daily_unused_rows rows = q_daily_unused_rows(d);

	for (size_t i = 0; i < rows.n; i++) {
		struct todo t = daily_unused(d, &rows.v[i]);

		if (daily_concerns(d, t.project))
			todo_add(d, by_key, &t);
	}
}

/* ---- Google's cost anomalies ------------------------------------------------------------------- */

/* One about which our alert is not listed either is left out: resolved, silenced. */
static void todo_find_anomalies(struct daily *d, struct strmap *by_key)
{
	const char *rule = daily_rule_named(d, "cost-jump");
	struct q_daily_anomalies_rows rows;

	if (!q_any_row_row(d, .table = "anomaly"))
		return;
	rows = q_daily_anomalies_rows(d);
	for (size_t i = 0; i < rows.n; i++) {
		const struct q_daily_anomalies *q = &rows.v[i];
		struct todo t = daily_anomaly(d, q);
		size_t *at = strmap_get(by_key, t.key);

		if (!daily_concerns(d, t.project) || (q->alert && !at))
			continue;
		if (at)
			d->todo[*at].detail = sentences_text(
				d->a, d->todo[*at].detail, t.detail);
		else if (!is_left_out(d, rule,
				 arena_printf(d->a, "%s/%s/%s", q->day, q->project,
					 q->currency ? q->currency : ""),
				 t.key, NULL, false))
			todo_add(d, by_key, &t);
	}
}

/* ---- sources ----------------------------------------------------------------------------------- */

/* Sources with the same cause are one row; also those that one command fixes. Projects with different commands are
 * fixed with `doctor`. */
static void todo_add_source(struct daily *d, struct strmap *by_key, const struct todo *t,
	const char *cause, const char *command, const char *fix)
{
	const char *by_fix = command ? arena_printf(d->a, "fix:%s", command) : t->key;
	size_t *same = strmap_get(by_key, t->key),
	       *at = same ? same : strmap_get(by_key, by_fix);
	struct todo *into;

	if (!at) {
		todo_add(d, by_key, t);
		strmap_put(by_key, by_fix, d->n_todo - 1);
		return;
	}
	into = &d->todo[*at];
	into->also++;
	if (strcmp(into->command, t->command) != 0)
		into->command = "tpucost doctor";
	if (same && *cause && strcmp(into->detail, t->detail) != 0)
		into->detail = fix && !command && str_ends(into->detail, fix)
			? arena_printf(d->a, "%s; %s", cause, fix)
			: cause;
}

bool daily_has_cause(const struct daily *d, const char *cause)
{
	for (size_t i = 0; cause && i < d->n_todo; i++)
		if (str_starts(d->todo[i].key, "source:") &&
			str_eq(d->todo[i].key + strlen("source:"), cause))
			return true;
	return false;
}

/* One row for all sources that are old without an error: "14 sources". They were not due to be polled: tpucost is not
 * running. */
static void name_old(struct daily *d, struct todo *t, ts_t newest)
{
	char span[DURATION_BUF];

	if (newest == TS_NONE || newest > d->now)
		t->detail = "Time of the last poll unknown.";
	else
		t->detail = arena_printf(d->a,
			"Not polled for %s%s; `tpucost run` polls what is due.",
			duration_format(d->now - newest, span),
			t->also ? " or longer" : "");
	if (t->also)
		t->name = arena_printf(d->a, "%zu sources", t->also + 1);
	t->also = 0;
}

/* One row for each cause, however many sources and projects it affects. */
static void todo_find_source(struct daily *d, struct strmap *by_key,
	const struct q_daily_sources *s, const char *cause)
{
	const char *rule = daily_rule_named(d, "source-stale");
	const char *command = fix_command(s->fix, d->a);
	struct todo t = {.key = arena_printf(d->a, "source:%s", cause),
		.kind = "source",
		.project = daily_source_project(d, s->project),
		.name = *s->project ? arena_printf(d->a, "%s of %s", s->source, s->project)
				    : s->source, /* the price list is of no project */
		.rules = rule,
		.severity = "warning",
		.detail = s->fix && !command
			? arena_printf(d->a, "%s; %s", s->error, s->fix)
			: s->error,
		.command = command ? command
			: *cause   ? "tpucost sources"
				   : "tpucost collect",
		.tone = TONE_WARN};

	/* A cause that makes other sources old concerns those that failed only now as well. */
	if (!daily_concerns(d, t.project) || (!s->stale && !strmap_get(by_key, t.key)))
		return;
	if (!is_left_out(d, rule, arena_printf(d->a, "%s/%s", s->source, s->project), t.key,
		    NULL, false))
		todo_add_source(d, by_key, &t, cause, command, s->fix);
}

static void find_sources(struct daily *d, struct strmap *by_key)
{
	size_t *old = NULL;
	ts_t newest = TS_NONE;

	for (size_t i = 0; i < 2 * d->sources.n; i++) {
		const struct q_daily_sources *s = &d->sources.v[i % d->sources.n];
		const char *cause = cause_of(s->error, d->a);

		/* the stale ones first */
		if ((s->stale != 0) != (i < d->sources.n) || (!s->stale && !*cause))
			continue;
		todo_find_source(d, by_key, s, cause);
		if (s->stale && !*cause && s->last_success.set &&
			s->last_success.v > newest)
			newest = s->last_success.v;
	}
	old = strmap_get(by_key, "source:");
	if (old)
		name_old(d, &d->todo[*old], newest);
}

/* ---- in order ---------------------------------------------------------------------------------- */

/* Amounts of different currencies cannot be compared: the currency of the reports comes first. */
static int by_worth(const void *pa, const void *pb, void *currency)
{
	const struct todo *a = pa, *b = pb;
	bool money_a = todo_saves(a), money_b = todo_saves(b);

	if (a->follows != b->follows)
		return a->follows ? 1 : -1;
	if (a->fails != b->fails)
		return a->fails ? -1 : 1;
	if ((money_a || a->costs) != (money_b || b->costs))
		return money_b || b->costs ? 1 : -1;
	if (money_a != money_b)
		return money_b ? 1 : -1;
	if (money_a && !str_eq(a->currency, b->currency)) {
		if (str_eq(a->currency, currency) != str_eq(b->currency, currency))
			return str_eq(b->currency, currency) ? 1 : -1;
		return strcmp(a->currency, b->currency);
	}
	if (money_a && a->saves.v != b->saves.v)
		return a->saves.v < b->saves.v ? 1 : -1;
	if ((a->tone == TONE_SOFT) != (b->tone == TONE_SOFT))
		return a->tone == TONE_SOFT ? 1 : -1;
	if (severity_rank(a->severity) != severity_rank(b->severity))
		return severity_rank(a->severity) - severity_rank(b->severity);
	/* the end of a grant cannot be undone afterwards; the others can wait */
	if (a->ends != b->ends)
		return b->ends ? 1 : -1;
	return strcmp(a->key, b->key);
}

void daily_find_todo(struct daily *d)
{
	struct strmap by_key = {0};

	d->silences = there_are_silences(DB_READER(d));
	find_uncovered(d, &by_key);
	find_alerts(d, &by_key);
	todo_find_ends(d, &by_key);
	todo_find_unused(d, &by_key);
	todo_find_anomalies(d, &by_key);
	find_sources(d, &by_key);
	daily_find_stops(d);
	count_left_out(d, &by_key);
	strmap_done(&by_key);
	if (d->n_todo)
		qsort_r(d->todo, d->n_todo, sizeof(*d->todo), by_worth,
			(void *)(uintptr_t)d->ask->settings->currency);
	for (size_t i = 0; i < d->n_todo; i++)
		d->n_follow += d->todo[i].follows;
}

/* What is to be done now: one row a thing, from TPUs that no grant covers, alerts that fire, grants
 * that end and sources that fail; what saves most comes first. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/strmap.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"
#include "reports/mend.h"
#include "reports/there.h"

#include <stdlib.h>
#include <string.h>

/* ---- one row a thing --------------------------------------------------------------------------- */

static bool is(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

bool daily_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(list, word); p; p = strstr(p + 1, word))
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ','))
			return true;
	return false;
}

static int severity_rank(const char *severity)
{
	return is(severity, "critical") ? 0 : is(severity, "warning") ? 1 : 2;
}

/* What is there about the same thing is completed; only a command that explains gives way to one
 * that mends. */
static void merge(struct daily *d, struct todo *into, const struct todo *t)
{
	bool first = t->acts && !into->acts; /* why it is to be stopped, before all else */

	if (t->rules && !daily_has_word(into->rules, t->rules)) {
		into->rules = first ? arena_printf(d->a, "%s, %s", t->rules, into->rules)
				    : arena_printf(d->a, "%s, %s", into->rules, t->rules);
		if (t->detail && into->detail && strcmp(t->detail, into->detail) != 0)
			into->detail = arena_printf(d->a, "%s %s",
				first ? t->detail : into->detail,
				first ? into->detail : t->detail);
	}
	if (severity_rank(t->severity) < severity_rank(into->severity)) {
		into->severity = t->severity;
		into->tone = t->tone;
	}
	if (!into->command || first)
		into->command = t->command;
	into->acts |= t->acts;
	if (!into->saves.set) {
		into->saves = t->saves;
		into->currency = t->currency;
		into->costs |= t->costs;
	}
}

struct todo_index {
	struct strmap by_key;
};

static void add(struct daily *d, struct todo_index *x, const struct todo *t)
{
	size_t *at = strmap_get(&x->by_key, t->key);

	if (at) {
		merge(d, &d->todo[*at], t);
		return;
	}
	d->todo = arena_grow(d->a, d->todo, d->n_todo, &d->cap_todo, sizeof(*d->todo));
	strmap_put(&x->by_key, t->key, d->n_todo);
	d->todo[d->n_todo++] = *t;
}

static enum err_code is_silenced(struct daily *d, const char *rule, const char *subject,
	bool *silenced, struct err *e)
{
	struct q_daily_silenced_in in = {.rule = rule, .subject = subject};
	struct q_daily_silenced q;

	*silenced = false;
	if (!d->silences)
		return E_OK;
	return q_daily_silenced_one(d->db, &in, d->a, &q, silenced, e);
}

/* The name under which a built-in rule is configured. */
const char *daily_rule_named(const struct daily *d, const char *builtin)
{
	for (size_t i = 0; i < d->ask->settings->n_rules; i++)
		if (is(d->ask->settings->rules[i].builtin, builtin))
			return d->ask->settings->rules[i].name;
	return builtin;
}

/* ---- TPUs that no grant covers ----------------------------------------------------------------- */

static const char *stop_of(struct daily *d, const struct q_daily_things *t)
{
	struct stop_target target = {.kind = t->kind,
		.source = t->source,
		.project = t->project,
		.location = t->location,
		.name = t->name,
		.state = t->state,
		.provisioning = t->provisioning,
		.queued = t->queued,
		.hosts = t->hosts.v};

	return stop_command(&target, d->a);
}

static enum err_code find_uncovered(struct daily *d, struct todo_index *x, struct err *e)
{
	const char *rule = daily_rule_named(d, "tpu-not-covered");

	for (size_t i = 0; i < d->n_things; i++) {
		const struct q_daily_things *t = &d->things[i];
		bool silenced;

		if (!t->covered.set || t->covered.v || t->held ||
			daily_stopped(d, t->id) != TS_NONE)
			continue;
		if (is_silenced(d, rule, t->id, &silenced, e))
			return e->code;
		if (silenced)
			continue;
		add(d, x,
			&(struct todo){.key = t->id,
				.id = t->id,
				.kind = t->kind,
				.project = t->project,
				.location = t->location,
				.name = t->name,
				.type = t->type,
				.rules = rule,
				.severity = "critical",
				.detail = arena_printf(d->a, "Not free: %s",
					t->why_text ? t->why_text : t->why),
				.command = stop_of(d, t),
				.saves = t->net,
				.currency = t->currency,
				.acts = true,
				.costs = true,
				.tone = TONE_BAD});
	}
	return E_OK;
}

/* ---- alerts ------------------------------------------------------------------------------------ */

static void fill_figure(struct daily *d, const char *kind, struct todo *t)
{
	const char *subject = t->key, *what = NULL, *name = subject;

	t->name = subject;
	t->command = mend_figure(kind, subject, d->a, &what, &name);
	if (!t->command)
		return;
	t->key = arena_printf(d->a, "%s:%s", what, subject);
	t->kind = what;
	t->name = arena_printf(d->a, "%s %s", what, name);
}

/* The thing changed after the rules were judged: what they said is over. */
static bool is_over(const char *kind, const struct rule *r, const struct q_daily_alerts *q)
{
	bool runs = is(q->state, "running");

	if (r && is(r->on, "resources") && !q->kind)
		return true;
	if (is(kind, "tpu-not-covered"))
		return !runs || !q->covered.set || q->covered.v;
	if (is(kind, "vm-forgotten") || is(kind, "tpu-idle"))
		return !runs;
	if (is(kind, "disk-orphan") || is(kind, "ip-unused"))
		return !is(q->state, "stopped");
	return is(kind, "source-stale") || is(kind, "grant-ending"); /* see below */
}

static void fill_thing(struct daily *d, const struct rule *r, const char *kind,
	const struct q_daily_alerts *q, struct todo *t)
{
	struct stop_target target = {.kind = arena_strdup(d->a, q->kind),
		.source = arena_strdup(d->a, q->source),
		.project = arena_strdup(d->a, q->project),
		.location = arena_strdup(d->a, q->location),
		.name = arena_strdup(d->a, q->name),
		.state = arena_strdup(d->a, q->state),
		.provisioning = arena_strdup(d->a, q->provisioning),
		.queued = arena_strdup(d->a, q->queued),
		.hosts = q->hosts.v};
	enum mend mend = mend_of(r, kind, &target, q->covered);

	t->id = t->key;
	t->kind = target.kind;
	t->project = target.project;
	t->location = target.location;
	t->name = target.name;
	t->type = arena_strdup(d->a, q->type);
	if (is(kind, "stopped-paying")) {
		t->saves = q->residual;
		t->currency = arena_strdup(d->a, q->residual_currency);
	}
	if (mend == MEND_LOOK)
		return;
	t->command = mend_thing(r, kind, &target, q->covered, d->a, &t->detail);
	t->saves = q->net;
	t->currency = arena_strdup(d->a, q->currency);
	t->acts = t->command != NULL;
	t->costs = mend == MEND_STOP;
}

static void add_alert(struct daily *d, struct todo_index *x, const struct q_daily_alerts *q)
{
	const struct rule *r = mend_rule(d->ask->settings, q->rule);
	const char *kind = mend_kind(r, q->rule);
	struct todo t = {.key = arena_strdup(d->a, q->subject),
		.rules = arena_strdup(d->a, q->rule),
		.severity = arena_strdup(d->a, q->severity),
		.detail = arena_strdup(d->a, q->summary),
		.tone = is(q->severity, "critical") ? TONE_BAD
			: is(q->severity, "info")   ? TONE_SOFT
						    : TONE_WARN};

	if (q->silenced || q->held || is_over(kind, r, q) ||
		daily_stopped(d, q->subject) != TS_NONE)
		return;
	/* said already, with the reason */
	if (is(kind, "tpu-not-covered") && strmap_get(&x->by_key, t.key))
		t.detail = NULL;
	if (q->kind)
		fill_thing(d, r, kind, q, &t);
	else
		fill_figure(d, kind, &t);
	if (!t.command)
		t.command = mend_why(t.rules, q->subject, d->a);
	add(d, x, &t);
}

static enum err_code find_alerts(struct daily *d, struct todo_index *x, struct err *e)
{
	struct q_daily_alerts q;
	struct db_rows rows;
	bool any;

	if (there_are_alerts(d->db, d->a, &any, e))
		return e->code;
	if (!any)
		return E_OK;
	if (q_daily_alerts_open(d->db, &rows, e))
		return e->code;
	while (q_daily_alerts_next(&rows, &q))
		add_alert(d, x, &q);
	return db_rows_close(&rows, e);
}

/* ---- grants that end --------------------------------------------------------------------------- */

static const char *end_words(struct daily *d, const struct q_daily_grant_ends *g)
{
	char left[DURATION_BUF];
	const char *price = g->per_hour.set && g->currency
		? arena_printf(d->a, ", about %s/h together",
			  money_words(d->a, g->per_hour.v, g->currency))
		: ", at a price that is not known";

	return arena_printf(d->a, "ends %s, in %s: %s", daily_time_words(d, g->until),
		duration_format(g->until - d->now, left),
		g->becomes_paid
			? arena_printf(d->a, "%lld %s paid then%s",
				  (long long)g->becomes_paid,
				  g->becomes_paid == 1 ? "TPU becomes" : "TPUs become",
				  price)
			: !d->polled ? "what runs was never collected"
			: d->inventory_unread
			? "nothing that ran when last seen becomes paid"
			: "nothing that runs becomes paid");
}

static enum err_code find_ends(struct daily *d, struct todo_index *x, struct err *e)
{
	const char *rule = daily_rule_named(d, "grant-ending");

	for (size_t i = 0; i < d->n_ends; i++) {
		const struct q_daily_grant_ends *g = &d->ends[i];
		struct sbuf b = SBUF_INIT;
		bool silenced;

		if (!daily_ends_soon(d, g->until) || (g->renewed_by && !g->becomes_paid))
			continue;
		if (is_silenced(d, rule, g->name, &silenced, e))
			return e->code;
		if (silenced)
			continue;
		sbuf_add_shell(&b, g->name);
		add(d, x,
			&(struct todo){.key = arena_printf(d->a, "grant:%s", g->name),
				.kind = "grant",
				.name = arena_printf(d->a, "grant %s", g->name),
				.rules = rule,
				.severity = g->until - d->now <= DAY_SECONDS &&
						g->becomes_paid
					? "critical"
					: "warning",
				.detail = end_words(d, g),
				.command = arena_printf(d->a, "tpucost grant plan %s", b.s),
				.ends = true,
				.tone = TONE_WARN});
		sbuf_done(&b);
	}
	return E_OK;
}

/* ---- sources ----------------------------------------------------------------------------------- */

/* What is old without a failure was just not asked for: nothing runs that reads it. */
static const char *old_words(struct daily *d, ts_t newest, bool several)
{
	char span[DURATION_BUF];

	if (newest == TS_NONE || newest > d->now)
		return "It is not known when it was last read.";
	return arena_printf(d->a, "Not read for %s%s; `tpucost run` reads what is due.",
		duration_format(d->now - newest, span), several ? " or longer" : "");
}

/* All of that is one row: "14 sources", not one of them and how many more. */
static void name_old(struct daily *d, struct todo *t, ts_t newest)
{
	if (t->also)
		t->name = arena_printf(d->a, "%zu sources", t->also + 1);
	t->detail = old_words(d, newest, t->also > 0);
	t->also = 0;
}

/* One cause, however many lists of however many projects it keeps from being read. */
static enum err_code find_sources(struct daily *d, struct todo_index *x, struct err *e)
{
	size_t *old = NULL;
	ts_t newest = TS_NONE;
	const char *rule = daily_rule_named(d, "source-stale");

	for (size_t i = 0; i < d->n_sources; i++) {
		const struct q_daily_sources *s = &d->sources[i];
		const char *name = arena_printf(d->a, "%s of %s", s->source, s->project);
		const char *cause = s->fix ? s->fix : s->error ? s->error : "";
		const char *command = daily_fix_command(d, s->fix);
		struct todo t;
		bool silenced;
		size_t *at;

		if (!s->stale)
			continue;
		if (is_silenced(d, rule, arena_printf(d->a, "%s/%s", s->source, s->project),
			    &silenced, e))
			return e->code;
		if (silenced)
			continue;
		t = (struct todo){.key = arena_printf(d->a, "source:%s", cause),
			.kind = "source",
			.name = name,
			.rules = rule,
			.severity = "warning",
			.detail = s->fix && !command
				? arena_printf(d->a, "%s; %s", s->error, s->fix)
				: s->error,
			.command = command ? command
				: *cause   ? "tpucost sources"
					   : "tpucost collect",
			.tone = TONE_WARN};
		at = strmap_get(&x->by_key, t.key);
		if (!at)
			add(d, x, &t);
		else
			d->todo[*at].also++;
		if (!*cause && s->last_success.set && s->last_success.v > newest)
			newest = s->last_success.v;
	}
	old = strmap_get(&x->by_key, "source:");
	if (old)
		name_old(d, &d->todo[*old], newest);
	return E_OK;
}

/* ---- in order ---------------------------------------------------------------------------------- */

/* Amounts of different currencies cannot be compared: those of the reports come first. */
static int by_worth(const void *pa, const void *pb, void *currency)
{
	const struct todo *a = pa, *b = pb;
	bool money_a = a->saves.set && a->saves.v > 0,
	     money_b = b->saves.set && b->saves.v > 0;

	if ((money_a || a->costs) != (money_b || b->costs))
		return money_b || b->costs ? 1 : -1;
	if (money_a != money_b)
		return money_b ? 1 : -1;
	if (money_a && !is(a->currency, b->currency)) {
		if (is(a->currency, currency) != is(b->currency, currency))
			return is(b->currency, currency) ? 1 : -1;
		return strcmp(a->currency, b->currency);
	}
	if (money_a && a->saves.v != b->saves.v)
		return a->saves.v < b->saves.v ? 1 : -1;
	if (severity_rank(a->severity) != severity_rank(b->severity))
		return severity_rank(a->severity) - severity_rank(b->severity);
	/* what ends cannot be undone afterwards; the others can wait for the reader */
	if (a->ends != b->ends)
		return b->ends ? 1 : -1;
	return strcmp(a->key, b->key);
}

enum err_code daily_find_todo(struct daily *d, struct err *e)
{
	struct todo_index x = {0};
	enum err_code rc;

	rc = there_are_silences(d->db, d->a, &d->silences, e);
	if (!rc)
		rc = find_uncovered(d, &x, e);
	if (!rc)
		rc = find_alerts(d, &x, e);
	if (!rc)
		rc = find_ends(d, &x, e);
	if (!rc)
		rc = find_sources(d, &x, e);
	if (!rc)
		rc = daily_find_stops(d, e);
	strmap_done(&x.by_key);
	if (d->n_todo)
		qsort_r(d->todo, d->n_todo, sizeof(*d->todo), by_worth,
			(void *)(uintptr_t)d->ask->settings->currency);
	return rc;
}

enum {
	T_NAME,
	T_TYPE,
	T_LOCATION,
	T_SAVES,
	T_RULE,
	T_ID,
	T_KIND,
	T_PROJECT,
	T_SEVERITY,
	T_CURRENCY,
	N_TODO
};
static const struct doc_column todo_columns[N_TODO] = {
	[T_NAME] = {"name", "what", DOC_TEXT, 0, 0},
	[T_TYPE] = {"type", "type", DOC_TEXT, 0, 1},
	[T_LOCATION] = {"location", "where", DOC_TEXT, 0, 1},
	/* a rate; no type of money, as that there is none to save is not unknown */
	[T_SAVES] = {"saves_per_hour", "saves", DOC_DECIMAL, -1, 0},
	[T_RULE] = {"rule", NULL, DOC_TEXT, 0, 0},
	[T_ID] = {"id", NULL, DOC_TEXT, 0, 0},
	[T_KIND] = {"kind", NULL, DOC_TEXT, 0, 0},
	[T_PROJECT] = {"project", NULL, DOC_TEXT, 0, 0},
	[T_SEVERITY] = {"severity", NULL, DOC_TEXT, 0, 0},
	[T_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

static const char *detail_of(struct daily *d, const struct todo *t)
{
	const char *text = t->costs && !t->saves.set
		? arena_printf(d->a, "%s Its price is not known.", t->detail)
		: t->detail;
	size_t len = text ? strlen(text) : 0;

	if (!t->stops || !len)
		return t->stops ? t->stops : text;
	return arena_printf(
		d->a, "%s%s %s", text, strchr(".!?", text[len - 1]) ? "" : ".", t->stops);
}

void daily_add_todo(struct daily *d)
{
	struct doc_section *s = doc_section(
		d->doc, "do_now", "Do now", todo_columns, ARRAY_LEN(todo_columns));

	s->brief = true;
	s->empty = !d->polled ? "Collect first: tpucost collect" : "Nothing.";
	s->more = "tpucost alerts";
	s->note = daily_stopped_note(d);
	for (size_t i = 0; i < d->n_todo; i++) {
		const struct todo *t = &d->todo[i];
		struct doc_row *row = doc_row(d->doc, s);
		struct doc_cell *c = row->cells;

		c[T_NAME] = cell_text(t->also
				? arena_printf(d->a, "%s and %zu more", t->name, t->also)
				: t->name);
		c[T_TYPE] = cell_text(t->type);
		c[T_LOCATION] = cell_text(t->location);
		c[T_SAVES] = cell_estimate(cell_rate(t->saves, t->currency));
		c[T_RULE] = cell_text(t->rules);
		c[T_ID] = cell_text(t->id);
		c[T_KIND] = cell_text(t->kind);
		c[T_PROJECT] = cell_text(t->project);
		c[T_SEVERITY] = cell_text(t->severity);
		c[T_CURRENCY] = cell_text(t->currency);
		row->detail = detail_of(d, t);
		row->command = t->command;
		row->tone = t->tone;
	}
}

/* A message about alerts. */
#include "reports/message/message.h"

#include "base/str.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "reports/cause.h"
#include "reports/message/action_text.h"
#include "reports/shared.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/guard.h"
#include "rules/judge/alert.h"

#include <stdlib.h>
#include <string.h>

static const struct doc_column columns[] = {
	{"event", NULL, DOC_TEXT},
	{"severity", "Severity"},
	{"rule", "Rule"},
	{"name", "What"},
	{"subject", NULL, DOC_CODE},
	{"summary"},
	{"since"},
	{"age_seconds", "For", DOC_DURATION, .rank = 2},
	{"repeat_seconds", NULL, DOC_DURATION},
	/* not every subject has a price: "-", not "unknown" */
	{"net_per_hour", "Costs now", DOC_DECIMAL, 2, 1},
	{"currency"},
	{"project"},
	{"owner", "Owner"},
	{"labels", NULL, DOC_TEXT},
};

/* An event with the data of its resource, if its subject is one. */
struct telling {
	const struct q_outbox_list *news;
	struct q_alert_thing
		known; /* the resource, deleted or not; NULLs: another subject */
	bool found;
	bool acted; /* `action`: an action on it is planned or running, or would be */
	struct q_thing thing;
	struct q_action_of action;
	const char *cause; /* of a source, or NULL */
	size_t same; /* number of sources with that cause, this one first; 0: an earlier one has them */
};

struct making {
	struct db *db;
	const struct settings *s;
	struct arena *a;
	struct doc *d;
	bool digest;
	struct telling *v;
	size_t n;
	size_t counts[4]; /* by rank */
	size_t groups;    /* events, those with the same cause counted once */
};

static enum doc_tone news_tone_of(const char *severity)
{
	if (!strcmp(severity, severity_name(SEVERITY_CRITICAL)))
		return TONE_BAD;
	return !strcmp(severity, severity_name(SEVERITY_WARNING)) ? TONE_WARN : TONE_PLAIN;
}

static bool news_is_over(const struct q_outbox_list *n)
{
	return !strcmp(n->event, alert_event_name(EVENT_RESOLVED));
}

/* 0: critical ... 3: resolved. */
static int rank(const struct q_outbox_list *n)
{
	if (news_is_over(n))
		return 3;
	if (!strcmp(n->severity, severity_name(SEVERITY_CRITICAL)))
		return 0;
	return strcmp(n->severity, severity_name(SEVERITY_WARNING)) ? 2 : 1;
}

static enum err_code news_look_up(struct making *m, struct telling *t, struct err *e)
{
	struct q_alert_thing_in about = {.subject = t->news->subject};
	struct q_thing_in in = {.id = t->news->subject};
	struct q_action_of_in of = {.rule = t->news->rule, .resource = t->news->subject};

	m->counts[rank(t->news)]++;
	if (!m->db)
		return E_OK;
	if (q_alert_thing_one(m->db, &about, m->a, &t->known, &t->found, e) ||
		q_thing_one(m->db, &in, m->a, &t->thing, &t->found, e))
		return e->code;
	if (q_action_of_one(m->db, &of, m->a, &t->action, &t->acted, e))
		return e->code;
	/* No action is possible in other projects: none is announced. */
	if (t->acted && t->found && m->s->enforcement)
		return guard_project_listed(
			m->db, m->s, t->thing.project, m->a, &t->acted, e);
	return E_OK;
}

/* The most severe and most expensive first; amounts in different currencies are not compared. */
static int before(const void *pa, const void *pb)
{
	const struct telling *a = pa, *b = pb;
	int64_t na = a->found && a->thing.net.set ? a->thing.net.v : -1;
	int64_t nb = b->found && b->thing.net.set ? b->thing.net.v : -1;

	if (rank(a->news) != rank(b->news))
		return rank(a->news) - rank(b->news);
	if (na > 0 && nb > 0 && strcmp(a->thing.currency, b->thing.currency) != 0)
		return strcmp(a->thing.currency, b->thing.currency);
	if (na != nb)
		return na > nb ? -1 : 1;
	return a->news < b->news ? -1 : a->news > b->news;
}

/* One cause, such as a wrong clock, concerns many sources and projects: it is reported once, with their number. */
static void news_group(struct making *m)
{
	const char **keys = arena_alloc(m->a, m->n * sizeof(*keys));
	const size_t *sizes;

	for (size_t i = 0; i < m->n; i++) {
		const struct q_outbox_list *n = m->v[i].news;

		m->v[i].cause = cause_of_alert(m->s, n->rule, n->summary, m->a);
		keys[i] = m->v[i].cause
			? arena_printf(m->a, "%s %d %s", n->rule, rank(n), m->v[i].cause)
			: NULL;
	}
	sizes = cause_groups(keys, m->n, m->a);
	for (size_t i = 0; i < m->n; i++) {
		m->v[i].same = sizes[i];
		m->groups += sizes[i] > 0;
	}
}

static const char *news_summary(const struct making *m, const struct telling *t)
{
	return cause_summary(
		m->s, t->news->rule, t->same, t->cause, t->news->summary, m->a);
}

static enum err_code look_all_up(
	struct making *m, const struct q_outbox_list *news, size_t n, struct err *e)
{
	m->v = arena_alloc(m->a, n * sizeof(*m->v));
	m->n = n;
	for (size_t i = 0; i < n; i++) {
		m->v[i].news = &news[i];
		if (news_look_up(m, &m->v[i], e))
			return e->code;
	}
	qsort(m->v, n, sizeof(*m->v), before);
	news_group(m);
	return E_OK;
}

/* Shows the command that prevents the action; in a dry run, the action that would be taken. */
static void news_add_action(struct making *m, const struct telling *t,
	const struct rule *rule, struct doc_row *row)
{
	const struct q_action_of *q = &t->action;
	const struct enforcement *en = m->s->enforcement;
	enum action_state state = action_state_of(q->state);
	ts_t due = ts_of_opt(q->due), later;
	const struct rule_action *step = enforce_step(rule, verb_of(q->verb));

	if (state > ACTION_RECHECK ||
		(verb_of(q->verb) == VERB_STOP && t->found && fix_deletes(&t->thing)))
		return;
	if (en && en->mode == ENFORCE_ARMED && !strcmp(q->mode, "armed")) {
		row->command = hold_command(t->news->subject, m->d->tz, m->d->now, m->a);
		row->detail = sentences_text(m->a, row->detail,
			arena_printf(m->a, "To prevent it from being %s:",
				verb_past(verb_of(q->verb))));
		return;
	}
	if (due == TS_NONE && state != ACTION_PENDING && step)
		due = step_due(step, q->began, m->d->now);
	later = enforce_later(rule, verb_of(q->verb), due);
	if (due != TS_NONE)
		row->detail = sentences_text(m->a, row->detail,
			arena_printf(m->a, "It would be %s at %s%s%s (dry run).",
				verb_past(verb_of(q->verb)), action_when(m->d, due),
				later != TS_NONE ? ", and deleted at " : "",
				later != TS_NONE ? action_when(m->d, later) : ""));
}

static void news_add_thing(struct making *m, struct doc_section *s, const struct telling *t,
	const struct rule *rule, struct doc_row *row)
{
	const struct q_thing *q = &t->thing;

	*doc_at(s, row, "net_per_hour") = cell_estimate(cell_rate(q->net, q->currency));
	*doc_at(s, row, "currency") = cell_text(q->currency);
	if (!news_is_over(t->news))
		row->command = fix_thing(rule, fix_kind(rule, t->news->rule), q, m->a);
	if (row->command)
		row->detail = sentences_text(m->a, row->detail, fix_warning(q));
}

static void news_add_figure(struct making *m, struct doc_section *s,
	const struct telling *t, const struct rule *rule, struct doc_row *row)
{
	const char *what = NULL, *name;
	const char *command = fix_figure(
		fix_kind(rule, t->news->rule), t->news->subject, m->a, &what, &name);

	if (command)
		*doc_at(s, row, "name") = cell_text(
			arena_printf(m->a, "%s %s", what, name));
	if (!news_is_over(t->news))
		row->command = command;
}

static void news_add_news(struct making *m, struct doc_section *s, const struct telling *t)
{
	const struct q_outbox_list *n = t->news;
	struct doc_row *row = doc_row(s);
	const struct rule *rule = fix_rule(m->s, n->rule);
	ts_t until = news_is_over(n) ? n->at : m->d->now;

	*doc_at(s, row, "event") = cell_text(n->event);
	*doc_at(s, row, "severity") = cell_toned(
		cell_text(n->severity), news_tone_of(n->severity));
	*doc_at(s, row, "rule") = cell_text(n->rule);
	*doc_at(s, row, "name") = cell_text(
		t->known.display_name ? t->known.display_name : n->subject);
	*doc_at(s, row, "project") = cell_text(t->known.project);
	*doc_at(s, row, "owner") = cell_text(t->known.owner);
	*doc_at(s, row, "subject") = cell_code(n->subject);
	*doc_at(s, row, "summary") = cell_text(n->summary);
	*doc_at(s, row, "since") = cell_time(n->since);
	*doc_at(s, row, "age_seconds") = cell_duration(
		until > n->since ? until - n->since : 0);
	if (rule)
		*doc_at(s, row, "repeat_seconds") = cell_duration(
			alert_repeat(rule, rule->severity));
	*doc_at(s, row, "labels") = cell_text(
		rule && rule->labels && strcmp(rule->labels, "{}") ? rule->labels : NULL);
	row->detail = news_summary(m, t);
	row->folded = !t->same;
	row->tone = news_is_over(n) ? TONE_GOOD : news_tone_of(n->severity);
	if (t->found)
		news_add_thing(m, s, t, rule, row);
	else
		news_add_figure(m, s, t, rule, row);
	if (t->acted && !news_is_over(n))
		news_add_action(m, t, rule, row);
	if (!row->command && !news_is_over(n))
		row->command = fix_why(n->rule, n->subject, m->a);
}

#define THINGS_SHOWN 20 /* of one rule: each may cost money */
#define FIGURES_SHOWN 5 /* one cause has a subject in every project */

static size_t news_shown_of(const struct making *m, const char *name)
{
	const struct rule *rule = fix_rule(m->s, name);

	return rule && !strcmp(rule->on, "resources") ? THINGS_SHOWN : FIGURES_SHOWN;
}

/* The number of other subjects of a rule; formats for programs have them all. */
static void fold_rest(struct making *m, struct doc_section *s)
{
	struct strmap seen = {0};

	for (size_t i = 0; i < s->n; i++) {
		const char *name = doc_at(s, &s->rows[i], "rule")->text;
		size_t *n;

		if (s->rows[i].folded) /* an earlier row has its cause */
			continue;
		strmap_put(&seen, name, 0);
		n = strmap_get(&seen, name);
		s->rows[i].folded = ++*n > news_shown_of(m, name);
	}
	for (size_t i = 0; i < s->n; i++) {
		const char *name = doc_at(s, &s->rows[i], "rule")->text;
		size_t *n = strmap_get(&seen, name);

		if (s->rows[i].folded && *n > news_shown_of(m, name)) {
			s->note = arena_printf(m->a, "%s%zu more of %s",
				s->note ? arena_printf(m->a, "%s, ", s->note)
					: "Not shown: ",
				*n - news_shown_of(m, name), name);
			*n = 0;
		}
	}
	strmap_done(&seen);
}

static void news_add_section(
	struct making *m, const char *key, const char *title, bool over)
{
	struct doc_section *s = doc_section_like(
		m->d, key, title, "alerts", columns, ARRAY_LEN(columns));

	s->brief = true;
	s->more = "tpucost alerts";
	s->tone = over ? TONE_GOOD : TONE_BAD;
	for (size_t i = 0; i < m->n; i++)
		if (news_is_over(m->v[i].news) == over)
			news_add_news(m, s, &m->v[i]);
	hide_unknown(s, "owner");
	fold_rest(m, s);
}

/* "3 critical, 1 warning, 2 resolved" */
static const char *news_counts(const struct making *m)
{
	static const char *const words[] = {"critical", "warning", "info", "resolved"};
	const char *text = "";

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (m->counts[i])
			text = arena_printf(m->a, "%s%s%zu %s", text, *text ? ", " : "",
				m->counts[i], words[i]);
	return text;
}

#define LAST_SENTENCE 64 /* bytes */

/* A text that is too long, as its beginning and its last sentence: the price, or why it ended. */
static const char *shortened(const char *text, size_t max, struct arena *a)
{
	const char *last = "";

	if (strlen(text) <= max)
		return text;
	for (const char *p = text; (p = strstr(p, ". ")) != NULL; p++)
		last = p + 1;
	if (strlen(last) > LAST_SENTENCE)
		last = "";
	return arena_printf(a, "%.*s...%s",
		(int)utf8_fit(text, max - strlen("...") - strlen(last)), text, last);
}

/* The most severe in words, the others as a number: a phone notification shows it. */
static const char *subject_of(const struct making *m)
{
	static const char *const words[][2] = {{"firing", ""}, {"worse", "worse: "},
		{"repeat", "still: "}, {"resolved", ""}};
	const char *event = "", *severity = "resolved", *begin, *more = "";
	const struct q_outbox_list *news = m->v[0].news;

	if (m->digest)
		return arena_printf(m->a, "[tpucost] %zu alert%s: %s", m->n,
			m->n == 1 ? "" : "s", news_counts(m));
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i][0], news->event))
			event = words[i][1];
	if (!news_is_over(news))
		severity = !strcmp(news->severity, severity_name(SEVERITY_CRITICAL))
			? "CRITICAL"
			: news->severity;
	begin = arena_printf(m->a, "[tpucost] %s: %s", severity, event);
	if (m->groups > 1)
		more = arena_printf(m->a, " (and %zu more)", m->groups - 1);
	return arena_printf(m->a, "%s%s%s", begin,
		shortened(news_summary(m, &m->v[0]),
			DOC_SUBJECT_MAX - strlen(begin) - strlen(more), m->a),
		more);
}

/* Every alert message has the age of its figures and of the data. */
static enum err_code add_freshness(struct making *m, struct err *e)
{
	struct q_freshness_in in = {.basis = "inventory"};
	struct q_freshness q;
	ts_t as_of = m->d->now;
	bool found;

	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].news->as_of < as_of)
			as_of = m->v[i].news->as_of;
	doc_fact(m->d, "as_of", "Figures as of", cell_time(as_of));
	if (!m->db)
		return E_OK;
	if (q_freshness_one(m->db, &in, m->a, &q, &found, e))
		return e->code;
	if (found && q.oldest.set && q.oldest.v)
		doc_fact(m->d, "inventory_complete_at", "Inventory read at",
			cell_time(q.oldest.v));
	return E_OK;
}

#define LONG_SUBJECT 200 /* too long to type */

/* Commands for more about the first one, and to silence it. */
static void say_more(struct doc *d, const struct telling *t)
{
	const struct q_outbox_list *first = t->news;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (news_is_over(first) || strlen(first->subject) > LONG_SUBJECT) {
		doc_note(d, "All alerts: tpucost alerts");
		return;
	}
	sbuf_add_shell(&b, first->rule);
	if (t->same == 1) {
		sbuf_adds(&b, " --subject ");
		sbuf_add_shell(&b, first->subject);
	}
	doc_note(d, "All alerts: tpucost alerts. Details of the first one: %s",
		fix_why(first->rule, first->subject, d->arena));
	doc_note(d, "To silence it: tpucost silence %s --for 2h", b.s);
}

enum err_code alert_doc(struct db *db, const struct settings *s,
	const struct q_outbox_list *news, size_t n, bool digest, ts_t now, struct arena *a,
	struct doc **out, struct err *e)
{
	struct doc *d = doc_new(a, "alerts", s->tz, now);
	struct making m = {.db = db, .s = s, .a = a, .d = d, .digest = digest};
	const char *first;

	if (look_all_up(&m, news, n, e) || add_freshness(&m, e))
		return err_wrap(e, "message about alerts");
	news_add_section(&m, "firing", "Problems", false);
	news_add_section(&m, "resolved", "Resolved", true);
	first = news_summary(&m, &m.v[0]);
	d->title = arena_printf(a, "tpucost: %s", news_counts(&m));
	d->headline = m.groups == 1
		? first
		: arena_printf(a, "%s. First: %s", news_counts(&m), first);
	d->subject = subject_of(&m);
	d->tone = news_is_over(m.v[0].news) ? TONE_GOOD
					    : news_tone_of(m.v[0].news->severity);
	doc_note_zone(d);
	say_more(d, &m.v[0]);
	*out = d;
	return E_OK;
}

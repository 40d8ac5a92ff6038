/* Explains an alert: its summary, its rule, whether its condition is true now, and its events. */
#include "base/time/civil.h"
#include "reports/fix.h"
#include "reports/message/action_text.h"
#include "reports/why/internal.h"
#include "rules/judge/alert.h"
#include "rules/judge/explain.h"
#include "rules/vocab/subject.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define QUERY_MS 5000

/* ---- rule ---------------------------------------------------------------------------------- */

static void judged_when(struct explaining *x, const struct rule *r)
{
	if (!explain_rows(x, NULL, q_explain_rule_state_read(x, .rule = r->name), NULL))
		explain_say(x, "evaluated", "not yet; run: tpucost run --once");
}

static void the_rule(struct explaining *x, const struct rule *r)
{
	char hold[DURATION_BUF], repeat[DURATION_BUF];
	struct explain_row *row;

	explain_section(x, arena_printf(x->a, "Rule %s", r->name));
	explain_fact(x, "description", r->doc);
	if (!r->enabled)
		explain_say(x, "enabled", "no: it is not evaluated");
	explain_say(x, "on", "%s", r->on);
	row = explain_say(x, "where", "%s", r->where);
	row->source = r->at ? arena_strdup(x->a, r->at) : "built in";
	explain_fact(x, "critical when", r->critical_when);
	explain_fact(x, "stage", r->stage);
	explain_say(x, "for", "%s",
		r->hold_for ? duration_format(r->hold_for, hold)
			    : "0: it fires immediately");
	if (r->keep_for)
		explain_say(x, "resolves after", "%s", duration_format(r->keep_for, hold));
	explain_say(x, "repeated after", "%s",
		duration_format(alert_repeat(r, r->severity), repeat));
	explain_fact(x, "then", action_steps_text(r, x->a));
	judged_when(x, r);
}

/* ---- row ----------------------------------------------------------------------------------- */

static bool alert_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool names(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text ? strstr(text, word) : NULL; p; p = strstr(p + 1, word))
		if ((p == text || !alert_in_word(p[-1])) && !alert_in_word(p[n]))
			return true;
	return false;
}

/* Reports whether the rule uses the column in a condition or in a text. */
static bool matters(const struct rule *r, const char *column)
{
	return names(r->where, column) || names(r->critical_when, column) ||
		names(r->stage, column) || names(r->value, column) ||
		names(r->summary, column);
}

/* Views show amounts as doubles of units; below this limit every nano-unit is exact. */
#define EXACT_UNITS 4000000.0

static void alert_add_cell(
	struct explaining *x, const char *name, const struct db_cursor *c, int i)
{
	double v;

	switch (db_cursor_type(c, i)) {
	case DB_NULL:
		explain_add(x, name);
		break;
	case DB_INT:
		explain_count(x, name, SOME(db_cursor_i64(c, i)), NULL);
		break;
	case DB_REAL:
		v = db_cursor_real(c, i);
		if (fabs(v) < EXACT_UNITS)
			explain_nanos(x, name, SOME(llroundl((long double)v * 1e9L)), NULL);
		else
			explain_say(x, name, "%.15g", v);
		break;
	case DB_TEXT:
		explain_say(x, name, "%s", db_cursor_text(c, i));
		break;
	}
}

static void the_row(struct explaining *x, const struct rule *r, const char *subject)
{
	const struct view *v = view_find(r->on);
	const struct subject *s = v ? subject_of(v) : NULL;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor c = {0};
	bool more = false;

	if (!s)
		return;
	sbuf_adds(&sql, "SELECT 1");
	for (size_t i = 0; i < v->n; i++)
		if (matters(r, v->columns[i].name))
			sbuf_addf(&sql, ", \"%s\"", v->columns[i].name);
	sbuf_addf(&sql, " FROM %s WHERE (%s) = :subject LIMIT 1", v->name, s->key);
	explain_section(x, arena_printf(x->a, "Current row of %s", v->name));
	if (!db_cursor_open(x->db, sql.s, QUERY_MS, &c, x->e)) {
		db_cursor_bind(&c, ":subject", subject);
		if (!db_cursor_step(&c, &more, x->e) && more)
			for (int i = 1; i < db_cursor_columns(&c); i++)
				alert_add_cell(x, db_cursor_name(&c, i), &c, i);
	}
	if (c.stmt)
		db_cursor_close(&c);
	if (!more)
		explain_say(x, "row", "no longer exists");
}

static const struct match *match_of(const struct match *v, size_t n, const char *subject)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].subject, subject))
			return &v[i];
	return NULL;
}

static void holds_now(struct explaining *x, const struct rule *r, const char *subject)
{
	const struct match *hit, *near;
	struct explanation now;
	struct err why = {0};

	explain_section(x, "Condition now");
	if (rule_explain(x->db, r, x->a, &now, &why)) {
		explain_say(x, "unknown", "%s", why.msg);
		if (why.code != E_USAGE && why.code != E_LIMIT)
			*x->e = why;
		return;
	}
	hit = match_of(now.hits, now.n_hits, subject);
	near = match_of(now.near, now.n_near, subject);
	if (hit) {
		explain_say(x, "condition", "true: %s", hit->summary);
		explain_say(x, "data", "%s", hit->fresh ? "fresh" : "stale");
	} else if (near) {
		explain_say(x, "condition", "false: %s %s", near->lacks,
			near->unknown ? "is unknown" : "is false");
		explain_fact(x, "where", near->figures);
	} else {
		explain_say(x, "condition", "false");
	}
}

/* ---- alert --------------------------------------------------------------------------------- */

void explain_alert(struct explaining *x, const char *key)
{
	size_t n = strcspn(key, "/");
	const char *rule = arena_strndup(x->a, key, n);
	const char *subject = key + n + (key[n] == '/');
	const struct rule *r = fix_rule(x->settings, rule);

	x->title = arena_printf(x->a, "alert %s of %s", rule, subject);
	if (!explain_rows(x, "Alert",
		    q_explain_alert_read(x, .rule = rule, .subject = subject), NULL)) {
		err_first(x->e, E_NOTFOUND, "why: alert %s", key);
		return;
	}
	if (r) {
		holds_now(x, r, subject);
		the_row(x, r, subject);
		the_rule(x, r);
	} else {
		explain_section(x, "Rule");
		explain_say(x, "rule", "no longer exists");
	}
	explain_rows(x, "Events, newest first",
		q_explain_events_read(x, .rule = rule, .subject = subject), NULL);
	explain_rows(x, "Silences",
		q_explain_silences_read(x, .rule = rule, .subject = subject, .now = x->now),
		NULL);
	explain_hold(x, subject);
}

/* ---- rule ---------------------------------------------------------------------------------- */

void explain_rule(struct explaining *x, const char *key)
{
	const struct rule *r = fix_rule(x->settings, key);

	if (!r) {
		err_first(x->e, E_NOTFOUND, "why: rule %s", key);
		return;
	}
	x->title = arena_printf(x->a, "rule %s", key);
	the_rule(x, r);
	if (!explain_rows(
		    x, "Alerts", q_explain_alerts_read(x, .rule = key), "tpucost alerts"))
		explain_say(x, "none", "see: tpucost rules explain %s", key);
}

/* ---- alerts about another resource --------------------------------------------------------- */

void explain_hold(struct explaining *x, const char *id)
{
	explain_rows(x, "Hold", q_explain_hold_read(x, .id = id, .now = x->now), NULL);
}

/* Reports whether the rule matches the row with that key. */
static enum err_code holds_for(const struct explaining *x, const struct rule *r,
	const char *key, const char *subject, bool *holds, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor c = {0};

	*holds = false;
	sbuf_addf(&sql, "SELECT 1 FROM %s WHERE (%s) = :subject AND (%s) LIMIT 1", r->on,
		key, r->where);
	if (!db_cursor_open(x->db, sql.s, QUERY_MS, &c, e)) {
		db_cursor_bind(&c, ":subject", subject);
		(void)!db_cursor_step(&c, holds, e);
	}
	if (c.stmt)
		db_cursor_close(&c);
	return e->code;
}

static void rules_now(struct explaining *x, const char *view, const char *subject)
{
	const struct view *v = view_find(view);
	const struct subject *s = v ? subject_of(v) : NULL;

	explain_section(x, "Rules whose condition it meets now");
	for (size_t i = 0; s && i < x->settings->n_rules; i++) {
		const struct rule *r = &x->settings->rules[i];
		struct err why = {0};
		bool holds;

		if (!r->enabled || strcmp(r->on, view) != 0)
			continue;
		if (!holds_for(x, r, s->key, subject, &holds, &why)) {
			if (holds)
				explain_say(x, r->name, "%s", r->doc ? r->doc : r->where);
		} else if (why.code == E_USAGE || why.code == E_LIMIT) {
			explain_say(x, r->name, "cannot be evaluated: %s", why.msg);
		} else {
			*x->e = why;
		}
	}
}

void explain_alerts_of(struct explaining *x, const char *view, const char *subject)
{
	rules_now(x, view, subject);
	explain_rows(x, "Alerts about it at the last evaluation",
		q_explain_alerts_read(x, .subject = subject), NULL);
	explain_hold(x, subject);
}

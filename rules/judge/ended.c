/* Summary of a resolved alert: in the past tense, with the reason for its end. */
#include "base/str.h"
#include "base/time/tz.h"
#include "db_sql.h"
#include "rules/judge/internal.h"

#include <ctype.h>
#include <string.h>

/* Verbs of summaries, and their past; longer ones first. */
static const char *const verbs[][2] = {{"runs out", "was expected to run out"},
	{"is", "was"}, {"are", "were"}, {"has", "had"}, {"costs", "cost"}, {"runs", "ran"},
	{"run", "ran"}, {"leave", "left"}, {"may", "might"}};

static bool ended_is_word(const char *text, const char *at, size_t n)
{
	return (at == text || !isalnum((unsigned char)at[-1])) &&
		!isalnum((unsigned char)at[n]);
}

static void ended_add_past(struct sbuf *b, const char *text)
{
	const char *p = text;

	while (*p) {
		size_t n = 1, i = 0;

		for (; i < ARRAY_LEN(verbs); i++) {
			n = strlen(verbs[i][0]);
			if (str_starts(p, verbs[i][0]) && ended_is_word(text, p, n))
				break;
		}
		if (i < ARRAY_LEN(verbs))
			sbuf_adds(b, verbs[i][1]);
		else
			sbuf_add(b, p, n = 1);
		p += n;
	}
}

/* Only the words of the rule change: figures and names between them do not. */
static enum err_code ended_past(struct judging *j, const struct rule *r,
	const char *summary, struct sbuf *b, struct err *e)
{
	struct template t = {0};

	if (r->summary && template_parse(r->summary, view_find(r->on), j->arena, &t, e))
		return e->code;
	for (size_t i = 0; i < t.n; i++) {
		const char *text = t.parts[i].text,
			   *at = text ? strstr(summary, text) : NULL;

		if (!at)
			continue;
		sbuf_add(b, summary, (size_t)(at - summary));
		ended_add_past(b, text);
		summary = at + strlen(text);
	}
	sbuf_adds(b, summary);
	if (b->len && b->s[b->len - 1] == '.')
		sbuf_trunc(b, b->len - 1);
	return E_OK;
}

static const char *ended_since(struct judging *j, const char *what, ts_t at)
{
	char buf[TZ_TIME_BUF];

	return arena_printf(j->arena, "it was %s at %s%s", what, tz_time(j->s->tz, at, buf),
		strcmp(tz_name(j->s->tz), "UTC") ? "" : " UTC");
}

/* Reason for the end, as far as the inventory has one. */
static enum err_code ended_why(struct judging *j, const struct rule *r,
	const struct known *k, const char **why, struct err *e)
{
	static const char *const states[] = {"stopped", "suspended", "preempted"};
	struct q_alert_ended_in in = {.id = k->subject};
	struct q_alert_ended q;
	bool found;

	*why = "the condition no longer holds";
	if (strcmp(r->on, "resources") != 0)
		return E_OK;
	if (q_alert_ended_one(j->db, &in, j->arena, &q, &found, e))
		return e->code;
	if (!found)
		*why = "it no longer exists";
	else if (q.since.set && q.since.v > k->alert.last_true && strstr(r->where, "state"))
		*why = str_in(q.state, states, ARRAY_LEN(states))
			? ended_since(j, q.state, q.since.v)
			: str_eq(q.state, "running") ? ended_since(j, "started", q.since.v)
						     : *why;
	else if (q.covered.set && q.covered.v && strstr(r->where, "covered"))
		*why = arena_printf(j->arena, "it is covered now (grant %s)",
			q.grant_name ? q.grant_name : "unknown");
	return E_OK;
}

enum err_code judge_ended(struct judging *j, const struct rule *r, const struct known *k,
	const char *summary, const char **out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const char *why;

	if (ended_past(j, r, summary, &b, e) || ended_why(j, r, k, &why, e))
		return e->code;
	*out = arena_printf(j->arena, "%s; %s", b.s, why);
	return E_OK;
}

#include "reports/present.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "reports/fix.h"
#include "reports/shared.h"
#include "rules/derive/derive.h"
#include "rules/judge/judge.h"

/* Views that change without a poll. */
static const char *const live[] = {
	"budgets", "credits", "burn", "grants", "grant_ends", "sources"};

/* A rule that cannot be evaluated has no present figures. */
static const struct present_rule *present_rule(struct present *p, const char *name)
{
	const struct rule *r = fix_rule(p->settings, name);
	struct present_rule *x;
	struct err why = {0};

	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->rules[i].name, name))
			return &p->rules[i];
	x = arena_append(p->a, p->rules, p->n, p->cap);
	*x = (struct present_rule){.name = name};
	x->known = r && str_in(r->on, live, ARRAY_LEN(live)) &&
		!rule_matches(p->db, p->settings, r, p->a, &x->matches, &why);
	return x;
}

static const char *present_of(const struct explanation *x, const char *subject)
{
	for (size_t i = 0; i < x->n_hits; i++)
		if (str_eq(x->hits[i].subject, subject))
			return x->hits[i].summary;
	return NULL;
}

/* The summary of its row, whether or not the condition holds; NULL: there is no such row, or it is not of the present. */
static const char *present_row(struct present *p, const char *name, const char *subject)
{
	struct rule any = *fix_rule(p->settings, name);
	struct explanation rows;
	struct err why = {0};

	any.where = "1";
	return rule_matches(p->db, p->settings, &any, p->a, &rows, &why)
		? NULL
		: present_of(&rows, subject);
}

bool present_summary(struct present *p, const char *rule, const char *subject,
	ts_t last_true, ts_t ceased, const char **summary)
{
	const struct present_rule *r = present_rule(p, rule);
	const char *now = r->known ? present_of(&r->matches, subject) : NULL;
	char at[TZ_TIME_BUF];

	if (now) {
		*summary = now;
		return false;
	}
	if (ceased != TS_NONE) {
		*summary = sentences_text(p->a,
			arena_printf(p->a, ENDED_WAS "%s", *summary),
			arena_printf(p->a, "Not so since %s.",
				tz_time(p->settings->tz, ceased, at)));
		*summary = sentences_text(
			p->a, *summary, r->known ? present_row(p, rule, subject) : NULL);
		return true;
	}
	if (p->now - last_true > (r->known ? 0 : stale_after(p->settings, "instances")))
		*summary = sentences_text(p->a, *summary,
			arena_printf(p->a, "As of %s.",
				tz_time(p->settings->tz, last_true, at)));
	return false;
}

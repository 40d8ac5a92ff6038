#include "reports/present.h"

#include "base/str.h"
#include "base/time/tz.h"
#include "reports/fix.h"
#include "rules/derive/derive.h"

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

const char *present_summary(struct present *p, const char *rule, const char *subject,
	const char *summary, ts_t last_true)
{
	const struct present_rule *r = present_rule(p, rule);
	char at[TZ_TIME_BUF];

	for (size_t i = 0; r->known && i < r->matches.n_hits; i++)
		if (str_eq(r->matches.hits[i].subject, subject))
			return r->matches.hits[i].summary;
	if (p->now - last_true <= (r->known ? 0 : stale_after(p->settings, "instances")))
		return summary;
	return arena_printf(p->a, "%s%s As of %s.", summary,
		str_ends(summary, ".") ? "" : ".", tz_time(p->settings->tz, last_true, at));
}

/* What of a rule has a past. */
#include "base/base.h"
#include "rules/replay/internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum past { KEPT_NOT, KEPT_TRAIT, KEPT_METRIC, OF_BILL };

/* Names of views and columns that are not made of stretches of time alone. */
static const struct {
	const char *name;
	enum past past;
} names[] = {
	{"egress", KEPT_NOT},
	{"quotas", KEPT_NOT},
	{"sources", KEPT_NOT},
	{"gaps", KEPT_NOT},
	{"alerts", KEPT_NOT},
	{"alert_events", KEPT_NOT},
	{"silences", KEPT_NOT},
	{"holds", KEPT_NOT},
	{"actions", KEPT_NOT},
	{"audit", KEPT_NOT},
	{"notifications", KEPT_NOT},
	{"channels", KEPT_NOT},
	{"rules", KEPT_NOT},
	{"restatements", KEPT_NOT},
	{"billing_tables", KEPT_NOT},
	{"estimate_errors", KEPT_NOT},
	{"quota_note", KEPT_NOT},
	{"exempt", KEPT_NOT},
	{"exempt_why", KEPT_NOT},
	{"exempt_hours", KEPT_NOT},
	{"last_seen", KEPT_NOT},
	{"complete", KEPT_NOT},
	{"raw_state", KEPT_TRAIT},
	{"hosts", KEPT_TRAIT},
	{"attached_to", KEPT_TRAIT},
	{"labels", KEPT_TRAIT},
	{"owner", KEPT_TRAIT},
	{"residual_per_hour", KEPT_TRAIT},
	{"residual_currency", KEPT_TRAIT},
	{"hidden_costs", KEPT_TRAIT},
	{"grant_plan", KEPT_TRAIT},
	{"idle_minutes", KEPT_METRIC},
	{"idle_basis", KEPT_METRIC},
	{"costs", OF_BILL},
	{"daily_costs", OF_BILL},
	{"billed_credits", OF_BILL},
	{"budgets", OF_BILL},
	{"budget_parts", OF_BILL},
	{"credits", OF_BILL},
	{"reconciliation", OF_BILL},
};

/* The next word of a condition that may be a name: not in single quotes, not a number. NULL: no
 * more. *p moves behind it. */
static const char *replay_next_word(const char **p, size_t *n)
{
	bool quoted = false;

	for (; **p; ++*p) {
		if (**p == '\'')
			quoted = !quoted;
		else if (!quoted && (isalpha((unsigned char)**p) || **p == '_'))
			break;
		else if (!quoted && isdigit((unsigned char)**p))
			while (isalnum((unsigned char)(*p)[1]) || (*p)[1] == '.')
				++*p;
	}
	for (*n = 0; isalnum((unsigned char)(*p)[*n]) || (*p)[*n] == '_';)
		++*n;
	*p += *n;
	return *n ? *p - *n : NULL;
}

/* The first name of that past in the text, or NULL. */
static const char *find_name(const char *text, enum past past)
{
	const char *word;
	size_t n;

	while (text && (word = replay_next_word(&text, &n)))
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (names[i].past == past && strlen(names[i].name) == n &&
				!strncasecmp(names[i].name, word, n))
				return names[i].name;
	return NULL;
}

static const char *uses(const struct rule *r, enum past past)
{
	const char *const texts[] = {r->on, r->where, r->critical_when, r->stage};
	const char *found = NULL;

	for (size_t i = 0; !found && i < ARRAY_LEN(texts); i++)
		found = find_name(texts[i], past);
	return found;
}

struct replay_needs replay_needs_of(const struct rule *r)
{
	return (struct replay_needs){.traits = uses(r, KEPT_TRAIT) != NULL,
		.metrics = uses(r, KEPT_METRIC) != NULL,
		.bill = uses(r, OF_BILL) != NULL};
}

enum err_code replay_possible(const struct rule *r, struct err *e)
{
	const char *name = uses(r, KEPT_NOT);

	if (!name)
		return E_OK;
	err_set(e, E_USAGE,
		"rule %s cannot be replayed: it uses %s, of which no history is kept",
		r->name, name);
	return err_fix(e, "try it on a world of your own: tpucost rules test");
}

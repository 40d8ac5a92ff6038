/* Parts of a rule that have a history. */
#include "rules/replay/internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Names of views and columns that depend on more than recorded intervals. */
static const char *const not_kept[] = {"egress", "quotas", "sources", "gaps", "alerts",
	"alert_events", "silences", "holds", "actions", "audit", "notifications",
	"channels", "rules", "capacity", "restatements", "billing_tables",
	"estimate_errors", "quota_note", "held_chips", "quota_holds", "exempt",
	"exempt_why", "exempt_until", "exempt_hours", "last_seen", "complete"};
static const char *const traits[] = {"raw_state", "hosts", "attached_to", "labels", "owner",
	"residual_per_hour", "residual_currency", "residual_text", "hidden_costs",
	"grant_plan"};
static const char *const metrics[] = {"idle_minutes", "idle_basis", "idle_text"};
static const char *const of_bill[] = {"costs", "daily_costs", "billed_credits", "budgets",
	"budget_parts", "credits", "reconciliation"};

/* The next word of a condition that may be a name: not in single quotes, not a number. NULL: the
 * end. *p is advanced past it. */
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

/* First of the names that the rule uses, or NULL. */
static const char *uses(const struct rule *r, const char *const *names, size_t n_names)
{
	const char *const texts[] = {r->on, r->where, r->critical_when, r->stage};
	const char *word;
	size_t n;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		for (const char *text = texts[i];
			text && (word = replay_next_word(&text, &n));)
			for (size_t k = 0; k < n_names; k++)
				if (strlen(names[k]) == n &&
					!strncasecmp(names[k], word, n))
					return names[k];
	return NULL;
}

struct replay_needs replay_needs_of(const struct rule *r)
{
	return (struct replay_needs){.traits = uses(r, traits, ARRAY_LEN(traits)) != NULL,
		.metrics = uses(r, metrics, ARRAY_LEN(metrics)) != NULL,
		.bill = uses(r, of_bill, ARRAY_LEN(of_bill)) != NULL};
}

enum err_code replay_possible(const struct rule *r, struct err *e)
{
	const char *name = uses(r, not_kept, ARRAY_LEN(not_kept));

	if (!name)
		return E_OK;
	err_set(e, E_USAGE, "rule %s cannot be replayed: it uses %s, which has no history",
		r->name, name);
	return err_fix(e, "try it on a test world: tpucost rules test");
}

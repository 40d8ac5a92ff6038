#include "reports/mend.h"

#include "base/sbuf.h"

#include <string.h>

static bool is(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

const struct rule *mend_rule(const struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->n_rules; i++)
		if (is(s->rules[i].name, name))
			return &s->rules[i];
	return NULL;
}

const char *mend_kind(const struct rule *r, const char *name)
{
	return r && r->builtin ? r->builtin : name;
}

enum mend mend_of(const struct rule *r, const char *kind, const struct stop_target *t,
	struct opt_i64 covered)
{
	bool runs = is(t->state, "running") || is(t->state, "unknown");

	if (is(kind, "tpu-not-covered") || is(kind, "vm-forgotten"))
		return MEND_STOP;
	if (is(kind, "tpu-idle"))
		return covered.set && covered.v ? MEND_LOOK : MEND_STOP;
	if (is(kind, "disk-orphan") || is(kind, "ip-unused") || is(kind, "tpu-leftover"))
		return MEND_DELETE;
	if (r && runs && r->then.action && strcmp(r->then.action, "notify") != 0)
		return MEND_STOP;
	return MEND_LOOK;
}

const char *mend_thing(const struct rule *r, const char *kind, const struct stop_target *t,
	struct opt_i64 covered, struct arena *a, const char **detail)
{
	if (mend_of(r, kind, t, covered) == MEND_LOOK)
		return NULL;
	if (is(t->kind, "disk"))
		*detail = arena_printf(a, "%s Deleting it loses its data.", *detail);
	return stop_command(t, a);
}

/* The command goes on with the first part of the subject where it ends in a blank or colon. */
static const struct {
	const char *rule, *what, *command;
} figures[] = {
	{"budget", "budget", "tpucost budget"},
	{"budget-forecast", "budget", "tpucost budget"},
	{"credit-low", "credit", "tpucost credit"},
	{"quota-high", "quota", "tpucost quota --where 'percent >= 90'"},
	{"burn-high", "burn", "tpucost burn --by resource --project "},
	{"cost-jump", "cost", "tpucost why cost:"},
	{"billed-but-covered", "bill", "tpucost reconcile"},
	{"grant-over-used", "grant", "tpucost coverage"},
	{"grant-ending", "grant", "tpucost grant plan "},
	{"source-stale", "source", "tpucost sources"},
};

static bool goes_on(const char *command)
{
	char last = command[strlen(command) - 1];

	return last == ' ' || last == ':';
}

static const char *with_word(const char *command, const char *word, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	sbuf_adds(&b, command);
	sbuf_add_shell(&b, word);
	text = arena_strdup(a, b.s);
	sbuf_done(&b);
	return text;
}

const char *mend_figure(const char *kind, const char *subject, struct arena *a,
	const char **what, const char **name)
{
	const char *first = arena_strndup(a, subject, strcspn(subject, "/"));

	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		const char *command = figures[i].command;

		if (strcmp(figures[i].rule, kind) != 0)
			continue;
		*what = figures[i].what;
		*name = goes_on(command) ? first : subject;
		return goes_on(command) ? with_word(command, first, a) : command;
	}
	return NULL;
}

const char *mend_why(const char *rule, const char *subject, struct arena *a)
{
	return with_word("tpucost why ", arena_printf(a, "alert:%s/%s", rule, subject), a);
}

/* What a world file expects of its rules. */
#include "base/money.h"
#include "base/str.h"
#include "cli/trial/internal.h"

#include <string.h>

struct entry {
	struct trial_expect x;
	const char *state;
};

/* A rule that is judged; a test of one that is not would prove nothing. */
static enum err_code check_rule(
	struct binder *b, const struct yaml_node *n, const char *name, struct err *e)
{
	const struct settings *s = &trial_reading_of(b)->cfg->settings;
	const char **names = arena_alloc(b->a, (s->n_rules + 1) * sizeof(*names));
	const char *near;

	for (size_t i = 0; i < s->n_rules; i++) {
		names[i] = s->rules[i].name;
		if (strcmp(names[i], name) != 0)
			continue;
		if (s->rules[i].enabled)
			return E_OK;
		return yaml_err(n, e, "the rule \"%s\" is not enabled", name);
	}
	near = str_nearest(name, names, s->n_rules);
	yaml_err(n, e, "there is no rule \"%.60s\"", name);
	return near ? err_fix(e, "did you mean \"%s\"?", near)
		    : err_fix(e, "see: tpucost rules list");
}

static enum err_code read_rule(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *name;

	if (yaml_str(n, &name, e) || check_rule(b, n, name, e))
		return e->code;
	*(const char **)obj = name;
	return E_OK;
}

static enum err_code read_state(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"firing", "pending", "resolved"};

	(void)b;
	return bind_one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_severity(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"info", "warning", "critical"};

	(void)b;
	return bind_one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_value(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	int64_t nanos;

	(void)b;
	if (yaml_str(n, obj, e))
		return e->code;
	return nanos_parse_exact(n->text, &nanos, e) ? yaml_err_at(n, e) : E_OK;
}

#define EX(field) offsetof(struct entry, x.field)
static const struct field expect_fields[] = {
	{"rule", BIND_OTHER, EX(rule), read_rule, .required = true},
	{"subject", BIND_TEXT, EX(subject), NULL, .required = false},
	{"name", BIND_TEXT, EX(name), NULL, .required = false},
	{"state", BIND_OTHER, offsetof(struct entry, state), read_state, .required = false},
	{"severity", BIND_OTHER, EX(severity), read_severity, .required = false},
	{"summary", BIND_TEXT, EX(summary), NULL, .required = false},
	{"value", BIND_OTHER, EX(value), read_value, .required = false},
	{"fired", BIND_OTHER, EX(fired), trial_read_when, .required = false},
};

enum err_code trial_read_expect(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_step *s = obj;

	if (n->type != YAML_SEQ)
		return yaml_err(n, e, "expect: want a list (lines that begin with \"- \")");
	s->expects = arena_alloc(b->a, n->n * sizeof(*s->expects));
	YAML_EACH (item, n) {
		struct entry x = {.x = {.fired = TS_NONE}, .state = "firing"};

		if (bind_map(b, item, "expect", expect_fields, ARRAY_LEN(expect_fields), &x,
			    e))
			return e->code;
		x.x.state = !strcmp(x.state, "firing") ? ALERT_FIRING
			: !strcmp(x.state, "pending")  ? ALERT_PENDING
						       : ALERT_RESOLVED;
		s->expects[s->n_expects++] = x.x;
	}
	return E_OK;
}

enum err_code trial_read_quiet(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_step *s = obj;
	struct texts names = {0};

	if (bind_value(b, n, BIND_TEXTS, &names, e))
		return e->code;
	for (size_t i = 0; i < names.n; i++)
		if (check_rule(b, n, names.v[i], e))
			return e->code;
	s->quiet = names.v;
	s->n_quiet = names.n;
	return E_OK;
}

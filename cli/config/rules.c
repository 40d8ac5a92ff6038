/* Section `rules` of the configuration, merged with the built-in rules. */
#include "base/sbuf.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "cli/cmd.h"
#include "cli/config/internal.h"
#include "db/db.h"
#include "rules/judge/judge.h"
#include "rules/vocab/condition.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 64

const char *const config_severities[] = {[SEVERITY_INFO] = "info",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_CRITICAL] = "critical",
	NULL};
static const char *const actions[] = {"notify", "stop", "delete", NULL};

#define RA(field) offsetof(struct rule_action, field)
static const struct field action_fields[] = {
	{"action", BIND_WORD, RA(action), .required = true, .doc = "notify, stop or delete",
		.words = actions},
	{"grace", BIND_DURATION, RA(grace),
		.doc = "time between the warning and the action",
		.def = "0s; with after, 1d or after, if that is shorter"},
	{"after", BIND_DURATION, RA(after),
		.doc = "time that the rule has matched before the action; in a second "
		       "step, that the machine has been stopped",
		.def = "0s"},
	{"armed", BIND_FLAG, RA(armed),
		.doc = "true: this rule acts if mode is armed and the project is listed",
		.def = "false"},
	{"allow_delete", BIND_FLAG, RA(allow_delete),
		.doc = "true: it may delete resources that cannot be stopped",
		.def = "false"},
};
static const struct field_set action_keys = {
	action_fields, ARRAY_LEN(action_fields), .what = "then"};

/* ---- steps ------------------------------------------------------------------------------------- */

static enum err_code read_step(
	struct binder *b, const struct yaml_node *n, struct rule_action *out, struct err *e)
{
	const struct yaml_node *grace = yaml_get(n, "grace"), *after = yaml_get(n, "after");

	*out = (struct rule_action){0};
	if (bind_set(b, n, &action_keys, out, e))
		return e->code;
	if (str_eq(out->action, "notify") && (after || out->armed))
		return yaml_err(n, e, "then: notify takes neither after nor armed");
	if (!out->after)
		return E_OK;
	if (!grace)
		out->grace = out->after < DAY_SECONDS ? out->after : DAY_SECONDS;
	if (out->grace > out->after)
		return yaml_err(grace, e, "then: grace is longer than after");
	return E_OK;
}

/* [{action: notify}, {action: stop, grace: 30m}, {action: delete, after: 7d}] in that order, each of
 * which may be absent, or one of them as a map. */
static enum err_code read_steps(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct rule *r = &((struct rule_config *)obj)->rule;
	int last = -1, which;

	r->then = r->later = (struct rule_action){0};
	if (n->type != YAML_SEQ)
		return read_step(b, n, &r->then, e);
	YAML_EACH (item, n) {
		struct rule_action step;

		if (item->type != YAML_MAP)
			return yaml_err(item, e, "then: expected 'key: value' pairs");
		if (read_step(b, item, &step, e))
			return e->code;
		for (which = 0; !str_eq(actions[which], step.action); which++)
			;
		if (which <= last)
			return yaml_err(item, e,
				"then: %s cannot follow %s (the order is notify, stop, "
				"delete)",
				actions[which], actions[last]);
		if (last == 1 && !step.after) {
			yaml_err(item, e, "then: the second step needs after");
			return err_fix(e, "for example: after: 7d");
		}
		*(last == 1 ? &r->later : &r->then) = step;
		last = which;
	}
	return last < 0
		? yaml_err(n, e, "then: the list is empty; expected notify, stop or delete")
		: E_OK;
}

/* {team: nlp, page: "yes"} -> JSON text */
static enum err_code rules_read_labels(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	cleanup(sbuf_done) struct sbuf json = SBUF_INIT;
	const char *value;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "labels: expected 'key: value' pairs");
	sbuf_addc(&json, '{');
	YAML_EACH (item, n) {
		if (yaml_str(item, &value, e))
			return e->code;
		sbuf_adds(&json, json.len > 1 ? "," : "");
		sbuf_add_json(&json, item->key);
		sbuf_addc(&json, ':');
		sbuf_add_json(&json, value);
	}
	sbuf_addc(&json, '}');
	*(const char **)obj = arena_strdup(b->a, json.s);
	return E_OK;
}

#define RU(field) offsetof(struct rule_config, rule.field)
static const struct field notify_fields[] = {
	{"to_owner", BIND_TEXT, RU(notify.to_owner), .required = true,
		.doc = "mail address of the owner of the resource, such as "
		       "{owner}@example.org"},
	{"channel", BIND_TEXT, RU(notify.channel), .doc = "the channel that sends the mail",
		.def = "the only email or sendmail channel"},
};
static const struct field_set notify_keys = {
	notify_fields, ARRAY_LEN(notify_fields), .what = "notify"};

static const struct field rule_fields[] = {
	{"use", BIND_TEXT, offsetof(struct rule_config, use),
		.doc = "name of a built-in rule; keys given here replace those of the "
		       "rule"},
	{"name", BIND_TEXT, RU(name), .doc = "name of a custom rule"},
	{"on", BIND_TEXT, RU(on), .doc = "the view to which the condition applies"},
	{"view", BIND_TEXT, RU(on), .doc = "the same as on"},
	{"where", BIND_TEXT, RU(where),
		.doc = "SQL condition: each matching row is a subject of the alert"},
	{"critical_when", BIND_TEXT, RU(critical_when),
		.doc = "SQL condition: if it also holds, the alert is critical"},
	{"stage", BIND_TEXT, RU(stage),
		.doc = "SQL number, rounded down: the alert is sent again when it "
		       "increases"},
	{"value", BIND_TEXT, RU(value),
		.doc = "SQL number: the figure shown with the alert"},
	{"for", BIND_DURATION, RU(hold_for),
		.doc = "time that the condition must hold before the alert fires",
		.def = "0s"},
	{"keep_for", BIND_DURATION, RU(keep_for),
		.doc = "time that the condition must not hold before the alert is resolved",
		.def = "0s"},
	{"repeat", BIND_DURATION, RU(repeat),
		.doc = "interval at which a firing alert is sent again",
		.def = "24h, critical 4h"},
	{"severity", BIND_ENUM, RU(severity), .doc = "info, warning or critical",
		.def = "warning", .words = config_severities},
	{"summary", BIND_TEXT, RU(summary),
		.doc = "the text of the alert, with {columns} of the row"},
	{"labels", BIND_OTHER, RU(labels), rules_read_labels,
		.doc = "stored with its alerts", .shape = "map of text"},
	{"enabled", BIND_FLAG, RU(enabled), .doc = "false: it is not evaluated",
		.def = "true"},
	{"notify", BIND_MAP, 0, .doc = "mail to the owner, in addition to the channels",
		.sub = &notify_keys},
	{"then", BIND_MAP, 0, read_steps,
		.doc = "action in addition to the alert; or a list of steps: notify, stop, "
		       "then delete",
		.shape = "map, or list of maps", .sub = &action_keys},
};
/* Names appear in messages, files and commands. */
static bool rules_name_valid(const char *s)
{
	size_t n = strspn(
		s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return n && !s[n] && n <= NAME_MAX_LEN;
}

static enum err_code check_use(
	const struct yaml_node *item, const struct rule_config *r, struct err *e)
{
	const struct rule *builtin = builtin_find(r->use);

	if (!builtin) {
		yaml_err(yaml_get(item, "use"), e, "there is no built-in rule '%.60s'",
			r->use);
		return near_fix(e, builtin_nearest(r->use), "see: tpucost rules list");
	}
	if (r->rule.on && strcmp(r->rule.on, builtin->on) != 0)
		return yaml_err(item, e,
			"rule %s: cannot change on: it is on %s; use a new rule with a "
			"name",
			r->use, builtin->on);
	return E_OK;
}

static enum err_code check_own(
	const struct yaml_node *item, const struct rule_config *r, struct err *e)
{
	if (!r->rule.name)
		return yaml_err(item, e, "rule: expected use (a built-in rule) or name");
	if (!r->rule.on || !r->rule.where)
		return yaml_err(
			item, e, "rule %s: on and where are required", r->rule.name);
	if (!view_find(r->rule.on)) {
		yaml_err(item, e, "rule %s: there is no view '%.60s'", r->rule.name,
			r->rule.on);
		return near_fix(e, near_view(r->rule.on), "views: tpucost views");
	}
	if (builtin_find(r->rule.name)) {
		yaml_err(item, e, "rule %s: the name is that of a built-in rule",
			r->rule.name);
		return err_fix(e, "change the built-in rule with 'use: %s'", r->rule.name);
	}
	return E_OK;
}

static enum err_code check_rule(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct rule_config *r = obj;

	(void)b;
	r->node = n;
	if (r->rule.name && !rules_name_valid(r->rule.name)) {
		yaml_err(yaml_get(n, "name"), e, "'%.60s' is not a valid name of a rule",
			r->rule.name);
		return err_fix(e, "use letters, digits, '-', '_' and '.'");
	}
	return r->use ? check_use(n, r, e) : check_own(n, r, e);
}

const struct field_set config_rule_keys = {rule_fields, ARRAY_LEN(rule_fields),
	.list = true, .check = check_rule, .size = sizeof(struct rule_config)};

/* ---- merging ----------------------------------------------------------------------------------- */

static struct rule *rules_find(struct rule *rules, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}

static const char *name_of(const struct rule_config *c)
{
	return c->rule.name ? c->rule.name : c->use;
}

/* The keys in the configuration replace those of the rule. */
static enum err_code rules_apply(struct config *cfg, struct rule *r,
	const struct rule_config *c, struct arena *a, struct err *e)
{
	struct binder b = {.a = a, .file = cfg->path, .ctx = cfg};
	struct rule_config x = {.rule = *r};

	/* a severity without critical_when disables the built-in one: "always info" is meant */
	if (yaml_get(c->node, "severity"))
		x.rule.critical_when = NULL;
	if (yaml_get(c->node, "then"))
		x.rule.then = x.rule.later = (struct rule_action){0};
	if (bind_map(&b, c->node, "rule", rule_fields, ARRAY_LEN(rule_fields), &x, e))
		return e->code;
	*r = x.rule;
	r->at = arena_printf(a, "%s:%d:%d", c->node->file, c->node->line, c->node->col);
	if (r->enabled && !r->repeat && yaml_get(c->node, "repeat"))
		config_remark(a, &cfg->warnings,
			"%s: repeat 0 selects the default: 24h, critical 4h", r->at);
	return E_OK;
}

static enum err_code rules_place(struct config *cfg, struct rule *rules, size_t *n,
	const struct rule_config *c, struct arena *a, struct err *e)
{
	const char *name = name_of(c);
	struct rule *r = rules_find(rules, *n, name);

	if (r && (c->rule.name || r->at))
		return yaml_err(c->node, e, "rule %s: listed twice", name);
	if (!r) {
		r = &rules[(*n)++];
		*r = c->use ? *builtin_find(c->use)
			    : (struct rule){.severity = SEVERITY_WARNING};
		r->builtin = c->use;
		r->name = name;
		r->enabled = true;
	}
	return rules_apply(cfg, r, c, a, e);
}

static bool has_sql(const struct rule *r)
{
	return r->where || r->critical_when || r->stage || r->value || r->summary;
}

/* Moves the error to the key that is wrong, with which the message begins. */
static enum err_code blame(const struct rule_config *c, const char *name, struct err *e)
{
	char key[32] = "";
	const struct yaml_node *n;

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(e->msg, ":"), e->msg);
	n = yaml_get(c->node, key);
	err_wrap(e, "rule %s", name);
	return yaml_err_at(n ? n : c->node, e);
}

static enum err_code check_rules(
	struct config *cfg, struct rule *rules, size_t n, struct err *e)
{
	struct db *db = NULL;
	enum err_code rc = E_OK;

	for (size_t i = 0; !rc && i < cfg->n_rules; i++) {
		const struct rule_config *c = &cfg->rules[i];
		const char *name = name_of(c);

		struct rule *r = rules_find(rules, n, name);

		if (config_check_then(r, c, e) || config_check_to_owner(cfg, r, c, e)) {
			rc = e->code;
			break;
		}
		if (!has_sql(&c->rule))
			continue;
		if (!db)
			rc = db_open_views(clock_system(), &db, e);
		if (!rc && rule_check(db, rules_find(rules, n, name), e))
			rc = blame(c, name, e);
	}
	db_close(db);
	return rc;
}

enum err_code config_make_rules(struct config *cfg, struct arena *a, struct err *e)
{
	size_t n = n_builtin_rules;
	struct rule *rules = arena_alloc(a, (n + cfg->n_rules) * sizeof(*rules));

	for (size_t i = 0; i < n; i++) {
		rules[i] = builtin_rules[i];
		rules[i].builtin = rules[i].name;
		rules[i].enabled = true;
	}
	for (size_t i = 0; i < cfg->n_rules; i++)
		if (rules_place(cfg, rules, &n, &cfg->rules[i], a, e))
			return e->code;
	if (check_rules(cfg, rules, n, e))
		return e->code;
	cfg->settings.rules = rules;
	cfg->settings.n_rules = n;
	return E_OK;
}

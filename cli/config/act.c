/* Checks of the enforcement settings that need the whole configuration, and its warnings and
 * notes. */
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/config/internal.h"
#include "db/db.h"
#include "rules/enforce/enforce.h"
#include "rules/vocab/condition.h"

#include <string.h>

static bool acts(const struct rule *r)
{
	return str_eq(r->then.action, "stop") || str_eq(r->then.action, "delete");
}

enum err_code config_check_then(
	const struct rule *r, const struct rule_config *c, struct err *e)
{
	const struct yaml_node *then = yaml_get(c->node, "then");

	if (!acts(r) || str_eq(r->on, "resources") || str_eq(r->on, "coverage"))
		return E_OK;
	yaml_err(then ? then : c->node, e,
		"rule %s: cannot %s rows of %s: they are not machines", r->name,
		r->then.action, r->on);
	return err_fix(e, "move the condition to a rule on resources");
}

enum err_code config_check_conditions(const struct config *cfg, struct err *e)
{
	const struct enforcement_config *en = &cfg->enforcement;
	const struct yaml_node *n = cfg->budget_node;
	struct db *db = NULL;
	enum err_code rc = E_OK;

	if (en->made.protect && !(rc = db_open_views(clock_system(), &db, e)) &&
		condition_check(db, view_find("resources"), en->made.protect, e)) {
		err_wrap(e, "enforcement.protect");
		rc = yaml_err_at(yaml_get(en->node, "protect"), e);
	}
	for (size_t i = 0; !rc && i < cfg->n_budgets; i++, n = n->next) {
		const struct budget *b = &cfg->budgets[i];

		if (!b->where)
			continue;
		if (!db)
			rc = db_open_views(clock_system(), &db, e);
		if (!rc && condition_check(db, view_find("costs"), b->where, e)) {
			err_wrap(e, "budget %s: where", b->name);
			rc = yaml_err_at(yaml_get(n, "where"), e);
		}
	}
	db_close(db);
	return rc;
}

/* ---- warnings and notes ------------------------------------------------------------------------ */

void config_remark(struct arena *a, struct remarks *list, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	*arena_push(a, list) = arena_strdup(a, b.s);
}

static void look_at_rule(struct config *cfg, const struct rule *r, struct arena *a)
{
	const struct enforcement_config *en = &cfg->enforcement;
	const struct rule_action *deletes = enforce_step(r, VERB_DELETE);

	if (!str_eq(r->on, "resources"))
		config_remark(a, &cfg->warnings,
			"%s: rule %s only sends alerts: it is on %s, and only rules on "
			"resources can act",
			r->at, r->name, r->on);
	if (deletes && !(deletes->allow_delete && en->made.allow_delete))
		config_remark(a, &cfg->warnings,
			"%s: rule %s deletes nothing unless allow_delete: true is set in "
			"the rule and in enforcement",
			r->at, r->name);
	if (deletes && deletes->armed && !r->then.armed)
		config_remark(a, &cfg->warnings,
			"%s: rule %s deletes what it stopped, and it stops nothing unless "
			"armed: true is set in the first step",
			r->at, r->name);
	if (r->then.armed && !str_eq(en->mode, "armed"))
		config_remark(a, &cfg->notes,
			"%s: rule %s is armed, but enforcement.mode is %s: nothing is "
			"stopped",
			r->at, r->name, en->mode);
}

static bool watched(const struct config *cfg, const char *project)
{
	for (size_t i = 0; i < cfg->projects.n; i++)
		if (str_eq(cfg->projects.v[i], project))
			return true;
	/* a number, or a project that is found */
	return !project[strspn(project, "0123456789")] || cfg->discovery;
}

static void look_at_projects(struct config *cfg, struct arena *a)
{
	const struct texts *list = &cfg->enforcement.projects;
	const struct yaml_node *n = yaml_get(cfg->enforcement.node, "projects");

	for (size_t i = 0; n && i < list->n; i++)
		if (!watched(cfg, list->v[i]))
			config_remark(a, &cfg->warnings,
				"%s:%d:%d: enforcement.projects: '%s' is not watched: "
				"no actions are possible there",
				n->file, n->line, n->col, list->v[i]);
}

static void look_at_limits(struct config *cfg, struct arena *a)
{
	const struct enforcement_config *en = &cfg->enforcement;
	const struct {
		const char *key;
		int64_t max;
	} limits[] = {
		{"max_per_run", en->made.max_per_run},
		{"max_per_hour", en->made.max_per_hour},
		{"max_per_rule_hour", en->made.max_per_rule_hour},
		{"max_per_day", en->made.max_per_day},
		{"max_share", en->made.max_share},
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		const struct yaml_node *n = yaml_get(en->node, limits[i].key);

		if (n && !limits[i].max)
			config_remark(a, &cfg->warnings,
				"%s:%d:%d: %s: 0 disables all actions", n->file, n->line,
				n->col, limits[i].key);
	}
}

void config_look_at_actions(struct config *cfg, struct arena *a)
{
	const struct enforcement_config *en = &cfg->enforcement;
	const struct settings *s = &cfg->settings;
	size_t armed = 0;

	for (size_t i = 0; i < s->n_rules; i++) {
		if (!s->rules[i].enabled || !acts(&s->rules[i]))
			continue;
		armed += s->rules[i].then.armed;
		look_at_rule(cfg, &s->rules[i], a);
	}
	look_at_projects(cfg, a);
	if (!str_eq(en->mode, "armed"))
		return;
	look_at_limits(cfg, a);
	if (!armed)
		config_remark(a, &cfg->notes,
			"%s:%d:%d: enforcement.mode is armed, but no rule is: nothing is "
			"stopped",
			en->node->file, en->node->line, en->node->col);
	else if (!cfg->n_channels)
		config_remark(a, &cfg->warnings,
			"%s:%d:%d: enforcement: notify has no channel for warnings: only "
			"actions that were announced before are taken",
			en->node->file, en->node->line, en->node->col);
}

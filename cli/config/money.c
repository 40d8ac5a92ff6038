/* Sections of the configuration about money: grants, credits, prices, budgets. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/internal.h"
#include "rules/grant/tpu.h"
#include "rules/grant/zones.h"
#include "base/str.h"
#include "rules/vocab/condition.h"

#include <string.h>

enum err_code config_read_instant(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s = n->text;
	ts_t ts;
	day_t day;

	if (strchr(s, 'T')) {
		if (rfc3339_parse(s, &ts, NULL, e))
			return yaml_err_at(n, e);
	} else {
		if (date_parse(s, &day, e))
			return yaml_err(n, e,
				"'%.60s' is not a date such as 2026-11-21, or a time such "
				"as 2026-11-21T08:00:00Z",
				s);
		ts = tz_day_start(config_of(b)->tz, day);
	}
	*(ts_t *)obj = ts;
	return E_OK;
}

/* ---- grants ---------------------------------------------------------------------------- */

struct grant_entry {
	struct grant grant;
	int64_t days;
	const struct yaml_node *tpus;
};

#define GE(field) offsetof(struct grant_entry, field)
static const struct field grant_fields[] = {
	{"name", BIND_TEXT, GE(grant.name), .required = true,
		.doc = "its name in the output"},
	{"starts", BIND_SCALAR, GE(grant.starts), config_read_instant, .required = true,
		.doc = "first day, or the instant of the mail; a day begins at 00:00 in "
		       "timezone",
		.shape = "date or time"},
	{"until", BIND_SCALAR, GE(grant.until), config_read_instant,
		.doc = "its end; alternative to days", .shape = "date or time"},
	{"days", BIND_COUNT, GE(days), .doc = "its duration in days; alternative to until"},
	{"extends", BIND_TEXT, GE(grant.extends),
		.doc = "name of the grant that this one renews: their terms join, their "
		       "sizes are not added"},
	{"new_only", BIND_FLAG, GE(grant.new_only),
		.doc = "true: it covers only TPUs created after it began; a renewal, after "
		       "the first grant that it renews",
		.def = "true"},
	{"project", BIND_TEXT, GE(grant.project), .doc = "the project that it covers",
		.def = "every project"},
	{"tpus", BIND_NODE, GE(tpus), .required = true, .doc = "the lines of the mail",
		.shape = "list of lines"},
};
const struct field_set config_grant_keys = {
	grant_fields, ARRAY_LEN(grant_fields), .list = true};

/* N days later: the same time of day on the calendar of the configured zone if the grant
 * was given as a date, N times 24 hours if it was given as an instant. */
static ts_t days_later(
	const struct config *cfg, const struct yaml_node *starts, ts_t from, int64_t days)
{
	if (strchr(starts->text, 'T'))
		return from + days * DAY_SECONDS;
	return tz_day_start(cfg->tz, tz_day(cfg->tz, from) + (day_t)days);
}

static enum err_code grant_window(const struct config *cfg, const struct yaml_node *n,
	struct grant_entry *x, struct err *e)
{
	const struct yaml_node *days = yaml_get(n, "days"), *until = yaml_get(n, "until");
	struct grant *g = &x->grant;

	if (days && until)
		return yaml_err_key(until, e,
			"grant %s: days and until cannot be used together", g->name);
	if (!days && !until)
		return yaml_err(n, e, "grant %s: days or until is missing", g->name);
	if (days) {
		if (x->days < 1 || x->days > 3660)
			return yaml_err(days, e,
				"grant %s: invalid days (expected 1 to 3660)", g->name);
		g->until = days_later(cfg, yaml_get(n, "starts"), g->starts, x->days);
	}
	if (g->until <= g->starts)
		return yaml_err(
			until ? until : days, e, "grant %s ends before it starts", g->name);
	return E_OK;
}

static enum err_code add_grant_line(
	struct binder *b, const struct yaml_node *line, struct grant *out, struct err *e)
{
	const char *text;

	if (yaml_str(line, &text, e))
		return e->code;
	if (grant_parse_line(text, b->a, out, e))
		return yaml_err_at(line, e);
	if (!zone_valid(out->zone))
		return yaml_err(line, e, "'%s' is not a zone", out->zone);
	if (out->note)
		config_remark(b->a, &config_of(b)->warnings, "%s:%d:%d: %s", line->file,
			line->line, line->col, out->note);
	return E_OK;
}

static enum err_code read_grant(
	struct binder *b, const struct yaml_node *n, size_t cap[2], struct err *e)
{
	struct config *cfg = config_of(b);
	struct grant_entry x = {
		.grant = {.starts = TS_NONE, .until = TS_NONE, .new_only = true}};
	const struct grant *g = &x.grant;

	if (bind_map(b, n, "grant", grant_fields, ARRAY_LEN(grant_fields), &x, e) ||
		grant_window(cfg, n, &x, e))
		return e->code;
	if (g->project && !config_project_valid(g->project))
		return yaml_err(yaml_get(n, "project"), e,
			"'%s' is not a project id (expected 6 to 30 lower-case letters, "
			"digits and dashes)",
			g->project);
	if (x.tpus->type != YAML_SEQ || !x.tpus->n)
		return yaml_err(x.tpus, e,
			"grant %s: expected a list such as '- 5 on-demand Cloud TPU v3-8 "
			"device(s) in zone europe-west4-a'",
			g->name);
	YAML_EACH (line, x.tpus) {
		cfg->grants = arena_grow(
			b->a, cfg->grants, cfg->n_grants, &cap[0], sizeof(*cfg->grants));
		cfg->grant_nodes = arena_grow(b->a, cfg->grant_nodes, cfg->n_grants,
			&cap[1], sizeof(*cfg->grant_nodes));
		cfg->grant_nodes[cfg->n_grants] = line;
		cfg->grants[cfg->n_grants] = *g;
		if (add_grant_line(b, line, &cfg->grants[cfg->n_grants], e))
			return e->code;
		cfg->n_grants++;
	}
	return E_OK;
}

enum err_code config_check_zones(
	struct config *cfg, const struct tpu_zones *z, struct arena *a, struct err *e)
{
	for (size_t i = 0; i < cfg->n_grants; i++) {
		const struct grant *g = &cfg->grants[i];
		const char *type = g->type ? g->type : g->family;

		if (!tpu_zone_check(z, type, g->zone, e))
			continue;
		yaml_err_at(cfg->grant_nodes[i], e);
		if (!tpu_zone_may_be_new(z, type, g->zone))
			return e->code;
		config_remark(a, &cfg->warnings, "%s; %s", e->msg, e->fix);
		err_clear(e);
	}
	return E_OK;
}

/* Tests whether `extends` leads from this grant back to itself. */
static bool extends_itself(const struct config *cfg, const char *name)
{
	for (size_t steps = 0; name && steps <= cfg->n_grants; steps++) {
		int64_t i = grant_find(cfg->grants, cfg->n_grants, name);

		if (i < 0)
			return false;
		name = cfg->grants[i].extends;
	}
	return name != NULL;
}

/* One capacity can only be for one set of projects: otherwise it would be counted twice, or for TPUs
 * that it does not cover. */
static enum err_code check_extended(
	const struct config *cfg, const struct yaml_node *item, struct err *e)
{
	const struct yaml_node *ext = yaml_get(item, "extends");
	const struct yaml_node *name = yaml_get(item, "name");
	const struct grant *g, *of;
	int64_t at = ext ? grant_find(cfg->grants, cfg->n_grants, ext->text) : -1;

	if (!ext)
		return E_OK;
	if (at < 0)
		return yaml_err(ext, e, "extends: there is no grant '%s'", ext->text);
	if (extends_itself(cfg, ext->text))
		return yaml_err(ext, e, "extends: '%s' extends itself", ext->text);
	g = &cfg->grants[grant_find(cfg->grants, cfg->n_grants, name->text)];
	of = &cfg->grants[at];
	if (!str_eq(g->project, of->project))
		return yaml_err(ext, e,
			"extends: '%s' is for %s, this grant for %s (expected the same "
			"project: in both, or in none)",
			of->name, of->project ? of->project : "every project",
			g->project ? g->project : "every project");
	return E_OK;
}

static enum err_code check_amount(
	const struct yaml_node *n, const struct money *amount, struct err *e)
{
	return amount->nanos > 0
		? E_OK
		: yaml_err(yaml_get(n, "amount"), e, "expected an amount above 0");
}

enum err_code config_read_grants(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;
	size_t cap[2] = {0};

	cfg->n_grants = 0; /* these grants replace earlier ones */
	if (yaml_is_null(n))
		return E_OK;
	if (n->type != YAML_SEQ)
		return yaml_err(
			n, e, "grants: expected a list (lines that begin with '- ')");
	YAML_EACH (item, n) {
		const struct yaml_node *name = yaml_get(item, "name");

		if (name && name->text &&
			grant_find(cfg->grants, cfg->n_grants, name->text) >= 0)
			return yaml_err(name, e, "grant '%s' already exists", name->text);
		if (item->type != YAML_MAP)
			return yaml_err(item, e, "grants: expected 'key: value' pairs");
		if (read_grant(b, item, cap, e))
			return e->code;
	}
	YAML_EACH (item, n)
		if (check_extended(cfg, item, e))
			return e->code;
	return E_OK;
}

/* ---- credits, prices ------------------------------------------------------------------- */

#define CR(field) offsetof(struct credit, field)
static const struct field credit_fields[] = {
	{"name", BIND_TEXT, CR(name), .required = true, .doc = "its name in the output"},
	{"amount", BIND_MONEY, CR(amount), .required = true,
		.doc = "its amount, with the currency: 300 USD"},
	{"starts", BIND_SCALAR, CR(starts), config_read_instant, .doc = "when it begins",
		.def = "always", .shape = "date or time"},
	{"expires", BIND_SCALAR, CR(expires), config_read_instant, .doc = "when it ends",
		.def = "never", .shape = "date or time"},
};

static enum err_code check_credit(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct credit *c = obj;

	(void)b;
	if (c->starts != TS_NONE && c->expires != TS_NONE && c->expires <= c->starts)
		return yaml_err(yaml_get(n, "expires"), e,
			"credit %s expires before it starts", c->name);
	return check_amount(n, &c->amount, e);
}

const struct field_set config_credit_keys = {credit_fields, ARRAY_LEN(credit_fields),
	.list = true, .check = check_credit, .size = sizeof(struct credit),
	.start = &(const struct credit){.starts = TS_NONE, .expires = TS_NONE}};

#define PR(field) offsetof(struct price_override, field)
static const struct field price_fields[] = {
	{"tpu", BIND_TEXT, PR(family), .required = true,
		.doc = "family: " TPU_FAMILY_NAMES},
	{"zone", BIND_ZONE, PR(zone), .required = true, .doc = "the zone of the price"},
	{"per_chip_hour", BIND_MONEY, PR(per_chip_hour), .required = true,
		.doc = "price of one chip per hour, with the currency"},
	{"provisioning", BIND_TEXT, PR(provisioning),
		.doc = "on-demand, spot, flex-start or reserved", .def = "all"},
};

static enum err_code check_price(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct price_override *p = obj;
	const char *family = tpu_family_canonical(p->family);

	(void)b;
	if (!family)
		return yaml_err(yaml_get(n, "tpu"), e,
			"'%s' is not a TPU family (expected " TPU_FAMILY_NAMES ")",
			p->family);
	p->family = family;
	if (price_class_of(p->provisioning) == PRICE_UNSTATED)
		return yaml_err(yaml_get(n, "provisioning"), e,
			"expected on-demand, spot, flex-start or reserved");
	return E_OK;
}

const struct field_set config_price_keys = {price_fields, ARRAY_LEN(price_fields),
	.list = true, .check = check_price, .size = sizeof(struct price_override)};

/* ---- budgets ---------------------------------------------------------------------------- */

static const char *const pers[] = {"month", "week", "day", "custom", NULL};

static const char *const counts[] = {"net", "gross", NULL};

bool config_percent(struct arena *a, const char *s, int64_t min, int64_t max, int64_t *out)
{
	size_t n = strlen(s) - str_ends(s, "%");

	return str_to_i64(arena_strndup(a, s, n), min, max, out);
}

static enum err_code add_threshold(
	struct binder *b, struct thresholds *t, const struct yaml_node *n, struct err *e)
{
	const char *s;
	int64_t at;

	if (yaml_str(n, &s, e))
		return e->code;
	if (!config_percent(b->a, s, 1, 1000, &at))
		return yaml_err(n, e,
			"'%.40s' is not a threshold (expected a whole percentage, 1 to "
			"1000)",
			s);
	if (t->n == BUDGET_THRESHOLDS)
		return yaml_err(n, e, "more than %d thresholds", BUDGET_THRESHOLDS);
	if (t->n && at <= t->at[t->n - 1])
		return yaml_err(n, e, "thresholds must increase: %lld follows %lld",
			(long long)at, (long long)t->at[t->n - 1]);
	t->at[t->n++] = at;
	return E_OK;
}

/* Reads a list, or a single threshold; [] disables all. */
static enum err_code read_thresholds(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct thresholds *t = obj;

	t->n = 0;
	if (n->type != YAML_SEQ)
		return add_threshold(b, t, n, e);
	YAML_EACH (item, n)
		if (add_threshold(b, t, item, e))
			return e->code;
	return E_OK;
}

#define BU(field) offsetof(struct budget, field)
static const struct field budget_fields[] = {
	{"name", BIND_TEXT, BU(name), .required = true, .doc = "its name in the output"},
	{"amount", BIND_MONEY, BU(amount), .required = true,
		.doc = "the limit, with the currency"},
	{"per", BIND_ENUM, BU(per), .doc = "period: month, week, day, or custom",
		.def = "month", .words = pers},
	{"starts", BIND_SCALAR, BU(starts), config_read_instant,
		.doc = "start of a custom period", .shape = "date or time"},
	{"ends", BIND_SCALAR, BU(ends), config_read_instant,
		.doc = "end of a custom period", .shape = "date or time"},
	{"where", BIND_TEXT, BU(where),
		.doc = "SQL condition over the view costs: the costs that count",
		.def = "all"},
	{"count", BIND_FLAG, BU(gross), .doc = "net, after credits; or gross, before them",
		.def = "net", .shape = "word", .words = counts},
	{"alert_at", BIND_OTHER, BU(alert_at), read_thresholds,
		.doc = "percent at which an alert fires", .def = "[50, 80, 100]",
		.shape = "list of percent"},
	{"forecast_at", BIND_OTHER, BU(forecast_at), read_thresholds,
		.doc = "percent of the forecast at which an alert fires", .def = "[100]",
		.shape = "list of percent"},
};
/* Requires both ends for a custom period, and none for a calendar period. */
static enum err_code budgets_check_window(
	const struct yaml_node *n, struct budget *budget, struct err *e)
{
	const struct yaml_node *starts = yaml_get(n, "starts"), *ends = yaml_get(n, "ends");
	const struct yaml_node *per = yaml_get(n, "per"), *any = starts ? starts : ends;

	if (per && any && budget->per != BUDGET_CUSTOM)
		return yaml_err_key(any, e,
			"budget %s: per: %s cannot be used with starts and ends",
			budget->name, pers[budget->per]);
	if (!any && budget->per != BUDGET_CUSTOM)
		return E_OK;
	if (!starts || !ends)
		return yaml_err(n, e, "budget %s: %s is missing", budget->name,
			starts ? "ends" : "starts");
	if (budget->ends <= budget->starts)
		return yaml_err(ends, e, "budget %s ends before it starts", budget->name);
	budget->per = BUDGET_CUSTOM;
	return E_OK;
}

static enum err_code check_budget(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = config_of(b);
	struct budget *budget = obj;

	if (check_amount(n, &budget->amount, e))
		return e->code;
	if (budget == cfg->budgets)
		cfg->budget_node = n;
	for (const struct budget *other = cfg->budgets; other < budget; other++)
		if (!strcmp(other->name, budget->name))
			return yaml_err(yaml_get(n, "name"), e,
				"budget '%s' already exists", budget->name);
	if (budget->where && condition_shape(budget->where, e)) {
		err_wrap(e, "budget %s: where", budget->name);
		return yaml_err_at(yaml_get(n, "where"), e);
	}
	return budgets_check_window(n, budget, e);
}

const struct field_set config_budget_keys = {budget_fields, ARRAY_LEN(budget_fields),
	.list = true, .check = check_budget, .size = sizeof(struct budget),
	.start = &(const struct budget){
		.alert_at = {{50, 80, 100}, 3}, .forecast_at = {{100}, 1}}};

/* Budgets in the configuration. */
#include "base/str.h"
#include "cli/config/internal.h"
#include "db/db.h"
#include "rules/vocab/condition.h"

#include <string.h>

static const char *const pers[] = {"month", "week", "day", "custom", NULL};

static enum err_code read_gross(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"net", "gross"};
	const char *word;

	(void)b;
	if (bind_one_of(n, words, ARRAY_LEN(words), &word, e))
		return e->code;
	*(bool *)obj = word == words[1];
	return E_OK;
}

/* "80" or "80%" */
static enum err_code read_percent(const struct yaml_node *n, int64_t *out, struct err *e)
{
	const char *s;
	char text[8];
	size_t len;

	if (yaml_str(n, &s, e))
		return e->code;
	len = strlen(s);
	if (len && s[len - 1] == '%')
		len--;
	if (len < sizeof(text)) {
		memcpy(text, s, len);
		text[len] = '\0';
		if (str_to_i64(text, 1, 1000, out))
			return E_OK;
	}
	return yaml_err(
		n, e, "\"%.40s\" is no threshold: want whole percent, 1 to 1000", s);
}

static enum err_code add_threshold(
	struct thresholds *t, const struct yaml_node *n, struct err *e)
{
	int64_t at;

	if (read_percent(n, &at, e))
		return e->code;
	if (t->n == BUDGET_THRESHOLDS)
		return yaml_err(n, e, "more than %d thresholds", BUDGET_THRESHOLDS);
	if (t->n && at <= t->at[t->n - 1])
		return yaml_err(n, e, "thresholds must rise: %lld follows %lld",
			(long long)at, (long long)t->at[t->n - 1]);
	t->at[t->n++] = at;
	return E_OK;
}

/* A list, or one; [] is none. */
static enum err_code read_thresholds(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct thresholds *t = obj;

	(void)b;
	t->n = 0;
	if (n->type != YAML_SEQ)
		return add_threshold(t, n, e);
	YAML_EACH (item, n)
		if (add_threshold(t, item, e))
			return e->code;
	return E_OK;
}

#define BU(field) offsetof(struct budget, field)
static const struct field budget_fields[] = {
	{"name", BIND_TEXT, BU(name), .required = true,
		.doc = "how it is called in answers"},
	{"amount", BIND_MONEY, BU(amount), .required = true,
		.doc = "how much may be spent, with its currency"},
	{"per", BIND_ENUM, BU(per), .doc = "period: month, week, day, or custom",
		.def = "month", .words = pers},
	{"starts", BIND_OTHER, BU(starts), config_read_instant,
		.doc = "begin of a custom period", .shape = "date or time"},
	{"ends", BIND_OTHER, BU(ends), config_read_instant, .doc = "end of a custom period",
		.shape = "date or time"},
	{"where", BIND_TEXT, BU(where),
		.doc = "condition over the view costs: which costs count", .def = "all"},
	{"count", BIND_OTHER, BU(gross), read_gross,
		.doc = "net, after credits; or gross, before them", .def = "net",
		.shape = "word"},
	{"alert_at", BIND_OTHER, BU(alert_at), read_thresholds,
		.doc = "percent at which an alert fires", .def = "[50, 80, 100]",
		.shape = "list of percent"},
	{"forecast_at", BIND_OTHER, BU(forecast_at), read_thresholds,
		.doc = "percent of the forecast at which an alert fires", .def = "[100]",
		.shape = "list of percent"},
};
const struct field_set config_budget_keys = {
	budget_fields, ARRAY_LEN(budget_fields), .list = true};

/* Both ends for a custom period, and none for one of the calendar. */
static enum err_code budgets_check_window(
	const struct yaml_node *n, struct budget *budget, struct err *e)
{
	const struct yaml_node *starts = yaml_get(n, "starts"), *ends = yaml_get(n, "ends");
	const struct yaml_node *per = yaml_get(n, "per"), *any = starts ? starts : ends;

	if (per && any && budget->per != BUDGET_CUSTOM)
		return yaml_err_key(any, e,
			"budget %s: give either per: %s or starts and ends", budget->name,
			pers[budget->per]);
	if (!any && budget->per != BUDGET_CUSTOM)
		return E_OK;
	if (!starts || !ends)
		return yaml_err(n, e, "budget %s: \"%s\" is missing", budget->name,
			starts ? "ends" : "starts");
	if (budget->ends <= budget->starts)
		return yaml_err(ends, e, "budget %s ends before it starts", budget->name);
	budget->per = BUDGET_CUSTOM;
	return E_OK;
}

static enum err_code check_budget(const struct config *cfg, const struct yaml_node *n,
	struct budget *budget, struct err *e)
{
	if (!yaml_get(n, "alert_at"))
		budget->alert_at = (struct thresholds){{50, 80, 100}, 3};
	if (!yaml_get(n, "forecast_at"))
		budget->forecast_at = (struct thresholds){{100}, 1};
	for (const struct budget *b = cfg->budgets; b < budget; b++)
		if (!strcmp(b->name, budget->name))
			return yaml_err(yaml_get(n, "name"), e,
				"there is a budget \"%s\" already", budget->name);
	if (budget->where && condition_shape(budget->where, e)) {
		err_wrap(e, "budget %s: where", budget->name);
		return yaml_err_at(yaml_get(n, "where"), e);
	}
	return budgets_check_window(n, budget, e);
}

enum err_code config_check_budgets(const struct config *cfg, struct err *e)
{
	struct db *db = NULL;
	enum err_code rc = E_OK;

	for (size_t i = 0; !rc && i < cfg->n_budgets; i++) {
		const struct budget *b = &cfg->budgets[i];

		if (!b->where)
			continue;
		if (!db)
			rc = db_open_empty(clock_system(), &db, e);
		if (!rc && condition_check(db, view_find("costs"), b->where, e)) {
			err_wrap(e, "budget %s: where", b->name);
			rc = yaml_err_at(yaml_get(cfg->budget_nodes[i], "where"), e);
		}
	}
	db_close(db);
	return rc;
}

enum err_code config_read_budgets(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;
	size_t i = 0;

	if (bind_list(b, n, "budgets", budget_fields, ARRAY_LEN(budget_fields),
		    sizeof(*cfg->budgets), (void **)&cfg->budgets, &cfg->n_budgets, e) ||
		config_check_amounts(n, e))
		return e->code;
	cfg->budget_nodes = arena_alloc(
		b->a, (cfg->n_budgets + 1) * sizeof(*cfg->budget_nodes));
	YAML_EACH (item, n) {
		cfg->budget_nodes[i] = item;
		if (check_budget(cfg, item, &cfg->budgets[i++], e))
			return e->code;
	}
	return E_OK;
}

/* Budgets in the configuration. */
#include "base/str.h"
#include "cli/config/internal.h"
#include "db/db.h"
#include "rules/vocab/condition.h"

#include <string.h>

struct budget_entry {
	const char *name, *per, *where, *count;
	struct money amount;
	ts_t starts, ends;
	struct thresholds alert_at, forecast_at;
};

static enum err_code read_per(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"month", "week", "day", "custom"};

	(void)b;
	return bind_one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_count(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"net", "gross"};

	(void)b;
	return bind_one_of(n, words, ARRAY_LEN(words), obj, e);
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

#define BE(field) offsetof(struct budget_entry, field)
static const struct field budget_fields[] = {
	{"name", BIND_TEXT, BE(name), NULL, true, .doc = "how it is called in answers"},
	{"amount", BIND_MONEY, BE(amount), NULL, true,
		.doc = "how much may be spent, with its currency"},
	{"per", BIND_OTHER, BE(per), read_per, false,
		.doc = "period: month, week, day, or custom", .def = "month",
		.shape = "word"},
	{"starts", BIND_OTHER, BE(starts), config_read_instant, false,
		.doc = "begin of a custom period", .shape = "date or time"},
	{"ends", BIND_OTHER, BE(ends), config_read_instant, false,
		.doc = "end of a custom period", .shape = "date or time"},
	{"where", BIND_TEXT, BE(where), NULL, false,
		.doc = "condition over the view costs: which costs count", .def = "all"},
	{"count", BIND_OTHER, BE(count), read_count, false,
		.doc = "net, after credits; or gross, before them", .def = "net",
		.shape = "word"},
	{"alert_at", BIND_OTHER, BE(alert_at), read_thresholds, false,
		.doc = "percent at which an alert fires", .def = "[50, 80, 100]",
		.shape = "list of percent"},
	{"forecast_at", BIND_OTHER, BE(forecast_at), read_thresholds, false,
		.doc = "percent of the forecast at which an alert fires", .def = "[100]",
		.shape = "list of percent"},
};
const struct field_set config_budget_keys = {budget_fields, ARRAY_LEN(budget_fields), true};

/* Both ends for a custom period, and none for one of the calendar. */
static enum err_code read_window(const struct yaml_node *n,
	const struct budget_entry *entry, struct budget *out, struct err *e)
{
	const struct yaml_node *starts = yaml_get(n, "starts"), *ends = yaml_get(n, "ends");
	const struct yaml_node *per = yaml_get(n, "per"), *any = starts ? starts : ends;
	bool custom = per ? !strcmp(entry->per, "custom") : any != NULL;

	if (!custom && any)
		return yaml_err_key(any, e,
			"budget %s: give either per: %s or starts and ends", out->name,
			entry->per);
	if (!custom) {
		out->per = !per || !strcmp(entry->per, "month") ? BUDGET_MONTH
			: !strcmp(entry->per, "week")           ? BUDGET_WEEK
								: BUDGET_DAY;
		return E_OK;
	}
	if (!starts || !ends)
		return yaml_err(n, e, "budget %s: \"%s\" is missing", out->name,
			starts ? "ends" : "starts");
	if (entry->ends <= entry->starts)
		return yaml_err(ends, e, "budget %s ends before it starts", out->name);
	out->per = BUDGET_CUSTOM;
	out->starts = entry->starts;
	out->ends = entry->ends;
	return E_OK;
}

static enum err_code read_budget(struct config *cfg, const struct yaml_node *n,
	const struct budget_entry *entry, struct budget *out, struct err *e)
{
	static const struct thresholds alert_at = {{50, 80, 100}, 3};
	static const struct thresholds forecast_at = {{100}, 1};

	*out = (struct budget){.name = entry->name,
		.amount = entry->amount,
		.where = entry->where,
		.gross = entry->count && !strcmp(entry->count, "gross"),
		.alert_at = yaml_get(n, "alert_at") ? entry->alert_at : alert_at,
		.forecast_at = yaml_get(n, "forecast_at") ? entry->forecast_at
							  : forecast_at};
	for (const struct budget *b = cfg->budgets; b < out; b++)
		if (!strcmp(b->name, out->name))
			return yaml_err(yaml_get(n, "name"), e,
				"there is a budget \"%s\" already", out->name);
	if (out->where && condition_shape(out->where, e)) {
		err_wrap(e, "budget %s: where", out->name);
		return yaml_err_at(yaml_get(n, "where"), e);
	}
	return read_window(n, entry, out, e);
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
	struct budget_entry *entries = NULL;
	size_t count = 0, i = 0;

	if (bind_list(b, n, "budgets", budget_fields, ARRAY_LEN(budget_fields),
		    sizeof(*entries), (void **)&entries, &count, e) ||
		config_check_amounts(n, e))
		return e->code;
	cfg->budgets = arena_alloc(b->a, (count + 1) * sizeof(*cfg->budgets));
	cfg->budget_nodes = arena_alloc(b->a, (count + 1) * sizeof(*cfg->budget_nodes));
	YAML_EACH (item, n) {
		cfg->budget_nodes[i] = item;
		if (read_budget(cfg, item, &entries[i], &cfg->budgets[i], e))
			return e->code;
		i++;
	}
	cfg->n_budgets = count;
	return E_OK;
}

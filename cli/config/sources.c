/* Sections of the configuration about sources: projects and tables of the billing export. */
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/internal.h"
#include "collector/source/source.h"
#include "rules/bill/days.h"
#include "rules/budget/budget.h"

#include <ctype.h>
#include <string.h>

/* ---- projects ------------------------------------------------------------------------------ */

bool config_project_valid(const char *s)
{
	const char *colon = strchr(s, ':'), *id = colon ? colon + 1 : s;
	size_t n = strlen(id);

	return n >= 6 && n <= 30 && islower((unsigned char)*id) && id[n - 1] != '-' &&
		strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static enum err_code read_list(
	struct binder *b, const struct yaml_node *n, struct texts *t, struct err *e)
{
	const struct yaml_node *item = n->type == YAML_SEQ ? n->child : n;

	if (bind_value(b, n, BIND_TEXTS, t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++, item = item->next) {
		for (size_t k = 0; k < i; k++)
			if (!strcmp(t->v[k], t->v[i]))
				return yaml_err(
					item, e, "project '%s' is listed twice", t->v[i]);
		/* The same project given by its id would be another one: all rows would exist
		 * twice. */
		if (t->v[i][strspn(t->v[i], "0123456789")] == '\0')
			return yaml_err(item, e,
				"'%.60s' is a project number (expected the id; see: gcloud "
				"projects describe %.60s --format='value(projectId)')",
				t->v[i], t->v[i]);
		if (!config_project_valid(t->v[i]))
			return yaml_err(item, e,
				"'%.60s' is not a project id (expected 6 to 30 lower-case "
				"letters, digits and dashes)",
				t->v[i]);
	}
	return E_OK;
}

bool config_account_valid(const char *s)
{
	if (strlen(s) != 20)
		return false;
	for (size_t i = 0; i < 20; i++)
		if (i == 6 || i == 13 ? s[i] != '-' : !strchr("0123456789ABCDEF", s[i]))
			return false;
	return true;
}

struct discovery_entry {
	struct discovery d;
	const char *organization, *folder;
	struct texts only, except;
};

#define DE(field) offsetof(struct discovery_entry, field)
static const struct field discovery_fields[] = {
	{"billing_account", BIND_TEXT, DE(d.billing_account),
		.doc = "watch all projects that this billing account pays for, such as "
		       "01AB23-CD45EF-678901"},
	{"organization", BIND_TEXT, DE(organization),
		.doc = "watch all projects of the organization with this number"},
	{"folder", BIND_TEXT, DE(folder),
		.doc = "watch all projects in the folder with this number"},
	{"only", BIND_TEXTS, DE(only),
		.doc = "watch only ids that match one of these patterns"},
	{"except", BIND_TEXTS, DE(except),
		.doc = "do not watch ids that match one of these patterns"},
};
const struct field_set config_discovery_keys = {
	discovery_fields, ARRAY_LEN(discovery_fields), .what = "projects"};

static enum err_code read_discovery(struct binder *b, const struct yaml_node *n,
	const struct discovery **out, struct err *e)
{
	struct discovery_entry *x = arena_new(b->a, struct discovery_entry);
	const char *number;

	if (bind_set(b, n, &config_discovery_keys, x, e))
		return e->code;
	if ((x->d.billing_account != NULL) + (x->organization != NULL) +
			(x->folder != NULL) !=
		1)
		return yaml_err(n, e,
			"projects: expected a list, or one of billing_account, "
			"organization and folder");
	if (x->d.billing_account && !config_account_valid(x->d.billing_account))
		return yaml_err(yaml_get(n, "billing_account"), e,
			"'%.60s' is not a billing account (expected 01AB23-CD45EF-678901)",
			x->d.billing_account);
	number = x->organization ? x->organization : x->folder;
	if (number && (!*number || number[strspn(number, "0123456789")]))
		return yaml_err(yaml_get(n, x->folder ? "folder" : "organization"), e,
			"'%.60s' is not a number of an organization or folder; see: gcloud "
			"projects get-ancestors",
			number);
	if (number)
		x->d.scope = arena_printf(
			b->a, "%s/%s", x->folder ? "folders" : "organizations", number);
	x->d.only = x->only.v;
	x->d.n_only = x->only.n;
	x->d.except = x->except.v;
	x->d.n_except = x->except.n;
	*out = &x->d;
	return E_OK;
}

enum err_code config_read_projects(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;

	if (n->type == YAML_MAP)
		return read_discovery(b, n, &cfg->discovery, e);
	return read_list(b, n, &cfg->projects, e);
}

/* ---- the billing export --------------------------------------------------------------------- */

static enum err_code sources_read_day(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s = n->text;

	(void)b;
	return date_parse(s, obj, e) ? yaml_err_at(n, e) : E_OK;
}

#define BE(field) offsetof(struct billing_export, field)
static const struct field table_fields[] = {
	{"table", BIND_TEXT, BE(name), .required = true, .doc = "project.dataset.table"},
	{"location", BIND_TEXT, BE(location), .doc = "location of the dataset",
		.def = "requested from BigQuery"},
	{"from", BIND_SCALAR, BE(from), sources_read_day,
		.doc = "first usage day to read, in UTC", .shape = "date"},
	{"until", BIND_SCALAR, BE(until), sources_read_day,
		.doc = "last usage day to read, in UTC", .shape = "date"},
};
static const struct field_set table_keys = {
	table_fields, ARRAY_LEN(table_fields), .list = true, .what = "billing table"};

struct billing_entry {
	struct billing_export one;
	const struct yaml_node *tables;
	int64_t max_gib, question_gib;
	bool by_day;
};

static enum err_code check_table(
	const struct yaml_node *n, const struct billing_export *t, struct err *e)
{
	int dots = 0;

	for (const char *p = t->name; *p; p++)
		dots += *p == '.';
	if (dots < 2 || strpbrk(t->name, "`'\" \\;"))
		return yaml_err(yaml_get(n, "table"), e,
			"'%s' is not a table (expected project.dataset.table)", t->name);
	if (t->from != DAY_NONE && t->until != DAY_NONE && t->until < t->from)
		return yaml_err(yaml_get(n, "until"), e, "until is before from");
	return E_OK;
}

static enum err_code read_tables(struct binder *b, const struct yaml_node *n,
	struct billing_export *list, struct err *e)
{
	size_t i = 0;

	YAML_EACH (item, n) {
		list[i] = (struct billing_export){.from = DAY_NONE, .until = DAY_NONE};
		if (bind_set(b, item, &table_keys, &list[i], e) ||
			check_table(item, &list[i], e))
			return e->code;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(list[k].name, list[i].name))
				return yaml_err(
					item, e, "table %s is listed twice", list[i].name);
		i++;
	}
	return E_OK;
}

static const char *const details[] = {"local", "bigquery", NULL};

static const struct field billing_fields[] = {
	{"table", BIND_TEXT, BE(name),
		.doc = "project.dataset.table of the export, detailed or standard"},
	{"location", BIND_TEXT, BE(location), .doc = "location of the dataset",
		.def = "requested from BigQuery"},
	{"from", BIND_SCALAR, BE(from), sources_read_day,
		.doc = "first usage day to read, in UTC", .shape = "date"},
	{"until", BIND_SCALAR, BE(until), sources_read_day,
		.doc = "last usage day to read, in UTC", .shape = "date"},
	{"tables", BIND_NODE, offsetof(struct billing_entry, tables),
		.doc = "several tables, instead of table", .sub = &table_keys},
	{"max_gib", BIND_COUNT, offsetof(struct billing_entry, max_gib),
		.doc = "maximum amount that one query may read, in GiB", .def = "20"},
	{"question_gib", BIND_COUNT, offsetof(struct billing_entry, question_gib),
		.doc = "maximum amount that one question of cost may read of BigQuery, in "
		       "GiB",
		.def = "10"},
	{"detail", BIND_FLAG, offsetof(struct billing_entry, by_day),
		.doc = "where hours, resources and labels of the bill are kept: local, or "
		       "only "
		       "in BigQuery",
		.def = "local", .shape = "word", .words = details},
};
const struct field_set config_billing_keys = {
	billing_fields, ARRAY_LEN(billing_fields), .what = "billing"};

enum err_code config_read_billing(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;
	struct billing_entry x = {.one = {.from = DAY_NONE, .until = DAY_NONE},
		.max_gib = cfg->billing_max_gib,
		.question_gib = cfg->billing_question_gib};
	struct billing_export *list;

	if (bind_set(b, n, &config_billing_keys, &x, e))
		return e->code;
	cfg->billing_max_gib = x.max_gib;
	cfg->billing_question_gib = x.question_gib;
	cfg->billing_by_day = x.by_day;
	if (!x.one.name == !x.tables)
		return yaml_err(n, e, "billing: expected either table or tables");
	if (x.one.name && check_table(n, &x.one, e))
		return e->code;
	if (x.tables && x.tables->type != YAML_SEQ)
		return yaml_err(x.tables, e, "tables: expected a list of maps with table");
	cfg->n_billing_tables = x.tables ? x.tables->n : 1;
	list = arena_alloc(b->a, (cfg->n_billing_tables + 1) * sizeof(*list));
	list[0] = x.one;
	if (x.tables && read_tables(b, x.tables, list, e))
		return e->code;
	cfg->billing_tables = list;
	return E_OK;
}

static bool within_day(const struct config *cfg, ts_t t)
{
	return t != TS_NONE && tz_day_start(cfg->tz, tz_day(cfg->tz, t)) != t;
}

static enum err_code lacks_hours(
	const struct yaml_node *n, const char *what, const char *name, struct err *e)
{
	return yaml_err(n, e,
		"detail: with bigquery, only sums of days are kept, and %s '%s' begins or "
		"ends "
		"within a day",
		what, name);
}

static enum err_code lacks_resources(
	const struct yaml_node *n, const char *what, const char *name, struct err *e)
{
	return yaml_err(n, e,
		"detail: with bigquery, no resources, owners, labels and amounts of single "
		"lines of the bill are kept, and the condition of %s '%s' has one of them",
		what, name);
}

enum err_code config_check_detail(
	const struct config *cfg, const struct yaml_node *root, struct err *e)
{
	const struct yaml_node *n = yaml_get(yaml_get(root, "billing"), "detail");
	const struct settings *s = &cfg->settings;

	for (size_t i = 0; cfg->billing_by_day && i < s->n_credits; i++)
		if (within_day(cfg, s->credits[i].starts) ||
			within_day(cfg, s->credits[i].expires))
			return lacks_hours(n, "credit", s->credits[i].name, e);
	for (size_t i = 0; cfg->billing_by_day && i < s->n_budgets; i++) {
		const struct budget *b = &s->budgets[i];

		if (b->per == BUDGET_CUSTOM &&
			(within_day(cfg, b->starts) || within_day(cfg, b->ends)))
			return lacks_hours(n, "budget", b->name, e);
		if (bill_needs_detail(b->where) || bill_by_line(b->where))
			return lacks_resources(n, "budget", b->name, e);
	}
	for (size_t i = 0; cfg->billing_by_day && i < s->n_rules; i++)
		if (str_eq(s->rules[i].on, "costs") &&
			(bill_needs_detail(s->rules[i].where) ||
				bill_by_line(s->rules[i].where)))
			return lacks_resources(n, "rule", s->rules[i].name, e);
	return E_OK;
}

const char *config_projects_text(const struct config *cfg, struct arena *a)
{
	const struct discovery *found = cfg->discovery;

	if (found && found->billing_account)
		return arena_printf(
			a, "projects of billing account %s", found->billing_account);
	if (found)
		return arena_printf(a, "projects of %s", found->scope);
	return arena_printf(
		a, "%zu project%s", cfg->projects.n, cfg->projects.n == 1 ? "" : "s");
}

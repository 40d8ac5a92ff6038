#include "cli/config.h"

#include "base/civil.h"
#include "base/fs.h"
#include "base/tz.h"
#include "cli/cmd.h"
#include "rules/tpu.h"
#include "rules/vocab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CFG(field) offsetof(struct config, field)

const char *const poll_group_names[POLL_GROUPS] = {
	[POLL_INSTANCES] = "instances",
	[POLL_BILLING] = "billing",
	[POLL_QUOTAS] = "quotas",
	[POLL_PRICES] = "prices",
	[POLL_METRICS] = "metrics",
};

/* Context of BIND_OTHER readers: the file's zone must be known before its dates are. */
struct reading {
	struct config *cfg;
};

static struct config *cfg_of(struct binder *b)
{
	return ((struct reading *)b->ctx)->cfg;
}

/* ---- values ---------------------------------------------------------------------------- */

/* A date (its first moment in the configured zone) or an RFC 3339 instant. */
static enum err_code read_instant(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	const char *s;
	ts_t ts;
	day_t day;

	if (yaml_str(n, &s, e))
		return e->code;
	if (strchr(s, 'T')) {
		if (rfc3339_parse(s, &ts, NULL, e))
			return yaml_err_at(n, e);
	} else {
		if (date_parse(s, &day, e))
			return yaml_err_at(n, e);
		ts = tz_day_start(cfg_of(b)->tz, day);
	}
	*(ts_t *)obj = ts;
	return E_OK;
}

static enum err_code one_of(const struct yaml_node *n, const char *const *words, size_t count,
	const char **out, struct err *e)
{
	const char *s;

	if (yaml_str(n, &s, e))
		return e->code;
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(words[i], s)) {
			*out = words[i];
			return E_OK;
		}
	}
	return yaml_err(n, e, "\"%s\" is none of: %s%s%s%s%s%s%s", s, words[0],
		count > 1 ? ", " : "", count > 1 ? words[1] : "", count > 2 ? ", " : "",
		count > 2 ? words[2] : "", count > 3 ? ", " : "", count > 3 ? words[3] : "");
}

static enum err_code read_severity(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const char *const words[] = {"info", "warning", "critical"};

	(void)b;
	return one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_mode(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const char *const words[] = {"off", "dry-run", "armed"};

	(void)b;
	return one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_action(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const char *const words[] = {"notify", "stop", "delete"};

	(void)b;
	return one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_period(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const char *const words[] = {"month", "week", "day"};

	(void)b;
	return one_of(n, words, ARRAY_LEN(words), obj, e);
}

/* ---- grants ---------------------------------------------------------------------------- */

struct grant_entry {
	const char *name, *extends;
	ts_t starts, until;
	int64_t days;
	bool new_only;
	const struct yaml_node *tpus;
};

static enum err_code keep_node(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	(void)b;
	(void)e;
	*(const struct yaml_node **)obj = n;
	return E_OK;
}

#define GE(field) offsetof(struct grant_entry, field)
static const struct field grant_fields[] = {
	{"name", BIND_TEXT, GE(name), NULL, true},
	{"starts", BIND_OTHER, GE(starts), read_instant, true},
	{"until", BIND_OTHER, GE(until), read_instant, false},
	{"days", BIND_COUNT, GE(days), NULL, false},
	{"extends", BIND_TEXT, GE(extends), NULL, false},
	{"new_only", BIND_FLAG, GE(new_only), NULL, false},
	{"tpus", BIND_OTHER, GE(tpus), keep_node, true},
};

/* N days later: the same time of day on the calendar of the configured zone when the grant
 * was given as a date, N times 24 hours when it was given as an instant. */
static ts_t days_later(const struct config *cfg, const struct yaml_node *starts, ts_t from,
	int64_t days)
{
	if (strchr(starts->text, 'T'))
		return from + days * DAY_SECONDS;
	return tz_day_start(cfg->tz, tz_day(cfg->tz, from) + (day_t)days);
}

static enum err_code grant_window(struct config *cfg, const struct yaml_node *n,
	struct grant_entry *g, struct err *e)
{
	const struct yaml_node *days = yaml_get(n, "days"), *until = yaml_get(n, "until");

	if (days && until)
		return yaml_err_key(until, e, "grant %s: give either days or until", g->name);
	if (!days && !until)
		return yaml_err(n, e, "grant %s: \"days\" or \"until\" is missing", g->name);
	if (days) {
		if (g->days < 1 || g->days > 3660)
			return yaml_err(days, e, "grant %s: want 1 to 3660 days", g->name);
		g->until = days_later(cfg, yaml_get(n, "starts"), g->starts, g->days);
	}
	if (g->until <= g->starts)
		return yaml_err(until ? until : days, e, "grant %s ends before it starts",
			g->name);
	return E_OK;
}

static enum err_code add_grant_line(struct binder *b, const struct grant_entry *g,
	const struct yaml_node *line, struct grant *out, struct err *e)
{
	const char *text;

	if (yaml_str(line, &text, e))
		return e->code;
	memset(out, 0, sizeof(*out));
	if (grant_parse_line(text, b->a, out, e))
		return yaml_err_at(line, e);
	if (!zone_valid(out->zone))
		return yaml_err(line, e, "\"%s\" is not a zone", out->zone);
	out->name = g->name;
	out->starts = g->starts;
	out->until = g->until;
	out->new_only = g->new_only;
	out->extends = g->extends;
	return E_OK;
}

static enum err_code read_grant(struct binder *b, const struct yaml_node *n,
	struct grant **list, size_t *count, size_t *cap, struct err *e)
{
	struct config *cfg = cfg_of(b);
	struct grant_entry g = {.starts = TS_NONE, .until = TS_NONE, .new_only = true};

	if (bind_map(b, n, "grant", grant_fields, ARRAY_LEN(grant_fields), &g, e) ||
		grant_window(cfg, n, &g, e))
		return e->code;
	if (g.tpus->type != YAML_SEQ || !g.tpus->n)
		return yaml_err(g.tpus, e,
			"grant %s: want a list such as \"- 5 on-demand Cloud TPU v3-8 "
			"device(s) in zone europe-west4-a\"",
			g.name);
	YAML_EACH(line, g.tpus) {
		*list = arena_grow(b->a, *list, *count, cap, sizeof(**list));
		if (add_grant_line(b, &g, line, &(*list)[*count], e))
			return e->code;
		(*count)++;
	}
	return E_OK;
}

static bool grant_named(const struct grant *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return true;
	return false;
}

static enum err_code read_grants(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;
	size_t cap = 0;

	if (yaml_is_null(n))
		return E_OK;
	if (n->type != YAML_SEQ)
		return yaml_err(n, e, "grants: want a list (lines that begin with \"- \")");
	YAML_EACH(item, n) {
		const struct yaml_node *name = yaml_get(item, "name");

		if (name && name->text && grant_named(cfg->grants, cfg->n_grants, name->text))
			return yaml_err(name, e, "there is a grant \"%s\" already", name->text);
		if (item->type != YAML_MAP)
			return yaml_err(item, e, "grants: want \"key: value\" pairs");
		if (read_grant(b, item, &cfg->grants, &cfg->n_grants, &cap, e))
			return e->code;
	}
	YAML_EACH(item, n) {
		const struct yaml_node *ext = yaml_get(item, "extends");

		if (ext && !grant_named(cfg->grants, cfg->n_grants, ext->text))
			return yaml_err(ext, e, "extends: there is no grant \"%s\"", ext->text);
	}
	return E_OK;
}

/* ---- credits, budgets, prices ---------------------------------------------------------- */

#define CR(field) offsetof(struct credit, field)
static const struct field credit_fields[] = {
	{"name", BIND_TEXT, CR(name), NULL, true},
	{"amount", BIND_MONEY, CR(amount), NULL, true},
	{"starts", BIND_OTHER, CR(starts), read_instant, false},
	{"expires", BIND_OTHER, CR(expires), read_instant, false},
};

static enum err_code read_credits(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;

	if (bind_list(b, n, "credits", credit_fields, ARRAY_LEN(credit_fields),
		    sizeof(struct credit), (void **)&cfg->credits, &cfg->n_credits, e))
		return e->code;
	for (size_t i = 0; i < cfg->n_credits; i++) {
		/* 0 is what an absent key left */
		if (!cfg->credits[i].starts)
			cfg->credits[i].starts = TS_NONE;
		if (!cfg->credits[i].expires)
			cfg->credits[i].expires = TS_NONE;
	}
	return E_OK;
}

#define BU(field) offsetof(struct budget, field)
static const struct field budget_fields[] = {
	{"name", BIND_TEXT, BU(name), NULL, true},
	{"amount", BIND_MONEY, BU(amount), NULL, true},
	{"per", BIND_OTHER, BU(per), read_period, false},
	{"starts", BIND_TEXT, BU(starts), NULL, false},
	{"ends", BIND_TEXT, BU(ends), NULL, false},
	{"where", BIND_TEXT, BU(where), NULL, false},
	{"count", BIND_TEXT, BU(count), NULL, false},
	{"alert_at", BIND_TEXTS, BU(alert_at), NULL, false},
	{"forecast_at", BIND_TEXTS, BU(forecast_at), NULL, false},
};

static enum err_code read_budgets(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;

	return bind_list(b, n, "budgets", budget_fields, ARRAY_LEN(budget_fields),
		sizeof(struct budget), (void **)&cfg->budgets, &cfg->n_budgets, e);
}

struct price_entry {
	const char *tpu, *zone, *provisioning;
	struct money per_chip_hour;
};

#define PE(field) offsetof(struct price_entry, field)
static const struct field price_fields[] = {
	{"tpu", BIND_TEXT, PE(tpu), NULL, true},
	{"zone", BIND_ZONE, PE(zone), NULL, true},
	{"per_chip_hour", BIND_MONEY, PE(per_chip_hour), NULL, true},
	{"provisioning", BIND_TEXT, PE(provisioning), NULL, false},
};

static enum err_code read_prices(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;
	struct price_entry *entries = NULL;
	size_t count = 0, i = 0;

	if (bind_list(b, n, "prices", price_fields, ARRAY_LEN(price_fields),
		    sizeof(*entries), (void **)&entries, &count, e))
		return e->code;
	cfg->prices = arena_alloc(b->a, (count + 1) * sizeof(*cfg->prices));
	YAML_EACH(item, n) {
		const struct price_entry *p = &entries[i];
		const char *family = tpu_family_canonical(p->tpu);

		if (!family)
			return yaml_err(yaml_get(item, "tpu"), e,
				"\"%s\" is no TPU family: want v2 v3 v4 v5litepod v5p or v6e",
				p->tpu);
		if (p->provisioning && strcmp(p->provisioning, "spot") != 0 &&
			strcmp(p->provisioning, "on-demand") != 0)
			return yaml_err(yaml_get(item, "provisioning"), e,
				"want on-demand or spot");
		cfg->prices[i++] = (struct price_override){.family = family,
			.zone = p->zone,
			.provisioning = p->provisioning,
			.per_chip_hour = p->per_chip_hour};
	}
	cfg->n_prices = count;
	return E_OK;
}

/* ---- rules, notify, report, enforcement ------------------------------------------------- */

#define RA(field) offsetof(struct rule_action, field)
static const struct field action_fields[] = {
	{"action", BIND_OTHER, RA(action), read_action, true},
	{"grace", BIND_DURATION, RA(grace), NULL, false},
	{"armed", BIND_FLAG, RA(armed), NULL, false},
	{"allow_delete", BIND_FLAG, RA(allow_delete), NULL, false},
};

static enum err_code read_then(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	return bind_map(b, n, "then", action_fields, ARRAY_LEN(action_fields), obj, e);
}

#define RU(field) offsetof(struct rule_config, field)
static const struct field rule_fields[] = {
	{"use", BIND_TEXT, RU(use), NULL, false},
	{"name", BIND_TEXT, RU(name), NULL, false},
	{"on", BIND_TEXT, RU(on), NULL, false},
	{"view", BIND_TEXT, RU(on), NULL, false},
	{"where", BIND_TEXT, RU(where), NULL, false},
	{"for", BIND_DURATION, RU(hold_for), NULL, false},
	{"repeat", BIND_DURATION, RU(repeat), NULL, false},
	{"severity", BIND_OTHER, RU(severity), read_severity, false},
	{"summary", BIND_TEXT, RU(summary), NULL, false},
	{"then", BIND_OTHER, RU(then), read_then, false},
};

static enum err_code read_rules(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;
	size_t i = 0;

	if (bind_list(b, n, "rules", rule_fields, ARRAY_LEN(rule_fields),
		    sizeof(struct rule_config), (void **)&cfg->rules, &cfg->n_rules, e))
		return e->code;
	YAML_EACH(item, n) {
		struct rule_config *r = &cfg->rules[i++];

		r->node = item;
		if (!r->use && !r->name)
			return yaml_err(item, e,
				"rule: want \"use\" (a built-in rule) or \"name\"");
		if (!r->use && (!r->on || !r->where))
			return yaml_err(item, e, "rule %s: \"on\" and \"where\" are needed",
				r->name);
		if (r->on && !view_find(r->on))
			return yaml_err(item, e, "rule %s: there is no view \"%s\"",
				r->name ? r->name : r->use, r->on);
	}
	return E_OK;
}

#define EM(field) offsetof(struct email_config, field)
static const struct field email_fields[] = {
	{"to", BIND_TEXTS, EM(to), NULL, true},
	{"from", BIND_TEXT, EM(from), NULL, true},
	{"smtp", BIND_TEXT, EM(smtp), NULL, true},
	{"username", BIND_TEXT, EM(username), NULL, false},
	{"password_file", BIND_PATH, EM(password_file), NULL, false},
	{"tls", BIND_TEXT, EM(tls), NULL, false},
	{"ca_file", BIND_PATH, EM(ca_file), NULL, false},
};

static enum err_code read_email(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct email_config *mail = arena_new(b->a, struct email_config);

	*(struct email_config **)obj = mail;
	return bind_map(b, n, "email", email_fields, ARRAY_LEN(email_fields), mail, e);
}

#define NO(field) offsetof(struct notify_config, field)
static enum err_code read_slack(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {{"webhook_file", BIND_PATH, 0, NULL, true}};

	return bind_map(b, n, "slack", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_webhook(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {
		{"url", BIND_TEXT, NO(webhook_url), NULL, true},
		{"allow_private", BIND_FLAG, NO(allow_private), NULL, false},
	};

	return bind_map(b, n, "webhook", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_file_channel(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {{"path", BIND_PATH, 0, NULL, true}};

	return bind_map(b, n, "file", fields, ARRAY_LEN(fields), obj, e);
}

static const struct field notify_fields[] = {
	{"name", BIND_TEXT, NO(name), NULL, true},
	{"email", BIND_OTHER, NO(email), read_email, false},
	{"slack", BIND_OTHER, NO(slack_webhook_file), read_slack, false},
	{"webhook", BIND_OTHER, 0, read_webhook, false},
	{"file", BIND_OTHER, NO(file_path), read_file_channel, false},
	{"min_severity", BIND_OTHER, NO(min_severity), read_severity, false},
};

static enum err_code read_notify(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;

	return bind_list(b, n, "notify", notify_fields, ARRAY_LEN(notify_fields),
		sizeof(struct notify_config), (void **)&cfg->notify, &cfg->n_notify, e);
}

static enum err_code read_time_of_day(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	const char *s;
	int hour, minute, end = 0;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	if (sscanf(s, "%2d:%2d%n", &hour, &minute, &end) != 2 || s[end] || strlen(s) != 5 ||
		hour > 23 || minute > 59 || hour < 0 || minute < 0)
		return yaml_err(n, e, "\"%s\" is no time of day: want one such as \"09:00\"", s);
	*(const char **)obj = s;
	return E_OK;
}

static enum err_code read_daily(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {
		{"at", BIND_OTHER, offsetof(struct report_config, daily_at), read_time_of_day,
			false},
		{"to", BIND_TEXTS, offsetof(struct report_config, daily_to), NULL, false},
	};

	return bind_map(b, n, "report.daily", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_report(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {{"daily", BIND_OTHER, 0, read_daily, false}};

	return bind_map(b, n, "report", fields, ARRAY_LEN(fields), obj, e);
}

#define EN(field) offsetof(struct enforcement_config, field)
static const struct field enforcement_fields[] = {
	{"mode", BIND_OTHER, EN(mode), read_mode, false},
	{"projects", BIND_TEXTS, EN(projects), NULL, false},
	{"max_per_run", BIND_COUNT, EN(max_per_run), NULL, false},
	{"max_per_hour", BIND_COUNT, EN(max_per_hour), NULL, false},
	{"max_per_day", BIND_COUNT, EN(max_per_day), NULL, false},
	{"protect", BIND_TEXT, EN(protect), NULL, false},
	{"credentials", BIND_PATH, EN(credentials), NULL, false},
	{"allow_delete", BIND_FLAG, EN(allow_delete), NULL, false},
};

static enum err_code read_enforcement(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct enforcement_config *en = obj;

	if (bind_map(b, n, "enforcement", enforcement_fields, ARRAY_LEN(enforcement_fields),
		    en, e))
		return e->code;
	if (en->mode && !strcmp(en->mode, "armed") && !en->projects.n)
		return yaml_err(n, e,
			"enforcement: mode armed needs the projects that may be acted on");
	return E_OK;
}

/* ---- the rest -------------------------------------------------------------------------- */

static enum err_code read_timezone(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	(void)b;
	return yaml_str(n, obj, e);
}

static enum err_code read_projects(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct texts *t = obj;
	size_t i = 0;

	if (bind_value(b, n, BIND_TEXTS, t, e))
		return e->code;
	YAML_EACH(item, n) {
		for (size_t k = 0; k < i; k++)
			if (!strcmp(t->v[k], t->v[i]))
				return yaml_err(item, e, "project \"%s\" is listed twice", t->v[i]);
		if (!*t->v[i] || strpbrk(t->v[i], " /?#%&"))
			return yaml_err(item, e, "\"%s\" is not a project id", t->v[i]);
		i++;
	}
	return E_OK;
}

static enum err_code read_credentials(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	const char *s;

	if (yaml_str(n, &s, e))
		return e->code;
	if (!strcmp(s, "adc"))
		return E_OK;
	return bind_value(b, n, BIND_PATH, obj, e);
}

static enum err_code read_billing(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {
		{"table", BIND_TEXT, CFG(billing_table), NULL, true},
		{"location", BIND_TEXT, CFG(billing_location), NULL, false},
		{"max_gib", BIND_COUNT, CFG(billing_max_gib), NULL, false},
	};
	struct config *cfg = obj;
	const char *table, *dot;
	int dots = 0;

	if (bind_map(b, n, "billing", fields, ARRAY_LEN(fields), obj, e))
		return e->code;
	table = cfg->billing_table;
	for (dot = table; *dot; dot++)
		dots += *dot == '.';
	if (dots < 2 || strpbrk(table, "`'\" \\;"))
		return yaml_err(yaml_get(n, "table"), e,
			"\"%s\" is not a table: want project.dataset.table", table);
	return E_OK;
}

static enum err_code read_poll(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	struct config *cfg = obj;
	struct field fields[POLL_GROUPS];

	for (size_t i = 0; i < POLL_GROUPS; i++)
		fields[i] = (struct field){.key = poll_group_names[i],
			.type = BIND_DURATION,
			.offset = CFG(poll) + i * sizeof(int64_t)};
	if (bind_map(b, n, "poll", fields, POLL_GROUPS, cfg, e))
		return e->code;
	YAML_EACH(item, n)
		for (size_t i = 0; i < POLL_GROUPS; i++)
			if (!strcmp(item->key, poll_group_names[i]) && cfg->poll[i] < 10)
				return yaml_err(item, e, "poll: at least 10s");
	return E_OK;
}

static enum err_code read_endpoints(struct binder *b, const struct yaml_node *n, void *obj,
	struct err *e)
{
	static const struct field fields[] = {
		{"all", BIND_TEXT, CFG(endpoint_all), NULL, false}};
	struct config *cfg = obj;
	const char *url;

	if (bind_map(b, n, "endpoints", fields, ARRAY_LEN(fields), obj, e))
		return e->code;
	url = cfg->endpoint_all;
	if (url && strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
		return yaml_err(yaml_get(n, "all"), e, "\"%s\" is not a URL", url);
	return E_OK;
}

static const struct field config_fields[] = {
	{"timezone", BIND_OTHER, CFG(timezone), read_timezone, false},
	{"currency", BIND_CURRENCY, CFG(currency), NULL, false},
	{"database", BIND_PATH, CFG(database), NULL, false},
	{"projects", BIND_OTHER, CFG(projects), read_projects, false},
	{"credentials", BIND_OTHER, CFG(credentials), read_credentials, false},
	{"billing", BIND_OTHER, 0, read_billing, false},
	{"poll", BIND_OTHER, 0, read_poll, false},
	{"grants", BIND_OTHER, 0, read_grants, false},
	{"credits", BIND_OTHER, 0, read_credits, false},
	{"budgets", BIND_OTHER, 0, read_budgets, false},
	{"rules", BIND_OTHER, 0, read_rules, false},
	{"notify", BIND_OTHER, 0, read_notify, false},
	{"report", BIND_OTHER, CFG(report), read_report, false},
	{"enforcement", BIND_OTHER, CFG(enforcement), read_enforcement, false},
	{"prices", BIND_OTHER, 0, read_prices, false},
	{"endpoints", BIND_OTHER, 0, read_endpoints, false},
};

static void set_defaults(struct config *cfg, const char *path, struct arena *a)
{
	char *db = fs_resolve(path, "tpucost.db");

	memset(cfg, 0, sizeof(*cfg));
	cfg->path = path;
	cfg->timezone = tz_machine_name();
	cfg->database = arena_strdup(a, db);
	cfg->billing_max_gib = 20;
	cfg->poll[POLL_INSTANCES] = 60;
	cfg->poll[POLL_BILLING] = 3600;
	cfg->poll[POLL_QUOTAS] = 1800;
	cfg->poll[POLL_PRICES] = 86400;
	cfg->poll[POLL_METRICS] = 300;
	cfg->enforcement.mode = "dry-run";
	cfg->enforcement.max_per_run = 3;
	cfg->enforcement.max_per_hour = 5;
	cfg->enforcement.max_per_day = 10;
	free(db);
}

/* Dates further down need the zone, wherever in the file it stands. */
static enum err_code open_zone(struct config *cfg, const struct yaml_node *root,
	struct err *e)
{
	const struct yaml_node *n = yaml_get(root, "timezone");

	if (n && yaml_str(n, &cfg->timezone, e))
		return e->code;
	if (tz_open(cfg->timezone, &cfg->tz, e))
		return n ? yaml_err_at(n, e) : e->code;
	return E_OK;
}

static void fill_settings(struct config *cfg)
{
	cfg->settings = (struct settings){.tz = cfg->tz,
		.currency = cfg->currency[0] ? cfg->currency : "USD",
		.grants = cfg->grants,
		.n_grants = cfg->n_grants,
		.credits = cfg->credits,
		.n_credits = cfg->n_credits,
		.prices = cfg->prices,
		.n_prices = cfg->n_prices};
}

enum err_code config_read(const char *path, struct arena *a, struct config *out,
	struct err *e)
{
	struct reading reading = {.cfg = out};
	struct binder b = {.a = a, .file = path, .ctx = &reading};
	struct yaml_node *root = NULL;

	set_defaults(out, path, a);
	if (yaml_load(path, a, &root, e))
		return e->code;
	if (!root)
		return err_set(e, E_CONFIG, "%s:1:1: the configuration is empty", path);
	if (open_zone(out, root, e))
		return e->code;
	if (bind_map(&b, root, "configuration", config_fields, ARRAY_LEN(config_fields), out,
		    e))
		return e->code;
	if (!out->projects.n)
		return yaml_err(root, e, "\"projects\" is missing: list what to watch");
	fill_settings(out);
	return E_OK;
}

/* Where the configuration is: what was asked for, or the first place that has one. */
static const char *config_path(struct app *app)
{
	const char *home = getenv("HOME"), *env = getenv("TPUCOST_CONFIG");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *user;

	if (app->o.config)
		return app->o.config;
	if (env && *env)
		return env;
	if (xdg && *xdg)
		user = arena_printf(&app->arena, "%s/tpucost/config.yaml", xdg);
	else
		user = arena_printf(&app->arena, "%s/.config/tpucost/config.yaml",
			home ? home : "");
	if (!access(user, F_OK) || access("/etc/tpucost/config.yaml", F_OK))
		return user;
	return "/etc/tpucost/config.yaml";
}

enum err_code config_load(struct app *app, struct err *e)
{
	const char *path = config_path(app);

	app->cfg = arena_new(&app->arena, struct config);
	if (config_read(path, &app->arena, app->cfg, e)) {
		if (e->code == E_NOTFOUND) {
			err_set(e, E_CONFIG, "no configuration: %s does not exist", path);
			err_fix(e, "write one (see README.md), or name it with --config FILE");
		}
		e->code = E_CONFIG;
		return e->code;
	}
	return E_OK;
}

void config_free(struct app *app)
{
	if (app->cfg)
		tz_free(app->cfg->tz);
}

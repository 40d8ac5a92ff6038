/* Reader of world files: from the text to the steps of a trial. */
#include "base/fs.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/trial/file.h"
#include "rules/price/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines of the bill ---------------------------------------------------------------- */

struct bill_entry {
	struct world_line l;
	const char *day;
	ts_t hour; /* TS_NONE: a whole day */
	char currency[4];
};

static enum err_code read_decimal(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	(void)b;
	return nanos_parse_exact(n->text, obj, e) ? yaml_err_at(n, e) : E_OK;
}

#define LI(field) offsetof(struct bill_entry, l.field)
#define EN(field) offsetof(struct bill_entry, field)
static const struct field line_fields[] = {
	{"day", BIND_TEXT, EN(day)},
	{"hour", BIND_OTHER, EN(hour), trial_read_when},
	{"project", BIND_TEXT, LI(project)},
	{"service", BIND_TEXT, LI(service)},
	{"sku", BIND_TEXT, LI(sku), .required = true},
	{"sku_id", BIND_TEXT, LI(sku_id)},
	{"location", BIND_TEXT, LI(location)},
	{"region", BIND_TEXT, LI(region)},
	{"zone", BIND_ZONE, LI(zone)},
	{"resource", BIND_TEXT, LI(resource)},
	{"cost", BIND_SCALAR, LI(cost), read_decimal, .required = true},
	{"credits", BIND_SCALAR, LI(credits), read_decimal},
	{"credit_type", BIND_TEXT, LI(credit_type)},
	{"currency", BIND_CURRENCY, EN(currency)},
	{"rate", BIND_SCALAR, LI(rate), read_decimal},
	{"usage", BIND_SCALAR, LI(usage), read_decimal},
	{"usage_unit", BIND_TEXT, LI(usage_unit)},
	{"invoice_month", BIND_TEXT, LI(invoice_month)},
	{"cost_type", BIND_TEXT, LI(cost_type)},
};

/* Sets a day of the configured zone, from its first hour to its last. */
static enum err_code set_time(struct trial_reading *r, const struct yaml_node *n,
	struct bill_entry *x, struct err *e)
{
	day_t day;

	if (!x->day == (x->hour == TS_NONE))
		return yaml_err(n, e, "bill: expected either day or hour");
	if (x->day && date_parse(x->day, &day, e))
		return yaml_err_at(yaml_get(n, "day"), e);
	x->l.from = x->day ? tz_day_start(r->cfg->tz, day) : x->hour;
	x->l.until = x->day ? tz_day_start(r->cfg->tz, day + 1) : x->hour + HOUR_SECONDS;
	if (x->l.from % HOUR_SECONDS)
		return yaml_err(n, e, "bill: expected a whole hour (UTC)");
	if (x->l.from > r->at)
		return yaml_err(n, e, "bill: the time is after the step");
	return E_OK;
}

static enum err_code set_rest(
	struct binder *b, const struct yaml_node *n, struct bill_entry *x, struct err *e)
{
	struct trial_reading *r = b->ctx;
	struct world_line *l = &x->l;
	struct civil c = civil_from_ts(l->from);

	if (l->credits > 0)
		return yaml_err(yaml_get(n, "credits"), e, "credits must be 0 or negative");
	if (l->rate < 0)
		return yaml_err(yaml_get(n, "rate"), e, "rate must be above 0");
	if (!l->invoice_month)
		l->invoice_month = arena_printf(b->a, "%04d%02d", c.year, c.month);
	l->currency = x->currency[0] ? arena_strdup(b->a, x->currency)
				     : r->cfg->settings.currency;
	if (!l->rate && !strcmp(l->currency, "USD"))
		l->rate = NANOS;
	if (!l->region && l->zone)
		l->region = place_region(l->zone, b->a);
	if (!l->location)
		l->location = l->region;
	return E_OK;
}

static enum err_code trial_read_bill(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = b->ctx;
	struct trial_step *s = obj;

	if (n->type != YAML_SEQ)
		return yaml_err(n, e, "bill: expected a list (lines that begin with '- ')");
	r->entries += n->n;
	if (r->entries > TRIAL_MAX_ENTRIES)
		return yaml_err(n, e, "more than %d lines in all steps", TRIAL_MAX_ENTRIES);
	s->lines = arena_alloc(b->a, n->n * sizeof(*s->lines));
	YAML_EACH (item, n) {
		struct bill_entry x = {.l = {.project = r->project,
					       .service = "Compute Engine",
					       .credit_type = "PROMOTION",
					       .cost_type = "regular"},
			.hour = TS_NONE};

		if (bind_map(b, item, "bill", line_fields, ARRAY_LEN(line_fields), &x, e) ||
			set_time(r, item, &x, e) || set_rest(b, item, &x, e))
			return e->code;
		s->lines[s->n_lines++] = x.l;
	}
	return E_OK;
}

/* ---- quotas ------------------------------------------------------------------------------------ */

#define QU(field) offsetof(struct q_quota_put_in, field)
static const struct field quota_fields[] = {
	{"project", BIND_TEXT, QU(project)},
	{"service", BIND_TEXT, QU(service)},
	{"metric", BIND_TEXT, QU(metric), .required = true},
	{"location", BIND_TEXT, QU(location)},
	{"limit_value", BIND_OTHER, QU(limit_value), trial_read_number, .required = true},
	{"used", BIND_OTHER, QU(used), trial_read_number},
};

static enum err_code trial_read_quotas(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct trial_reading *r = b->ctx;
	struct trial_step *s = obj;

	if (bind_list(b, n, "quotas", quota_fields, ARRAY_LEN(quota_fields),
		    sizeof(*s->quotas), (void **)&s->quotas, &s->n_quotas, e))
		return e->code;
	for (size_t i = 0; i < s->n_quotas; i++) {
		struct q_quota_put_in *q = &s->quotas[i];

		q->project = q->project ? q->project : r->project;
		q->service = q->service ? q->service : "compute.googleapis.com";
		q->location = q->location ? q->location : "global";
	}
	return E_OK;
}

#define DEFAULT_TICK 600

/* ---- times and numbers ------------------------------------------------------------------------- */

/* "1d2h30m", "0" */
static bool parse_offset(const char *s, int64_t *out)
{
	size_t digits, zeros;
	int64_t sum = 0, part;
	char one[16];

	if (!*s || !strcmp(s, "0")) {
		*out = 0;
		return *s != '\0';
	}
	for (; *s; s += digits + 1) {
		digits = strspn(s, "0123456789");
		zeros = strspn(s, "0");
		zeros -= zeros && zeros == digits;
		snprintf(one, sizeof(one), "%.*s", (int)(digits - zeros + 1), s + zeros);
		if (!s[digits] || duration_parse(one, &part, NULL))
			return false;
		sum += part;
		if (sum > TRIAL_MAX_OFFSET)
			return false;
	}
	*out = sum;
	return true;
}

enum err_code trial_read_when(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = b->ctx;
	const char *s;
	int64_t seconds;
	day_t day;

	if (yaml_str(n, &s, e))
		return e->code;
	if (*s == '+' || *s == '-') {
		if (r->trial->start == TS_NONE || !parse_offset(s + 1, &seconds))
			return yaml_err(n, e,
				"'%.40s' is not a time from the start (expected one such "
				"as +10m, +1d2h or -3d)",
				s);
		*(ts_t *)obj = r->trial->start + (*s == '-' ? -seconds : seconds);
		return E_OK;
	}
	if (strchr(s, 'T'))
		return rfc3339_parse(s, obj, NULL, e) ? yaml_err_at(n, e) : E_OK;
	if (date_parse(s, &day, e))
		return yaml_err_at(n, e);
	*(ts_t *)obj = tz_day_start(r->cfg->tz, day);
	return E_OK;
}

enum err_code trial_read_number(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct opt_i64 v = {.set = true};
	bool limit = str_eq(n->key, "limit_value");

	(void)b;
	if (yaml_is_null(n) && !limit)
		v.set = false;
	else if (yaml_i64(n, limit ? -1 : 0, INT64_C(1000000000000), &v.v, e))
		return e->code;
	*(struct opt_i64 *)obj = v;
	return E_OK;
}

/* ---- expectations ------------------------------------------------------------------------------ */

struct entry {
	struct trial_expect x;
	const char *state;
};

/* Tests that the rule is evaluated; an expectation about another one would prove nothing. */
static enum err_code check_rule(
	struct binder *b, const struct yaml_node *n, const char *name, struct err *e)
{
	const struct trial_reading *r = b->ctx;
	const struct settings *s = &r->cfg->settings;

	for (size_t i = 0; i < s->n_rules; i++) {
		if (strcmp(s->rules[i].name, name) != 0)
			continue;
		if (s->rules[i].enabled)
			return E_OK;
		return yaml_err(n, e, "rule '%s' is not enabled", name);
	}
	yaml_err(n, e, "there is no rule '%.60s'", name);
	return near_fix(
		e, NEAR_OF(name, s->rules, s->n_rules, name), "see: tpucost rules list");
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

static const char *const states[] = {"firing", "pending", "resolved", NULL};
static const char *const severities[] = {"info", "warning", "critical", NULL};

static enum err_code trial_read_value(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	int64_t nanos;

	(void)b;
	*(const char **)obj = n->text;
	return nanos_parse_exact(n->text, &nanos, e) ? yaml_err_at(n, e) : E_OK;
}

#define EX(field) offsetof(struct entry, x.field)
static const struct field expect_fields[] = {
	{"rule", BIND_OTHER, EX(rule), read_rule, .required = true},
	{"subject", BIND_TEXT, EX(subject)},
	{"name", BIND_TEXT, EX(name)},
	{"state", BIND_WORD, offsetof(struct entry, state), .words = states},
	{"severity", BIND_WORD, EX(severity), .words = severities},
	{"summary", BIND_TEXT, EX(summary)},
	{"value", BIND_SCALAR, EX(value), trial_read_value},
	{"fired", BIND_OTHER, EX(fired), trial_read_when},
};

static enum err_code read_expect(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_step *s = obj;

	if (n->type != YAML_SEQ)
		return yaml_err(
			n, e, "expect: expected a list (lines that begin with '- ')");
	s->expects = arena_alloc(b->a, n->n * sizeof(*s->expects));
	YAML_EACH (item, n) {
		struct entry x = {.x = {.fired = TS_NONE}, .state = "firing"};

		if (bind_map(b, item, "expect", expect_fields, ARRAY_LEN(expect_fields), &x,
			    e))
			return e->code;
		x.x.state = ALERT_PENDING;
		while (strcmp(alert_state_name(x.x.state), x.state) != 0)
			x.x.state++;
		s->expects[s->n_expects++] = x.x;
	}
	return E_OK;
}

static enum err_code trial_read_quiet(
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

static enum err_code read_sources(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {[ANSWERS] = "ok",
		[ANSWERS_NOT] = "failed",
		[ANSWERS_OLD] = "stale",
		[ANSWERS_NO_API] = "disabled"};
	struct trial_step *s = obj;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "sources: expected 'source: answer' pairs");
	s->sources = arena_alloc(b->a, n->n * sizeof(*s->sources));
	YAML_EACH (item, n) {
		struct trial_source *out = &s->sources[s->n_sources++];
		const char *word, *near;

		if (!world_source_known(item->key, &near)) {
			yaml_err_key(
				item, e, "sources: there is no source '%.40s'", item->key);
			return near_fix(e, near, "");
		}
		if (bind_one_of(item, words, ARRAY_LEN(words), &word, e))
			return e->code;
		out->name = item->key;
		out->how = ANSWERS;
		while (word != words[out->how])
			out->how++;
	}
	return E_OK;
}

static enum err_code read_unreachable(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_step *s = obj;
	struct texts zones = {0};

	if (bind_value(b, n, BIND_TEXTS, &zones, e))
		return e->code;
	s->unreachable = zones.v;
	s->n_unreachable = zones.n;
	s->zones_told = true;
	return E_OK;
}

#define ST(field) offsetof(struct trial_step, field)
static const struct field step_fields[] = {
	{"at", BIND_OTHER, ST(at), trial_read_when},
	{"note", BIND_TEXT, ST(note)},
	{"resources", BIND_OTHER, 0, trial_read_things},
	{"gone", BIND_OTHER, 0, trial_read_gone},
	{"bill", BIND_OTHER, 0, trial_read_bill},
	{"quotas", BIND_OTHER, 0, trial_read_quotas},
	{"sources", BIND_OTHER, 0, read_sources},
	{"unreachable", BIND_OTHER, 0, read_unreachable},
	{"expect", BIND_OTHER, 0, read_expect},
	{"quiet", BIND_OTHER, 0, trial_read_quiet},
	{"expect_none", BIND_FLAG, ST(expect_none)},
};

/* Reads the time of the step, which must be known before the rest is read. */
static enum err_code trial_read_at(struct binder *b, const struct yaml_node *n,
	const struct trial_step *before, ts_t *out, struct err *e)
{
	struct trial_reading *r = b->ctx;
	const struct yaml_node *at = yaml_get(n, "at");

	*out = r->trial->start;
	if (!at && before)
		return yaml_err(n, e, "step: at is missing");
	if (at && trial_read_when(b, at, out, e))
		return e->code;
	if (before ? *out <= before->at : *out < r->trial->start)
		return yaml_err(at, e, "'%s' is not after %s", at->text,
			before ? "the step before" : "the start");
	if (*out - r->trial->start > TRIAL_MAX_OFFSET)
		return yaml_err(at, e, "the time is more than ten years after the start");
	return E_OK;
}

static enum err_code read_steps(
	struct binder *b, const struct yaml_node *n, struct trial *t, struct err *e)
{
	struct trial_reading *r = b->ctx;

	if (!n || n->type != YAML_SEQ || !n->n)
		return yaml_err(
			n, e, "steps: expected a list (lines that begin with '- ')");
	if (n->n > TRIAL_MAX_ENTRIES)
		return yaml_err(n, e, "more than %d steps", TRIAL_MAX_ENTRIES);
	t->steps = arena_alloc(b->a, n->n * sizeof(*t->steps));
	YAML_EACH (item, n) {
		struct trial_step *s = &t->steps[t->n_steps];

		if (item->type != YAML_MAP)
			return yaml_err(item, e, "step: expected 'key: value' pairs");
		if (trial_read_at(b, item, t->n_steps ? s - 1 : NULL, &r->at, e) ||
			bind_map(
				b, item, "step", step_fields, ARRAY_LEN(step_fields), s, e))
			return e->code;
		s->at = r->at;
		t->n_steps++;
	}
	return E_OK;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static const char *const file_keys[] = {"config", "project", "start", "tick", "steps",
	"timezone", "currency", "poll", "grants", "credits", "budgets", "rules", "prices"};

/* Loads the configuration that the file names, else that of the program, else none. */
static enum err_code load_config(
	struct app *app, const struct yaml_node *root, struct config *cfg, struct err *e)
{
	const struct yaml_node *n = yaml_get(root, "config");
	const char *path = config_path(app), *s;
	bool asked = app->o.config || getenv("TPUCOST_CONFIG");

	if (n && yaml_str(n, &s, e))
		return e->code;
	if (n && strcmp(s, "none") != 0) {
		char *full = fs_resolve(root->file, s);

		path = arena_strdup(&app->arena, full);
		free(full);
	} else if (n || (!asked && access(path, F_OK))) {
		config_empty(root->file, &app->arena, cfg);
		return E_OK;
	}
	if (config_read(path, &app->arena, cfg, e)) {
		e->code = E_CONFIG;
		return n && cfg->tz == NULL ? yaml_err_at(n, e) : e->code;
	}
	return E_OK;
}

static enum err_code read_frame(
	struct binder *b, const struct yaml_node *root, struct trial *t, struct err *e)
{
	struct trial_reading *r = b->ctx;
	const struct yaml_node *start = yaml_get(root, "start");
	const struct yaml_node *tick = yaml_get(root, "tick");
	const struct yaml_node *project = yaml_get(root, "project");

	r->project = "test";
	if (project && yaml_str(project, &r->project, e))
		return e->code;
	if (!start)
		return yaml_err(root, e,
			"start is missing: the time when the test begins, such as "
			"2026-11-01T00:00:00Z");
	if (trial_read_when(b, start, &t->start, e))
		return e->code;
	t->tick = DEFAULT_TICK;
	if (tick && bind_value(b, tick, BIND_DURATION, &t->tick, e))
		return e->code;
	if (t->tick < 10)
		return yaml_err(tick, e, "tick: expected at least 10s");
	return read_steps(b, yaml_get(root, "steps"), t, e);
}

enum err_code trial_file_read(struct app *app, const char *path, struct config *cfg,
	struct trial *out, struct err *e)
{
	struct trial_reading r = {.a = &app->arena, .cfg = cfg, .trial = out};
	struct binder b = {.a = &app->arena, .file = path, .ctx = &r};
	struct yaml_node *root = NULL;

	memset(cfg, 0, sizeof(*cfg));
	*out = (struct trial){.file = path, .start = TS_NONE};
	if (yaml_load(path, &app->arena, &root, e)) {
		e->code = E_CONFIG;
		return e->code;
	}
	if (!root)
		return err_set(e, E_CONFIG, "%s:1:1: the file is empty", path);
	if (yaml_check_keys(root, "world", file_keys, ARRAY_LEN(file_keys), e) ||
		load_config(app, root, cfg, e) ||
		config_read_inline(root, &app->arena, cfg, e) ||
		read_frame(&b, root, out, e))
		return e->code;
	cfg->settings.n_listed = 0; /* the world has projects of its own */
	out->settings = &cfg->settings;
	return E_OK;
}

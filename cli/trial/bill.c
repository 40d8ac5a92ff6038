/* Billing lines and quotas in a world file. */
#include "base/time/civil.h"
#include "base/money.h"
#include "cli/trial/file.h"
#include "rules/price/place.h"

#include <stdio.h>
#include <string.h>

struct entry {
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

#define LI(field) offsetof(struct entry, l.field)
#define EN(field) offsetof(struct entry, field)
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
static enum err_code set_time(
	struct trial_reading *r, const struct yaml_node *n, struct entry *x, struct err *e)
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
	struct binder *b, const struct yaml_node *n, struct entry *x, struct err *e)
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

enum err_code trial_read_bill(
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
		struct entry x = {.l = {.project = r->project,
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

enum err_code trial_read_quotas(
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

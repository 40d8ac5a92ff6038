/* The model itself, for programs. */
#include "base/civil.h"
#include "base/json.h"
#include "base/money.h"
#include "reports/report.h"

static void key_opt(struct jw *w, const char *key, struct opt_i64 v)
{
	jw_key(w, key);
	if (v.set)
		jw_nanos(w, v.v);
	else
		jw_null(w);
}

static void key_nanos(struct jw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	jw_nanos(w, v);
}

static void key_ts(struct jw *w, const char *key, ts_t ts)
{
	char buf[RFC3339_BUF];

	jw_kstr(w, key, ts == TS_NONE ? NULL : rfc3339_format(ts, buf));
}

static void add_items(struct jw *w, const char *key, const struct report_items *items)
{
	jw_key(w, key);
	jw_begin(w, '[');
	for (size_t i = 0; i < items->n; i++) {
		const struct report_item *it = &items->v[i];

		jw_begin(w, '{');
		jw_kstr(w, "id", it->id);
		jw_kstr(w, "kind", it->kind);
		jw_kstr(w, "project", it->project);
		jw_kstr(w, "location", it->location);
		jw_kstr(w, "name", it->name);
		jw_kstr(w, "type", it->type);
		jw_kstr(w, "state", it->state);
		key_ts(w, "running_since",
			it->running_since.set ? it->running_since.v : TS_NONE);
		key_opt(w, "gross_per_hour", it->gross);
		key_opt(w, "net_per_hour", it->net);
		jw_kstr(w, "currency", it->currency);
		jw_kstr(w, "grant_name", it->grant_name);
		jw_kstr(w, "why", it->why);
		jw_kstr(w, "why_text", it->why_text);
		jw_kstr(w, "command", it->command);
		jw_key(w, "complete");
		jw_bool(w, it->complete);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

static void add_category(struct jw *w, const struct report_category *c)
{
	jw_begin(w, '{');
	jw_kstr(w, "category", c->name);
	jw_kstr(w, "currency", c->sum.currency);
	key_nanos(w, "gross", c->sum.gross);
	key_nanos(w, "net", c->sum.net);
	jw_end(w, '}');
}

static void add_amounts(struct jw *w, const char *key, const struct amounts *v, size_t n)
{
	jw_key(w, key);
	jw_begin(w, '[');
	for (size_t i = 0; i < n; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "currency", v[i].currency);
		key_nanos(w, "gross", v[i].gross);
		key_nanos(w, "net", v[i].net);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

static void add_costs(struct jw *w, const struct report *r)
{
	jw_key(w, "yesterday");
	jw_begin(w, '{');
	jw_kstr(w, "day", r->yesterday_date);
	jw_kstr(w, "status", r->yesterday_status);
	add_amounts(w, "amounts", r->yesterday, r->n_yesterday);
	jw_key(w, "categories");
	jw_begin(w, '[');
	for (size_t i = 0; i < r->n_billed; i++)
		add_category(w, &r->billed[i]);
	jw_end(w, ']');
	jw_end(w, '}');
	jw_key(w, "days");
	jw_begin(w, '[');
	for (size_t i = 0; i < r->n_days; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "day", r->days[i].date);
		jw_kstr(w, "status", r->days[i].status);
		jw_kstr(w, "currency", r->days[i].sum.currency);
		key_nanos(w, "cost", r->days[i].sum.gross);
		key_nanos(w, "net", r->days[i].sum.net);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

/* Days with one digit, rounded toward the past: what is left, not more. */
static void key_days(struct jw *w, const char *key, int64_t seconds)
{
	int64_t tenths = seconds * 10 / DAY_SECONDS;

	jw_key(w, key);
	jw_nanos(w, tenths * (NANOS / 10));
}

static void add_grants(struct jw *w, const struct report *r)
{
	jw_key(w, "grants");
	jw_begin(w, '[');
	for (size_t i = 0; i < r->n_grants; i++) {
		const struct report_grant *g = &r->grants[i];

		jw_begin(w, '{');
		jw_kstr(w, "name", g->name);
		jw_kstr(w, "zone", g->zone);
		jw_kstr(w, "type", g->type);
		jw_kstr(w, "family", g->family);
		jw_kstr(w, "provisioning", g->provisioning);
		jw_ki64(w, "granted_chips", g->granted_chips);
		jw_ki64(w, "used_chips", g->used_chips);
		key_ts(w, "starts", g->starts);
		key_ts(w, "until", g->until);
		if (g->until != TS_NONE)
			key_days(w, "days_left", g->until - r->now);
		key_opt(w, "saved", g->saved);
		jw_kstr(w, "currency", g->currency);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

static void add_credits(struct jw *w, const struct report *r)
{
	jw_key(w, "credits");
	jw_begin(w, '[');
	for (size_t i = 0; i < r->n_credits; i++) {
		const struct report_credit *c = &r->credits[i];

		jw_begin(w, '{');
		jw_kstr(w, "name", c->name);
		key_nanos(w, "amount", c->amount);
		key_opt(w, "used", c->used);
		key_opt(w, "left", c->used.set ? SOME(c->amount - c->used.v) : NONE);
		jw_kstr(w, "currency", c->currency);
		key_ts(w, "expires", c->expires);
		key_ts(w, "runs_out", c->runs_out);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

static void add_sources(struct jw *w, const struct report *r)
{
	key_ts(w, "inventory_complete_at", r->inventory_age_from);
	key_ts(w, "billing_complete_at", r->billing_age_from);
	jw_key(w, "sources");
	jw_begin(w, '[');
	for (size_t i = 0; i < r->n_sources; i++) {
		const struct report_source *s = &r->sources[i];

		jw_begin(w, '{');
		jw_kstr(w, "source", s->source);
		jw_kstr(w, "project", s->project);
		jw_kstr(w, "state", s->state);
		key_ts(w, "last_success", s->last_success);
		jw_key(w, "stale");
		jw_bool(w, s->stale);
		jw_kstr(w, "error", s->error);
		jw_kstr(w, "fix", s->fix);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

void report_json(const struct report *r, struct sbuf *b)
{
	struct jw w = {.b = b};
	struct sbuf head = SBUF_INIT;

	report_headline(r, &head);
	jw_begin(&w, '{');
	jw_kstr(&w, "report", "daily");
	jw_kstr(&w, "date", r->date);
	jw_kstr(&w, "timezone", tz_name(r->tz));
	key_ts(&w, "made", r->now);
	jw_kstr(&w, "headline", head.s);
	add_items(&w, "uncovered", &r->uncovered);
	add_items(&w, "covered", &r->covered);
	add_items(&w, "machines", &r->machines);
	add_items(&w, "leftovers", &r->leftovers);
	add_amounts(&w, "burn_per_hour", r->burn, r->n_burn);
	jw_ki64(&w, "unknown_prices", (int64_t)r->unknown_prices);
	jw_key(&w, "burn_categories");
	jw_begin(&w, '[');
	for (size_t i = 0; i < r->n_categories; i++)
		add_category(&w, &r->categories[i]);
	jw_end(&w, ']');
	add_costs(&w, r);
	add_grants(&w, r);
	add_credits(&w, r);
	add_sources(&w, r);
	jw_end(&w, '}');
	sbuf_addc(b, '\n');
	sbuf_done(&head);
}

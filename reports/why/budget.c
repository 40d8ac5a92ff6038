/* Explains a budget: every term of spent, unbilled, expected and forecast. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "reports/why/internal.h"

#include <string.h>

#define QUERY_MS 10000

struct terms {
	const struct budget *b; /* as configured */
	struct q_explain_budget_state s;
	struct q_explain_budget_parts_rows parts; /* by project */
	int64_t per_hour;                         /* of all projects */
	int64_t left;                             /* seconds */
};

static const struct budget *budget_configured(const struct explaining *x, const char *name)
{
	for (size_t i = 0; i < x->settings->n_budgets; i++)
		if (!strcmp(x->settings->budgets[i].name, name))
			return &x->settings->budgets[i];
	return NULL;
}

static void say_thresholds(
	struct explaining *x, const char *label, const struct thresholds *t)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < t->n; i++)
		sbuf_addf(&b, "%s%lld %%", i ? ", " : "", (long long)t->at[i]);
	explain_fact(x, label, b.s);
}

static void budget_what_it_is(struct explaining *x, const struct terms *t)
{
	explain_section(x, "Definition");
	explain_nanos(x, "amount", SOME(t->s.amount), t->s.currency)->source = x->config;
	explain_say(x, "per", "%s", t->s.period);
	explain_when(x, "begins", SOME(t->s.starts));
	explain_when(x, "ends", SOME(t->s.ends));
	explain_say(x, "counts", "%s, %s", t->b->gross ? "cost before credits" : "net cost",
		t->b->where ? t->b->where : "all costs");
	say_thresholds(x, "alerts at", &t->b->alert_at);
	say_thresholds(x, "forecast alerts at", &t->b->forecast_at);
}

/* ---- terms --------------------------------------------------------------------------------- */

static const char *project_name(const char *project)
{
	return *project ? project : "(account level)";
}

static void spent_by_project(struct explaining *x, const struct terms *t)
{
	struct explain_row *row;

	explain_section(x, "Spent: billed by Google in the period");
	for (size_t i = 0; i < t->parts.n && i < EXPLAIN_SHOWN; i++)
		explain_nanos(x, project_name(t->parts.v[i].project),
			SOME(t->parts.v[i].spent), t->parts.v[i].currency);
	explain_more(x, t->parts.n, "tpucost cost --by project");
	row = explain_nanos(x, "spent", t->s.spent, t->s.currency);
	if (t->s.spent.set)
		row->formula = "the sum";
	explain_from_bill(x, row);
}

static void unbilled_by_project(struct explaining *x, struct terms *t)
{
	struct explain_row *row;
	size_t n = 0;

	explain_section(
		x, "Unbilled: what ran since the newest billed usage, at most 14 days");
	for (size_t i = 0; i < t->parts.n; i++) {
		const struct q_explain_budget_parts *q = &t->parts.v[i];

		if (!q->per_hour.set || !q->unbilled_from.set)
			continue;
		if (!nanos_add(t->per_hour, q->per_hour.v, &t->per_hour))
			t->per_hour = INT64_MAX;
		if (++n <= EXPLAIN_SHOWN)
			explain_nanos(x, project_name(q->project), q->unbilled, q->currency)
				->formula = arena_printf(
				x->a, "since %s", explain_time(x, q->unbilled_from.v));
	}
	explain_more(x, n, "tpucost budget --format json");
	row = explain_nanos(x, "unbilled", t->s.unbilled, t->s.currency);
	if (t->s.unbilled.set)
		row->formula =
			"the sum, of rates in the currency of the budget; rounded at the "
			"end";
}

/* In hundredths, as in the view. */
static void budget_add_percent(
	struct explaining *x, const char *label, struct opt_i64 hundredths)
{
	struct opt_i64 percent = NONE;

	percent.set = hundredths.set &&
		!__builtin_mul_overflow(hundredths.v, NANOS / 100, &percent.v);
	explain_nanos(x, label, percent, "% of the amount");
}

static void add_expected(struct explaining *x, const struct terms *t)
{
	struct explain_row *row;

	explain_section(x, "Expected: used so far");
	row = explain_nanos(x, "expected", t->s.expected, t->s.currency);
	if (t->s.expected.set && t->s.unbilled.set)
		row->formula = arena_printf(x->a, "%s + %s",
			t->s.spent.set ? explain_money(x, t->s.spent.v, t->s.currency)
				       : "nothing billed",
			explain_money(x, t->s.unbilled.v, t->s.currency));
	budget_add_percent(x, "percent", t->s.percent);
	if (t->s.reached.set)
		explain_count(x, "threshold reached", t->s.reached, "%");
}

/* The part of the burn that ends before the period; 0: all of it lasts. */
static int64_t budget_ends_before(const struct terms *t)
{
	int64_t whole, less;

	return nanos_muldiv(t->per_hour, t->left, HOUR_SECONDS, &whole) &&
			nanos_add(t->s.expected.v, whole, &whole) &&
			nanos_sub(whole, t->s.forecast.v, &less)
		? less
		: 0;
}

static void add_forecast(struct explaining *x, const struct terms *t)
{
	struct explain_row *row;

	explain_section(x, "Forecast: at the end of the period");
	row = explain_nanos(x, "forecast", t->s.forecast, t->s.currency);
	if (t->s.forecast.set && t->s.expected.set) {
		int64_t less = budget_ends_before(t);

		row->formula = arena_printf(x->a, "%s + %s/h x %lld s / 3600%s%s%s",
			explain_money(x, t->s.expected.v, t->s.currency),
			explain_money(x, t->per_hour, t->s.currency), (long long)t->left,
			less ? less > 0 ? " - " : " + " : "",
			less ? explain_money(x, less > 0 ? less : -less, t->s.currency)
			     : "",
			!less ? ""
				: less > 0
				? " of what ends by itself before"
				: " of what begins later, less what ends before");
	}
	budget_add_percent(x, "forecast percent", t->s.forecast_percent);
	explain_rows(x, NULL, q_explain_budget_end_read(x, .name = t->b->name), NULL);
}

/* ---- details ------------------------------------------------------------------------------- */

/* The condition is written by the user: it runs guarded, and on separate lines. */
static void add_where(struct sbuf *b, const struct terms *t)
{
	if (t->b->where)
		sbuf_addf(b, " AND (\n%s\n)", t->b->where);
}

static void budget_add_day(
	struct explaining *x, const struct terms *t, const struct db_cursor *c)
{
	int64_t cost = db_cursor_i64(c, 2), credits = db_cursor_i64(c, 3);
	const char *currency = db_cursor_text(c, 1);
	struct opt_i64 counts = SOME(cost);
	struct explain_row *row;

	if (!t->b->gross)
		counts.set = nanos_add(cost, credits, &counts.v);
	row = explain_nanos(x, db_cursor_text(c, 0), counts, currency);
	if (!t->b->gross && credits)
		row->formula = arena_printf(x->a, "%s and credits of %s",
			explain_money(x, cost, currency),
			explain_money(x, credits, currency));
	row->source = arena_strdup(x->a, db_cursor_text(c, 4));
}

static void budget_add_thing(
	struct explaining *x, const struct terms *t, const struct db_cursor *c)
{
	struct opt_i64 net = db_cursor_type(c, 2) == DB_NULL ? NONE
							     : SOME(db_cursor_i64(c, 2));
	struct explain_row *row = explain_rate(x,
		arena_printf(x->a, "%s (%s)", db_cursor_text(c, 0), db_cursor_text(c, 1)),
		net, db_cursor_text(c, 3));

	(void)t;
	if (db_cursor_type(c, 6) != DB_NULL)
		row->formula = arena_printf(
			x->a, "from %s", explain_time(x, db_cursor_i64(c, 6)));
	if (db_cursor_type(c, 5) != DB_NULL)
		row->formula = arena_printf(x->a, "%s%suntil %s",
			row->formula ? row->formula : "", row->formula ? " " : "",
			explain_time(x, db_cursor_i64(c, 5)));
	if (db_cursor_i64(c, 4))
		row->source = "recommended: stop it";
}

static void listing(struct explaining *x, const struct terms *t, const char *sql,
	void (*add)(struct explaining *x, const struct terms *t, const struct db_cursor *c))
{
	struct db_cursor c = {0};
	struct err why = {0};
	bool more = false;

	if (!db_cursor_open(x->db, sql, QUERY_MS, &c, &why)) {
		db_cursor_bind(&c, ":budget", t->b->name);
		while (!db_cursor_step(&c, &more, &why) && more)
			add(x, t, &c);
	}
	if (c.stmt)
		db_cursor_close(&c);
	/* A condition that fails: the basis reports it, and the figures are unknown. */
	if (why.code && !(t->b->where && (why.code == E_USAGE || why.code == E_LIMIT)))
		*x->e = why;
}

static void budget_by_day(struct explaining *x, const struct terms *t)
{
	const struct tz *tz = x->settings->tz;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	explain_section(x, "Billed by day (days partly in the period are shown in full)");
	sbuf_addf(&sql,
		"SELECT day, currency, CAST(SUM(cost_n) AS BIGINT), "
		"CAST(SUM(credits_n) AS BIGINT), CASE MIN(CASE status WHEN "
		"'partial' THEN 0 WHEN 'settling' THEN 1 ELSE 2 END) WHEN 0 THEN "
		"'partial' WHEN 1 THEN 'settling' ELSE 'settled' END FROM costs_exact "
		"costs "
		"WHERE day_n >= %lld AND day_n <= %lld",
		(long long)tz_day(tz, t->s.starts), (long long)tz_day(tz, t->s.ends - 1));
	add_where(&sql, t);
	sbuf_adds(&sql, " GROUP BY day, currency ORDER BY day, currency");
	listing(x, t, sql.s, budget_add_day);
}

static void budget_add_run(
	struct explaining *x, const struct terms *t, const struct db_cursor *c)
{
	int64_t starts = db_cursor_i64(c, 4), ends = db_cursor_i64(c, 5);
	const char *label = arena_printf(
		x->a, "%s (%s)", db_cursor_text(c, 0), db_cursor_text(c, 1));
	struct opt_i64 cost = NONE;

	(void)t;
	if (db_cursor_type(c, 2) != DB_NULL)
		cost.set = nanos_muldiv(db_cursor_i64(c, 2), ends - starts, 3600, &cost.v);
	explain_nanos(x, label, cost, db_cursor_text(c, 3))->formula = arena_printf(x->a,
		"%s/h x %lld s / 3600 from %s",
		cost.set ? explain_money(x, db_cursor_i64(c, 2), db_cursor_text(c, 3))
			 : "unknown",
		(long long)(ends - starts), explain_time(x, starts));
}

/* The intervals behind `unbilled`, the most expensive first. */
static void budget_by_run(struct explaining *x, const struct terms *t)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	explain_section(x, "Intervals in unbilled, net, at list prices");
	sbuf_addf(&sql,
		"SELECT id, category, net_n, currency, MAX(starts_n, since, "
		"COALESCE(billed_n, since)) AS f, "
		"MIN(ends_n, %lld) AS u FROM (SELECT * FROM charges_exact costs WHERE "
		"starts_n "
		"IS NOT NULL",
		(long long)(x->now < t->s.ends ? x->now : t->s.ends));
	add_where(&sql, t);
	sbuf_addf(&sql,
		") c JOIN (SELECT project AS p, CAST(strftime('%%s', unbilled_from) AS "
		"INTEGER) AS since FROM budget_parts WHERE name = :budget) ON p = "
		"c.project WHERE u > f ORDER BY currency, net_n * (u - f) DESC, id, f "
		"LIMIT %d",
		EXPLAIN_SHOWN);
	listing(x, t, sql.s, budget_add_run);
}

static void by_thing(struct explaining *x, const struct terms *t)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	explain_section(x, "Current costs in it, net");
	sbuf_addf(&sql,
		"SELECT id, category, net_n, currency, advised, ends_n, "
		"begins_n FROM charges_exact costs "
		"WHERE starts_n IS NULL AND (net_n IS NULL OR net_n <> 0) AND "
		"(begins_n IS NULL OR begins_n < %lld)",
		(long long)t->s.ends);
	add_where(&sql, t);
	sbuf_addf(&sql, " ORDER BY currency, net_n DESC, id LIMIT %d", EXPLAIN_SHOWN);
	listing(x, t, sql.s, budget_add_thing);
}

void explain_budget(struct explaining *x, const char *key)
{
	const struct q_explain_budget_state *s = q_explain_budget_state_row(x, .name = key);
	struct terms t = {.b = budget_configured(x, key)};

	if (!s || !t.b) {
		err_first(x->e, E_NOTFOUND, "why: budget %s", key);
		return;
	}
	t.s = *s;
	t.parts = q_explain_budget_parts_rows(x, .name = key);
	x->title = arena_printf(x->a, "budget %s", key);
	t.left = t.s.ends - (x->now > t.s.starts ? x->now : t.s.starts);
	if (t.left < 0)
		t.left = 0;
	budget_what_it_is(x, &t);
	spent_by_project(x, &t);
	unbilled_by_project(x, &t);
	add_expected(x, &t);
	add_forecast(x, &t);
	budget_by_run(x, &t);
	by_thing(x, &t);
	budget_by_day(x, &t);
	explain_alerts_of(x, "budgets", key);
}

/* Explains the bill of a day of the configured zone, or of an invoice month. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "reports/why/internal.h"

#include <stdio.h>
#include <string.h>

static const char *const finality[] = {"partial", "settling", "settled"};

struct asked {
	const char *date, *month; /* one of them is "" */
};

static struct explain_row *add_net(struct explaining *x, const char *label, int64_t cost,
	int64_t credits, const char *currency)
{
	struct opt_i64 net = NONE;
	struct explain_row *row;

	net.set = nanos_add(cost, credits, &net.v);
	row = explain_nanos(x, label, net, currency);
	if (credits)
		row->formula = arena_printf(x->a, "%s and credits of %s",
			explain_money(x, cost, currency),
			explain_money(x, credits, currency));
	return row;
}

/* Total, by day or by project, in *v. */
static enum err_code cost_by(struct explaining *x, const struct asked *a, const char *by,
	struct q_explain_cost_by **v, size_t *n, struct err *e)
{
	struct q_explain_cost_by_in in = {.by = by, .date = a->date, .month = a->month};

	return q_explain_cost_by_all(x->db, &in, x->a, v, n, e);
}

static enum err_code sums(
	struct explaining *x, const struct asked *a, size_t *n, struct err *e)
{
	struct q_explain_cost_by *v;

	if (cost_by(x, a, "", &v, n, e))
		return e->code;
	for (size_t i = 0; i < *n; i++) {
		add_net(x, "net", v[i].cost, v[i].credits, v[i].currency);
		if (v[i].promo)
			explain_nanos(
				x, "of it promotions", SOME(v[i].promo), v[i].currency);
		explain_say(x, "status", "%s", finality[v[i].least]);
	}
	return E_OK;
}

static enum err_code by_sku(struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_cost_skus_in in = {.date = a->date, .month = a->month};
	struct q_explain_cost_skus *v;
	char usage[NANOS_BUF];
	size_t n;

	explain_section(x, "By SKU");
	if (q_explain_cost_skus_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && i < EXPLAIN_SHOWN; i++) {
		struct explain_row *row = add_net(
			x, v[i].sku, v[i].cost, v[i].credits, v[i].currency);

		if (v[i].usage.set && v[i].usage_unit)
			row->formula = arena_printf(x->a, "%s %s%s%s",
				nanos_format(v[i].usage.v, usage), v[i].usage_unit,
				row->formula ? ": " : "", row->formula ? row->formula : "");
		row->source = arena_printf(x->a, "%s%s%s", v[i].service,
			*v[i].sku_id ? ", SKU " : "", v[i].sku_id);
	}
	explain_more(x, n, "tpucost cost --by sku");
	return E_OK;
}

static enum err_code cost_by_project(
	struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_cost_by *v;
	size_t n;

	explain_section(x, "By project");
	if (cost_by(x, a, "project", &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && i < EXPLAIN_SHOWN; i++)
		add_net(x, v[i].name ? v[i].name : "(account level)", v[i].cost,
			v[i].credits, v[i].currency);
	explain_more(x, n, "tpucost cost --by project");
	return E_OK;
}

static enum err_code restated(struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_restatements_in in = {.date = a->date, .month = a->month};
	struct q_explain_restatements *v;
	size_t n;

	if (q_explain_restatements_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	if (n)
		explain_section(x, "Changes after it was reported");
	for (size_t i = 0; i < n; i++) {
		struct explain_row *row = add_net(x, explain_time(x, v[i].at),
			v[i].new_cost, v[i].new_credits, v[i].currency);

		row->formula = arena_printf(x->a, "%s: was %s and credits of %s, now",
			v[i].date, explain_money(x, v[i].old_cost, v[i].currency),
			explain_money(x, v[i].old_credits, v[i].currency));
		row->source = v[i].source;
	}
	return E_OK;
}

/* ---- a day --------------------------------------------------------------------------------- */

static enum err_code known_of(
	struct explaining *x, const struct q_explain_day *day, struct err *e)
{
	struct q_explain_cost_known_in in = {.day = day->day};
	struct q_explain_cost_known q;
	char after[DURATION_BUF];
	ts_t least = x->now;
	struct db_rows rows;
	const char *name;

	explain_section(x, "Finality");
	explain_say(x, "rule",
		"partial until read a day after its end, settling until three days after, "
		"then settled; Google adds usage for days");
	explain_when(x, "settled from", SOME(day->ends + 3 * DAY_SECONDS));
	if (q_explain_cost_known_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_cost_known_next(&rows, &q)) {
		name = *q.account ? arena_printf(x->a, "known for %s", q.account) : "known";
		explain_when(x, arena_printf(x->a, "%s until", name), SOME(q.until));
		if (q.until < least)
			least = q.until;
	}
	explain_say(x, "status", "%s: known until %s after its end",
		least < day->ends + DAY_SECONDS               ? "partial"
			: least < day->ends + 3 * DAY_SECONDS ? "settling"
							      : "settled",
		least > day->ends ? duration_format(least - day->ends, after) : "0s");
	return db_rows_close(&rows, e);
}

static enum err_code tables_of(
	struct explaining *x, const struct q_explain_day *day, struct err *e)
{
	struct q_explain_cost_tables_in in = {.starts = day->starts, .ends = day->ends};
	struct q_explain_cost_tables q;
	struct db_rows rows;

	explain_section(x, "Data sources");
	if (q_explain_cost_tables_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_cost_tables_next(&rows, &q)) {
		struct explain_row *row = explain_say(x, q.name,
			"%s, partitions: %lld, newest row exported %s", q.kind,
			(long long)q.partitions, explain_time(x, q.exported));

		row->source = "billing";
		row->age = SOME(x->now - q.ingested);
	}
	return db_rows_close(&rows, e);
}

static enum err_code explain_day(struct explaining *x, const char *date, struct err *e)
{
	struct asked a = {.date = date, .month = ""};
	struct q_explain_day_in in = {.date = date};
	struct q_explain_day q;
	bool found;
	size_t n = 0;

	x->title = arena_printf(
		x->a, "cost of %s, a day in %s", date, tz_name(x->settings->tz));
	explain_section(x, "Day");
	if (q_explain_day_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	if (found) {
		explain_when(x, "begins", SOME(q.starts));
		explain_when(x, "ends", SOME(q.ends));
		if (sums(x, &a, &n, e))
			return e->code;
	}
	if (!n)
		return explain_from_bill(
			x, explain_say(x, "cost", "the bill has no line for this day"), e);
	if (by_sku(x, &a, e) || cost_by_project(x, &a, e) || known_of(x, &q, e) ||
		tables_of(x, &q, e))
		return e->code;
	return restated(x, &a, e);
}

/* ---- an invoice month ---------------------------------------------------------------------- */

static enum err_code cost_by_day(struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_cost_by *v;
	size_t n;

	explain_section(x, "By day");
	if (cost_by(x, a, "day", &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		add_net(x, v[i].name, v[i].cost, v[i].credits, v[i].currency)->source =
			finality[v[i].least];
	return E_OK;
}

static enum err_code explain_month(struct explaining *x, const char *month, struct err *e)
{
	struct asked a = {.date = ""};
	size_t n;

	a.month = arena_printf(x->a, "%.4s%s", month, month + 5);
	x->title = arena_printf(x->a, "cost of invoice month %s", month);
	explain_section(x, "Month");
	explain_say(x, "definition",
		"lines that Google assigns to this invoice; invoice months end in Pacific "
		"time");
	if (sums(x, &a, &n, e))
		return e->code;
	if (!n)
		return explain_from_bill(x,
			explain_say(x, "cost", "the bill has no line for this month"), e);
	if (by_sku(x, &a, e) || cost_by_project(x, &a, e) || cost_by_day(x, &a, e))
		return e->code;
	return restated(x, &a, e);
}

enum err_code explain_cost(struct explaining *x, const char *key, struct err *e)
{
	char first[DATE_BUF];
	day_t day;

	if (strlen(key) == 7) {
		snprintf(first, sizeof(first), "%.7s-01", key);
		if (!date_parse(first, &day, NULL))
			return explain_month(x, key, e);
	}
	if (!date_parse(key, &day, NULL))
		return explain_day(x, key, e);
	err_set(e, E_USAGE, "why: '%.40s' is not a valid day or month", key);
	return err_fix(e, "write cost:2026-11-20 or cost:2026-11");
}

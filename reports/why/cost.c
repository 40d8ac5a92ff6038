/* Explains the bill of a day of the configured zone, or of an invoice month. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "reports/why/internal.h"

#include <stdio.h>
#include <string.h>

struct asked {
	const char *date, *month; /* one of them is "" */
};

/* Total (`by` is ""), by day or by project. */
static enum err_code cost_by(struct explaining *x, const struct asked *a, const char *by,
	const char *see, size_t *n, struct err *e)
{
	struct q_explain_cost_by_in in = {.by = by, .date = a->date, .month = a->month};
	struct db_rows rows;

	return explain_rows(
		x, NULL, q_explain_cost_by_open(x->db, &in, &rows, e), &rows, see, n, e);
}

static enum err_code by_sku_and_project(
	struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_cost_skus_in in = {.date = a->date, .month = a->month};
	struct db_rows rows;

	if (explain_rows(x, "By SKU", q_explain_cost_skus_open(x->db, &in, &rows, e), &rows,
		    "tpucost cost --by sku", NULL, e))
		return e->code;
	explain_section(x, "By project");
	return cost_by(x, a, "project", "tpucost cost --by project", NULL, e);
}

static enum err_code discounts(struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_cost_discounts_in in = {.date = a->date, .month = a->month};
	struct db_rows rows;

	return explain_rows(x, "Discounts and credits",
		q_explain_cost_discounts_open(x->db, &in, &rows, e), &rows,
		"tpucost cost --by credit_type", NULL, e);
}

static enum err_code restated(struct explaining *x, const struct asked *a, struct err *e)
{
	struct q_explain_restatements_in in = {.date = a->date, .month = a->month};
	struct db_rows rows;

	return explain_rows(x, "Changes after it was reported",
		q_explain_restatements_open(x->db, &in, &rows, e), &rows, NULL, NULL, e);
}

/* ---- a day --------------------------------------------------------------------------------- */

/* Its finality, and the exports that it is from. */
static enum err_code known_of(
	struct explaining *x, const struct q_explain_day *day, struct err *e)
{
	struct q_explain_cost_known_in in = {.day = day->day};
	struct q_explain_cost_tables_in tables = {.starts = day->starts, .ends = day->ends};
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
	if (db_rows_close(&rows, e))
		return e->code;
	explain_say(x, "status", "%s: known until %s after its end",
		least < day->ends + DAY_SECONDS               ? "partial"
			: least < day->ends + 3 * DAY_SECONDS ? "settling"
							      : "settled",
		least > day->ends ? duration_format(least - day->ends, after) : "0s");
	return explain_rows(x, "Data sources",
		q_explain_cost_tables_open(x->db, &tables, &rows, e), &rows, NULL, NULL, e);
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
		if (cost_by(x, &a, "", NULL, &n, e))
			return e->code;
	}
	if (!n)
		return explain_from_bill(
			x, explain_say(x, "cost", "the bill has no line for this day"), e);
	if (discounts(x, &a, e) || by_sku_and_project(x, &a, e) || known_of(x, &q, e))
		return e->code;
	return restated(x, &a, e);
}

/* ---- an invoice month ---------------------------------------------------------------------- */

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
	if (cost_by(x, &a, "", NULL, &n, e))
		return e->code;
	if (!n)
		return explain_from_bill(x,
			explain_say(x, "cost", "the bill has no line for this month"), e);
	if (discounts(x, &a, e) || by_sku_and_project(x, &a, e))
		return e->code;
	explain_section(x, "By day");
	if (cost_by(x, &a, "day", NULL, NULL, e))
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

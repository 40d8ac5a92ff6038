/* Explains the bill of a day of the configured zone or of an invoice month, and the hourly cost of the
 * running resources. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "reports/month/final.h"
#include "reports/why/internal.h"

#include <stdio.h>
#include <string.h>

struct asked {
	const char *date, *month; /* one of them is "" */
};

/* Total (`by` is ""), by day or by project. */
static size_t cost_by(
	struct explaining *x, const struct asked *a, const char *by, const char *see)
{
	return explain_rows(x, NULL,
		q_explain_cost_by_read(x, .by = by, .date = a->date, .month = a->month),
		see);
}

static void by_sku_and_project(struct explaining *x, const struct asked *a)
{
	explain_rows(x, "By SKU",
		q_explain_cost_skus_read(x, .date = a->date, .month = a->month),
		"tpucost cost --by sku");
	explain_section(x, "By project");
	cost_by(x, a, "project", "tpucost cost --by project");
}

static void discounts(struct explaining *x, const struct asked *a)
{
	explain_rows(x, "Discounts and credits",
		q_explain_cost_discounts_read(x, .date = a->date, .month = a->month),
		"tpucost cost --by credit_type");
}

static void restated(struct explaining *x, const struct asked *a)
{
	explain_rows(x, "Changes after it was reported",
		q_explain_restatements_read(x, .date = a->date, .month = a->month), NULL);
}

/* ---- a day --------------------------------------------------------------------------------- */

/* Its finality, and the exports that it is from. */
static void known_of(struct explaining *x, const struct q_explain_day *day)
{
	struct q_explain_cost_known_rows known = q_explain_cost_known_rows(
		x, .day = day->day);
	char after[DURATION_BUF];
	ts_t least = x->now;

	explain_section(x, "Finality");
	explain_say(x, "rule",
		"partial until read a day after its end, settling until three days after, "
		"then settled; Google adds usage for days");
	explain_when(x, "settled from", SOME(day->ends + 3 * DAY_SECONDS));
	for (size_t i = 0; i < known.n; i++) {
		const struct q_explain_cost_known *q = &known.v[i];

		explain_when(x,
			*q->account ? arena_printf(x->a, "known for %s until", q->account)
				    : "known until",
			SOME(q->until));
		if (q->until < least)
			least = q->until;
	}
	explain_say(x, "status", "%s: known until %s after its end",
		least < day->ends + DAY_SECONDS               ? "partial"
			: least < day->ends + 3 * DAY_SECONDS ? "settling"
							      : "settled",
		least > day->ends ? duration_format(least - day->ends, after) : "0s");
	explain_rows(x, "Data sources",
		q_explain_cost_tables_read(x, .starts = day->starts, .ends = day->ends),
		NULL);
}

static void explain_day(struct explaining *x, const char *date)
{
	struct asked a = {.date = date, .month = ""};
	const struct q_explain_day *q = q_explain_day_row(x, .date = date);
	size_t n = 0;

	x->title = arena_printf(
		x->a, "cost of %s, a day in %s", date, tz_name(x->settings->tz));
	explain_section(x, "Day");
	if (q) {
		explain_when(x, "begins", SOME(q->starts));
		explain_when(x, "ends", SOME(q->ends));
		n = cost_by(x, &a, "", NULL);
	}
	if (!n)
		explain_from_bill(
			x, explain_say(x, "cost", "the bill has no line for this day"));
	explain_rows(x, "Cost anomalies", q_explain_anomalies_read(x, .date = date), NULL);
	if (!n)
		return;
	discounts(x, &a);
	by_sku_and_project(x, &a);
	known_of(x, q);
	restated(x, &a);
}

/* ---- an invoice month ---------------------------------------------------------------------- */

/* As in the report of the month. */
static void explain_final(struct explaining *x, day_t first)
{
	cleanup(tz_free_ptr) struct tz *pacific = NULL;
	struct month_final f;
	int year, month, day;

	if (tz_open(PACIFIC, &pacific, x->e))
		return;
	civil_from_day(first, &year, &month, &day);
	f = month_final_read(DB_READER(x), x->settings->tz, pacific, first,
		month_first(year, month + 1) - 1, x->now);
	if (!x->e->code)
		explain_say(x, "status", "%s%s%s", f.name, f.reason ? ": " : "",
			f.reason ? f.reason : "");
}

static void explain_month(struct explaining *x, const char *month, day_t first)
{
	struct asked a = {.date = ""};

	a.month = arena_printf(x->a, "%.4s%s", month, month + 5);
	x->title = arena_printf(x->a, "cost of invoice month %s", month);
	explain_section(x, "Month");
	explain_say(x, "definition",
		"lines that Google assigns to this invoice; invoice months end in Pacific "
		"time");
	if (!cost_by(x, &a, "", NULL)) {
		explain_from_bill(
			x, explain_say(x, "cost", "the bill has no line for this month"));
		return;
	}
	explain_final(x, first);
	discounts(x, &a);
	by_sku_and_project(x, &a);
	explain_section(x, "By day");
	cost_by(x, &a, "day", NULL);
	restated(x, &a);
}

void explain_cost(struct explaining *x, const char *key)
{
	char first[DATE_BUF];
	day_t day;

	if (strlen(key) == 7) {
		snprintf(first, sizeof(first), "%.7s-01", key);
		if (!date_parse(first, &day, NULL)) {
			explain_month(x, key, day);
			return;
		}
	}
	if (!date_parse(key, &day, NULL)) {
		explain_day(x, key);
		return;
	}
	err_set(x->e, E_USAGE, "why: '%.40s' is not a valid day or month", key);
	err_fix(x->e, "write cost:2026-11-20 or cost:2026-11");
}

/* ---- burn: by category, and by the most expensive resources -------------------------------- */

static void burn_add_sums(struct explaining *x, bool by_category)
{
	const struct q_freshness *f;

	if (explain_rows(x, by_category ? "By category" : "Net per hour, now",
		    q_explain_burn_read(x, .by_category = by_category), NULL) ||
		by_category)
		return;
	f = q_freshness_row(x, .basis = "inventory");
	explain_say(x, "together",
		f && f->oldest.set && f->oldest.v
			? "no running resource has a known price"
			: "unknown: no poll of the resources was complete");
}

static void burn_add_things(struct explaining *x, bool known)
{
	explain_rows(x, known ? "By resource" : "Not included: the price is unknown",
		q_explain_burn_parts_read(x, .known = known), "tpucost ps");
}

void explain_burn(struct explaining *x, const char *key)
{
	(void)key;
	x->title = "burn: list price of the running resources, net of the amount that "
		   "grants cover";
	burn_add_sums(x, false);
	burn_add_sums(x, true);
	burn_add_things(x, true);
	burn_add_things(x, false);
	explain_inventory_age(x);
}

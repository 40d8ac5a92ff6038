/* The daily report as a document. */
#include "base/civil.h"
#include "reports/daily_parts.h"

enum err_code daily_period(struct report_ask *ask, struct err *e)
{
	day_t today = tz_day(ask->settings->tz, ask->now);

	(void)e;
	ask->since = tz_day_start(ask->settings->tz, today - 1);
	ask->until = tz_day_start(ask->settings->tz, today);
	return E_OK;
}

static const struct doc_column day_columns[] = {
	{"day", "day", DOC_TEXT, 0, 0},
	{"net", "net", DOC_MONEY, -1, 0},
	{"cost", "before credits", DOC_MONEY, -1, 1},
	{"currency", NULL, DOC_TEXT, 0, 0},
	{"status", "status", DOC_TEXT, 0, 2},
};

static void add_days(struct daily *d)
{
	struct doc_section *s = doc_section(
		d->doc, "days", "Last days", day_columns, ARRAY_LEN(day_columns));

	s->empty = "No billing data yet.";
	for (size_t i = 0; i < d->r.n_days; i++) {
		const struct report_day *day = &d->r.days[i];
		struct doc_cell *c = doc_row(d->doc, s)->cells;

		c[0] = cell_text(day->date);
		c[1] = cell_money(SOME(day->sum.net), day->sum.currency);
		c[2] = cell_money(SOME(day->sum.gross), day->sum.currency);
		c[3] = cell_text(day->sum.currency);
		c[4] = cell_text(day->status);
	}
}

enum err_code daily_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	struct daily d = {.ask = ask,
		.db = ask->db,
		.a = a,
		.doc = doc_new(a, "daily", tz, ask->now)};
	struct sbuf b = SBUF_INIT;

	if (report_daily(ask->db, tz, ask->now, a, &d.r, e))
		return e->code;
	d.doc->title = arena_printf(a, "tpucost daily report, %s", d.r.date);
	report_headline(&d.r, &b);
	d.doc->headline = arena_strdup(a, b.s);
	sbuf_done(&b);
	doc_fact(d.doc, "date", NULL, cell_text(d.r.date));
	add_days(&d);
	*out = d.doc;
	return E_OK;
}

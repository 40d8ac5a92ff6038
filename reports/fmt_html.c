/* The report as one HTML file that mail clients survive: tables, inline styles, no script,
 * nothing loaded from elsewhere. */
#include "base/civil.h"
#include "base/money.h"
#include "reports/report.h"

#include <stdio.h>
#include <string.h>

static const char style[] =
	"body{margin:0;padding:16px;background:#ffffff;color:#1f2328;font:15px/1.45 "
	"-apple-system,'Segoe "
	"UI',Roboto,Helvetica,Arial,sans-serif}main{max-width:820px;margin:0 "
	"auto}h1{font-size:20px;margin:0 0 4px}h2{font-size:15px;margin:26px 0 "
	"6px}p{margin:4px 0 "
	"10px}.lead{font-size:17px}.soft{color:#59636e}table{border-collapse:collapse;"
	"width:100%}th,td{text-align:left;padding:5px "
	"10px 5px 0;border-bottom:1px solid #d1d9e0;vertical-align:top}tr.top "
	"td{border-bottom:0;padding-bottom:0}th{font-weight:600;font-size:13px;color:#"
	"59636e}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:"
	"nowrap}code{font:13px "
	"ui-monospace,SFMono-Regular,Consolas,monospace;background:#f6f8fa;padding:1px "
	"4px;border-radius:4px;overflow-wrap:anywhere}.bad{color:#b42318;font-weight:600}."
	"good{color:#116329}.bar{display:block;height:9px;background:#3b6fb6;border-radius:"
	"2px;min-width:1px}.scroll{overflow-x:auto}@media "
	"(max-width:520px){body{padding:10px;font-size:14px}}@media "
	"(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}th,.soft{color:#"
	"9198a1}th,td{border-color:#3d444d}code{background:#212830}.bad{color:#ff7b72}."
	"good{color:#56d364}.bar{background:#6ea8fe}}";

static void add_text(struct sbuf *b, const char *s)
{
	struct sbuf safe = SBUF_INIT;

	/* Controls and invisible characters are shown, then markup is escaped. */
	sbuf_add_term(&safe, s ? s : "-");
	sbuf_add_html(b, safe.s);
	sbuf_done(&safe);
}

static void add_cell(struct sbuf *b, const char *s)
{
	sbuf_adds(b, "<td>");
	add_text(b, s);
	sbuf_adds(b, "</td>");
}

static void add_number(struct sbuf *b, struct opt_i64 v, const char *currency, int digits)
{
	char num[NANOS_BUF];

	sbuf_adds(b, "<td class=\"n\">");
	if (v.set && currency) {
		sbuf_addf(b, "%s ", nanos_format_fixed(v.v, digits, num));
		sbuf_add_html(b, currency);
	} else {
		sbuf_adds(b, "unknown");
	}
	sbuf_adds(b, "</td>");
}

static void begin_table(
	struct sbuf *b, const char *title, const char *const *heads, size_t n)
{
	sbuf_addf(b, "<h2>%s</h2>\n<div class=\"scroll\"><table>\n<thead><tr>", title);
	for (size_t i = 0; i < n; i++) {
		const char *h = heads[i];
		bool number = *h == '#';

		sbuf_addf(b, "<th%s scope=\"col\">%s</th>", number ? " class=\"n\"" : "",
			number ? h + 1 : h);
	}
	sbuf_adds(b, "</tr></thead>\n<tbody>\n");
}

static void end_table(struct sbuf *b)
{
	sbuf_adds(b, "</tbody></table></div>\n");
}

/* What there is to know of an item gets a row of its own, so that a phone can show it. */
static void add_detail(struct sbuf *b, const struct report_item *it)
{
	bool bad = it->why && strcmp(it->why, "covered") != 0;

	sbuf_adds(b, "<tr><td colspan=\"4\">");
	if (it->why_text) {
		sbuf_addf(b, "<span class=\"%s\">", bad ? "bad" : "good");
		if (!bad)
			sbuf_adds(b, "paid by ");
		add_text(b, bad ? it->why_text : it->grant_name);
		sbuf_adds(b, "</span>");
	} else {
		add_text(b, it->state);
	}
	if (!it->complete)
		sbuf_adds(b,
			" <span class=\"soft\">(not current: its location did not "
			"answer)</span>");
	if (it->command) {
		sbuf_adds(b, "<br><code>");
		add_text(b, it->command);
		sbuf_adds(b, "</code>");
	}
	sbuf_adds(b, "</td></tr>\n");
}

static void add_item(struct sbuf *b, const struct report *r, const struct report_item *it)
{
	sbuf_adds(b, "<tr class=\"top\"><td><strong>");
	add_text(b, it->name);
	sbuf_adds(b, "</strong> ");
	add_text(b, it->type);
	sbuf_adds(b, "<br><span class=\"soft\">");
	add_text(b, it->project);
	sbuf_adds(b, "</span></td>");
	add_cell(b, it->location);
	add_number(b, it->net, it->currency, 4);
	sbuf_adds(b, "<td class=\"n\">");
	if (it->running_since.set)
		sbuf_addf(b, "%.1f h", report_hours_since(r, it->running_since.v));
	else
		sbuf_adds(b, "-");
	sbuf_adds(b, "</td></tr>\n");
	add_detail(b, it);
}

static void add_items(struct sbuf *b, const struct report *r, const char *title,
	const struct report_items *items)
{
	static const char *const heads[] = {"What", "Where", "#Net per hour", "#Runs for"};

	if (!items->n)
		return;
	begin_table(b, title, heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < items->n; i++)
		add_item(b, r, &items->v[i]);
	end_table(b);
}

static void add_category_row(struct sbuf *b, const struct report_category *c, int digits)
{
	sbuf_adds(b, "<tr>");
	add_cell(b, c->name);
	add_number(b, SOME(c->sum.net), c->sum.currency, digits);
	add_number(b, SOME(c->sum.gross), c->sum.currency, digits);
	sbuf_adds(b, "</tr>\n");
}

static void add_burn(struct sbuf *b, const struct report *r)
{
	static const char *const heads[] = {"Category", "#Net per hour", "#Gross per hour"};

	begin_table(b, "Burn now (estimate from list prices)", heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < r->n_categories; i++)
		add_category_row(b, &r->categories[i], 4);
	for (size_t i = 0; i < r->n_burn; i++) {
		struct report_category total = {.name = "total", .sum = r->burn[i]};

		add_category_row(b, &total, 4);
	}
	end_table(b);
	if (r->unknown_prices)
		sbuf_addf(b, "<p class=\"bad\">of %zu more the price is not known.</p>\n",
			r->unknown_prices);
}

static void add_yesterday(struct sbuf *b, const struct report *r)
{
	static const char *const heads[] = {"Category", "#Net", "#Before credits"};
	char title[160];

	snprintf(title, sizeof(title), "Yesterday, %s (%s)", r->yesterday_date,
		r->yesterday_status);
	begin_table(b, title, heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < r->n_billed; i++)
		add_category_row(b, &r->billed[i], 2);
	for (size_t i = 0; i < r->n_yesterday; i++) {
		struct report_category total = {.name = "total", .sum = r->yesterday[i]};

		add_category_row(b, &total, 2);
	}
	end_table(b);
	if (!r->n_yesterday)
		sbuf_adds(b, "<p class=\"soft\">No billing data for that day yet.</p>\n");
}

static void add_days(struct sbuf *b, const struct report *r)
{
	static const char *const heads[] = {"Day", "#Net", "#Before credits", "", "Status"};
	int64_t most = 1;

	if (!r->n_days)
		return;
	for (size_t i = 0; i < r->n_days; i++)
		if (r->days[i].sum.gross > most)
			most = r->days[i].sum.gross;
	begin_table(b, "Last days, billed", heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < r->n_days; i++) {
		const struct report_day *d = &r->days[i];
		int64_t percent = d->sum.gross > 0 ? d->sum.gross / (most / 100 + 1) : 0;

		sbuf_adds(b, "<tr>");
		add_cell(b, d->date);
		add_number(b, SOME(d->sum.net), d->sum.currency, 2);
		add_number(b, SOME(d->sum.gross), d->sum.currency, 2);
		sbuf_addf(b,
			"<td style=\"width:30%%\"><span class=\"bar\" "
			"style=\"width:%lld%%\"></span></td>",
			(long long)percent);
		add_cell(b, d->status);
		sbuf_adds(b, "</tr>\n");
	}
	end_table(b);
}

static void add_grants(struct sbuf *b, const struct report *r)
{
	static const char *const heads[] = {
		"Grant", "What", "Zone", "#Used chips", "#Granted", "Time left"};

	if (!r->n_grants)
		return;
	begin_table(b, "Grants", heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < r->n_grants; i++) {
		const struct report_grant *g = &r->grants[i];
		double left = g->until == TS_NONE ? 0 : report_days_left(r, g->until);

		sbuf_adds(b, "<tr>");
		add_cell(b, g->name);
		sbuf_adds(b, "<td>");
		add_text(b, g->provisioning);
		sbuf_adds(b, " ");
		add_text(b, g->type ? g->type : g->family);
		sbuf_adds(b, "</td>");
		add_cell(b, g->zone);
		sbuf_addf(b, "<td class=\"n\">%lld</td><td class=\"n\">%lld</td>",
			(long long)g->used_chips, (long long)g->granted_chips);
		if (g->starts != TS_NONE && g->starts > r->now)
			sbuf_adds(b, "<td>not begun</td></tr>\n");
		else if (g->until == TS_NONE)
			sbuf_adds(b, "<td>open</td></tr>\n");
		else if (left <= 0)
			sbuf_adds(b, "<td class=\"bad\">ended</td></tr>\n");
		else
			sbuf_addf(b, "<td%s>%.1f days left</td></tr>\n",
				left < 4 ? " class=\"bad\"" : "", left);
	}
	end_table(b);
}

static void add_credits(struct sbuf *b, const struct report *r)
{
	static const char *const heads[] = {
		"Credit", "#Left", "#Of", "Until", "Used up about"};
	char date[DATE_BUF];

	if (!r->n_credits)
		return;
	begin_table(b, "Credit", heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < r->n_credits; i++) {
		const struct report_credit *c = &r->credits[i];
		struct opt_i64 left = c->used.set ? SOME(c->amount - c->used.v) : NONE;

		sbuf_adds(b, "<tr>");
		add_cell(b, c->name);
		add_number(b, left, c->currency, 2);
		add_number(b, SOME(c->amount), c->currency, 2);
		add_cell(b,
			c->expires == TS_NONE
				? "-"
				: date_format(tz_day(r->tz, c->expires), date));
		add_cell(b,
			c->runs_out == TS_NONE
				? "-"
				: date_format(tz_day(r->tz, c->runs_out), date));
		sbuf_adds(b, "</tr>\n");
	}
	end_table(b);
}

static void add_age(struct sbuf *b, const char *what, const struct report *r, ts_t from)
{
	char age[DURATION_BUF];

	sbuf_addf(b, "<li>%s: ", what);
	if (from == TS_NONE)
		sbuf_adds(b, "<span class=\"bad\">never completely read</span>");
	else
		sbuf_addf(b, "%s old", duration_format(r->now - from, age));
	sbuf_adds(b, "</li>\n");
}

static void add_sources(struct sbuf *b, const struct report *r)
{
	sbuf_adds(b, "<h2>Age of the data</h2>\n<ul>\n");
	add_age(b, "inventory", r, r->inventory_age_from);
	if (r->billing_age_from == TS_NONE && r->n_days)
		sbuf_adds(b, "<li>billing: from imported files</li>\n");
	else
		add_age(b, "billing", r, r->billing_age_from);
	for (size_t i = 0; i < r->n_sources; i++) {
		const struct report_source *s = &r->sources[i];

		if (!s->error)
			continue;
		sbuf_adds(b, "<li class=\"bad\">");
		add_text(b, s->source);
		sbuf_adds(b, " of ");
		add_text(b, s->project);
		sbuf_adds(b, ": ");
		add_text(b, s->error);
		if (s->fix) {
			sbuf_adds(b, "<br><code>");
			add_text(b, s->fix);
			sbuf_adds(b, "</code>");
		}
		sbuf_adds(b, "</li>\n");
	}
	sbuf_adds(b, "</ul>\n");
}

void report_html(const struct report *r, struct sbuf *b)
{
	struct sbuf head = SBUF_INIT;
	char stamp[RFC3339_BUF];

	report_headline(r, &head);
	sbuf_addf(b,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<title>tpucost daily report, %s</title>\n<style>%s</style>\n</head>\n"
		"<body><main>\n<h1>tpucost daily report, %s</h1>\n<p class=\"soft\">Days "
		"of ",
		r->date, style, r->date);
	add_text(b, tz_name(r->tz));
	sbuf_adds(b, "</p>\n<p class=\"lead\">");
	add_text(b, head.s);
	sbuf_adds(b, "</p>\n");
	add_items(b, r, "TPUs that no grant pays for", &r->uncovered);
	add_items(b, r, "Machines that run (never free)", &r->machines);
	add_items(b, r, "Left over: nobody uses these", &r->leftovers);
	add_items(b, r, "Covered TPUs", &r->covered);
	add_grants(b, r);
	add_credits(b, r);
	add_burn(b, r);
	add_yesterday(b, r);
	add_days(b, r);
	add_sources(b, r);
	sbuf_addf(b,
		"<p class=\"soft\">Made %s. Prices are list prices and estimates; the bill "
		"decides.</p>\n</main></body>\n</html>\n",
		rfc3339_format(r->now, stamp));
	sbuf_done(&head);
}

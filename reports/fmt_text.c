/* The report for plain mail clients and terminals: 80 columns, no colour. */
#include "base/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "reports/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 78

static void add_title(struct sbuf *b, const char *title)
{
	sbuf_addf(b, "\n%s\n", title);
}

/* A line of its own, indented: a command to paste. */
static void add_command(struct sbuf *b, const char *command)
{
	sbuf_adds(b, "      ");
	sbuf_add_term(b, command);
	sbuf_addc(b, '\n');
}

/* A field padded to `width` columns, at least one blank after it. */
static void add_padded(struct sbuf *b, const char *s, size_t width)
{
	struct sbuf safe = SBUF_INIT;
	size_t w;

	sbuf_add_term(&safe, s ? s : "-");
	w = utf8_width(safe.s);
	sbuf_adds(b, safe.s);
	sbuf_pad(b, ' ', w < width ? width - w : 1);
	sbuf_done(&safe);
}

static void add_money_field(
	struct sbuf *b, struct opt_i64 v, const char *currency, int width)
{
	char num[NANOS_BUF];

	if (v.set && currency)
		sbuf_addf(b, "%*s %s", width, nanos_format_fixed(v.v, 2, num), currency);
	else
		sbuf_addf(b, "%*s    ", width, "unknown");
}

static void add_item_line(
	struct sbuf *b, const struct report *r, const struct report_item *it)
{
	char hours[32] = "";

	sbuf_adds(b, "  ");
	add_padded(b, it->name, 20);
	add_padded(b, it->type, 16);
	add_padded(b, it->location, 18);
	add_money_field(b, it->net, it->currency, 9);
	sbuf_adds(b, it->net.set ? "/h" : "  ");
	if (it->running_since.set) {
		snprintf(hours, sizeof(hours), "  %.0f h",
			report_hours_since(r, it->running_since.v));
		sbuf_adds(b, hours);
	}
	sbuf_adds(b, it->complete ? "\n" : "  (not current)\n");
}

static void add_items(struct sbuf *b, const struct report *r, const char *title,
	const struct report_items *items, bool commands)
{
	if (!items->n)
		return;
	add_title(b, title);
	for (size_t i = 0; i < items->n; i++) {
		const struct report_item *it = &items->v[i];

		add_item_line(b, r, it);
		if (it->why_text && it->why && strcmp(it->why, "covered") != 0) {
			sbuf_adds(b, "      ");
			sbuf_add_wrapped(b, it->why_text, 6, 6, WIDTH);
		}
		if (commands && it->command)
			add_command(b, it->command);
	}
}

static void add_burn(struct sbuf *b, const struct report *r)
{
	char gross[NANOS_BUF], net[NANOS_BUF];

	add_title(b, "Burn now, per hour (estimate from list prices)");
	if (!r->n_categories)
		sbuf_adds(b,
			r->inventory_age_from == TS_NONE || r->inventory_unsure
				? "  nothing is known\n"
				: "  nothing\n");
	for (size_t i = 0; i < r->n_categories; i++) {
		const struct report_category *c = &r->categories[i];

		sbuf_addf(b, "  %-10s %4lld   net %10s   gross %10s %s\n", c->name,
			(long long)c->resources, nanos_format_fixed(c->sum.net, 4, net),
			nanos_format_fixed(c->sum.gross, 4, gross), c->sum.currency);
	}
	for (size_t i = 0; i < r->n_burn; i++) {
		const struct amounts *a = &r->burn[i];

		sbuf_addf(b, "  %-10s        net %10s   gross %10s %s\n", "total",
			nanos_format_fixed(a->net, 4, net),
			nanos_format_fixed(a->gross, 4, gross), a->currency);
	}
	if (r->unknown_prices)
		sbuf_addf(b, "  of %zu more the price is not known\n", r->unknown_prices);
}

static void add_costs(struct sbuf *b, const struct report *r)
{
	char cost[NANOS_BUF], net[NANOS_BUF];

	sbuf_addf(b, "\nYesterday, %s (%s, days of %s)\n", r->yesterday_date,
		r->yesterday_status, tz_name(r->tz));
	if (!r->n_yesterday)
		sbuf_adds(b, "  no billing data for that day yet\n");
	for (size_t i = 0; i < r->n_yesterday; i++)
		sbuf_addf(b, "  net %s %s   (before credits %s)\n",
			nanos_format_fixed(r->yesterday[i].net, 2, net),
			r->yesterday[i].currency,
			nanos_format_fixed(r->yesterday[i].gross, 2, cost));
	for (size_t i = 0; i < r->n_billed; i++)
		sbuf_addf(b, "    %-10s net %10s   cost %10s %s\n", r->billed[i].name,
			nanos_format_fixed(r->billed[i].sum.net, 2, net),
			nanos_format_fixed(r->billed[i].sum.gross, 2, cost),
			r->billed[i].sum.currency);
	if (!r->n_days)
		return;
	add_title(b, "Last days, billed");
	for (size_t i = 0; i < r->n_days; i++)
		sbuf_addf(b, "  %s  net %10s   cost %10s %s%s%s\n", r->days[i].date,
			nanos_format_fixed(r->days[i].sum.net, 2, net),
			nanos_format_fixed(r->days[i].sum.gross, 2, cost),
			r->days[i].sum.currency,
			!strcmp(r->days[i].status, "settled") ? "" : "  ",
			!strcmp(r->days[i].status, "settled") ? "" : r->days[i].status);
}

static void add_grants(struct sbuf *b, const struct report *r)
{
	if (!r->n_grants)
		return;
	add_title(b, "Grants");
	for (size_t i = 0; i < r->n_grants; i++) {
		const struct report_grant *g = &r->grants[i];
		double left = g->until == TS_NONE ? 0 : report_days_left(r, g->until);

		sbuf_adds(b, "  ");
		add_padded(b, g->name, 14);
		add_padded(b, g->type ? g->type : g->family, 11);
		add_padded(b, g->provisioning, 10);
		add_padded(b, g->zone, 16);
		sbuf_addf(b, "%lld of %lld chips", (long long)g->used_chips,
			(long long)g->granted_chips);
		if (g->starts != TS_NONE && g->starts > r->now)
			sbuf_adds(b, ", not begun\n");
		else if (g->until != TS_NONE && left <= 0)
			sbuf_adds(b, ", ended\n");
		else if (g->until != TS_NONE)
			sbuf_addf(b, ", %.1f days left\n", left);
		else
			sbuf_adds(b, "\n");
	}
}

static void add_credits(struct sbuf *b, const struct report *r)
{
	char left[NANOS_BUF], amount[NANOS_BUF], date[DATE_BUF];

	if (!r->n_credits)
		return;
	add_title(b, "Credit");
	for (size_t i = 0; i < r->n_credits; i++) {
		const struct report_credit *c = &r->credits[i];

		sbuf_adds(b, "  ");
		add_padded(b, c->name, 14);
		nanos_format_fixed(c->amount, 2, amount);
		if (c->used.set)
			sbuf_addf(b, "%s of ",
				nanos_format_fixed(c->amount - c->used.v, 2, left));
		sbuf_addf(b, "%s %s%s", amount, c->currency,
			c->used.set ? " left" : ", use not known");
		if (c->expires != TS_NONE)
			sbuf_addf(b, ", until %s",
				date_format(tz_day(r->tz, c->expires), date));
		if (c->runs_out != TS_NONE)
			sbuf_addf(b, ", used up about %s at this rate",
				date_format(tz_day(r->tz, c->runs_out), date));
		sbuf_adds(b, "\n");
	}
}

static void add_age(struct sbuf *b, const char *what, const struct report *r, ts_t from)
{
	char age[DURATION_BUF];

	if (from == TS_NONE)
		sbuf_addf(b, "  %-10s never completely read\n", what);
	else
		sbuf_addf(b, "  %-10s %s old\n", what, duration_format(r->now - from, age));
}

static void add_sources(struct sbuf *b, const struct report *r)
{
	add_title(b, "Age of the data");
	add_age(b, "inventory", r, r->inventory_age_from);
	if (r->billing_age_from == TS_NONE && r->n_days)
		sbuf_adds(b, "  billing    from imported files\n");
	else
		add_age(b, "billing", r, r->billing_age_from);
	for (size_t i = 0; i < r->n_sources; i++) {
		const struct report_source *s = &r->sources[i];

		if (!s->error)
			continue;
		sbuf_addf(b, "  %s of %s: %s%s: ", s->source, s->project, s->state,
			s->stale ? ", stale" : "");
		sbuf_add_wrapped(b, s->error, 6, 6, WIDTH);
		if (s->fix)
			add_command(b, s->fix);
	}
}

void report_text(const struct report *r, struct sbuf *b)
{
	struct sbuf head = SBUF_INIT;
	char stamp[RFC3339_BUF];

	sbuf_addf(b, "tpucost daily report, %s (%s)\n", r->date, tz_name(r->tz));
	report_headline(r, &head);
	sbuf_add_wrapped(b, head.s, 0, 0, WIDTH);
	sbuf_done(&head);
	add_items(b, r, "TPUs that no grant pays for", &r->uncovered, true);
	add_items(b, r, "Machines that run (never free)", &r->machines, true);
	add_items(b, r, "Left over: nobody uses these", &r->leftovers, true);
	add_items(b, r, "Covered TPUs", &r->covered, false);
	add_grants(b, r);
	add_credits(b, r);
	add_burn(b, r);
	add_costs(b, r);
	add_sources(b, r);
	sbuf_addf(b, "\nMade %s. Prices are list prices and estimates; the bill decides.\n",
		rfc3339_format(r->now, stamp));
}

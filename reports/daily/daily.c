/* Daily report: headline, actions to take, grants, cost, running and left-behind resources, limits, actions taken,
 * and the age and completeness of the data. */
#include "base/time/civil.h"
#include "reports/access.h"
#include "reports/daily/internal.h"

/* ---- facts ------------------------------------------------------------------------------------- */

static const char *age_words(struct daily *d, ts_t from, const char *never)
{
	char age[DURATION_BUF];

	if (from == TS_NONE)
		return never;
	if (from > d->now)
		return "dated in the future";
	return arena_printf(d->a, "%s old", duration_format(d->now - from, age));
}

/* When it was read, and what it reaches. */
static const char *billing_words(struct daily *d)
{
	const char *never = !d->bill.ever ? "not read yet"
		: d->bill.end.lacks       ? "not read completely yet"
					  : "from imported files";
	const char *read = age_words(d, d->bill.end.read, never);
	ts_t newest = d->bill.end.newest;

	if (newest == TS_NONE)
		return read;
	return arena_printf(d->a, "%s, newest usage %s%s%s", read,
		moment_text(d->doc, newest), newest < d->now - DAY_SECONDS ? ", " : "",
		newest < d->now - DAY_SECONDS ? age_words(d, newest, "") : "");
}

static const char *burn_words(struct daily *d)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sums_words(&d->burn_net, "/h", &b);
	if (d->unknown_prices)
		sbuf_addf(&b, "%s%zu unknown %s", b.len ? " and " : "", d->unknown_prices,
			daily_plural(d->unknown_prices, "price", "prices"));
	return b.len ? arena_printf(d->a, "about %s", b.s) : "nothing";
}

static void add_facts(struct daily *d)
{
	char date[DATE_BUF];

	if (!d->ask->glance && d->polled)
		doc_fact(d->doc, "net_burn", "Net burn now", cell_text(burn_words(d)));
	doc_fact(d->doc, "date", NULL,
		cell_text(arena_strdup(d->a, date_format(d->today, date))));
	doc_fact(d->doc, "inventory_age", "Inventory",
		cell_text(age_words(d, d->inventory_from, "not completely read yet")));
	doc_fact(d->doc, "billing_age", "Billing", cell_text(billing_words(d)));
	doc_fact(d->doc, "inventory_complete_at", NULL, cell_time(d->inventory_from));
	doc_fact(d->doc, "billing_complete_at", NULL, cell_time(d->bill.end.read));
	bill_end_fact(&d->bill.end, d->doc, NULL);
	doc_fact(d->doc, "stale", NULL,
		cell_flag(d->unsure || d->inventory_unread || d->bill.end.unread));
	doc_fact(d->doc, "to_do", NULL, cell_int((int64_t)(d->n_todo - d->n_follow)));
	if (!d->ask->glance)
		doc_fact(d->doc, "unknown_prices", NULL,
			cell_int((int64_t)d->unknown_prices));
	access_fact(DB_READER(d), d->doc, "Based on");
}

/* ---- together ---------------------------------------------------------------------------------- */

enum err_code daily_period(struct report_ask *ask, struct err *e)
{
	day_t today = daily_today(ask);

	(void)e;
	ask->since = tz_day_start(ask->settings->tz, today - 1);
	ask->until = tz_day_start(ask->settings->tz, today);
	return E_OK;
}

static void read_all(struct daily *d)
{
	daily_read_stopped(d);
	daily_read_things(d);
	daily_read_sources(d);
	daily_read_grant_ends(d);
	daily_read_bill_end(d);
	if (!d->ask->glance)
		daily_read_bill(d);
	daily_find_todo(d);
}

static void say_glance(struct daily *d)
{
	daily_add_todo(d);
	daily_add_acts(d);
	daily_add_sources(d);
	add_facts(d);
}

/* The days are those of the date in the title, the rest is the present. */
static void note_late(struct daily *d)
{
	char date[DATE_BUF];

	if (d->today < d->present)
		doc_note(d->doc,
			"This report is late. It was due on %s: \"yesterday\" and the "
			"other days "
			"are those before that date, everything else is the present.",
			date_format(d->today, date));
}

static void say_all(struct daily *d)
{
	daily_add_todo(d);
	daily_add_grants(d);
	daily_add_money(d);
	daily_add_budgets(d);
	if (!d->ask->status)
		daily_add_running(d);
	daily_add_burn(d);
	if (!d->ask->status)
		daily_add_split(d);
	daily_add_commitments(d);
	daily_add_left(d);
	daily_add_limits(d);
	daily_add_acts(d);
	daily_add_trust(d);
	audit_head_say(DB_READER(d), true, d->doc);
	add_facts(d);
	note_late(d);
	doc_note_zone(d->doc);
	daily_headline(d);
}

enum err_code daily_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	struct err first = {0};
	struct daily d = {.ask = ask,
		.db = ask->db,
		.a = a,
		.e = &first,
		.doc = doc_new(a, "daily", tz, ask->now),
		.tz = tz,
		.now = ask->now,
		.today = daily_today(ask),
		.present = tz_day(tz, ask->now),
		.inventory_from = TS_NONE};
	char date[DATE_BUF];

	d.doc->title = arena_printf(
		a, "tpucost daily report, %s", date_format(d.today, date));
	read_all(&d);
	if (ask->glance)
		say_glance(&d);
	else
		say_all(&d);
	strmap_done(&d.inventory);
	if (first.code) {
		*e = first;
		return err_wrap(e, "daily report");
	}
	*out = d.doc;
	return E_OK;
}

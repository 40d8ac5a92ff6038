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
	const char *read = age_words(
		d, d->bill.end.read, d->bill.ever ? "from imported files" : "not read yet");
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

static enum err_code add_facts(struct daily *d, struct err *e)
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
	return access_fact(d->doc, d->db, "Based on", e);
}

/* ---- together ---------------------------------------------------------------------------------- */

enum err_code daily_period(struct report_ask *ask, struct err *e)
{
	day_t today = tz_day(ask->settings->tz, ask->now);

	(void)e;
	ask->since = tz_day_start(ask->settings->tz, today - 1);
	ask->until = tz_day_start(ask->settings->tz, today);
	return E_OK;
}

static enum err_code read_all(struct daily *d, struct err *e)
{
	if (daily_read_stopped(d, e) || daily_read_things(d, e) ||
		daily_read_sources(d, e) || daily_read_grant_ends(d, e) ||
		daily_read_bill_end(d, e))
		return e->code;
	if (!d->ask->glance && daily_read_bill(d, e))
		return e->code;
	return daily_find_todo(d, e);
}

static enum err_code say_glance(struct daily *d, struct err *e)
{
	daily_add_todo(d);
	return daily_add_acts(d, e) || daily_add_sources(d, e) ? e->code : add_facts(d, e);
}

static enum err_code say_all(struct daily *d, struct err *e)
{
	daily_add_todo(d);
	if (daily_add_grants(d, e))
		return e->code;
	daily_add_money(d);
	if (daily_add_budgets(d, e) || daily_add_running(d, e) || daily_add_burn(d, e) ||
		daily_add_split(d, e) || daily_add_commitments(d, e) ||
		daily_add_left(d, e) || daily_add_limits(d, e) || daily_add_acts(d, e) ||
		daily_add_trust(d, e) || audit_head_say(d->db, true, d->doc, e) ||
		add_facts(d, e))
		return e->code;
	doc_note_zone(d->doc);
	daily_headline(d);
	return E_OK;
}

enum err_code daily_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	const struct tz *tz = ask->settings->tz;
	struct daily d = {.ask = ask,
		.db = ask->db,
		.a = a,
		.doc = doc_new(a, "daily", tz, ask->now),
		.tz = tz,
		.now = ask->now,
		.today = tz_day(tz, ask->now),
		.inventory_from = TS_NONE};
	char date[DATE_BUF];

	d.doc->title = arena_printf(
		a, "tpucost daily report, %s", date_format(d.today, date));
	if (read_all(&d, e) || (ask->glance ? say_glance(&d, e) : say_all(&d, e)))
		return err_wrap(e, "daily report");
	*out = d.doc;
	return E_OK;
}

#include "reports/report.h"

#include "base/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/stop_command.h"

#include <stdio.h>
#include <string.h>

#define DAYS_SHOWN 7

double report_hours_since(const struct report *r, ts_t since)
{
	return (double)(r->now - since) / 3600.0;
}

double report_days_left(const struct report *r, ts_t until)
{
	return (double)(until - r->now) / (double)DAY_SECONDS;
}

char *report_amount(int64_t nanos, const char *currency, char *buf, size_t size)
{
	char num[NANOS_BUF];

	nanos_format_fixed(nanos, currency_digits(currency), num);
	snprintf(buf, size, "%s %s", num, currency);
	return buf;
}

static const char *command_for(const struct q_report_resources *q, struct arena *a)
{
	struct stop_target t = {.kind = q->kind,
		.project = q->project,
		.location = q->location,
		.name = q->name,
		.state = q->state,
		.provisioning = q->provisioning,
		.queued = q->queued != NULL,
		.hosts = q->hosts.v};

	return stop_command(&t, a);
}

static struct report_item *add_item(
	struct report_items *list, struct arena *a, const struct q_report_resources *q)
{
	struct report_item *it;

	list->v = arena_grow(a, list->v, list->n, &list->cap, sizeof(*list->v));
	it = &list->v[list->n++];
	*it = (struct report_item){.id = arena_strdup(a, q->id),
		.kind = arena_strdup(a, q->kind),
		.project = arena_strdup(a, q->project),
		.location = arena_strdup(a, q->location),
		.name = arena_strdup(a, q->name),
		.state = arena_strdup(a, q->state),
		.type = arena_strdup(a, q->type),
		.why = arena_strdup(a, q->why),
		.why_text = arena_strdup(a, q->why_text),
		.grant_name = arena_strdup(a, q->grant_name),
		.currency = arena_strdup(a, q->currency),
		.size_gib = q->size_gib,
		.running_since = q->running_since,
		.gross = q->gross,
		.net = q->net,
		.complete = q->complete,
		.last_seen = q->last_seen};
	return it;
}

/* Which list of the report a resource belongs to; NULL: none. */
static struct report_items *list_for(struct report *r, const struct q_report_resources *q)
{
	bool running = !strcmp(q->state, "running") || !strcmp(q->state, "unknown");

	if (!strcmp(q->kind, "tpu")) {
		if (running && q->covered.set)
			return q->covered.v ? &r->covered : &r->uncovered;
		if (!strcmp(q->state, "preempted") || !strcmp(q->state, "failed"))
			return &r->leftovers;
		return NULL;
	}
	if (!strcmp(q->kind, "vm"))
		return running ? &r->machines : NULL;
	if ((!strcmp(q->kind, "disk") || !strcmp(q->kind, "ip")) &&
		!strcmp(q->state, "stopped"))
		return &r->leftovers;
	return NULL;
}

static enum err_code read_resources(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	struct q_report_resources q;
	struct db_rows rows;

	if (q_report_resources_open(db, &rows, e))
		return e->code;
	while (q_report_resources_next(&rows, &q)) {
		struct report_items *list = list_for(r, &q);

		if (!list)
			continue;
		if (list == &r->covered)
			add_item(list, a, &q);
		else
			add_item(list, a, &q)->command = command_for(&q, a);
	}
	return db_rows_close(&rows, e);
}

static enum err_code read_burn(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	struct q_report_burn q;
	struct q_report_categories c;
	struct db_rows rows;
	size_t cap = 0;

	if (q_report_burn_open(db, &rows, e))
		return e->code;
	while (q_report_burn_next(&rows, &q)) {
		r->burn = arena_grow(a, r->burn, r->n_burn, &cap, sizeof(*r->burn));
		r->burn[r->n_burn++] = (struct amounts){
			.currency = arena_strdup(a, q.currency),
			.gross = q.gross,
			.net = q.net};
	}
	if (db_rows_close(&rows, e) || q_report_categories_open(db, &rows, e))
		return e->code;
	cap = 0;
	while (q_report_categories_next(&rows, &c)) {
		r->categories = arena_grow(
			a, r->categories, r->n_categories, &cap, sizeof(*r->categories));
		r->categories[r->n_categories++] = (struct report_category){
			.name = arena_strdup(a, c.category),
			.sum = {.currency = arena_strdup(a, c.currency),
				.gross = c.gross,
				.net = c.net},
			.resources = c.resources};
	}
	return db_rows_close(&rows, e);
}

static void count_unknown(struct report *r)
{
	const struct report_items *lists[] = {
		&r->uncovered, &r->covered, &r->machines, &r->leftovers};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (size_t k = 0; k < lists[i]->n; k++)
			r->unknown_prices += !lists[i]->v[k].gross.set;
}

static enum err_code read_grants(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	struct q_report_grants q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_report_grants_open(db, &rows, e))
		return e->code;
	while (q_report_grants_next(&rows, &q)) {
		r->grants = arena_grow(a, r->grants, r->n_grants, &cap, sizeof(*r->grants));
		r->grants[r->n_grants++] = (struct report_grant){
			.name = arena_strdup(a, q.name),
			.zone = arena_strdup(a, q.zone),
			.type = arena_strdup(a, q.type),
			.family = arena_strdup(a, q.family),
			.provisioning = arena_strdup(a, q.provisioning),
			.currency = arena_strdup(a, q.currency),
			.granted_chips = q.granted_chips,
			.used_chips = q.used_chips,
			.starts = q.starts.set ? q.starts.v : TS_NONE,
			.until = q.until.set ? q.until.v : TS_NONE,
			.saved = q.saved};
	}
	return db_rows_close(&rows, e);
}

/* How final a day's cost is: Google goes on writing for days, and what was not looked at since
 * is not final at all. */
static const char *day_status(const struct report *r, const struct q_report_days *q)
{
	ts_t known = q->known.set && q->known.v < r->now ? q->known.v : r->now;

	if (known < q->ends + DAY_SECONDS)
		return "partial";
	return known < q->ends + 3 * DAY_SECONDS ? "settling" : "settled";
}

static enum err_code read_days(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	day_t today = tz_day(r->tz, r->now);
	struct q_report_days_in in = {.first = today - DAYS_SHOWN};
	struct q_report_days q;
	struct db_rows rows;
	char date[DATE_BUF];
	size_t cap = 0, ycap = 0;

	r->date = arena_strdup(a, date_format(today, date));
	r->yesterday_date = arena_strdup(a, date_format(today - 1, date));
	r->yesterday_status = "partial";
	if (q_report_days_open(db, &in, &rows, e))
		return e->code;
	while (q_report_days_next(&rows, &q)) {
		struct amounts sum = {.currency = arena_strdup(a, q.currency),
			.gross = q.cost,
			.net = q.cost};

		if (!nanos_add(q.cost, q.credits, &sum.net)) {
			db_rows_close(&rows, NULL);
			return err_set(e, E_OVERFLOW, "net cost of %s", q.date);
		}
		if (q.day >= today)
			continue;
		r->days = arena_grow(a, r->days, r->n_days, &cap, sizeof(*r->days));
		r->days[r->n_days++] = (struct report_day){.date = arena_strdup(a, q.date),
			.status = day_status(r, &q),
			.sum = sum};
		if (q.day != today - 1)
			continue;
		r->yesterday = arena_grow(
			a, r->yesterday, r->n_yesterday, &ycap, sizeof(*r->yesterday));
		r->yesterday[r->n_yesterday++] = sum;
		r->yesterday_status = day_status(r, &q);
	}
	return db_rows_close(&rows, e);
}

static enum err_code read_billed(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	day_t yesterday = tz_day(r->tz, r->now) - 1;
	struct q_report_day_categories_in in = {.first = yesterday, .last = yesterday};
	struct q_report_day_categories q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_report_day_categories_open(db, &in, &rows, e))
		return e->code;
	while (q_report_day_categories_next(&rows, &q)) {
		struct report_category c = {.name = arena_strdup(a, q.category),
			.sum = {.currency = arena_strdup(a, q.currency), .gross = q.cost}};

		if (!nanos_add(q.cost, q.credits, &c.sum.net))
			continue;
		r->billed = arena_grow(a, r->billed, r->n_billed, &cap, sizeof(*r->billed));
		r->billed[r->n_billed++] = c;
	}
	return db_rows_close(&rows, e);
}

static enum err_code read_credits(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	struct q_report_credits q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_report_credits_open(db, &rows, e))
		return e->code;
	while (q_report_credits_next(&rows, &q)) {
		r->credits = arena_grow(
			a, r->credits, r->n_credits, &cap, sizeof(*r->credits));
		r->credits[r->n_credits++] = (struct report_credit){
			.name = arena_strdup(a, q.name),
			.currency = arena_strdup(a, q.currency),
			.amount = q.amount,
			.used = q.used,
			.expires = q.expires.set ? q.expires.v : TS_NONE,
			.runs_out = q.runs_out.set ? q.runs_out.v : TS_NONE};
	}
	return db_rows_close(&rows, e);
}

static void note_age(ts_t *from, struct opt_i64 success)
{
	ts_t ts = success.set ? success.v : TS_NONE;

	if (ts < *from)
		*from = ts;
}

static enum err_code read_sources(
	struct db *db, struct arena *a, struct report *r, struct err *e)
{
	ts_t inventory = INT64_MAX, billing = INT64_MAX;
	struct q_report_sources q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_report_sources_open(db, &rows, e))
		return e->code;
	while (q_report_sources_next(&rows, &q)) {
		r->sources = arena_grow(
			a, r->sources, r->n_sources, &cap, sizeof(*r->sources));
		r->sources[r->n_sources++] = (struct report_source){
			.source = arena_strdup(a, q.source),
			.project = arena_strdup(a, q.project),
			.state = arena_strdup(a, q.state),
			.error = arena_strdup(a, q.error),
			.fix = arena_strdup(a, q.fix),
			.last_success = q.last_success.set ? q.last_success.v : TS_NONE,
			.stale = q.stale};
		if (q.inventory && q.stale)
			r->inventory_unsure = true;
		if (!strcmp(q.state, "disabled"))
			continue;
		if (q.inventory)
			note_age(&inventory, q.last_success);
		else if (!strcmp(q.source, "billing"))
			note_age(&billing, q.last_success);
	}
	r->inventory_age_from = inventory == INT64_MAX ? TS_NONE : inventory;
	r->billing_age_from = billing == INT64_MAX ? TS_NONE : billing;
	return db_rows_close(&rows, e);
}

enum err_code report_daily(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct report *out, struct err *e)
{
	struct report r = {.now = now, .tz = tz};

	if (read_resources(db, a, &r, e) || read_burn(db, a, &r, e) ||
		read_grants(db, a, &r, e) || read_days(db, a, &r, e) ||
		read_billed(db, a, &r, e) || read_credits(db, a, &r, e) ||
		read_sources(db, a, &r, e))
		return err_wrap(e, "daily report");
	count_unknown(&r);
	*out = r;
	return E_OK;
}

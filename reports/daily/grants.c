/* Grants: how much of them is in use, and what their end means; budgets and credit. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

#define ENDED_SHOWN (2 * DAY_SECONDS)
#define SOON (7 * DAY_SECONDS)
#define VERY_SOON (3 * DAY_SECONDS)

static ts_t ts_of(struct opt_i64 v)
{
	return v.set ? v.v : TS_NONE;
}

enum err_code daily_read_grants(struct daily *d, struct err *e)
{
	struct q_daily_grants q;
	struct db_rows rows;

	if (q_daily_grants_open(d->db, &rows, e))
		return e->code;
	while (q_daily_grants_next(&rows, &q)) {
		d->grants = arena_grow(
			d->a, d->grants, d->n_grants, &d->cap_grants, sizeof(*d->grants));
		d->grants[d->n_grants++] = (struct daily_grant){.granted = q.granted,
			.used = q.used,
			.free = q.free,
			.name = arena_strdup(d->a, q.name),
			.zone = arena_strdup(d->a, q.zone),
			.type = arena_strdup(d->a, q.type),
			.family = arena_strdup(d->a, q.family),
			.provisioning = arena_strdup(d->a, q.provisioning),
			.currency = arena_strdup(d->a, q.currency),
			.note = arena_strdup(d->a, q.note),
			.starts = ts_of(q.starts),
			.until = ts_of(q.until),
			.saved = q.saved,
			.days = daily_decimal(q.days_100, 100),
			.chip_hours = daily_decimal(q.chip_hours_10000, 10000)};
	}
	return db_rows_close(&rows, e);
}

bool daily_ends_soon(const struct daily *d, ts_t until)
{
	return until > d->now && until - d->now <= SOON;
}

/* What a grant's end means is worked out by judging everything that runs. */
static bool any_ends_soon(const struct daily *d)
{
	for (size_t i = 0; i < d->ask->settings->n_grants; i++)
		if (daily_ends_soon(d, d->ask->settings->grants[i].until))
			return true;
	return false;
}

enum err_code daily_read_grant_ends(struct daily *d, struct err *e)
{
	struct q_daily_grant_ends q;
	struct db_rows rows;

	if (d->ask->glance && !any_ends_soon(d))
		return E_OK; /* of the others nothing is to be done */
	if (q_daily_grant_ends_open(d->db, &rows, e))
		return e->code;
	while (q_daily_grant_ends_next(&rows, &q)) {
		d->ends = arena_grow(
			d->a, d->ends, d->n_ends, &d->cap_ends, sizeof(*d->ends));
		d->ends[d->n_ends++] = (struct daily_grant_end){
			.name = arena_strdup(d->a, q.name),
			.renewed_by = arena_strdup(d->a, q.renewed_by),
			.resources = arena_strdup(d->a, q.resources),
			.currency = arena_strdup(d->a, q.currency),
			.until = q.until,
			.becomes_paid = q.becomes_paid,
			.per_hour = q.per_hour,
			.hours = daily_decimal(SOME(q.hours_100), 100)};
	}
	return db_rows_close(&rows, e);
}

/* ---- lines ------------------------------------------------------------------------------------- */

enum {
	G_NAME,
	G_TYPE,
	G_ZONE,
	G_USED,
	G_GRANTED,
	G_DAYS,
	G_PROVISIONING,
	G_HOURS,
	G_SAVED,
	G_FAMILY,
	G_FREE,
	G_STARTS,
	G_UNTIL,
	G_NOTE,
	G_CURRENCY,
	N_GRANT
};
static const struct doc_column grant_columns[N_GRANT] = {
	[G_NAME] = {"name", "grant", DOC_TEXT, 0, 0},
	[G_TYPE] = {"type", "type", DOC_TEXT, 0, 1},
	[G_PROVISIONING] = {"provisioning", "class", DOC_TEXT, 0, 3},
	[G_ZONE] = {"zone", "zone", DOC_TEXT, 0, 1},
	[G_USED] = {"used_chips", "chips in use", DOC_INT, 0, 0},
	[G_GRANTED] = {"granted_chips", "granted", DOC_INT, 0, 0},
	[G_HOURS] = {"covered_chip_hours", "chip-hours", DOC_DECIMAL, 0, 2},
	[G_DAYS] = {"days_left", "days left", DOC_DECIMAL, 1, 0},
	[G_SAVED] = {"saved", "saved", DOC_MONEY, -1, 4},
	[G_FAMILY] = {"family", NULL, DOC_TEXT, 0, 0},
	[G_FREE] = {"free_chips", NULL, DOC_INT, 0, 0},
	[G_STARTS] = {"starts", NULL, DOC_TIME, 0, 0},
	[G_UNTIL] = {"until", NULL, DOC_TIME, 0, 0},
	[G_NOTE] = {"quota_note", NULL, DOC_TEXT, 0, 0},
	[G_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

static struct doc_cell days_left(const struct daily *d, const struct daily_grant *g)
{
	int64_t left = g->until == TS_NONE ? SOON + 1 : g->until - d->now;

	return cell_toned(cell_decimal(g->days),
		left <= VERY_SOON      ? TONE_BAD
			: left <= SOON ? TONE_WARN
				       : TONE_PLAIN);
}

static struct doc_cell count(struct opt_i64 v)
{
	return v.set ? cell_int(v.v) : (struct doc_cell){0};
}

static void fill_grant(struct daily *d, struct doc_row *row, const struct daily_grant *g)
{
	struct doc_cell *c = row->cells;

	c[G_NAME] = cell_text(g->name);
	c[G_TYPE] = cell_text(g->type ? g->type : g->family);
	c[G_PROVISIONING] = cell_text(g->provisioning);
	c[G_ZONE] = cell_text(g->zone);
	c[G_USED] = count(g->used);
	c[G_GRANTED] = cell_int(g->granted);
	c[G_HOURS] = cell_decimal(g->chip_hours);
	c[G_DAYS] = days_left(d, g);
	c[G_SAVED] = cell_estimate(cell_money(g->saved, g->currency));
	c[G_FAMILY] = cell_text(g->family);
	c[G_FREE] = count(g->free);
	c[G_STARTS] = cell_time(g->starts);
	c[G_UNTIL] = cell_time(g->until);
	c[G_NOTE] = cell_text(g->note);
	c[G_CURRENCY] = cell_text(g->currency);
	row->folded = g->until != TS_NONE && g->until < d->now - ENDED_SHOWN;
	if (g->starts != TS_NONE && g->starts > d->now)
		row->detail = arena_printf(
			d->a, "begins %s", daily_time_words(d, g->starts));
	else if (g->until != TS_NONE && g->until <= d->now)
		row->detail = arena_printf(d->a, "ended %s", daily_time_words(d, g->until));
	else
		row->detail = g->note;
}

/* ---- what their end means ---------------------------------------------------------------------- */

static const struct doc_column end_columns[] = {
	{"name", "grant", DOC_TEXT, 0, 0},
	{"until", "ends", DOC_TIME, 0, 0},
	{"becomes_paid", "TPUs that become paid", DOC_INT, 0, 0},
	{"per_hour", "an hour", DOC_RATE, -1, 0},
	{"renewed_by", "renewed by", DOC_TEXT, 0, 2},
	{"resources", NULL, DOC_TEXT, 0, 0},
	{"hours_left", NULL, DOC_DECIMAL, 2, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static void add_ends(struct daily *d)
{
	struct doc_section *s = doc_section(d->doc, "grant_ends", "When grants end",
		end_columns, ARRAY_LEN(end_columns));

	s->more = "tpucost grant plan";
	for (size_t i = 0; i < d->n_ends; i++) {
		const struct daily_grant_end *g = &d->ends[i];
		struct doc_row *row = doc_row(d->doc, s);
		struct doc_cell *c = row->cells;

		c[0] = cell_text(g->name);
		c[1] = cell_time(g->until);
		if (d->polled)
			c[2] = cell_int(g->becomes_paid);
		c[3] = cell_estimate(cell_rate(g->per_hour, g->currency));
		c[4] = cell_text(g->renewed_by);
		c[5] = cell_text(g->resources);
		c[6] = cell_decimal(g->hours);
		c[7] = cell_text(g->currency);
		/* of those that end soon the report says it above */
		row->folded = !g->becomes_paid || g->until - d->now <= SOON;
	}
}

/* ---- yesterday --------------------------------------------------------------------------------- */

static const struct doc_column use_columns[] = {
	{"grant_name", NULL, DOC_TEXT, 0, 0},
	{"why", NULL, DOC_TEXT, 0, 0},
	{"covered", NULL, DOC_FLAG, 0, 0},
	{"tpus", NULL, DOC_INT, 0, 0},
	{"chip_hours", NULL, DOC_DECIMAL, 4, 0},
	{"gross", NULL, DOC_MONEY, -1, 0},
	{"net", NULL, DOC_MONEY, -1, 0},
	{"saved", NULL, DOC_MONEY, -1, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

struct use {
	int64_t free, paid; /* nano chip-hours */
	bool unknown;       /* the size of one is not */
};

static bool count_use(struct use *u, const struct q_daily_coverage *q)
{
	struct opt_i64 hours = daily_decimal(q->chip_hours_10000, 10000);
	int64_t *into = q->covered ? &u->free : &u->paid;

	u->unknown |= !hours.set;
	return nanos_add(*into, hours.v, into);
}

static void say_use(struct daily *d, const struct use *u)
{
	struct doc_section *s = doc_find(d->doc, "grants");
	bool watched = !d->unsure || d->inventory_from >= tz_day_start(d->tz, d->today);
	char a[NANOS_BUF], b[NANOS_BUF];

	if (!u->free && !u->paid)
		return;
	s->note = arena_printf(d->a, "Yesterday %s%s chip-hours were free%s.",
		u->unknown || !watched ? "at least " : "",
		nanos_format_fixed(u->free, 1, a),
		u->paid ? arena_printf(d->a, ", and %s ran that no grant covers",
				  nanos_format_fixed(u->paid, 1, b))
			: "");
}

static enum err_code add_use(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(
		d->doc, "coverage_yesterday", NULL, use_columns, ARRAY_LEN(use_columns));
	struct q_daily_coverage q;
	struct use u = {0};
	struct db_rows rows;
	bool fits = true;

	if (q_daily_coverage_open(d->db, &rows, e))
		return e->code;
	while (q_daily_coverage_next(&rows, &q)) {
		const char *currency = arena_strdup(d->a, q.currency);
		struct doc_cell *c = doc_row(d->doc, s)->cells;
		int64_t saved;

		c[0] = cell_text(arena_strdup(d->a, q.grant_name));
		c[1] = cell_text(arena_strdup(d->a, q.why));
		c[2] = cell_flag(q.covered);
		c[3] = cell_int(q.tpus);
		c[4] = cell_decimal(daily_decimal(q.chip_hours_10000, 10000));
		c[5] = cell_estimate(cell_money(q.gross, currency));
		c[6] = cell_estimate(cell_money(q.net, currency));
		if (q.gross.set && q.net.set && nanos_sub(q.gross.v, q.net.v, &saved))
			c[7] = cell_estimate(cell_money(SOME(saved), currency));
		c[8] = cell_text(currency);
		fits = fits && count_use(&u, &q);
	}
	if (db_rows_close(&rows, e))
		return e->code;
	if (!fits)
		return daily_overflow(e, "what TPUs did yesterday");
	say_use(d, &u);
	return E_OK;
}

enum err_code daily_add_grants(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(
		d->doc, "grants", "Grants", grant_columns, ARRAY_LEN(grant_columns));

	s->brief = true;
	s->more = "tpucost grant list";
	for (size_t i = 0; i < d->n_grants; i++)
		fill_grant(d, doc_row(d->doc, s), &d->grants[i]);
	add_ends(d);
	return add_use(d, e);
}

/* ---- budgets ----------------------------------------------------------------------------------- */

enum err_code daily_read_budgets(struct daily *d, struct err *e)
{
	struct q_daily_budgets q;
	struct db_rows rows;

	if (q_daily_budgets_open(d->db, &rows, e))
		return e->code;
	while (q_daily_budgets_next(&rows, &q)) {
		d->budgets = arena_grow(d->a, d->budgets, d->n_budgets, &d->cap_budgets,
			sizeof(*d->budgets));
		d->budgets[d->n_budgets++] = (struct daily_budget){
			.name = arena_strdup(d->a, q.name),
			.period = arena_strdup(d->a, q.period),
			.currency = arena_strdup(d->a, q.currency),
			.basis = arena_strdup(d->a, q.basis),
			.starts = q.starts,
			.ends = q.ends,
			.runs_out = ts_of(q.runs_out),
			.amount = q.amount,
			.spent = q.spent,
			.unbilled = q.unbilled,
			.expected = q.expected,
			.forecast = q.forecast,
			.if_stopped = q.if_stopped,
			.reached = q.reached,
			.percent = daily_decimal(q.percent_100, 100),
			.forecast_percent = daily_decimal(q.forecast_100, 100)};
	}
	return db_rows_close(&rows, e);
}

enum {
	U_NAME,
	U_AMOUNT,
	U_SPENT,
	U_EXPECTED,
	U_PERCENT,
	U_FORECAST,
	U_RUNS_OUT,
	U_PERIOD,
	U_STARTS,
	U_ENDS,
	U_UNBILLED,
	U_IF_STOPPED,
	U_FORECAST_PERCENT,
	U_BASIS,
	U_CURRENCY,
	N_BUDGET
};
static const struct doc_column budget_columns[N_BUDGET] = {
	[U_NAME] = {"name", "budget", DOC_TEXT, 0, 0},
	[U_AMOUNT] = {"amount", "amount", DOC_MONEY, -1, 1},
	[U_SPENT] = {"spent", "billed", DOC_MONEY, -1, 3},
	[U_EXPECTED] = {"expected", "spent", DOC_MONEY, -1, 0},
	[U_PERCENT] = {"percent", "used", DOC_PERCENT, 1, 0},
	[U_FORECAST] = {"forecast", "at the end", DOC_MONEY, -1, 2},
	[U_RUNS_OUT] = {"runs_out", "used up", DOC_TIME, 0, 0},
	[U_PERIOD] = {"period", NULL, DOC_TEXT, 0, 0},
	[U_STARTS] = {"starts", NULL, DOC_TIME, 0, 0},
	[U_ENDS] = {"ends", NULL, DOC_TIME, 0, 0},
	[U_UNBILLED] = {"unbilled", NULL, DOC_MONEY, -1, 0},
	[U_IF_STOPPED] = {"forecast_if_stopped", NULL, DOC_MONEY, -1, 0},
	[U_FORECAST_PERCENT] = {"forecast_percent", NULL, DOC_PERCENT, 1, 0},
	[U_BASIS] = {"basis", NULL, DOC_TEXT, 0, 0},
	[U_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

static struct doc_cell estimate(struct opt_i64 v, const char *currency)
{
	return cell_estimate(cell_money(v, currency));
}

static void fill_budget(struct daily *d, struct doc_row *row, const struct daily_budget *b)
{
	bool over = b->expected.set && b->expected.v >= b->amount;
	struct doc_cell *c = row->cells;

	c[U_NAME] = cell_text(b->name);
	c[U_AMOUNT] = cell_money(SOME(b->amount), b->currency);
	c[U_SPENT] = cell_money(b->spent, b->currency);
	c[U_EXPECTED] = estimate(b->expected, b->currency);
	c[U_PERCENT] = cell_toned(cell_estimate(cell_percent(b->percent)),
		over                     ? TONE_BAD
			: b->reached.set ? TONE_WARN
					 : TONE_PLAIN);
	c[U_FORECAST] = estimate(b->forecast, b->currency);
	c[U_RUNS_OUT] = cell_time(b->runs_out);
	c[U_PERIOD] = cell_text(b->period);
	c[U_STARTS] = cell_time(b->starts);
	c[U_ENDS] = cell_time(b->ends);
	c[U_UNBILLED] = estimate(b->unbilled, b->currency);
	c[U_IF_STOPPED] = estimate(b->if_stopped, b->currency);
	c[U_FORECAST_PERCENT] = cell_estimate(cell_percent(b->forecast_percent));
	c[U_BASIS] = cell_text(b->basis);
	c[U_CURRENCY] = cell_text(b->currency);
	if (!b->expected.set || !d->polled || d->unsure)
		row->detail = b->basis;
	else if (b->if_stopped.set && b->forecast.set && b->if_stopped.v < b->forecast.v)
		row->detail = arena_printf(d->a,
			"about %s at the end if what is advised to stop is stopped now",
			money_words(d->a, b->if_stopped.v, b->currency));
}

void daily_add_budgets(struct daily *d)
{
	struct doc_section *s = doc_section(
		d->doc, "budgets", "Budgets", budget_columns, ARRAY_LEN(budget_columns));

	s->more = "tpucost budget";
	for (size_t i = 0; i < d->n_budgets; i++)
		fill_budget(d, doc_row(d->doc, s), &d->budgets[i]);
}

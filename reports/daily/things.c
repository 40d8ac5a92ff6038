/* What runs, what that burns, and what was left behind. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

#define MONTH_HOURS 730 /* what Google divides monthly prices by */

static const char *copy(struct daily *d, const char *s)
{
	return arena_strdup(d->a, s);
}

static bool is_running(const struct q_daily_things *q)
{
	return !strcmp(q->state, "running") || !strcmp(q->state, "unknown");
}

static struct daily_thing *add_thing(struct daily *d, const struct q_daily_things *q)
{
	struct daily_thing *t;

	d->things = arena_grow(
		d->a, d->things, d->n_things, &d->cap_things, sizeof(*d->things));
	t = &d->things[d->n_things++];
	*t = (struct daily_thing){.id = copy(d, q->id),
		.kind = copy(d, q->kind),
		.source = copy(d, q->source),
		.project = copy(d, q->project),
		.location = copy(d, q->location),
		.name = copy(d, q->name),
		.state = copy(d, q->state),
		.type = copy(d, q->type),
		.provisioning = copy(d, q->provisioning),
		.queued = copy(d, q->queued),
		.owner = copy(d, q->owner),
		.grant_name = copy(d, q->grant_name),
		.why = copy(d, q->why),
		.why_text = copy(d, q->why_text),
		.currency = copy(d, q->currency),
		.size_gib = q->size_gib,
		.hosts = q->hosts,
		.hours = daily_decimal(q->hours_100, 100),
		.covered = q->covered,
		.gross = q->gross,
		.net = q->net,
		.last_seen = q->last_seen,
		.stopped = daily_stopped(d, q->id),
		.held = q->held,
		.complete = q->complete,
		.running = is_running(q) &&
			(!strcmp(q->kind, "tpu") || !strcmp(q->kind, "vm"))};
	return t;
}

static bool count(struct daily *d, const struct daily_thing *t)
{
	bool priced = t->net.set && t->currency;

	if (!t->running || t->stopped != TS_NONE)
		return true;
	if (!strcmp(t->kind, "vm")) {
		d->n_machines++;
		return !priced || sums_add(&d->machines, d->a, t->currency, t->net.v);
	}
	if (t->covered.set && t->covered.v)
		d->n_covered++;
	if (!t->covered.set || t->covered.v)
		return true;
	d->n_uncovered++;
	return !priced || sums_add(&d->uncovered, d->a, t->currency, t->net.v);
}

enum err_code daily_read_things(struct daily *d, struct err *e)
{
	/* of a glance, all that is to be done something about */
	struct q_daily_things_in in = {.uncovered = d->ask->glance};
	struct q_daily_things q;
	struct db_rows rows;

	if (q_daily_things_open(d->db, &in, &rows, e))
		return e->code;
	while (q_daily_things_next(&rows, &q))
		if (!count(d, add_thing(d, &q))) {
			(void)!db_rows_close(&rows, NULL);
			return daily_overflow(e, "what runs per hour");
		}
	return db_rows_close(&rows, e);
}

/* ---- running ----------------------------------------------------------------------------------- */

enum {
	RUN_NAME,
	RUN_KIND,
	RUN_TYPE,
	RUN_LOCATION,
	RUN_WHY,
	RUN_NET,
	RUN_HOURS,
	RUN_OWNER,
	RUN_PROJECT,
	RUN_ID,
	RUN_COVERED,
	RUN_GRANT,
	RUN_TEXT,
	RUN_PROVISIONING,
	RUN_GROSS,
	RUN_CURRENCY,
	RUN_EXEMPT,
	RUN_COMPLETE,
	RUN_LAST_SEEN,
	N_RUN
};
static const struct doc_column run_columns[N_RUN] = {
	[RUN_NAME] = {"name", "name", DOC_TEXT, 0, 0},
	[RUN_KIND] = {"kind", "kind", DOC_TEXT, 0, 3},
	[RUN_TYPE] = {"type", "type", DOC_TEXT, 0, 1},
	[RUN_LOCATION] = {"location", "where", DOC_TEXT, 0, 1},
	[RUN_WHY] = {"why", "grant", DOC_TEXT, 0, 0},
	[RUN_NET] = {"net_per_hour", "net", DOC_RATE, -1, 0},
	[RUN_HOURS] = {"running_hours", "hours", DOC_DECIMAL, 1, 2},
	[RUN_OWNER] = {"owner", "owner", DOC_TEXT, 0, 4},
	[RUN_PROJECT] = {"project", "project", DOC_TEXT, 0, 5},
	[RUN_ID] = {"id", NULL, DOC_TEXT, 0, 0},
	[RUN_COVERED] = {"covered", NULL, DOC_FLAG, 0, 0},
	[RUN_GRANT] = {"grant_name", NULL, DOC_TEXT, 0, 0},
	[RUN_TEXT] = {"why_text", NULL, DOC_TEXT, 0, 0},
	[RUN_PROVISIONING] = {"provisioning", NULL, DOC_TEXT, 0, 0},
	[RUN_GROSS] = {"gross_per_hour", NULL, DOC_RATE, -1, 0},
	[RUN_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
	[RUN_EXEMPT] = {"exempt", NULL, DOC_FLAG, 0, 0},
	[RUN_COMPLETE] = {"complete", NULL, DOC_FLAG, 0, 0},
	[RUN_LAST_SEEN] = {"last_seen", NULL, DOC_TIME, 0, 0},
};

static struct doc_cell rate(struct opt_i64 nanos, const char *currency)
{
	return cell_estimate(cell_rate(nanos, currency));
}

/* Free is free, whatever it would cost. */
static struct doc_cell net_rate(const struct daily *d, const struct daily_thing *t)
{
	bool free = t->net.set && !t->net.v && t->covered.set && t->covered.v;

	if (t->stopped != TS_NONE)
		return rate(t->net.set ? SOME(0) : NONE, t->currency);

	return rate(
		t->net, free && !t->currency ? d->ask->settings->currency : t->currency);
}

static void fill_running(struct daily *d, struct doc_row *row, const struct daily_thing *t)
{
	bool covered = t->covered.set && t->covered.v, bad = t->covered.set && !covered;
	struct doc_cell *c = row->cells;

	c[RUN_NAME] = cell_text(t->name);
	c[RUN_KIND] = cell_text(t->kind);
	c[RUN_TYPE] = cell_text(t->type);
	c[RUN_LOCATION] = cell_text(t->location);
	c[RUN_WHY] = cell_toned(cell_text(t->why),
		covered       ? TONE_GOOD
			: bad ? TONE_BAD
			      : TONE_PLAIN);
	c[RUN_NET] = net_rate(d, t);
	c[RUN_HOURS] = cell_decimal(t->hours);
	c[RUN_OWNER] = cell_text(t->owner);
	c[RUN_PROJECT] = cell_text(t->project);
	c[RUN_ID] = cell_text(t->id);
	c[RUN_COVERED] = t->covered.set ? cell_flag(covered) : (struct doc_cell){0};
	c[RUN_GRANT] = cell_text(t->grant_name);
	c[RUN_TEXT] = cell_text(t->why_text);
	c[RUN_PROVISIONING] = cell_text(t->provisioning);
	c[RUN_GROSS] = rate(
		t->stopped != TS_NONE && t->gross.set ? SOME(0) : t->gross, t->currency);
	c[RUN_CURRENCY] = cell_text(c[RUN_NET].text ? c[RUN_NET].text : t->currency);
	c[RUN_EXEMPT] = cell_flag(t->held);
	c[RUN_COMPLETE] = cell_flag(t->complete);
	c[RUN_LAST_SEEN] = cell_time(t->last_seen);
	if (t->stopped != TS_NONE)
		row->detail = daily_stopped_words(d, t->stopped);
	else if (!t->complete)
		row->detail = arena_printf(d->a,
			"not seen since %s: its place does not answer",
			daily_time_words(d, t->last_seen));
	else if (bad && t->held)
		row->detail = arena_printf(
			d->a, "on hold, and not free: %s", t->why_text ? t->why_text : "");
	if (row->detail)
		row->tone = TONE_WARN;
}

void daily_add_running(struct daily *d)
{
	struct doc_section *s = doc_section(
		d->doc, "running", "Running now", run_columns, ARRAY_LEN(run_columns));

	s->brief = true;
	s->more = "tpucost ps";
	s->empty = d->inventory_from == TS_NONE ? "Not known: nothing was read completely."
		: d->unsure                     ? "Nothing that is known of."
						: "Nothing.";
	for (size_t i = 0; i < d->n_things; i++)
		if (d->things[i].running)
			fill_running(d, doc_row(d->doc, s), &d->things[i]);
}

/* ---- left behind ------------------------------------------------------------------------------- */

enum {
	LEFT_NAME,
	LEFT_KIND,
	LEFT_TYPE,
	LEFT_LOCATION,
	LEFT_STATE,
	LEFT_SIZE,
	LEFT_MONTH,
	LEFT_HOUR,
	LEFT_CURRENCY,
	LEFT_OWNER,
	LEFT_PROJECT,
	LEFT_ID,
	LEFT_COMPLETE,
	N_LEFT
};
static const struct doc_column left_columns[N_LEFT] = {
	[LEFT_NAME] = {"name", "name", DOC_TEXT, 0, 0},
	[LEFT_KIND] = {"kind", "kind", DOC_TEXT, 0, 0},
	[LEFT_TYPE] = {"type", "type", DOC_TEXT, 0, 2},
	[LEFT_LOCATION] = {"location", "where", DOC_TEXT, 0, 1},
	[LEFT_STATE] = {"state", "state", DOC_TEXT, 0, 3},
	[LEFT_SIZE] = {"size_gib", "GiB", DOC_INT, 0, 1},
	[LEFT_MONTH] = {"net_per_month", "a month", DOC_MONEY, -1, 0},
	[LEFT_HOUR] = {"net_per_hour", NULL, DOC_RATE, -1, 0},
	[LEFT_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
	[LEFT_OWNER] = {"owner", "owner", DOC_TEXT, 0, 4},
	[LEFT_PROJECT] = {"project", "project", DOC_TEXT, 0, 5},
	[LEFT_ID] = {"id", NULL, DOC_TEXT, 0, 0},
	[LEFT_COMPLETE] = {"complete", NULL, DOC_FLAG, 0, 0},
};

static struct opt_i64 times(struct opt_i64 v, int64_t n)
{
	int64_t out;

	return v.set && !__builtin_mul_overflow(v.v, n, &out) ? SOME(out) : NONE;
}

static void fill_left(struct daily *d, struct doc_cell *c, const struct daily_thing *t)
{
	/* A TPU that does not run costs nothing: it holds quota. */
	bool free = !strcmp(t->kind, "tpu") || !strcmp(t->kind, "queued");
	struct opt_i64 net = free ? SOME(0) : t->net;
	const char *currency = free && !t->currency ? d->ask->settings->currency
						    : t->currency;

	c[LEFT_NAME] = cell_text(t->name);
	c[LEFT_KIND] = cell_text(t->kind);
	c[LEFT_TYPE] = cell_text(t->type);
	c[LEFT_LOCATION] = cell_text(t->location);
	c[LEFT_STATE] = cell_text(t->state);
	c[LEFT_SIZE] = t->size_gib.set ? cell_int(t->size_gib.v) : (struct doc_cell){0};
	c[LEFT_MONTH] = cell_estimate(cell_money(times(net, MONTH_HOURS), currency));
	c[LEFT_HOUR] = rate(net, currency);
	c[LEFT_CURRENCY] = cell_text(currency);
	c[LEFT_OWNER] = cell_text(t->owner);
	c[LEFT_PROJECT] = cell_text(t->project);
	c[LEFT_ID] = cell_text(t->id);
	c[LEFT_COMPLETE] = cell_flag(t->complete);
}

void daily_add_left(struct daily *d)
{
	struct doc_section *s = doc_section(d->doc, "left_behind", "Left behind",
		left_columns, ARRAY_LEN(left_columns));
	struct sums hours = {0};
	size_t n = 0;

	s->note = "Nothing uses these. The dead and the suspended hold quota.";
	s->more = "tpucost ps --all";
	for (size_t i = 0; i < d->n_things; i++) {
		const struct daily_thing *t = &d->things[i];

		if (t->running)
			continue;
		fill_left(d, doc_row(d->doc, s)->cells, t);
		n++;
		if (t->net.set && t->currency && t->net.v)
			(void)!sums_add(&hours, d->a, t->currency, t->net.v);
	}
	for (size_t i = 0; n > 1 && i < hours.n; i++) {
		struct doc_row *row = doc_row(d->doc, s);

		row->total = true;
		row->cells[LEFT_NAME] = cell_text("together");
		row->cells[LEFT_MONTH] = cell_estimate(cell_money(
			times(SOME(hours.v[i].nanos), MONTH_HOURS), hours.v[i].currency));
		row->cells[LEFT_HOUR] = rate(SOME(hours.v[i].nanos), hours.v[i].currency);
		row->cells[LEFT_CURRENCY] = cell_text(hours.v[i].currency);
	}
}

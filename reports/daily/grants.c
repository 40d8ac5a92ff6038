/* Use of the grants and the effect of their end; budgets. */
#include "base/money.h"
#include "base/time/civil.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#define ENDED_SHOWN (2 * DAY_SECONDS)
#define SOON (7 * DAY_SECONDS)
#define VERY_SOON (3 * DAY_SECONDS)

bool daily_ends_soon(const struct daily *d, ts_t until)
{
	return until > d->now && until - d->now <= SOON;
}

void daily_read_grant_ends(struct daily *d)
{
	bool any = !d->ask->glance;

	/* The effect of a grant's end needs an evaluation of all running resources, so the status screen reads it only
	 * when a grant ends soon. */
	for (size_t i = 0; !any && i < d->ask->settings->n_grants; i++)
		any = daily_ends_soon(d, d->ask->settings->grants[i].until);
	if (any)
		d->ends = q_grant_ends_rows(d, .name = NULL);
}

/* ---- grants ------------------------------------------------------------------------------------ */

static const struct doc_column grant_columns[] = {
	{"name", "grant"},
	{"type", "type", .rank = 1},
	{"zone", "zone", .rank = 1},
	{"used_chips", "chips in use"},
	{"granted_chips", "granted"},
	{"days_left", "days left", .digits = 1},
	{"provisioning", "class", .rank = 3},
	{"covered_chip_hours", "chip-hours", .rank = 2},
	{"saved", "saved", .rank = 4, .status = STATUS_ESTIMATE},
	{"family"},
	{"free_chips"},
	{"starts"},
	{"until"},
	{"quota_note"},
	{"currency"},
};

static void grants_say(struct daily *d, const struct doc_section *s, struct doc_row *row)
{
	const struct doc_cell *starts = doc_at(s, row, "starts"),
			      *until = doc_at(s, row, "until");
	int64_t left = until->type ? until->v - d->now : SOON + 1;

	doc_at(s, row, "days_left")->tone = left <= VERY_SOON ? TONE_BAD
		: left <= SOON                                ? TONE_WARN
							      : TONE_PLAIN;
	row->folded = left < -ENDED_SHOWN;
	if (starts->type && starts->v > d->now)
		row->detail = arena_printf(
			d->a, "begins %s", moment_text(d->doc, starts->v));
	else if (left <= 0)
		row->detail = arena_printf(d->a, "ended %s", moment_text(d->doc, until->v));
	else
		row->detail = doc_at(s, row, "quota_note")->text;
}

static void add_grants(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "grants", "Grants", "grants",
		grant_columns, ARRAY_LEN(grant_columns));
	struct doc_row *row;
	struct db_rows rows = q_daily_grants_read(d);

	s->brief = true;
	s->more = "tpucost grant list";
	while ((row = doc_read(s, &rows))) {
		grants_say(d, s, row);
		if (!daily_concerns(
			    d, daily_grant_project(d, doc_at(s, row, "name")->text)))
			s->n--;
	}
}

/* ---- end of grants ---------------------------------------------------------------------- */

static const struct doc_column end_columns[] = {
	{"name", "grant"},
	{"until", "ends"},
	{"becomes_paid", "TPUs that become paid"},
	{"per_hour", "an hour", .status = STATUS_ESTIMATE},
	{"renewed_by", "renewed by", .rank = 2},
	{"resources"},
	{"hours_left", .digits = 2},
	{"currency"},
};

static void add_grant_ends(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "grant_ends", "When grants end",
		"grant_ends", end_columns, ARRAY_LEN(end_columns));
	struct doc_row *row;
	struct db_rows rows = q_daily_grant_ends_cells_read(d);

	s->more = "tpucost grant plan";
	while ((row = doc_read(s, &rows))) {
		struct doc_cell *paid = doc_at(s, row, "becomes_paid");

		/* the actions above list those that end soon */
		row->folded = !paid->v || doc_at(s, row, "until")->v - d->now <= SOON;
		if (!d->polled)
			*paid = (struct doc_cell){0};
	}
}

/* ---- yesterday --------------------------------------------------------------------------------- */

static const struct doc_column coverage_columns[] = {
	{"grant_name"},
	{"why"},
	{"covered"},
	{"tpus"},
	{"chip_hours", .digits = 4},
	{"gross", .status = STATUS_ESTIMATE},
	{"net", .status = STATUS_ESTIMATE},
	{"saved", .status = STATUS_ESTIMATE},
	{"currency"},
};

struct coverage_hours {
	int64_t free, paid; /* nano chip-hours */
	bool unknown;       /* the size of one is not */
};

static void coverage_say(struct daily *d, const struct coverage_hours *u)
{
	struct doc_section *s = doc_find(d->doc, "grants");
	bool watched = !d->unsure || d->inventory_from >= tz_day_start(d->tz, d->today);
	char a[NANOS_BUF], b[NANOS_BUF];

	if (!u->free && !u->paid)
		return;
	s->note = arena_printf(d->a, "%s %s%s chip-hours were covered%s.",
		d->today < d->present ? arena_printf(d->a, "On %s,", daily_yesterday(d))
				      : "Yesterday",
		u->unknown || !watched ? "at least " : "",
		nanos_format_fixed(u->free, 1, a),
		u->paid ? arena_printf(
				  d->a, ", %s were not", nanos_format_fixed(u->paid, 1, b))
			: "");
}

static void add_coverage(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "coverage_yesterday", NULL,
		"coverage_totals", coverage_columns, ARRAY_LEN(coverage_columns));
	struct coverage_hours u = {0};
	bool fits = true;
	struct doc_row *row;
	struct db_rows rows = q_daily_coverage_read(d);

	while ((row = doc_read(s, &rows))) {
		const struct doc_cell *hours = doc_at(s, row, "chip_hours");
		int64_t *into = doc_at(s, row, "covered")->v ? &u.free : &u.paid;

		u.unknown |= !hours->type;
		fits = fits && nanos_add(*into, hours->v, into);
	}
	if (!fits)
		daily_overflow(d, "the chip-hours of yesterday");
	coverage_say(d, &u);
}

void daily_add_grants(struct daily *d)
{
	add_grants(d);
	add_grant_ends(d);
	add_coverage(d);
}

/* ---- budgets ----------------------------------------------------------------------------------- */

static const struct doc_column budget_columns[] = {
	{"name", "budget"},
	{"amount", "amount", .rank = 1},
	{"spent", "billed", .rank = 3},
	{"expected", "spent", .status = STATUS_ESTIMATE},
	{"percent", "used", .digits = 1, .status = STATUS_ESTIMATE},
	{"forecast", .status = STATUS_ESTIMATE},
	{"runs_out", "used up"},
	{"period"},
	{"starts"},
	{"ends"},
	{"unbilled", .status = STATUS_ESTIMATE},
	{"forecast_if_stopped", .status = STATUS_ESTIMATE},
	{"forecast_percent", .digits = 1, .status = STATUS_ESTIMATE},
	{"basis"},
	{"currency"},
};

void daily_add_budgets(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "budgets", "Budgets", "budgets",
		budget_columns, ARRAY_LEN(budget_columns));
	int reached;
	struct doc_row *row;
	struct db_rows rows = q_daily_budgets_read(d);

	s->more = "tpucost budget";
	reached = db_rows_column(&rows, "reached");
	while ((row = doc_read(s, &rows))) {
		const struct doc_cell *expected = doc_at(s, row, "expected"),
				      *forecast = doc_at(s, row, "forecast"),
				      *ends = doc_at(s, row, "ends"),
				      *stopped = doc_at(s, row, "forecast_if_stopped");

		doc_at(s, row, "percent")->tone = expected->type &&
				expected->v >= doc_at(s, row, "amount")->v
			? TONE_BAD
			: db_rows_cell(&rows, reached).v.set ? TONE_WARN
							     : TONE_PLAIN;
		if (expected->type && ends->v <= d->now) {
			row->detail = arena_printf(
				d->a, "ended %s", moment_text(d->doc, ends->v));
			continue;
		}
		if (forecast->type)
			row->detail = arena_printf(d->a, "about %s at the end",
				money_words(d->a, forecast->v, forecast->text));
		if (!expected->type || !d->polled || d->unsure)
			row->detail = arena_printf(d->a, "%s%s%s",
				row->detail ? row->detail : "", row->detail ? "; " : "",
				doc_at(s, row, "basis")->text);
		else if (stopped->type && forecast->type && stopped->v < forecast->v)
			row->detail = arena_printf(d->a,
				"%s, about %s if the advised stops are made now",
				row->detail, money_words(d->a, stopped->v, stopped->text));
	}
}

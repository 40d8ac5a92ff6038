/* Running resources, and resources that were left behind. */
#include "db_sql.h"
#include "reports/daily/internal.h"

void daily_read_things(struct daily *d)
{
	/* the status screen needs only those to act on */
	d->things = q_daily_things_rows(d, .uncovered = d->ask->glance);
	for (size_t i = 0; i < d->things.n; i++)
		d->n_covered += d->things.v[i].covered.set && d->things.v[i].covered.v &&
			daily_stopped(d, d->things.v[i].id) == TS_NONE;
}

/* ---- running ----------------------------------------------------------------------------------- */

static const struct doc_column running_columns[] = {
	{"name"},
	{"display_name", "name"},
	{"kind", "kind", .rank = 3},
	{"type", "type", .rank = 1},
	{"location", "where", .rank = 1},
	{"why", "grant"},
	{"net_per_hour", "net", .status = STATUS_ESTIMATE},
	{"running_hours", "hours", .digits = 1, .rank = 2},
	{"owner", "owner", .rank = 4},
	{"project", "project", .rank = 5},
	{"id"},
	{"covered"},
	{"grant_name"},
	{"why_text"},
	{"provisioning"},
	{"gross_per_hour", .status = STATUS_ESTIMATE},
	{"currency"},
	{"exempt"},
	{"complete"},
	{"last_seen"},
};

static void running_say(struct daily *d, const struct doc_section *s, struct doc_row *row)
{
	const struct doc_cell *covered = doc_at(s, row, "covered");
	const char *why = doc_at(s, row, "why_text")->text;
	ts_t stopped = daily_stopped(d, doc_at(s, row, "id")->text);

	if (covered->type)
		doc_at(s, row, "why")->tone = covered->v ? TONE_GOOD : TONE_BAD;
	if (stopped != TS_NONE)
		row->detail = daily_stopped_words(d, stopped);
	else if (!doc_at(s, row, "complete")->v)
		row->detail = arena_printf(d->a, "not read since %s; see: tpucost sources",
			moment_text(d->doc, doc_at(s, row, "last_seen")->v));
	else if (covered->type && !covered->v && doc_at(s, row, "exempt")->v)
		row->detail = arena_printf(
			d->a, "on hold, and not covered: %s", why ? why : "");
	if (row->detail)
		row->tone = TONE_WARN;
}

void daily_add_running(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "running", "Running now",
		"resources", running_columns, ARRAY_LEN(running_columns));
	struct doc_row *row;
	struct db_rows rows = q_daily_running_read(d);

	s->brief = true;
	s->more = "tpucost ps";
	s->empty = d->inventory_from == TS_NONE ? "Not known: no poll was complete."
		: d->unsure                     ? "Nothing known."
						: "Nothing.";
	while ((row = doc_read(s, &rows)))
		running_say(d, s, row);
}

/* ---- left behind ------------------------------------------------------------------------------- */

static const struct doc_column left_columns[] = {
	{"name"},
	{"display_name", "name"},
	{"kind", "kind"},
	{"type", "type", .rank = 2},
	{"location", "where", .rank = 1},
	{"state", "state", .rank = 3},
	{"size_gib", "GiB", .rank = 1},
	{"net_per_month", "a month", DOC_MONEY, -1, .status = STATUS_ESTIMATE},
	{"net_per_hour", .status = STATUS_ESTIMATE},
	{"currency"},
	{"owner", "owner", .rank = 4},
	{"project", "project", .rank = 5},
	{"id"},
	{"complete"},
};

static void left_add_total(struct doc_section *s, const struct sum *hour)
{
	struct doc_row *row = doc_row(s);
	int64_t month;
	bool fits = !__builtin_mul_overflow(
		hour->nanos, 730, &month); /* as Google counts */

	row->total = true;
	*doc_at(s, row, "name") = cell_text("together");
	*doc_at(s, row, "display_name") = cell_text("together");
	*doc_at(s, row, "net_per_month") = cell_estimate(
		cell_money(fits ? SOME(month) : NONE, hour->currency));
	*doc_at(s, row, "net_per_hour") = cell_estimate(
		cell_rate(SOME(hour->nanos), hour->currency));
	*doc_at(s, row, "currency") = cell_text(hour->currency);
}

void daily_add_left(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "left_behind",
		"Left behind, not in use", "resources", left_columns,
		ARRAY_LEN(left_columns));
	struct sums hours = {0};
	struct doc_row *row;
	struct db_rows rows = q_daily_left_read(d);
	size_t n;

	s->most = 2;
	s->more = "tpucost ps --all";
	while ((row = doc_read(s, &rows))) {
		const struct doc_cell *net = doc_at(s, row, "net_per_hour");

		if (net->v)
			(void)!sums_add(&hours, d->a, net->text, net->v);
	}
	n = s->n;
	for (size_t i = 0; n > 1 && i < hours.n; i++)
		left_add_total(s, &hours.v[i]);
}

/* Use of a grant, for a request to the TPU Research Cloud for more. Contains no amounts of money
 * and no names of machines, projects, accounts or persons. */
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/grant/use.h"
#include "reports/kinds.h"
#include "reports/shared.h"
#include "rules/price/tpu_sku.h"

#include <string.h>

#define LINES_SAID 2

struct granted {
	const struct report_ask *ask;
	struct arena *a;
	struct doc *doc;
	struct grant_use use;
	struct period period;
	struct watched watched;
};

enum err_code grant_report_period(struct report_ask *ask, struct err *e)
{
	const struct settings *s = ask->settings;
	const char *names[64], *near;
	size_t n = 0;

	if (ask->since != TS_NONE && ask->until != TS_NONE && ask->since >= ask->until)
		return err_set(e, E_USAGE, "--since must be before --until");
	if (!ask->name || grant_find(s->grants, s->n_grants, ask->name) >= 0)
		return E_OK;
	for (size_t i = 0; i < s->n_grants && n < ARRAY_LEN(names); i++)
		names[n++] = s->grants[i].name;
	err_set(e, E_USAGE, "report grant: no grant is named '%s'", ask->name);
	near = str_nearest(ask->name, names, n);
	return near ? err_fix(e, "did you mean '%s'?", near)
		    : err_fix(e, "run: tpucost grant");
}

static const char *granted_day_of(const struct granted *g, ts_t at)
{
	return date_text(g->a, tz_day(g->ask->settings->tz, at));
}

/* ---- lines --------------------------------------------------------------------------------- */

static const struct doc_column line_columns[] = {
	{"grant_name", "grant", .rank = 2},
	{"type", "TPU"},
	{"family"},
	{"zone", "zone"},
	{"provisioning", "class", .rank = 2},
	{"granted_chips", "granted chips", .rank = 1},
	{"chip_hours", "chip-hours", DOC_DECIMAL, 1, 1},
	{"tpu_hours", "TPU-hours", DOC_DECIMAL, 1, 3},
	{"percent", "used", DOC_PERCENT, 1},
	{"tpus", "TPUs", .rank = 4},
	{"peak_chips", "peak chips", DOC_INT, .rank = 3},
	{"active_days", "days in use", DOC_INT, .rank = 3},
	{"first_use", "first use", DOC_TIME, .rank = 5},
	{"last_use", "last use", DOC_TIME, .rank = 5},
	{"starts", "from", .rank = 6},
	{"until", "until", .rank = 6},
};

static void put_use(struct doc_section *s, struct doc_row *row, const struct use *u)
{
	*doc_at(s, row, "tpus") = cell_int(u->tpus);
	*doc_at(s, row, "tpu_hours") = cell_decimal(nano_hours(SOME(u->tpu_seconds)));
	*doc_at(s, row, "chip_hours") = cell_decimal(nano_hours(u->chip_seconds));
}

static const char *none_seen(const struct granted *g, const struct line_use *l)
{
	const struct watched *w = &g->watched;

	if (!watched_any(w, l->from, l->to))
		return "Not collected in that time: the use is unknown.";
	return arena_printf(g->a, "No TPU was seen %s; the use %s is unknown.",
		watched_words(g->doc, w, l->from, l->to),
		watched_until(w, l->to)            ? "before"
			: watched_from(w, l->from) ? "later"
						   : "before and later");
}

static const char *partly_used(const struct granted *g, const struct line_use *l)
{
	const struct watched *w = &g->watched;

	if (w->since == TS_NONE)
		return "At least: the collection has gaps.";
	return arena_printf(g->a, "At least: collected %sonly %s%s.",
		watched_from(w, l->from) && !watched_until(w, l->to) ? "" : "without gaps ",
		watched_words(g->doc, w, l->from, l->to),
		watched_until(w, l->to) ? "" : "; later use is unknown");
}

static const char *line_detail(const struct granted *g, const struct line_use *l)
{
	ts_t now = g->ask->now;

	if (l->g->starts != TS_NONE && l->g->starts > now)
		return arena_printf(
			g->a, "This grant begins on %s.", granted_day_of(g, l->g->starts));
	if (l->from >= l->to)
		return "This grant was not valid in the requested time.";
	if (watched_all(&g->watched, l->from, l->to))
		return NULL;
	return l->use.tpus ? partly_used(g, l) : none_seen(g, l);
}

static void granted_put_line(
	struct granted *g, struct doc_section *s, const struct line_use *l)
{
	struct doc_row *row = doc_row(s);
	/* no use in a part of the time does not mean 0 for the whole time */
	bool known = l->from < l->to &&
		(l->use.tpus || watched_all(&g->watched, l->from, l->to));

	*doc_at(s, row, "grant_name") = cell_text(l->g->name);
	*doc_at(s, row, "type") = cell_text(l->g->type ? l->g->type : l->g->family);
	*doc_at(s, row, "family") = cell_text(l->g->family);
	*doc_at(s, row, "zone") = cell_text(l->g->zone);
	*doc_at(s, row, "provisioning") = cell_text(l->g->provisioning);
	*doc_at(s, row, "granted_chips") = cell_int(l->chips);
	*doc_at(s, row, "starts") = cell_time(l->g->starts);
	*doc_at(s, row, "until") = cell_time(l->g->until);
	row->detail = line_detail(g, l);
	if (!known)
		return;
	put_use(s, row, &l->use);
	*doc_at(s, row, "percent") = cell_percent(l->percent);
	*doc_at(s, row, "peak_chips") = cell_int(l->peak_chips);
	*doc_at(s, row, "active_days") = cell_int(l->active_days);
	*doc_at(s, row, "first_use") = cell_time(l->first);
	*doc_at(s, row, "last_use") = cell_time(l->last);
}

static void granted_add_lines(struct granted *g)
{
	struct doc_section *s = doc_section_like(g->doc, "grants", "Use of the grant",
		"grants", line_columns, ARRAY_LEN(line_columns));

	s->brief = true;
	s->empty = "The configuration has no grant.";
	s->note = "Used: chip-hours of covered TPUs as a share of granted chips x time so "
		  "far.";
	for (size_t i = 0; i < g->use.n_lines; i++)
		granted_put_line(g, s, &g->use.lines[i]);
}

/* ---- types, weeks -------------------------------------------------------------------------- */

static const struct doc_column type_columns[] = {
	{"type", "TPU"},
	{"family"},
	{"zone", "zone"},
	{"provisioning", "class", .rank = 2},
	{"tpus", "TPUs", .rank = 2},
	{"tpu_hours", "TPU-hours", DOC_DECIMAL, 1},
	{"chip_hours", "chip-hours", DOC_DECIMAL, 1, 1},
};

static void add_types(struct granted *g)
{
	struct doc_section *s = doc_section_like(g->doc, "types", "By type and zone",
		"grants", type_columns, ARRAY_LEN(type_columns));

	for (size_t i = 0; i < g->use.n_types; i++) {
		const struct type_use *t = &g->use.types[i];
		struct doc_row *row = doc_row(s);

		*doc_at(s, row, "type") = cell_text(t->type);
		*doc_at(s, row, "family") = cell_text(t->family);
		*doc_at(s, row, "zone") = cell_text(t->zone);
		*doc_at(s, row, "provisioning") = cell_text(t->provisioning);
		put_use(s, row, &t->use);
	}
}

static const struct doc_column week_columns[] = {
	{"week", "week of", DOC_TEXT},
	{"tpus", "TPUs"},
	{"tpu_hours", "TPU-hours", DOC_DECIMAL, 1},
	{"chip_hours", "chip-hours", DOC_DECIMAL, 1},
};

static void add_weeks(struct granted *g)
{
	struct doc_section *s = doc_section_like(g->doc, "weeks", "By week", "grants",
		week_columns, ARRAY_LEN(week_columns));

	s->note = "Weeks begin on Monday; the first and the last may be incomplete.";
	for (size_t i = 0; i < g->use.n_weeks; i++) {
		struct doc_row *row = doc_row(s);

		*doc_at(s, row, "week") = cell_text(
			date_text(g->a, g->use.weeks[i].monday));
		put_use(s, row, &g->use.weeks[i].use);
	}
	if (!s->n)
		return;
	s->chart.title = "Chip-hours by week";
	s->chart.label = 0;
	s->chart.value = 3;
}

/* ---- use before the first poll, from the bill ---------------------------------------------- */

static const struct doc_column billed_columns[] = {
	{"family", "TPU"},
	{"location", "place"},
	{"provisioning", "class"},
	{"billed_chip_hours", "chip-hours", .digits = 1},
	{"sku", "SKU", .rank = 2},
};

/* Reports whether the billed TPU may be of the line: compares the generation, class and place,
 * where the bill has them. */
static bool is_granted(
	const struct granted *g, const struct tpu_sku *sku, const char *place)
{
	size_t len = strlen(place);

	for (size_t i = 0; i < g->use.n_lines; i++) {
		const struct grant *x = g->use.lines[i].g;

		if (str_eq(sku->family, x->family) &&
			sku->class == price_class_of(x->provisioning) &&
			!strncmp(x->zone, place, len) &&
			(!x->zone[len] || x->zone[len] == '-'))
			return true;
	}
	return false;
}

static void put_billed(
	struct granted *g, struct doc_section *s, const struct q_grant_billed_tpus *q)
{
	struct tpu_sku sku;
	struct doc_row *row;
	int64_t hours;

	tpu_sku_read(q->sku, &sku);
	if (sku.commitment || !is_granted(g, &sku, q->place))
		return;
	row = doc_row(s);
	*doc_at(s, row, "family") = cell_text(sku.family);
	*doc_at(s, row, "location") = cell_text(q->place);
	*doc_at(s, row, "provisioning") = cell_text(price_class_name(sku.class));
	if (q->usage.set && tpu_sku_chip_hours(&sku, q->unit, q->usage.v, &hours))
		*doc_at(s, row, "billed_chip_hours") = cell_decimal(SOME(hours));
	*doc_at(s, row, "sku") = cell_text(q->sku);
}

/* Whole days of the zone that began before the first poll. */
static enum err_code granted_add_billed(struct granted *g, struct err *e)
{
	const struct tz *tz = g->ask->settings->tz;
	ts_t since = g->watched.since;
	ts_t until = since != TS_NONE && since < g->use.to ? since : g->use.to;
	struct q_grant_billed_tpus_in in;
	struct q_grant_billed_tpus *v;
	struct doc_section *s;
	size_t n;

	if (g->use.from >= until)
		return E_OK;
	in.first = g->use.from == TS_NONE ? INT32_MIN : tz_day(tz, g->use.from);
	in.last = tz_day(tz, until) - 1;
	if (in.last < in.first)
		return E_OK;
	s = doc_section_like(g->doc, "billed", "From the bill, before the first poll",
		"reconciliation", billed_columns, ARRAY_LEN(billed_columns));
	s->note = arena_printf(g->a,
		"TPUs like the granted ones on the bill of the days until %s, free or not; "
		"some of them may also be counted above.",
		date_text(g->a, (day_t)in.last));
	if (q_grant_billed_tpus_all(g->ask->db, &in, g->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		put_billed(g, s, &v[i]);
	return E_OK;
}

/* ---- text that the user edits -------------------------------------------------------------- */

static void say_line(const struct granted *g, const struct line_use *l, struct sbuf *b)
{
	struct opt_i64 hours = nano_hours(l->use.chip_seconds);
	char num[NANOS_BUF];

	sbuf_addf(b, " Of %lld %s chips (%s) in %s we used %s%s chip-hours",
		(long long)l->chips, l->g->family, l->g->provisioning, l->g->zone,
		watched_all(&g->watched, l->from, l->to) ? "" : "at least ",
		hours.set ? nanos_format_fixed(hours.v, 1, num) : "an unknown number of");
	if (l->percent.set)
		sbuf_addf(b, ", %s %% of the granted capacity",
			l->percent.v && l->percent.v < NANOS / 10
				? "less than 0.1"
				: nanos_format_fixed(l->percent.v, 1, num));
	if (l->active_days)
		sbuf_addf(b, ", on %lld day%s and up to %lld chips at a time",
			(long long)l->active_days, l->active_days == 1 ? "" : "s",
			(long long)l->peak_chips);
	sbuf_addc(b, '.');
}

/* Formats cut long paragraphs: the table has the other lines. */
static void say_lines(const struct granted *g, struct sbuf *b)
{
	size_t used = 0;
	size_t valid = 0, watched = 0;

	for (size_t i = 0; i < g->use.n_lines; i++) {
		const struct line_use *l = &g->use.lines[i];

		if (l->from < l->to) {
			valid++;
			watched += watched_all(&g->watched, l->from, l->to);
		}
		if (l->use.tpus && ++used <= LINES_SAID)
			say_line(g, l, b);
	}
	if (used > LINES_SAID)
		sbuf_addf(b, " The table below has %zu more.", used - LINES_SAID);
	if (!used && valid && watched == valid)
		sbuf_adds(b, " So far we have not used any.");
}

static void granted_say_gap(const struct granted *g, struct sbuf *b)
{
	if (g->watched.since == TS_NONE)
		sbuf_adds(b,
			g->period.n_tpus ? " Our records have gaps, so the true use may "
					   "be higher."
					 : " We have no records for that time.");
	else if (!watched_all(&g->watched, g->use.from, g->use.to))
		sbuf_addf(b, " Our records have no gaps %s; %s use may be missing.",
			watched_words(g->doc, &g->watched, g->use.from, g->use.to),
			watched_until(&g->watched, g->use.to) ? "earlier" : "other");
}

static void granted_set_headline(struct granted *g)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const struct grant_use *u = &g->use;

	if (!u->n_lines) {
		sbuf_adds(&b,
			"The configuration has no grant (tpucost grant import reads the "
			"mail of the TPU Research Cloud).");
	} else if (u->from >= u->to) {
		sbuf_adds(&b,
			"None of these grants was valid in the requested time, up to now.");
	} else {
		sbuf_adds(&b, "Thank you for the Cloud TPUs of the TPU Research Cloud. ");
		if (u->from != TS_NONE)
			sbuf_addf(&b, "This is our use from %s to %s.",
				granted_day_of(g, u->from), granted_day_of(g, u->to - 1));
		else
			sbuf_addf(&b, "This is our use until %s.",
				granted_day_of(g, u->to - 1));
		say_lines(g, &b);
		granted_say_gap(g, &b);
		sbuf_adds(&b,
			" [Describe your work, its results and your plans.] We would be "
			"grateful for a renewal.");
	}
	g->doc->headline = arena_strdup(g->a, b.s);
	doc_begin_stale_letter(
		g->doc, &g->watched, u->n_lines && u->from < u->to ? u->to : TS_NONE);
}

static void set_title(struct granted *g)
{
	const struct grant_use *u = &g->use;

	g->doc->title = "Use of Cloud TPUs granted by the TPU Research Cloud";
	if (u->from < u->to && u->from != TS_NONE)
		g->doc->title = arena_printf(g->a, "%s, %s to %s", g->doc->title,
			granted_day_of(g, u->from), granted_day_of(g, u->to - 1));
	if (u->from < u->to) {
		doc_fact(g->doc, "since", NULL, cell_time(u->from));
		doc_fact(g->doc, "until", NULL, cell_time(u->to));
	}
	doc_fact(g->doc, "watched_since", "Collected without gaps since",
		cell_time(g->watched.since));
	doc_fact(g->doc, "watched_until",
		watched_until(&g->watched, u->to) ? NULL : "Collected until",
		cell_time(g->watched.until != TS_NONE         ? g->watched.until
				: g->watched.since != TS_NONE ? g->ask->now
							      : TS_NONE));
}

static enum err_code read_use(struct granted *g, struct err *e)
{
	const struct report_ask *ask = g->ask;
	struct grant_use *u = &g->use;

	if (u->from >= u->to)
		return E_OK;
	if (period_read(ask->db, ask->settings, ask->now,
		    u->from == TS_NONE ? TS_NONE + 1 : u->from, u->to, g->a, &g->period, e))
		return e->code;
	grant_use_count(ask->settings, &g->period,
		g->watched.until == TS_NONE ? u->to : g->watched.until, g->a, u);
	return E_OK;
}

enum err_code grant_report_build(
	const struct report_ask *ask, struct arena *a, struct doc **out, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct report_ask own = *ask;
	struct granted g = {.ask = ask,
		.a = a,
		.doc = doc_new(a, "grant", ask->settings->tz, ask->now)};

	if (grant_report_period(&own, e) || db_begin(ask->db, &tx, e))
		return e->code;
	grant_use_lines(
		ask->settings, ask->name, ask->since, ask->until, ask->now, a, &g.use);
	if (period_watched(ask->db, ask->settings, ask->now, &g.watched, e) ||
		read_use(&g, e))
		return err_wrap(e, "report grant");
	set_title(&g);
	granted_add_lines(&g);
	add_types(&g);
	add_weeks(&g);
	if (granted_add_billed(&g, e))
		return err_wrap(e, "report grant");
	granted_set_headline(&g);
	*out = g.doc;
	return db_commit(&tx, e);
}

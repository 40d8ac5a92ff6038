/* Other sections of the week: estimates, restatements, alerts, grants and promotional credits. */
#include "base/time/civil.h"
#include "db_sql.h"
#include "reports/weekly/internal.h"

static const struct doc_column error_columns[] = {
	{"day", "day"},
	{"estimate", "estimate", .status = STATUS_ESTIMATE},
	{"billed", "billed"},
	{"percent", "off by", .digits = 1},
	{"left_out", "excluded", .rank = 1},
	{"currency"},
};

/* Settled days of both weeks, because few days of this week are settled. */
static void week_add_errors(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "estimate_errors",
		"Estimates and the bill", "estimate_errors", error_columns,
		ARRAY_LEN(error_columns));
	struct doc_row *row;
	struct db_rows rows = q_week_errors_read(
		w, .first = date_text(w->a, w->from), .last = date_text(w->a, w->last));

	s->note = "List prices of the observed resources, compared with the settled bill "
		  "of those days.";
	while ((row = doc_read(s, &rows))) {
		int64_t billed = doc_at(s, row, "billed")->v;
		struct opt_i64 off = opt_sub(
			SOME(doc_at(s, row, "estimate")->v), SOME(billed));

		/* the view rounds it */
		*doc_at(s, row, "percent") = cell_percent(
			off.set ? percent_of(off.v, billed) : NONE);
	}
}

static const struct doc_column restated_columns[] = {
	{"day", "day"},
	{"old_net", "was"},
	{"new_net", "is"},
	{"change", "change"},
	{"invoice_month", "invoice", .rank = 2},
	{"noticed", "noticed", .rank = 1},
	{"source", "source", .rank = 3},
	{"currency"},
};

static void week_add_restatements(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "restatements",
		"Days that changed", "restatements", restated_columns,
		ARRAY_LEN(restated_columns));

	section_rest(s, q_week_restatements_read(w, .from = w->starts, .to = w->ends));
}

static const struct doc_column alert_columns[] = {
	{"rule", "rule"},
	{"fired", "fired", DOC_INT},
	{"critical", "critical", DOC_INT, .rank = 1},
	{"muted", "muted", DOC_INT, .rank = 1},
	{"resolved", "resolved", DOC_INT, .rank = 1},
	{"subjects", "subjects", DOC_INT, .rank = 2},
};

static void week_add_alerts(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "alerts", "Alerts of the week",
		"alerts", alert_columns, ARRAY_LEN(alert_columns));
	struct doc_row *row;
	struct db_rows rows = q_week_alerts_read(w, .from = w->starts, .to = w->ends);

	s->empty = "No alerts.";
	while ((row = doc_read(s, &rows)))
		if (doc_at(s, row, "critical")->v)
			doc_at(s, row, "critical")->tone = TONE_BAD;
}

static const struct doc_column grant_columns[] = {
	{"name", "grant"},
	{"family", "TPU"},
	{"zone", "zone", .rank = 1},
	{"provisioning", "class", .rank = 2},
	{"used_chips", "chips in use"},
	{"granted_chips", "granted"},
	{"until", "until", .rank = 1},
	{"left", "left", DOC_DURATION},
};

static void week_add_grants(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "grants", "Grants, as of now",
		"grants", grant_columns, ARRAY_LEN(grant_columns));
	struct doc_row *row;
	struct db_rows rows = q_week_grants_read(w);

	if (!watched_until(&w->watched, w->ask->now))
		s->note = arena_printf(w->a, "Chips in use are those of %s.",
			moment_text(w->doc, w->watched.until));
	while ((row = doc_read(s, &rows))) {
		struct doc_cell *left = doc_at(s, row, "left");

		if (doc_at(s, row, "until")->type && !left->type)
			row->detail = "This grant has ended.";
		else if (left->type && left->v < 7 * DAY_SECONDS)
			left->tone = TONE_WARN;
	}
}

void weekly_others(struct weekly *w)
{
	week_add_errors(w);
	week_add_restatements(w);
	week_add_alerts(w);
	week_add_grants(w);
	period_coupons(DB_READER(w), w->doc, NULL);
}

/* Beside the costs of the week: estimates, restatements, alerts, grants and coupons. */
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/weekly/internal.h"

#include <string.h>

static const struct doc_column error_columns[] = {
	{"day", "day", DOC_TEXT, 0, 0},
	{"estimate", "estimate", DOC_MONEY, -1, 0},
	{"billed", "billed", DOC_MONEY, -1, 0},
	{"percent", "off by", DOC_PERCENT, 1, 0},
	{"left_out", "left out", DOC_TEXT, 0, 1},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

/* Settled days of both weeks: of this one, few are. */
static enum err_code estimates(struct weekly *w, struct err *e)
{
	struct q_week_errors_in in = {
		.first = date_text(w->a, w->from), .last = date_text(w->a, w->last)};
	struct doc_section *s = doc_section(w->doc, "estimate_errors",
		"Estimates and the bill", error_columns, ARRAY_LEN(error_columns));
	struct q_week_errors q;
	struct db_rows rows;

	s->note = "List prices of what was seen, beside the settled bill of those days.";
	if (q_week_errors_open(w->db, &in, &rows, e))
		return e->code;
	while (q_week_errors_next(&rows, &q)) {
		struct doc_cell *c = doc_row(w->doc, s)->cells;
		const char *currency = arena_strdup(w->a, q.currency);
		struct opt_i64 off = opt_sub(SOME(q.estimate), SOME(q.billed));

		c[0] = cell_text(arena_strdup(w->a, q.day));
		c[1] = cell_estimate(cell_money(SOME(q.estimate), currency));
		c[2] = cell_money(SOME(q.billed), currency);
		if (off.set)
			c[3] = cell_percent(percent_of(off.v, q.billed));
		c[4] = cell_text(arena_strdup(w->a, q.left_out));
		c[5] = cell_text(currency);
	}
	return db_rows_close(&rows, e);
}

static const struct doc_column restated_columns[] = {
	{"day", "day", DOC_TEXT, 0, 0},
	{"old_net", "was", DOC_MONEY, -1, 0},
	{"new_net", "is", DOC_MONEY, -1, 0},
	{"change", "change", DOC_MONEY, -1, 0},
	{"invoice_month", "invoice", DOC_TEXT, 0, 2},
	{"noticed", "noticed", DOC_TIME, 0, 1},
	{"source", "source", DOC_TEXT, 0, 3},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static enum err_code restatements(struct weekly *w, struct err *e)
{
	struct q_week_restatements_in in = {.from = w->starts, .to = w->ends};
	struct doc_section *s = doc_section(w->doc, "restatements", "Days that changed",
		restated_columns, ARRAY_LEN(restated_columns));
	struct q_week_restatements q;
	struct db_rows rows;

	if (q_week_restatements_open(w->db, &in, &rows, e))
		return e->code;
	while (q_week_restatements_next(&rows, &q)) {
		struct doc_cell *c = doc_row(w->doc, s)->cells;
		const char *currency = arena_strdup(w->a, q.currency);
		struct opt_i64 was = opt_add(SOME(q.old_cost), SOME(q.old_credits));
		struct opt_i64 is = opt_add(SOME(q.new_cost), SOME(q.new_credits));

		c[0] = cell_text(arena_strdup(w->a, q.day));
		c[1] = cell_money(was, currency);
		c[2] = cell_money(is, currency);
		c[3] = cell_money(opt_sub(is, was), currency);
		c[4] = cell_text(arena_strdup(w->a, q.invoice_month));
		c[5] = cell_time(q.at);
		c[6] = cell_text(arena_strdup(w->a, q.source));
		c[7] = cell_text(currency);
	}
	return db_rows_close(&rows, e);
}

static const struct doc_column alert_columns[] = {
	{"rule", "rule", DOC_TEXT, 0, 0},
	{"fired", "fired", DOC_INT, 0, 0},
	{"critical", "critical", DOC_INT, 0, 1},
	{"muted", "muted", DOC_INT, 0, 1},
	{"resolved", "over", DOC_INT, 0, 1},
	{"subjects", "subjects", DOC_INT, 0, 2},
};

static enum err_code alerts(struct weekly *w, struct err *e)
{
	struct q_week_alerts_in in = {.from = w->starts, .to = w->ends};
	struct doc_section *s = doc_section(w->doc, "alerts", "Alerts of the week",
		alert_columns, ARRAY_LEN(alert_columns));
	struct q_week_alerts q;
	struct db_rows rows;

	s->empty = "No alert.";
	if (q_week_alerts_open(w->db, &in, &rows, e))
		return e->code;
	while (q_week_alerts_next(&rows, &q)) {
		struct doc_cell *c = doc_row(w->doc, s)->cells;

		c[0] = cell_text(arena_strdup(w->a, q.rule));
		c[1] = cell_int(q.fired);
		c[2] = cell_int(q.critical);
		c[3] = cell_int(q.muted);
		c[4] = cell_int(q.resolved);
		c[5] = cell_int(q.subjects);
		if (q.critical)
			c[2] = cell_toned(c[2], TONE_BAD);
	}
	return db_rows_close(&rows, e);
}

static const struct doc_column grant_columns[] = {
	{"name", "grant", DOC_TEXT, 0, 0},
	{"family", "TPU", DOC_TEXT, 0, 0},
	{"zone", "zone", DOC_TEXT, 0, 1},
	{"provisioning", "class", DOC_TEXT, 0, 2},
	{"used_chips", "chips in use", DOC_INT, 0, 0},
	{"granted_chips", "granted", DOC_INT, 0, 0},
	{"until", "until", DOC_TIME, 0, 1},
	{"left", "left", DOC_DURATION, 0, 0},
};

static enum err_code grants(struct weekly *w, struct err *e)
{
	struct doc_section *s = doc_section(w->doc, "grants", "Grants, as of now",
		grant_columns, ARRAY_LEN(grant_columns));
	struct q_week_grants q;
	struct db_rows rows;

	if (!watched_until(&w->watched, w->ask->now))
		s->note = arena_printf(w->a, "Chips in use are those of %s.",
			moment_text(w->doc, w->watched.until));
	if (q_week_grants_open(w->db, &rows, e))
		return e->code;
	while (q_week_grants_next(&rows, &q)) {
		struct doc_row *row = doc_row(w->doc, s);
		struct doc_cell *c = row->cells;
		ts_t left = q.until.set ? q.until.v - w->ask->now : 0;

		c[0] = cell_text(arena_strdup(w->a, q.name));
		c[1] = cell_text(arena_strdup(w->a, q.type ? q.type : q.family));
		c[2] = cell_text(arena_strdup(w->a, q.zone));
		c[3] = cell_text(arena_strdup(w->a, q.provisioning));
		if (q.used_chips.set)
			c[4] = cell_int(q.used_chips.v);
		c[5] = cell_int(q.granted_chips);
		if (!q.until.set)
			continue;
		c[6] = cell_time(q.until.v);
		if (left <= 0) {
			row->detail = "This grant has ended.";
			continue;
		}
		c[7] = cell_duration(left);
		if (left < 7 * DAY_SECONDS)
			c[7] = cell_toned(c[7], TONE_WARN);
	}
	return db_rows_close(&rows, e);
}

static enum err_code coupons(struct weekly *w, struct err *e)
{
	struct doc_section *s;

	return period_coupons(w->doc, w->db, &s, e);
}

enum err_code weekly_others(struct weekly *w, struct err *e)
{
	if (estimates(w, e) || restatements(w, e) || alerts(w, e) || grants(w, e))
		return e->code;
	return coupons(w, e);
}

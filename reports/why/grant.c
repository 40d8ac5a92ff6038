/* A grant: its lines, who uses it, and what it has been worth. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/internal.h"

#include <stdio.h>
#include <string.h>

enum err_code explain_grant_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	struct q_explain_grant_names q;
	struct db_rows rows;

	if (q_explain_grant_names_open(x->db, &rows, e))
		return e->code;
	while (q_explain_grant_names_next(&rows, &q))
		explain_name(x, out, q.name);
	return db_rows_close(&rows, e);
}

static void add_window(
	struct explaining *x, const struct q_explain_grant_state *q, const struct grant *g)
{
	if (q->starts.set)
		explain_when(x, "begins", q->starts);
	else
		explain_say(x, "begins", "no beginning is configured: it always was");
	if (q->until.set)
		explain_when(x, "ends", q->until);
	else
		explain_say(x, "ends", "no end is configured");
	if (g->extends)
		explain_say(x, "renews", "%s: the windows join, the room does not add up",
			g->extends);
	if (g->project)
		explain_say(x, "project", "%s alone", g->project);
	explain_say(x, "covers TPUs", "%s",
		g->new_only ? "that were created since it began"
			    : "whenever they were created");
	explain_fact(x, "check", g->note);
}

/* What the view shows: hours with four digits. */
static struct opt_i64 chip_hours(int64_t chip_seconds)
{
	int64_t tenthousandths;

	if (!nanos_muldiv(chip_seconds, 10000, HOUR_SECONDS, &tenthousandths) ||
		__builtin_mul_overflow(tenthousandths, NANOS / 10000, &tenthousandths))
		return NONE;
	return SOME(tenthousandths);
}

static enum err_code add_note(struct explaining *x, int64_t line, struct err *e)
{
	struct q_explain_grant_note_in in = {.line = line};
	struct q_explain_grant_note q;
	bool found;

	if (q_explain_grant_note_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	if (found)
		explain_say(x, "quota", "%s", q.quota_note);
	return E_OK;
}

static enum err_code add_line(
	struct explaining *x, const struct q_explain_grant_state *q, struct err *e)
{
	const struct grant *g = &x->settings->grants[q->line];
	struct explain_row *row;

	explain_section(x, arena_printf(x->a, "Granted: %s", grant_describe(g, x->a)));
	add_window(x, q, g);
	explain_count(x, "granted", SOME(q->granted_chips), "chips");
	explain_count(x, "used now", SOME(q->used_chips), "chips");
	explain_count(x, "free now", SOME(q->free_chips), "chips");
	row = explain_nanos(
		x, "covered so far", chip_hours(q->covered_chip_seconds), "chip-hours");
	row->formula = arena_printf(
		x->a, "%lld chip-seconds / 3600", (long long)q->covered_chip_seconds);
	row->source = "inventory history";
	row = explain_nanos(x, "saved so far", q->saved, q->currency);
	row->formula = "covered time x list price of today";
	return add_note(x, q->line, e);
}

static enum err_code users_of(struct explaining *x, const char *name, struct err *e)
{
	struct q_explain_grant_users_in in = {.name = name};
	struct q_explain_grant_users q;
	struct db_rows rows;
	size_t n = 0;

	explain_section(x, "Used now by: what each would cost");
	if (q_explain_grant_users_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_grant_users_next(&rows, &q)) {
		if (++n > EXPLAIN_SHOWN)
			continue;
		explain_rate(x, q.id, q.gross, q.currency)->formula = arena_printf(x->a,
			"%s, %lld chips", q.type ? q.type : "?", (long long)q.chips.v);
		n++;
	}
	if (!n)
		explain_say(x, "nobody", "no TPU that runs is covered by it");
	return db_rows_close(&rows, e);
}

/* What becomes paid at its end; the commands are in `grant plan`. */
static enum err_code end_of(struct explaining *x, const char *name, struct err *e)
{
	struct q_explain_grant_end_in in = {.name = name};
	struct q_explain_grant_end_parts_in parts = {.name = name};
	struct q_explain_grant_end_parts p;
	struct q_explain_grant_end q;
	struct explain_row *row;
	struct db_rows rows;
	size_t n = 0;
	bool found;

	if (q_explain_grant_end_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	explain_section(x, "What becomes paid at its end");
	if (q.renewed_by)
		explain_say(x, "renewed by", "%s", q.renewed_by);
	if (q_explain_grant_end_parts_open(x->db, &parts, &rows, e))
		return e->code;
	while (q_explain_grant_end_parts_next(&rows, &p)) {
		if (++n > EXPLAIN_SHOWN)
			continue;
		row = explain_rate(x, p.id, p.gross, p.currency);
		row->source = arena_strdup(x->a, p.why_text);
	}
	explain_more(x, n, "tpucost grant plan");
	row = explain_rate(x, "together", q.per_hour, q.currency);
	row->formula = arena_printf(x->a, "TPUs: %lld", (long long)q.becomes_paid);
	explain_say(x, "commands", "see: tpucost grant plan %s", name);
	return db_rows_close(&rows, e);
}

enum err_code explain_grant(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_grant_state_in in = {.name = key};
	struct q_explain_grant_state q;
	enum err_code rc = E_OK;
	struct db_rows rows;

	x->title = arena_printf(x->a, "grant %s, as %s says", key, x->config);
	if (q_explain_grant_state_open(x->db, &in, &rows, e))
		return e->code;
	while (!rc && q_explain_grant_state_next(&rows, &q))
		rc = add_line(x, &q, e);
	if (db_rows_end(&rows, rc, e) || users_of(x, key, e) || end_of(x, key, e))
		return e->code;
	return explain_alerts_of(x, "grant_ends", key, e);
}

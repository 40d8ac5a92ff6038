/* Command `rules replay`: when a rule would have fired in the recorded history. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "rules/judge/alert.h"
#include "db/db.h"
#include "reports/shared.h"
#include "rules/replay/replay.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SINCE (30 * DAY_SECONDS)

/* A narrow terminal can omit the rule, which was given, its severity, and the last columns. */
static const struct doc_column columns[] = {
	{"rule", .type = DOC_TEXT, .rank = 1},
	{"subject", .type = DOC_TEXT},
	{"severity", .type = DOC_TEXT, .rank = 1},
	{"fired", .type = DOC_TIME},
	{"resolved", .type = DOC_TIME},
	{"hours", .type = DOC_DECIMAL, .digits = -1},
	{"saved", .type = DOC_MONEY},
	{"currency", .type = DOC_TEXT},
	{"stopped_anyway", .type = DOC_FLAG, .rank = 1},
};

/* ---- the table --------------------------------------------------------------------------------- */

/* Hours as a decimal with two digits. */
static struct doc_cell hours_cell(int64_t seconds)
{
	int64_t nanos;

	if (!nanos_muldiv(seconds, NANOS, HOUR_SECONDS, &nanos) ||
		!nanos_muldiv(nanos, 1, NANOS / 100, &nanos))
		return (struct doc_cell){0};
	return cell_decimal(SOME(nanos * (NANOS / 100)));
}

static void replay_add_row(struct doc_section *t, const struct rule *r,
	const struct replay *p, const struct episode *x)
{
	struct doc_cell *row = doc_row(t)->cells;
	ts_t until = x->resolved == TS_NONE ? p->until : x->resolved;

	row[0] = cell_text(r->name);
	row[1] = cell_text(x->subject);
	row[2] = cell_text(severity_name(x->severity));
	row[3] = cell_time(x->fired);
	row[4] = cell_time(x->resolved);
	row[5] = hours_cell(until - x->fired);
	if (x->priced) {
		row[6] = cell_amount(SOME(x->saved));
		row[7] = cell_text(x->currency);
	}
	if (x->of_resource)
		row[8] = cell_int(x->stopped_anyway);
}

/* ---- the sentence ------------------------------------------------------------------------------ */

/* " and saved about 372.10 USD and 12.00 HKD"; currencies are never added together. */
static enum err_code replay_add_saved(
	struct app *app, struct sbuf *b, const struct replay *p, struct err *e)
{
	struct sums s = {0};

	for (size_t i = 0; i < p->n; i++) {
		const struct episode *x = &p->v[i];

		if (!x->priced || sums_add(&s, &app->arena, x->currency, x->saved))
			continue;
		return err_set(e, E_OVERFLOW, "the amount in %s is too large", x->currency);
	}
	for (size_t i = 0; i < s.n; i++)
		sbuf_addf(b, "%s %s", i ? " and" : " and saved about",
			money_words(&app->arena, s.v[i].nanos, s.v[i].currency));
	return E_OK;
}

static void add_basis(
	struct sbuf *b, const struct tz *tz, const struct replay *p, const struct rule *r)
{
	char since[TZ_TIME_BUF], grace[DURATION_BUF];
	size_t unpriced = 0, stopped = 0, others = 0;

	for (size_t i = 0; i < p->n; i++) {
		unpriced += p->v[i].of_resource && !p->v[i].priced;
		stopped += p->v[i].stopped_anyway;
		others += !p->v[i].of_resource;
	}
	if (others)
		sbuf_adds(b,
			"The rule is not about single resources: its saving is unknown.\n");
	if (stopped)
		sbuf_addf(b, "%zu of them ended by themselves within an hour.\n", stopped);
	if (unpriced)
		sbuf_addf(b, "The price of %zu of them is unknown.\n", unpriced);
	if (p->n && r->then.after)
		sbuf_addf(b,
			"Savings count from %s after the rule matched, not before the end "
			"of the grace.\n",
			duration_format(r->then.after, grace));
	else if (p->n && r->then.grace)
		sbuf_addf(b, "Savings count from the end of the grace of %s.\n",
			duration_format(r->then.grace, grace));
	if (p->short_because)
		sbuf_addf(b, "Evaluated since %s %s: %s.\n", tz_time(tz, p->since, since),
			tz_name(tz), p->short_because);
	if (p->recorded != TS_NONE && p->recorded > p->since)
		sbuf_addf(b,
			"The history begins at %s %s: resources that were gone by then are "
			"missing.\n",
			tz_time(tz, p->recorded, since), tz_name(tz));
	sbuf_adds(b, "Estimate with the list prices, grants and budgets of today");
	sbuf_adds(b, p->of_bill ? ", and with the current bill.\n" : ".\n");
}

static enum err_code replay_add_sentence(struct app *app, struct sbuf *b,
	const struct replay *p, const struct rule *r, struct err *e)
{
	char length[DURATION_BUF];

	sbuf_addf(b, "%s would have fired %zu time%s in %s", r->name, p->n,
		p->n == 1 ? "" : "s", duration_format(p->until - p->since, length));
	if (replay_add_saved(app, b, p, e))
		return e->code;
	sbuf_adds(b, ".\n");
	add_basis(b, app->cfg->tz, p, r);
	return E_OK;
}

static int replay_print(
	struct app *app, const struct rule *r, const struct replay *p, struct err *e)
{
	struct doc_section *t = doc_table(&app->arena, columns, ARRAY_LEN(columns));
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, lines = SBUF_INIT;

	t->droppable = true;
	for (size_t i = 0; i < p->n; i++)
		replay_add_row(t, r, p, &p->v[i]);
	if (app->format != OUT_TABLE)
		return query_print(app, t, "", e);
	if (t->n) {
		out_render(&b, t, OUT_TABLE, &style);
		sbuf_addc(&b, '\n');
	}
	if (replay_add_sentence(app, &lines, p, r, e))
		return cmd_fail(e);
	for (char *rest = lines.s; rest && *rest;)
		out_sentence(&b, strsep(&rest, "\n"), &style);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

static void show_progress(void *ctx, size_t done, size_t all)
{
	size_t *shown = ctx, percent = all ? done * 100 / all : 100;

	if (percent == *shown)
		return;
	*shown = percent;
	fprintf(stderr, "\rreplaying: %zu %%%s", percent, percent == 100 ? "\r\033[K" : "");
}

static enum err_code replay_period(struct app *app, struct replay_opts *o, struct err *e)
{
	o->since = app->now - DEFAULT_SINCE;
	o->until = app->now;
	if (app->o.since && query_time(app, app->o.since, &o->since, e))
		return e->code;
	if (app->o.until && query_time(app, app->o.until, &o->until, e))
		return e->code;
	if (o->until > app->now)
		o->until = app->now;
	if (o->since >= o->until)
		return err_set(e, E_USAGE, "rules replay: --since must be before %s",
			app->o.until ? "--until" : "now");
	return E_OK;
}

int cmd_rules_replay(struct app *app, struct err *e)
{
	struct replay_opts o = {.settings = &app->cfg->settings};
	struct replay p;
	size_t shown = SIZE_MAX;

	o.rule = rule_find(app, app->args[0], e);
	if (!o.rule || replay_period(app, &o, e) || replay_possible(o.rule, e) ||
		db_open(app->cfg->database, DB_READ, app->clock, &app->db, e))
		return cmd_fail(e);
	if (!app->o.quiet && isatty(STDERR_FILENO)) {
		o.progress = show_progress;
		o.ctx = &shown;
	}
	if (replay_run(app->db, &o, &app->arena, &p, e))
		return cmd_fail(e);
	return replay_print(app, o.rule, &p, e);
}

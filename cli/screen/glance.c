/* Summary lines of `status` and `top`: burn, budgets, grants and credits. */
#include "cli/screen/screen.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/session.h"
#include "rules/grant/zones.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

#define DEFAULT_WIDTH 79
#define SOON_DAYS 3
#define USED_UP 100 /* percent */

struct glance {
	struct app *app;
	struct sbuf *b;
	const struct out_style *style;
	size_t most;
	size_t shown; /* of the present kind */
};

void glance_line(struct sbuf *b, const char *word, const char *text, const char *color,
	const struct out_style *style)
{
	size_t width = style->width ? (size_t)style->width : DEFAULT_WIDTH;
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	sbuf_adds(b, word);
	sbuf_pad(b, ' ', GLANCE_INDENT - strlen(word));
	sbuf_add_wrapped(&line, text, GLANCE_INDENT, GLANCE_INDENT, width);
	sbuf_trunc(&line, line.len - 1);
	sbuf_addf(b, "%s%s%s\n", color && style->color ? color : "", line.s,
		color && style->color ? OUT_PLAIN : "");
}

/* "52.87"; "unknown" */
static void add_amount(struct sbuf *b, struct opt_i64 nanos, const char *currency)
{
	char text[NANOS_BUF];

	sbuf_adds(b,
		nanos.set ? nanos_format_fixed(nanos.v, currency_digits(currency), text)
			  : "unknown");
}

/* "in 18h 5m"; the time itself when it is in the past */
static void add_moment(struct glance *g, struct sbuf *b, ts_t t)
{
	char at[TZ_TIME_BUF], span[DURATION_BUF];

	if (t > g->app->now)
		sbuf_addf(b, "in %s", duration_format(t - g->app->now, span));
	else
		sbuf_adds(b, tz_time(g->app->cfg->tz, t, at));
}

/* One more line of the present kind, up to the limit. */
static void add_one(struct glance *g, const char *word, const char *text, const char *color)
{
	if (g->shown++ < g->most)
		glance_line(g->b, g->shown == 1 ? word : "", text, color, g->style);
}

/* The number of lines left out, and the command that shows them. The next lines are of another kind. */
static void end_kind(struct glance *g, const char *command)
{
	if (g->shown > g->most)
		glance_line(g->b, "",
			arena_printf(&g->app->arena, "and %zu more: %s", g->shown - g->most,
				command),
			NULL, g->style);
	g->shown = 0;
}

/* ---- burn -------------------------------------------------------------------------------------- */

static void glance_add_burn(struct glance_burn *s, const struct q_glance_burn *q)
{
	size_t i = 0;
	int64_t a_day;

	if (!q->net.set) {
		s->unknown += q->parts;
		return;
	}
	while (i < s->n && strcmp(s->currency[i], q->currency) != 0)
		i++;
	if (i == GLANCE_CURRENCIES)
		return;
	if (i == s->n)
		s->currency[s->n++] = q->currency;
	if (__builtin_mul_overflow(q->net.v, 24, &a_day) ||
		!nanos_add(s->hour[i], q->net.v, &s->hour[i]) ||
		!nanos_add(s->day[i], a_day, &s->day[i]))
		s->hour[i] = s->day[i] = INT64_MAX;
}

enum err_code glance_burn_read(struct app *app, struct glance_burn *out, struct err *e)
{
	struct q_glance_burn_in in = {.projects = app->o.project};
	struct q_glance_burn *v;
	size_t n;

	*out = (struct glance_burn){.n = 0};
	if (q_glance_burn_all(app->db, &in, &app->arena, &v, &n, e))
		return e->code == E_OVERFLOW
			? err_set(e, E_OVERFLOW, "the burn per hour: the sum does not fit")
			: e->code;
	for (size_t i = 0; i < n; i++)
		glance_add_burn(out, &v[i]);
	return E_OK;
}

static void add_amounts(
	struct sbuf *b, const struct glance_burn *s, const int64_t *v, const char *per)
{
	char text[NANOS_BUF];

	for (size_t i = 0; i < s->n; i++)
		sbuf_addf(b, "%s%s %s%s", i ? " + " : "",
			nanos_format_money(v[i],
				money_digits(s->currency[i], str_eq(per, "/h")), text),
			s->currency[i], per);
}

/* Without a complete poll the burn is unknown, not zero. */
static enum err_code no_burn(struct glance *g, struct sbuf *text, struct err *e)
{
	struct freshness f;

	if (session_freshness(g->app, BASIS_INVENTORY, &f, e))
		return e->code;
	sbuf_adds(text,
		f.oldest ? "no running resource costs money"
			 : "unknown: no poll of the resources was complete");
	return E_OK;
}

static enum err_code add_burn(struct glance *g, struct err *e)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	struct glance_burn s;

	if (glance_burn_read(g->app, &s, e))
		return e->code;
	if (s.n) {
		sbuf_adds(&text, "about ");
		add_amounts(&text, &s, s.hour, "/h");
		sbuf_adds(&text, " net, ");
		add_amounts(&text, &s, s.day, "");
		sbuf_adds(&text, " a day");
	} else if (!s.unknown && no_burn(g, &text, e)) {
		return e->code;
	}
	if (s.unknown)
		sbuf_addf(&text, "%s%lld resource%s with unknown price",
			s.n ? ", and " : "", (long long)s.unknown,
			s.unknown == 1 ? "" : "s");
	glance_line(g->b, "Burn now", text.s, NULL, g->style);
	return E_OK;
}

/* ---- budgets ----------------------------------------------------------------------------------- */

static const char *budget_color(const struct q_glance_budgets *q)
{
	if (!q->percent_100.set)
		return NULL;
	return q->percent_100.v >= USED_UP * 100 ? OUT_RED
		: q->runs_out.set                ? OUT_YELLOW
						 : OUT_GREEN;
}

/* "12.50 of 300.00 USD". */
static void add_part_of(
	struct sbuf *b, struct opt_i64 part, int64_t whole, const char *currency)
{
	add_amount(b, part, currency);
	sbuf_adds(b, " of ");
	add_amount(b, SOME(whole), currency);
	sbuf_addf(b, " %s", currency);
}

static void add_budget(struct glance *g, const struct q_glance_budgets *q)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	char num[NANOS_BUF];

	sbuf_addf(&text, "%s: %s", q->name, q->expected.set ? "about " : "");
	add_part_of(&text, q->expected, q->amount, q->currency);
	if (q->percent_100.set)
		sbuf_addf(&text, " (%s %%)", hundredths_format(q->percent_100.v, num));
	else
		sbuf_adds(&text, "; see: tpucost budget");
	if (q->runs_out.set) {
		sbuf_adds(&text,
			q->percent_100.v >= USED_UP * 100 ? ", used up " : ", runs out ");
		add_moment(g, &text, q->runs_out.v);
	}
	if (q->ends <= g->app->now) {
		sbuf_adds(&text, ", ended ");
		add_moment(g, &text, q->ends);
	} else if (q->starts > g->app->now) {
		sbuf_adds(&text, ", begins ");
		add_moment(g, &text, q->starts);
	}
	add_one(g, "Budget", text.s, budget_color(q));
}

static enum err_code add_budgets(struct glance *g, struct err *e)
{
	struct q_glance_budgets q;
	struct db_rows rows;

	if (q_glance_budgets_open(g->app->db, &rows, e))
		return e->code;
	while (q_glance_budgets_next(&rows, &q))
		add_budget(g, &q);
	end_kind(g, "tpucost budget");
	return db_rows_close(&rows, e);
}

/* ---- grants ------------------------------------------------------------------------------------ */

static const char *grant_color(struct opt_i64 days_100)
{
	if (!days_100.set)
		return NULL;
	return days_100.v <= 0                  ? OUT_RED
		: days_100.v <= SOON_DAYS * 100 ? OUT_YELLOW
						: OUT_GREEN;
}

static void add_end(struct sbuf *b, struct opt_i64 days_100)
{
	char num[NANOS_BUF];

	if (!days_100.set)
		sbuf_adds(b, "no end");
	else if (days_100.v <= 0)
		sbuf_adds(b, "ended");
	else
		sbuf_addf(b, "%s days left", hundredths_format(days_100.v, num));
}

/* Rows of the same name are lines of one grant; it has the end of the first. */
struct grant_line {
	struct sbuf text;
	const char *name; /* NULL: none yet */
	const char *color;
};

static void end_grant(struct glance *g, struct grant_line *line)
{
	if (line->name)
		add_one(g, "Grant", line->text.s, line->color);
	sbuf_reset(&line->text);
}

static void add_grant_row(
	struct glance *g, struct grant_line *line, const struct q_glance_grants *q)
{
	bool first = !line->name || strcmp(line->name, q->name) != 0;
	const char *used = q->used.set
		? arena_printf(&g->app->arena, "%lld", (long long)q->used.v)
		: "unknown"; /* not polled */

	if (first) {
		end_grant(g, line);
		line->name = arena_strdup(&g->app->arena, q->name);
		line->color = grant_color(q->days_100);
		sbuf_addf(&line->text, "%s: ", q->name);
		if (q->begins.set) {
			sbuf_adds(&line->text, "begins ");
			add_moment(g, &line->text, q->begins.v);
		} else {
			add_end(&line->text, q->days_100);
		}
	}
	sbuf_addf(&line->text, "%s %s%s%s %s/%lld %s", first ? ";" : ",",
		q->type ? q->type : q->family, q->class ? " " : "",
		q->class ? q->class : "", used, (long long)q->granted, q->zone);
}

/* Grants in zones that do not exist cover nothing. */
static void add_zone_problems(struct glance *g)
{
	const struct config *cfg = g->app->cfg;
	struct tpu_zones z = {0};
	bool known = false; /* read only if the built-in list is not sufficient */

	for (size_t i = 0; i < cfg->n_grants; i++) {
		const struct grant *x = &cfg->grants[i];
		const char *type = x->type ? x->type : x->family;
		struct err why = {0};

		if (!tpu_zone_check(&z, type, x->zone, &why))
			continue;
		if (!known)
			zones_known(g->app, &z);
		known = true;
		if (tpu_zone_check(&z, type, x->zone, &why))
			add_one(g, "Check",
				arena_printf(
					&g->app->arena, "grant %s: %s", x->name, why.msg),
				OUT_YELLOW);
	}
	end_kind(g, "tpucost grant list");
}

static enum err_code add_grants(struct glance *g, struct err *e)
{
	struct grant_line line = {.text = SBUF_INIT};
	const char *asked = g->app->o.project;
	struct q_glance_grants q;
	struct db_rows rows;

	if (q_glance_grants_open(g->app->db, &rows, e))
		return e->code;
	while (q_glance_grants_next(&rows, &q))
		if (!asked || !q.project || str_in_list(q.project, asked))
			add_grant_row(g, &line, &q);
	end_grant(g, &line);
	if (!line.name)
		glance_line(g->b, "Grants",
			"none, so every TPU is paid; see: tpucost help grant import",
			OUT_YELLOW, g->style);
	end_kind(g, "tpucost grant list");
	sbuf_done(&line.text);
	if (db_rows_close(&rows, e))
		return e->code;
	add_zone_problems(g);
	return E_OK;
}

/* ---- credits ----------------------------------------------------------------------------------- */

/* An estimate. It is now when the unbilled use exceeds what is left on the bill. */
static void add_used_up(struct glance *g, struct sbuf *b, ts_t t)
{
	if (t <= g->app->now) {
		sbuf_adds(b, ", about used up by unbilled use");
		return;
	}
	sbuf_adds(b, "; used up about ");
	add_moment(g, b, t);
}

static void add_credit(struct glance *g, const struct q_glance_credits *q)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	bool expired = q->expires.set && q->expires.v <= g->app->now;

	sbuf_addf(&text, "%s: %s", q->name,
		q->rest.set && q->billed_from.set ? "at most " : "");
	add_part_of(&text, q->rest, q->amount, q->currency);
	sbuf_adds(&text, expired ? " not used" : " left");
	if (q->starts.set && q->starts.v > g->app->now) {
		sbuf_adds(&text, "; begins ");
		add_moment(g, &text, q->starts.v);
	}
	if (q->runs_out.set)
		add_used_up(g, &text, q->runs_out.v);
	if (q->expires.set && (!q->runs_out.set || q->runs_out.v > g->app->now)) {
		sbuf_adds(&text, expired ? "; expired " : "; expires ");
		add_moment(g, &text, q->expires.v);
	}
	add_one(g, "Credit", text.s, q->runs_out.set ? OUT_YELLOW : NULL);
}

static enum err_code add_credits(struct glance *g, struct err *e)
{
	struct q_glance_credits q;
	struct db_rows rows;

	if (!g->app->cfg->settings.n_credits)
		return E_OK;
	if (q_glance_credits_open(g->app->db, &rows, e))
		return e->code;
	while (q_glance_credits_next(&rows, &q))
		add_credit(g, &q);
	end_kind(g, "tpucost credit");
	return db_rows_close(&rows, e);
}

enum err_code glance_add(struct app *app, struct sbuf *b, const struct out_style *style,
	size_t most, struct err *e)
{
	struct glance g = {.app = app, .b = b, .style = style, .most = most};

	if (add_burn(&g, e) || add_budgets(&g, e) || add_grants(&g, e))
		return e->code;
	return add_credits(&g, e);
}

#include "cli/glance.h"

#include "base/civil.h"
#include "base/money.h"
#include "base/tz.h"
#include "cli/config.h"
#include "cli/query.h"
#include "db/db.h"

#include <string.h>

#define DEFAULT_WIDTH 79
#define MAX_CURRENCIES 8
#define SOON_DAYS 3
#define BURN_MS 20000

struct glance {
	struct app *app;
	struct sbuf *b;
	const struct out_style *style;
	size_t most;
};

void glance_line(struct sbuf *b, const char *word, const char *text, const char *color,
	const struct out_style *style)
{
	size_t width = style->width ? (size_t)style->width : DEFAULT_WIDTH;
	struct sbuf line = SBUF_INIT;

	sbuf_adds(b, word);
	sbuf_pad(b, ' ', GLANCE_INDENT - strlen(word));
	sbuf_add_wrapped(&line, text, GLANCE_INDENT, GLANCE_INDENT, width);
	sbuf_trunc(&line, line.len - 1);
	sbuf_addf(b, "%s%s%s\n", color && style->color ? color : "", line.s,
		color && style->color ? OUT_PLAIN : "");
	sbuf_done(&line);
}

/* "52.87" of a cell that holds an amount; "unknown" */
static void add_amount(struct sbuf *b, const struct cell *c, const char *currency)
{
	char text[NANOS_BUF];

	sbuf_adds(b,
		c->kind == CELL_NANOS
			? nanos_format_fixed(
				  c->i, currency ? currency_digits(currency) : 2, text)
			: "unknown");
}

static double number(const struct cell *c)
{
	return c->kind == CELL_REAL ? c->real : (double)c->i;
}

/* "2026-11-23 01:56, in 18h 5m" */
static void add_moment(struct glance *g, struct sbuf *b, const char *rfc3339)
{
	char at[TZ_TIME_BUF], span[DURATION_BUF];
	ts_t t;

	if (rfc3339_parse(rfc3339, &t, NULL, NULL))
		return;
	sbuf_adds(b, tz_time(g->app->cfg->tz, t, at));
	if (t > g->app->now)
		sbuf_addf(b, ", in %s", duration_format(t - g->app->now, span));
}

/* The rows of a view for everybody: filters are not meant for these lines. */
static enum err_code fetch(
	struct glance *g, const struct query *q, struct table *t, struct err *e)
{
	struct opts given = g->app->o;
	enum err_code rc;

	opts_init(&g->app->o);
	g->app->o.project = given.project && view_column(view_find(q->view), "project")
		? given.project
		: NULL;
	rc = query_fetch(g->app, q, false, t, e);
	g->app->o = given;
	return rc;
}

static void add_more(struct glance *g, size_t left, const char *command)
{
	if (left)
		glance_line(g->b, "",
			arena_printf(&g->app->arena, "and %zu more: %s", left, command),
			NULL, g->style);
}

/* ---- burn -------------------------------------------------------------------------------------- */

struct sums {
	const char *currency[MAX_CURRENCIES];
	int64_t hour[MAX_CURRENCIES], day[MAX_CURRENCIES];
	size_t n;
	int64_t unknown; /* resources without a price */
};

/* currency, net an hour, resources */
static void add_sum(struct glance *g, struct sums *s, const struct db_cursor *row)
{
	size_t i = 0;
	int64_t a_day;

	if (db_cursor_type(row, 0) == DB_NULL || db_cursor_type(row, 1) == DB_NULL) {
		s->unknown += db_cursor_i64(row, 2);
		return;
	}
	while (i < s->n && strcmp(s->currency[i], db_cursor_text(row, 0)) != 0)
		i++;
	if (i == MAX_CURRENCIES)
		return;
	if (i == s->n)
		s->currency[s->n++] = arena_strdup(&g->app->arena, db_cursor_text(row, 0));
	if (__builtin_mul_overflow(db_cursor_i64(row, 1), 24, &a_day) ||
		!nanos_add(s->hour[i], db_cursor_i64(row, 1), &s->hour[i]) ||
		!nanos_add(s->day[i], a_day, &s->day[i]))
		s->hour[i] = s->day[i] = INT64_MAX;
}

/* As the view burn does, which also looks up what was before: that takes several times as long. */
static enum err_code sum_burn(struct glance *g, struct sums *s, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor c;
	bool more = false;

	sbuf_adds(&sql,
		"SELECT p.currency, CASE WHEN COUNT(p.net) = COUNT(*) THEN SUM(p.net) END, "
		"COUNT(*) FROM burn_part p JOIN resource r ON r.id = p.id WHERE 1");
	if (g->app->o.project)
		query_add_project(g->app, &sql, "r.project");
	sbuf_adds(&sql, " GROUP BY r.project, p.category, p.currency ORDER BY 2 DESC");
	if (db_cursor_open_own(g->app->db, sql.s, BURN_MS, &c, e))
		return e->code;
	while (!db_cursor_step(&c, &more, e) && more)
		add_sum(g, s, &c);
	db_cursor_close(&c);
	return e->code;
}

static void add_amounts(
	struct sbuf *b, const struct sums *s, const int64_t *v, const char *per)
{
	char text[NANOS_BUF];

	for (size_t i = 0; i < s->n; i++)
		sbuf_addf(b, "%s%s %s%s", i ? " + " : "",
			nanos_format_fixed(v[i], currency_digits(s->currency[i]), text),
			s->currency[i], per);
}

/* Where not everything was read, that nothing is known to run is no sum. */
static enum err_code no_burn(struct glance *g, struct sbuf *text, struct err *e)
{
	struct freshness f;

	if (session_freshness(g->app, BASIS_INVENTORY, &f, e))
		return e->code;
	sbuf_adds(text,
		f.oldest ? "nothing runs that costs money"
			 : "unknown: what runs was never completely read");
	return E_OK;
}

static enum err_code add_burn(struct glance *g, struct err *e)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	struct sums s = {.n = 0};

	if (sum_burn(g, &s, e))
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
		sbuf_addf(&text, "%s%lld thing%s at a price that is not known",
			s.n ? "; and " : "", (long long)s.unknown,
			s.unknown == 1 ? "" : "s");
	glance_line(g->b, "Burn now", text.s, NULL, g->style);
	return E_OK;
}

/* ---- budgets ----------------------------------------------------------------------------------- */

static const char *budget_color(const struct cell *c)
{
	if (c[3].kind == CELL_NULL)
		return NULL;
	return number(&c[3]) >= 100      ? OUT_RED
		: c[4].kind == CELL_TEXT ? OUT_YELLOW
					 : OUT_GREEN;
}

/* "12.50 of 300.00 USD". */
static void add_part_of(struct sbuf *b, const struct cell *part, const struct cell *whole,
	const struct cell *currency)
{
	add_amount(b, part, currency->text);
	sbuf_adds(b, " of ");
	add_amount(b, whole, currency->text);
	sbuf_addf(b, " %s", currency->text ? currency->text : "");
}

static enum err_code add_budgets(struct glance *g, struct err *e)
{
	static const struct query q = {.view = "budgets",
		.columns = "name,expected,amount,percent,runs_out,currency",
		.order = "percent DESC, name"};
	struct sbuf text = SBUF_INIT;
	struct table t;

	if (!g->app->cfg->settings.n_budgets)
		return E_OK;
	if (fetch(g, &q, &t, e))
		return e->code;
	for (size_t i = 0; i < t.n_rows && i < g->most; i++) {
		const struct cell *c = &t.cells[i * t.n_cols];

		sbuf_reset(&text);
		sbuf_addf(
			&text, "%s: %s", c[0].text, c[1].kind == CELL_NULL ? "" : "about ");
		add_part_of(&text, &c[1], &c[2], &c[5]);
		if (c[3].kind != CELL_NULL)
			sbuf_addf(&text, " (%.1f %%)", number(&c[3]));
		else
			sbuf_adds(&text, "; why: tpucost budget");
		if (c[4].kind == CELL_TEXT) {
			sbuf_adds(
				&text, number(&c[3]) >= 100 ? ", used up " : ", runs out ");
			add_moment(g, &text, c[4].text);
		}
		glance_line(g->b, i ? "" : "Budget", text.s, budget_color(c), g->style);
	}
	add_more(g, t.n_rows > g->most ? t.n_rows - g->most : 0, "tpucost budget");
	sbuf_done(&text);
	return E_OK;
}

/* ---- grants ------------------------------------------------------------------------------------ */

static const char *grant_color(const struct cell *c)
{
	if (c[1].kind == CELL_NULL)
		return NULL;
	return number(&c[1]) <= 0            ? OUT_RED
		: number(&c[1]) <= SOON_DAYS ? OUT_YELLOW
					     : OUT_GREEN;
}

static void add_end(struct sbuf *b, const struct cell *left)
{
	if (left->kind == CELL_NULL)
		sbuf_adds(b, "no end");
	else if (number(left) <= 0)
		sbuf_adds(b, "ended");
	else
		sbuf_addf(b, "%.1f days left", number(left));
}

/* Rows of one name are lines of one grant. */
static enum err_code add_grants(struct glance *g, struct err *e)
{
	static const struct query q = {.view = "grants",
		.of_projects = "project IS NULL OR project IN @",
		.columns = "name,days_left,type,used_chips,granted_chips,zone,family",
		.order = "days_left IS NULL, days_left, name, zone, type"};
	struct sbuf text = SBUF_INIT;
	size_t shown = 0, left = 0;
	struct table t;

	if (fetch(g, &q, &t, e))
		return e->code;
	if (!t.n_rows)
		glance_line(g->b, "Grants",
			"none: every TPU is paid; see: tpucost help grant import",
			OUT_YELLOW, g->style);
	for (size_t i = 0, next; i < t.n_rows; i = next) {
		const struct cell *c = &t.cells[i * t.n_cols];

		sbuf_reset(&text);
		sbuf_addf(&text, "%s: ", c[0].text);
		add_end(&text, &c[1]);
		for (next = i; next < t.n_rows; next++) {
			const struct cell *r = &t.cells[next * t.n_cols];

			if (strcmp(r[0].text, c[0].text) != 0)
				break;
			sbuf_addf(&text, "%s %s %lld/%lld chips %s", next > i ? "," : ";",
				r[2].text ? r[2].text : r[6].text, (long long)r[3].i,
				(long long)r[4].i, r[5].text ? r[5].text : "");
		}
		if (shown < g->most)
			glance_line(g->b, shown ? "" : "Grant", text.s, grant_color(c),
				g->style);
		else
			left++;
		shown++;
	}
	add_more(g, left, "tpucost grant list");
	sbuf_done(&text);
	return E_OK;
}

/* ---- coupons ----------------------------------------------------------------------------------- */

/* An estimate. It is now when what is not billed yet has used up what the bill leaves. */
static void add_used_up(struct glance *g, struct sbuf *b, const char *rfc3339)
{
	ts_t t;

	if (!rfc3339_parse(rfc3339, &t, NULL, NULL) && t <= g->app->now) {
		sbuf_adds(b, " on the bill; about used up with what is not billed yet");
		return;
	}
	sbuf_adds(b, "; used up about ");
	add_moment(g, b, rfc3339);
}

static enum err_code add_credits(struct glance *g, struct err *e)
{
	static const struct query q = {.view = "credits",
		.columns = "name,left,amount,runs_out,expires,currency",
		.order = "expires IS NULL, expires, name"};
	struct sbuf text = SBUF_INIT;
	struct table t;

	if (!g->app->cfg->settings.n_credits)
		return E_OK;
	if (fetch(g, &q, &t, e))
		return e->code;
	for (size_t i = 0; i < t.n_rows && i < g->most; i++) {
		const struct cell *c = &t.cells[i * t.n_cols];

		sbuf_reset(&text);
		sbuf_addf(&text, "%s: ", c[0].text);
		add_part_of(&text, &c[1], &c[2], &c[5]);
		sbuf_adds(&text, " left");
		if (c[3].kind == CELL_TEXT)
			add_used_up(g, &text, c[3].text);
		if (c[4].kind == CELL_TEXT) {
			sbuf_adds(&text, "; expires ");
			add_moment(g, &text, c[4].text);
		}
		glance_line(g->b, i ? "" : "Credit", text.s,
			c[3].kind == CELL_TEXT ? OUT_YELLOW : NULL, g->style);
	}
	add_more(g, t.n_rows > g->most ? t.n_rows - g->most : 0, "tpucost credit");
	sbuf_done(&text);
	return E_OK;
}

enum err_code glance_add(struct app *app, struct sbuf *b, const struct out_style *style,
	size_t most, struct err *e)
{
	struct glance g = {.app = app, .b = b, .style = style, .most = most};

	if (add_burn(&g, e) || add_budgets(&g, e) || add_grants(&g, e))
		return e->code;
	return add_credits(&g, e);
}

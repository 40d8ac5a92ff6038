/* Tables for people: aligned, fitted to the terminal, with totals per currency. */
#include "base/money.h"
#include "base/str.h"
#include "cli/out_parts.h"

#include <stdio.h>
#include <string.h>

#define SOON_DAYS 3
#define HIGH_PERCENT 80

bool column_numeric(const struct column *c)
{
	return c->type == COL_INT || c->type == COL_MONEY || c->type == COL_DECIMAL;
}

const char *column_per(const struct column *c)
{
	return str_ends(c->name, "per_hour")   ? "/h"
		: str_ends(c->name, "per_day") ? "/day"
					       : "";
}

/* Hourly prices of small things need more digits than a sum does. */
const char *money_human(const struct column *c, int64_t nanos, char buf[NANOS_BUF])
{
	return nanos_format_fixed(nanos, str_ends(c->name, "_per_hour") ? 4 : 2, buf);
}

void cell_human(struct sbuf *b, const struct column *col, const struct cell *c)
{
	char buf[NANOS_BUF];

	if (c->kind == CELL_NULL)
		sbuf_addc(b, '-');
	else if (col->type == COL_FLAG && c->kind == CELL_INT)
		sbuf_adds(b, c->i ? "yes" : "no");
	else if (col->type == COL_MONEY && c->kind == CELL_NANOS)
		sbuf_adds(b, money_human(col, c->i, buf));
	else if (c->kind == CELL_REAL && col->type == COL_DECIMAL)
		sbuf_addf(b, "%.1f", c->real);
	else if (col->type == COL_TIME && c->kind == CELL_TEXT && strlen(c->text) == 20)
		sbuf_addf(b, "%.10s %.5sZ", c->text, c->text + 11);
	else if (c->kind == CELL_TEXT)
		sbuf_add_term(b, c->text);
	else
		cell_exact(b, c);
}

/* ---- colours ----------------------------------------------------------------------------------- */

enum alarm { CALM, GOOD, SOON, BAD };

static double number_of(const struct cell *c)
{
	return c->kind == CELL_REAL ? c->real : (double)c->i;
}

static bool is_word(const struct cell *c, const char *const *words)
{
	for (; c->kind == CELL_TEXT && *words; words++)
		if (!strcmp(c->text, *words))
			return true;
	return false;
}

static enum alarm alarm_of(const char *name, const struct cell *c)
{
	static const char *const bad[] = {
		"failed", "error", "dead", "refused", "denied", "critical", NULL};
	static const char *const soon[] = {
		"partial", "unclear", "warning", "stale", "preempted", NULL};

	if (c->kind == CELL_NULL)
		return CALM;
	if (!strcmp(name, "covered"))
		return c->kind != CELL_INT ? CALM : c->i ? GOOD : BAD;
	if (!strcmp(name, "stale"))
		return c->kind == CELL_INT && c->i ? SOON : CALM;
	if (!strcmp(name, "state") || !strcmp(name, "severity"))
		return is_word(c, bad) ? BAD : is_word(c, soon) ? SOON : CALM;
	if (c->kind != CELL_INT && c->kind != CELL_REAL)
		return CALM;
	if (!strcmp(name, "percent"))
		return number_of(c) >= 100             ? BAD
			: number_of(c) >= HIGH_PERCENT ? SOON
						       : CALM;
	if (!strcmp(name, "days_left"))
		return number_of(c) <= SOON_DAYS ? SOON : CALM;
	return CALM;
}

/* A rule that is for something bad is not bad itself: its row is as what it found. */
static bool found_nothing(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++) {
		const struct cell *cell = &t->cells[r * t->n_cols + c];

		if (!strcmp(t->cols[c]->name, "firing"))
			return cell->kind == CELL_NULL || !cell->i;
	}
	return false;
}

const char *row_color(const struct table *t, size_t r)
{
	static const char *const colors[] = {
		[CALM] = NULL, [GOOD] = OUT_GREEN, [SOON] = OUT_YELLOW, [BAD] = OUT_RED};
	enum alarm worst = CALM;

	for (size_t c = 0; c < t->n_cols && !found_nothing(t, r); c++) {
		enum alarm one = alarm_of(t->cols[c]->name, &t->cells[r * t->n_cols + c]);

		if (one > worst)
			worst = one;
	}
	return colors[worst];
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void render_line(
	struct sbuf *b, const struct layout *l, const char *const *texts, const char *color)
{
	size_t n;

	if (color)
		sbuf_adds(b, color);
	for (size_t c = 0; c < l->t->n_cols; c++) {
		if (c)
			sbuf_adds(b, "  ");
		add_field(b, l, c, texts[c], c + 1 == l->t->n_cols);
	}
	for (n = b->len; n && b->s[n - 1] == ' ';)
		n--;
	sbuf_trunc(b, n);
	sbuf_adds(b, color ? OUT_PLAIN "\n" : "\n");
}

static void render_heads(
	struct sbuf *b, const struct layout *l, const char *color, struct arena *a)
{
	const char **parts = arena_alloc(a, (l->t->n_cols + 1) * sizeof(*parts));
	bool units = false;

	for (size_t line = 0; line < l->head_lines; line++) {
		for (size_t c = 0; c < l->t->n_cols; c++)
			parts[c] = head_part(l, c, line, a);
		render_line(b, l, parts, color);
	}
	for (size_t c = 0; c < l->t->n_cols; c++) {
		parts[c] = head_unit(l, c, a);
		units = units || *parts[c];
	}
	if (units)
		render_line(b, l, parts, NULL);
}

static void render_total(struct sbuf *b, const struct layout *l, const struct total *sum,
	const char *color, struct arena *a)
{
	const char **texts = arena_alloc(a, (l->t->n_cols + 1) * sizeof(*texts));

	for (size_t c = 0; c < l->t->n_cols; c++)
		texts[c] = total_field(l, sum, c, a);
	render_line(b, l, texts, color);
}

static void render_rows(struct sbuf *b, const struct table *given, const struct layout *l,
	const struct out_style *style, struct arena *a)
{
	render_heads(b, l, style->color ? OUT_BOLD : NULL, a);
	/* Colours are of the whole row, also of what is left out of it. */
	for (size_t r = 0; r < l->t->n_rows; r++)
		render_line(b, l, l->texts + r * l->t->n_cols,
			style->color ? row_color(given, r) : NULL);
}

void out_table(struct sbuf *b, const struct table *given, const struct out_style *style)
{
	struct totals totals = {.n = 0};
	struct table t = *given;
	struct arena a = {0};
	struct layout l;

	if (style->totals && !given->no_totals)
		totals_of(&t, &totals, &a);
	if (!fit_table(&l, &t, &totals, style, &a)) {
		if (style->left_out)
			sbuf_reset(style->left_out);
		if (totals.n)
			totals_of(given, &totals, &a);
		out_records(b, given, &totals, style);
		arena_done(&a);
		return;
	}
	render_rows(b, given, &l, style, &a);
	/* The columns of all sums may be among those that were left out. */
	for (size_t i = 0; has_money(&t) && i < totals.n; i++)
		render_total(b, &l, &totals.v[i], style->color ? OUT_BOLD : NULL, &a);
	arena_done(&a);
}

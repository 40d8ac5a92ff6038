/* The colour that says how a row stands. */
#include "cli/out/internal.h"

#include <string.h>

#define SOON_DAYS 3
#define HIGH_PERCENT 80

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

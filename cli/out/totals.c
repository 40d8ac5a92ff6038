/* The last lines of tables with amounts: sums, one a currency. */
#include "base/money.h"
#include "cli/out/internal.h"

#include <stdio.h>
#include <string.h>

const char *row_currency(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++)
		if (!strcmp(t->cols[c]->name, "currency") &&
			t->cells[r * t->n_cols + c].kind == CELL_TEXT)
			return t->cells[r * t->n_cols + c].text;
	return NULL;
}

static bool has_amount(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++)
		if (t->cols[c]->type == COL_MONEY &&
			t->cells[r * t->n_cols + c].kind != CELL_NULL)
			return true;
	return false;
}

const char *table_currency(const struct table *t)
{
	const char *one = NULL;

	for (size_t r = 0; r < t->n_rows; r++) {
		const char *cur = row_currency(t, r);

		if (!cur && !has_amount(t, r))
			continue;
		if (!cur || (one && strcmp(one, cur) != 0))
			return NULL;
		one = cur;
	}
	return one;
}

static struct total *find_total(
	struct totals *t, const char *cur, size_t n_cols, struct arena *a)
{
	struct total *new;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].cur, cur))
			return &t->v[i];
	if (t->n == MAX_TOTALS)
		return NULL;
	new = &t->v[t->n++];
	snprintf(new->cur, sizeof(new->cur), "%s", cur);
	new->sums = arena_alloc(a, n_cols * sizeof(int64_t));
	new->over = arena_alloc(a, n_cols * sizeof(bool));
	return new;
}

static void add_row(const struct table *t, size_t r, struct total *sum)
{
	for (size_t c = 0; c < t->n_cols; c++) {
		const struct cell *cell = &t->cells[r * t->n_cols + c];

		if (t->cols[c]->type != COL_MONEY)
			continue;
		/* With an amount that is not known there is no sum. */
		if (cell->kind == CELL_NULL ||
			(cell->kind == CELL_NANOS &&
				!nanos_add(sum->sums[c], cell->i, &sum->sums[c])))
			sum->over[c] = true;
	}
}

bool has_money(const struct table *t)
{
	for (size_t c = 0; c < t->n_cols; c++)
		if (t->cols[c]->type == COL_MONEY)
			return true;
	return false;
}

void totals_of(const struct table *t, struct totals *out, struct arena *a)
{
	out->n = 0;
	if (t->n_rows < 2 || !has_money(t))
		return;
	for (size_t r = 0; r < t->n_rows; r++) {
		const char *cur = row_currency(t, r);
		struct total *sum = cur ? find_total(out, cur, t->n_cols, a) : NULL;

		if (sum)
			add_row(t, r, sum);
	}
}

const char *total_text(
	const struct table *t, const struct total *sum, size_t c, char buf[NANOS_BUF])
{
	if (t->cols[c]->type == COL_MONEY)
		return sum->over[c] ? "" : money_human(t->cols[c], sum->sums[c], buf);
	if (!strcmp(t->cols[c]->name, "currency"))
		return sum->cur;
	return c ? "" : "total";
}

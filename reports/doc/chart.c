/* Data of the charts of a document: series, and sparklines in a line of text. */
#include "reports/doc/formats.h"

#include "base/str.h"

static struct doc_series *series_of(const struct doc *d, struct doc_series **all, size_t *n,
	size_t *cap, const char *currency)
{
	for (size_t i = 0; i < *n; i++)
		if (str_eq((*all)[i].currency, currency))
			return &(*all)[i];
	*arena_append(d->arena, *all, *n, *cap) = (struct doc_series){.currency = currency};
	return &(*all)[*n - 1];
}

static void add_value(
	const struct doc *d, struct doc_series *s, const struct doc_row *row, int64_t v)
{
	s->v = arena_grow(d->arena, s->v, s->n, &s->cap, sizeof(*s->v));
	s->rows = arena_grow(d->arena, s->rows, s->n, &s->cap_rows, sizeof(*s->rows));
	s->v[s->n] = v;
	s->rows[s->n] = row;
	if (v < s->v[s->lowest])
		s->lowest = s->n;
	if (v > s->v[s->highest])
		s->highest = s->n;
	s->n++;
}

size_t doc_chart_series(
	const struct doc *d, const struct doc_section *s, struct doc_series **out)
{
	size_t n = 0, cap = 0;

	*out = NULL;
	if (s->chart.value < 0 || s->chart.part || s->chart.to)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct doc_row *row = &s->rows[i];
		const struct doc_cell *c = &row->cells[s->chart.value];

		if (!row->total && doc_is_number(c->type))
			add_value(d, series_of(d, out, &n, &cap, c->text), row, c->v);
	}
	return n;
}

/* Level 0 to 7; zero and negative values have level 0. */
static int level(int64_t v, int64_t highest)
{
	if (v <= 0)
		return 0;
	return (int)(((__int128)v * 7 + highest / 2) / highest);
}

void doc_sparkline(const int64_t *v, size_t n, struct sbuf *b)
{
	int64_t highest = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i] > highest)
			highest = v[i];
	for (size_t i = 0; i < n; i++) { /* U+2581 to U+2588 */
		sbuf_adds(b, "\xe2\x96");
		sbuf_addc(b, (char)(0x81 + level(v[i], highest)));
	}
}

/* Sections with the rows of a query and the types of the vocabulary. */
#include "base/money.h"
#include "base/str.h"
#include "reports/doc/doc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum doc_type read_type_of(const struct column *c)
{
	switch (c->type) {
	case COL_INT:
		return DOC_INT;
	case COL_FLAG:
		return DOC_FLAG;
	case COL_MONEY:
		return str_ends(c->name, "per_hour") ? DOC_RATE : DOC_MONEY;
	case COL_DECIMAL:
		return column_is_percent(c) ? DOC_PERCENT : DOC_DECIMAL;
	case COL_TIME:
		return DOC_TIME;
	case COL_TEXT:
	case COL_JSON:
		break;
	}
	return DOC_TEXT;
}

struct doc_column doc_column_of(const struct column *c)
{
	return (struct doc_column){.key = c->name,
		.type = read_type_of(c),
		.digits = c->type == COL_MONEY ? -1 : 1};
}

struct doc_section *doc_section_like(struct doc *d, const char *key, const char *title,
	const char *view, const struct doc_column *columns, int n_columns)
{
	const struct view *v = view_find(view);
	struct doc_column *own = arena_alloc(
		d->arena, (size_t)n_columns * sizeof(struct doc_column));

	memcpy(own, columns, (size_t)n_columns * sizeof(*own));
	for (int i = 0; i < n_columns; i++) {
		const struct column *c = own[i].type ? NULL : view_column(v, own[i].key);

		for (size_t k = 0; !own[i].type && !c && k < n_views; k++)
			c = view_column(views[k], own[i].key);
		if (!c)
			continue;
		own[i].type = read_type_of(c);
		own[i].digits = c->type == COL_MONEY ? -1 : own[i].digits;
	}
	return doc_section(d, key, title, own, n_columns);
}

/* ---- tables of commands ------------------------------------------------------------------------ */

struct doc_section *doc_table_like(struct arena *a, const struct view *v)
{
	struct doc_column *cols = arena_alloc(a, v->n * sizeof(*cols));

	for (size_t i = 0; i < v->n; i++)
		cols[i] = doc_column_of(&v->columns[i]);
	return doc_table(a, cols, v->n);
}

/* Largest double of units that converts to every nano-unit exactly. */
#define EXACT_UNITS 4000000.0

struct doc_cell doc_cell_read(struct arena *a, enum doc_type type, const struct db_cell *c)
{
	bool money = doc_is_money(type);
	int64_t nanos;

	switch (c->type) {
	case DB_NULL:
		break;
	case DB_INT:
		if (money && !__builtin_mul_overflow(c->v.v, NANOS, &nanos))
			return (struct doc_cell){.type = type, .v = nanos};
		return (struct doc_cell){
			.type = type == DOC_FLAG ? DOC_FLAG : DOC_INT, .v = c->v.v};
	case DB_REAL:
		if (!isfinite(c->real)) /* JSON has no such number */
			break;
		if (c->real < -EXACT_UNITS || c->real > EXACT_UNITS)
			return (struct doc_cell){.type = DOC_REAL, .real = c->real};
		return (struct doc_cell){.type = money ? type : DOC_DECIMAL, .v = c->v.v};
	case DB_TEXT:
		return cell_text(arena_strdup(a, c->text));
	}
	return (struct doc_cell){0};
}

/* ---- rows of internal queries ------------------------------------------------------------------ */

struct doc_cell doc_cell_raw(struct arena *a, enum doc_type type, const struct db_cell *c)
{
	if (c->type == DB_TEXT || type == DOC_TEXT)
		return doc_cell_read(a, type, c);
	return c->v.set ? (struct doc_cell){.type = type, .v = c->v.v}
			: (struct doc_cell){0};
}

struct doc_row *doc_read(struct doc_section *s, struct db_rows *rows)
{
	const char *currency;
	struct doc_row *row;

	if (!db_rows_step(rows))
		return NULL;
	if (!s->read_from) {
		s->read_from = arena_alloc(
			s->arena, ((size_t)s->n_columns + 1) * sizeof(int));
		s->read_from[s->n_columns] = db_rows_column(rows, "currency");
		for (int i = 0; i < s->n_columns; i++)
			s->read_from[i] = db_rows_column(rows, s->columns[i].key);
	}
	currency = arena_strdup(
		s->arena, db_rows_cell(rows, s->read_from[s->n_columns]).text);
	row = doc_row(s);
	for (int i = 0; i < s->n_columns; i++) {
		const struct doc_column *col = &s->columns[i];
		struct db_cell value = db_rows_cell(rows, s->read_from[i]);
		struct doc_cell *c = &row->cells[i];

		*c = doc_cell_raw(s->arena, col->type, &value);
		if (doc_is_money(c->type))
			*c = currency ? (struct doc_cell){.type = c->type,
						.v = c->v,
						.text = currency}
				      : (struct doc_cell){0};
		if (c->type)
			c->status = col->status;
	}
	return row;
}

struct doc_cell *doc_at(
	const struct doc_section *s, const struct doc_row *r, const char *key)
{
	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, key))
			return &r->cells[i];
	abort();
}

const char *doc_group(const struct doc_section *s, const struct doc_row *before,
	const struct doc_row *row)
{
	const char *name = s->group ? doc_at(s, row, s->group)->text : NULL;

	if (!s->group || (before && str_eq(doc_at(s, before, s->group)->text, name)))
		return NULL;
	return arena_printf(s->arena, "%s %s:", s->group, name ? name : "unknown");
}

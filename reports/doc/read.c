/* Sections whose rows are those of a query, and whose types are those of the vocabulary. */
#include "base/money.h"
#include "base/str.h"
#include "db/vocab.h"
#include "reports/doc/doc.h"

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
		return str_ends(c->name, "percent") ? DOC_PERCENT : DOC_DECIMAL;
	case COL_TIME:
		return DOC_TIME;
	case COL_TEXT:
	case COL_JSON:
		break;
	}
	return DOC_TEXT;
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
		if (own[i].type == DOC_MONEY || own[i].type == DOC_RATE)
			own[i].digits = -1;
	}
	return doc_section(d, key, title, own, n_columns);
}

static struct doc_cell read_cell(struct doc *d, enum doc_type type,
	const struct db_cell *c, const char *currency)
{
	struct opt_i64 v = c->v;

	if (c->type == DB_NULL)
		return (struct doc_cell){0};
	switch (type) {
	case DOC_NONE:
		break;
	case DOC_TEXT:
	case DOC_CODE:
		return (struct doc_cell){.type = type, .text = arena_strdup(d->arena, c->text)};
	case DOC_MONEY:
	case DOC_RATE:
		return currency ? (struct doc_cell){.type = type, .v = v.v, .text = currency}
				: (struct doc_cell){0};
	case DOC_DECIMAL:
	case DOC_PERCENT:
		if (c->type == DB_INT)
			v.set = v.set && !__builtin_mul_overflow(v.v, NANOS, &v.v);
		break;
	case DOC_INT:
	case DOC_TIME:
	case DOC_DURATION:
	case DOC_FLAG:
		break;
	}
	return v.set ? (struct doc_cell){.type = type, .v = v.v} : (struct doc_cell){0};
}

struct doc_row *doc_read(struct doc *d, struct doc_section *s, struct db_rows *rows)
{
	const char *currency;
	struct doc_row *row;

	if (!db_rows_step(rows))
		return NULL;
	if (!s->read_from) {
		s->read_from = arena_alloc(d->arena, ((size_t)s->n_columns + 1) * sizeof(int));
		s->read_from[s->n_columns] = db_rows_column(rows, "currency");
		for (int i = 0; i < s->n_columns; i++)
			s->read_from[i] = db_rows_column(rows, s->columns[i].key);
	}
	currency = arena_strdup(d->arena, db_rows_cell(rows, s->read_from[s->n_columns]).text);
	row = doc_row(d, s);
	for (int i = 0; i < s->n_columns; i++) {
		struct db_cell c = db_rows_cell(rows, s->read_from[i]);

		row->cells[i] = read_cell(d, s->columns[i].type, &c, currency);
		if (row->cells[i].type)
			row->cells[i].status = s->columns[i].status;
	}
	return row;
}

struct doc_cell *doc_at(const struct doc_section *s, const struct doc_row *r, const char *key)
{
	int i = 0;

	while (strcmp(s->columns[i].key, key) != 0)
		i++;
	return &r->cells[i];
}

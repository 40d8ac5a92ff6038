/* Values of derived rows, wherever they are: packed, computed or in an array; and their order. */
#include "db/derived_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------ */

struct value rows_value_in(const struct sql_field *f, const char *row)
{
	const char *at = row + f->offset;

	if (f->type == SQL_TEXT) {
		const char *s = *(const char *const *)at;

		return (struct value){.null = !s, .s = s};
	}
	if (!f->nullable)
		return (struct value){.i = *(const int64_t *)at};
	return (struct value){.null = !((const struct opt_i64 *)at)->set,
		.i = ((const struct opt_i64 *)at)->v};
}

/* A look-up compares many rows by their key alone. */
static struct value rows_compute(const struct derived_rows *r, size_t row, int column)
{
	struct computed *c = r->computed;
	uint32_t number = r->starts[row];

	if (rows_is_key(r, column))
		return (struct value){.s = c->by->key(c->ctx, number, column)};
	if (!c->any || c->number != number) {
		c->by->row(c->ctx, number, c->row);
		c->number = number;
		c->any = true;
	}
	return rows_value_in(&r->t->fields[column], c->row);
}

struct value rows_value_at(const struct derived_rows *r, size_t row, int column)
{
	const struct sql_field *f = &r->t->fields[column];
	uint64_t bit = UINT64_C(1) << column;
	const uint64_t *at;

	if (r->array)
		return rows_value_in(f, r->array + row * r->t->row_size);
	if (r->computed)
		return rows_compute(r, row, column);
	at = &r->words[r->starts[row]];
	if (!(*at & bit))
		return (struct value){.null = f->nullable};
	at += 1 + __builtin_popcountll(*at & (bit - 1));
	if (f->type == SQL_TEXT)
		return (struct value){.s = (const char *)(uintptr_t)*at};
	return (struct value){.i = (int64_t)*at};
}

int rows_order_of(const struct value *a, const struct value *b, enum sql_type type)
{
	if (a->null || b->null)
		return (int)b->null - (int)a->null;
	return type == SQL_I64 ? i64_order(a->i, b->i) : strcmp(a->s, b->s);
}

static int rows_compare_column(const struct derived_rows *r, size_t a, size_t b, int column)
{
	struct value va = rows_value_at(r, a, column), vb = rows_value_at(r, b, column);

	return rows_order_of(&va, &vb, r->t->fields[column].type);
}

static int rows_compare_key(const struct derived_rows *r, size_t a, size_t b)
{
	int order = 0;

	for (int i = 0; !order && i < r->t->n_key; i++)
		order = rows_compare_column(r, a, b, i);
	return order;
}

/* ---- sorting ----------------------------------------------------------------------------------- */

struct sorting {
	const struct derived_rows *r;
	int column; /* -1: the key */
};

static int rows_by_value(const void *pa, const void *pb, void *ctx)
{
	const struct sorting *s = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int order = s->column < 0 ? rows_compare_key(s->r, a, b)
				  : rows_compare_column(s->r, a, b, s->column);

	return order ? order : (int)a - (int)b;
}

uint32_t *rows_sort_numbers(const struct derived_rows *r, int column)
{
	uint32_t *numbers = xcalloc(r->n, sizeof(*numbers));
	struct sorting s = {r, column};

	for (size_t i = 0; i < r->n; i++)
		numbers[i] = (uint32_t)i;
	qsort_r(numbers, r->n, sizeof(*numbers), rows_by_value, &s);
	return numbers;
}

static enum err_code rows_check_key(
	const struct derived_rows *r, const uint32_t *numbers, struct err *e)
{
	for (size_t i = 1; i < r->n; i++)
		if (!rows_compare_key(r, numbers[i - 1], numbers[i]))
			return err_set(e, E_BUG, "derived table %s has two rows of one key",
				r->t->name);
	return E_OK;
}

static void rows_put_in_order(struct derived_rows *r, const uint32_t *numbers)
{
	uint32_t *starts = xcalloc(r->n, sizeof(*starts));

	for (size_t i = 0; i < r->n; i++)
		starts[i] = r->starts[numbers[i]];
	free(r->starts);
	r->starts = starts;
	r->cap = r->n;
}

/* Most rows are added in the order of their key. */
static bool rows_are_in_order(const struct derived_rows *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (rows_compare_key(r, i - 1, i) >= 0)
			return false;
	return true;
}

enum err_code rows_sort_by_key(struct derived_rows *r, struct err *e)
{
	uint32_t *numbers;
	enum err_code rc;

	if (!r->t->n_key || rows_are_in_order(r))
		return E_OK;
	numbers = rows_sort_numbers(r, -1);
	rc = rows_check_key(r, numbers, e);
	if (r->t->sorted)
		rows_put_in_order(r, numbers);
	free(numbers);
	return rc;
}

/* Derived rows as they are kept: values and order. Private to db/. */
#ifndef TPUCOST_DB_DERIVED_ROWS_H
#define TPUCOST_DB_DERIVED_ROWS_H

#include "db/internal.h"

struct derived_rows {
	const struct derived_table *t;
	struct db *db;
	struct derived *of;        /* NULL: an array, always ready */
	const char *array;         /* of structs: the caller's */
	struct computed *computed; /* NULL: the rows are kept */
	uint64_t *words;           /* of all rows */
	/* per row: its first word, or its number if it is computed; in the order in which they are read */
	uint32_t *starts;
	size_t n, cap, n_words, cap_words;
	struct arena texts;
	uint32_t **
		by; /* per column: numbers of the rows sorted by its value; NULL: not needed yet */
	size_t cursors; /* open cursors */
};

struct computed {
	const struct db_computed *by;
	void *ctx;
	void *row; /* the one that was computed last */
	uint32_t number;
	bool any;
};

struct derived {
	struct derived_rows *tables;
	struct arena shared; /* texts that rows refer to */
	struct arena_places shared_places;
	uint64_t ready, filling; /* sets of tables */
	uint64_t planned;        /* read by the statement that is being prepared */
	db_fill_fn *fill;
	db_done_fn *done;
	void *ctx;
};

/* A value of a row, or the value that SQL compares with it. */
struct value {
	bool null;
	int64_t i;
	const char *s;
};

static inline uint64_t rows_bit_of(const struct derived_rows *r)
{
	return UINT64_C(1) << (r - r->of->tables);
}

/* The first column, and all of the key. */
static inline bool rows_is_key(const struct derived_rows *r, int column)
{
	return !column || column < r->t->n_key;
}

/* Value of a column of a struct; and of a row, by its place. */
struct value rows_value_in(const struct sql_field *f, const char *row);
struct value rows_value_at(const struct derived_rows *r, size_t row, int column);
/* Order of values of one type, as in the engine: NULL first, texts by their bytes. */
int rows_order_of(const struct value *a, const struct value *b, enum sql_type type);
/* Numbers of the rows in the order of a column; on the heap. */
uint32_t *rows_sort_numbers(const struct derived_rows *r, int column);
/* E_BUG: two rows have one key. */
enum err_code rows_sort_by_key(struct derived_rows *r, struct err *e) must_check;

#endif

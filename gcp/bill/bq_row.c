/* Values of a row. Encoding: "f" and "v" objects, every scalar as text (BigQuery REST
 * reference, jobs.getQueryResults). */
#include "gcp/bill/bigquery.h"

#include "base/money.h"
#include "base/str.h"

#include <string.h>

#define MICROS 1000000

static enum err_code row_take_cell(void *ctx, const struct json_wish *list, struct err *e)
{
	struct bq_row *row = ctx;

	(void)e;
	(void)list;
	if (row->n < row->columns->n)
		row->cells[row->n] = row->value;
	row->n++;
	return E_OK;
}

enum err_code bq_read_row(struct bq_row *row, const char *text, size_t len, struct err *e)
{
	static const struct json_wish cell[] = {{JSON_KEY("v"), .slot = 0}};
	static const struct json_wish cells[] = {
		{JSON_KEY("f"), .sub = cell, .n_sub = 1, .list = true}};
	struct json_picker p = {.wishes = cells,
		.n = 1,
		.slots = &row->value,
		.n_slots = 1,
		.on_item = row_take_cell,
		.ctx = row,
		.scratch = &row->decoded};

	row->number++;
	row->n = 0;
	arena_reset(&row->decoded);
	sbuf_reset(&row->text);
	sbuf_add(&row->text, text, len);
	if (json_pick(&p, row->text.s, len, e))
		return err_wrap(e, "row %lld", (long long)row->number);
	if (row->n != row->columns->n)
		return err_set(e, E_DATA, "row %lld: %zu values for %zu columns",
			(long long)row->number, row->n, row->columns->n);
	/* in the place of the quote; a decoded text ends already */
	for (size_t i = 0; i < row->n; i++)
		if (row->cells[i].kind == JSON_STRING && row->cells[i].s >= row->text.s &&
			row->cells[i].s < row->text.s + len)
			row->text.s[row->cells[i].s - row->text.s +
				(ptrdiff_t)row->cells[i].n] = '\0';
	return E_OK;
}

void bq_row_done(struct bq_row *row)
{
	sbuf_done(&row->text);
	arena_done(&row->decoded);
}

/* Callers ask for the same columns in the same order in each row, which is that of the query in part only: the field
 * that was asked for after the last one in an earlier row is tried first. */
static bool bq_find(const struct bq_row *row, const char *column, size_t *at)
{
	struct bq_columns *c = row->columns;
	size_t *then = c->n ? &c->fields[c->last].then : NULL;

	for (size_t k = 0; k < c->n; k++) {
		size_t i = (*then + k) % c->n;

		if (str_ieq(c->fields[i].name, column)) {
			*at = c->last = *then = i;
			return true;
		}
	}
	return false;
}

static enum err_code bq_bad(
	const struct bq_row *row, const char *column, const char *why, struct err *e)
{
	return err_set(e, E_DATA, "row %lld, column '%s': %s", (long long)row->number,
		column, why);
}

/* The text of a scalar whose type is one of `types` (any type if NULL). */
static enum err_code bq_scalar(const struct bq_row *row, const char *column,
	const char *const *types, const char **out, struct err *e)
{
	const struct json_value *v;
	const struct bq_field *f;
	bool fits = !types;
	size_t i;

	if (!bq_find(row, column, &i))
		return err_set(e, E_BUG, "the result has no column '%s'", column);
	f = &row->columns->fields[i];
	for (; types && *types; types++)
		fits = fits || str_eq(f->type, *types);
	if (!fits || f->repeated || str_eq(f->type, "RECORD"))
		return err_set(e, E_DATA, "column '%s' is of type %s%.40s", column,
			f->repeated ? "repeated " : "", f->type);
	v = &row->cells[i];
	if (v->kind != JSON_STRING && v->kind != JSON_NULL && v->kind != JSON_ABSENT)
		return bq_bad(row, column, "the value is not a string", e);
	*out = v->kind == JSON_STRING ? v->s : NULL;
	return E_OK;
}

static enum err_code bq_whole(const struct bq_row *row, const char *column,
	const char *const *types, const char *why, struct opt_i64 *out, struct err *e)
{
	const char *s;
	int64_t v = 0;

	if (bq_scalar(row, column, types, &s, e))
		return e->code;
	if (s && !str_to_i64(s, INT64_MIN, INT64_MAX, &v))
		return bq_bad(row, column, why, e);
	*out = s ? SOME(v) : NONE;
	return E_OK;
}

enum err_code bq_text(
	const struct bq_row *row, const char *column, const char **out, struct err *e)
{
	return bq_scalar(row, column, NULL, out, e);
}

enum err_code bq_need_text(
	const struct bq_row *row, const char *column, const char **out, struct err *e)
{
	const char *s;

	if (bq_text(row, column, &s, e))
		return e->code;
	if (!s)
		return bq_bad(row, column, "the value is NULL", e);
	*out = s;
	return E_OK;
}

enum err_code bq_i64(
	const struct bq_row *row, const char *column, struct opt_i64 *out, struct err *e)
{
	static const char *const types[] = {"INTEGER", NULL};

	return bq_whole(row, column, types, "the value is not an integer", out, e);
}

enum err_code bq_nanos(
	const struct bq_row *row, const char *column, struct opt_i64 *out, struct err *e)
{
	static const char *const types[] = {
		"NUMERIC", "BIGNUMERIC", "FLOAT", "INTEGER", NULL};
	const char *s;
	int64_t v = 0;

	if (bq_scalar(row, column, types, &s, e))
		return e->code;
	if (s && nanos_parse(s, &v, e))
		return err_wrap(e, "row %lld, column '%s'", (long long)row->number, column);
	*out = s ? SOME(v) : NONE;
	return E_OK;
}

/* Seconds as a float ("1.67E9") have lost digits: integers were requested. */
enum err_code bq_ts(
	const struct bq_row *row, const char *column, struct opt_i64 *out, struct err *e)
{
	static const char *const types[] = {"TIMESTAMP", NULL};
	enum err_code rc = bq_whole(
		row, column, types, "the time is not a number of microseconds", out, e);

	if (rc == E_OK && out->set)
		out->v = out->v / MICROS - (out->v % MICROS < 0);
	return rc;
}

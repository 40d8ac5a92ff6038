/* Functions that build the rows of an explanation. */
#include "reports/why/internal.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"

#include <stdio.h>
#include <string.h>

const char *explain_time(const struct explaining *x, ts_t at)
{
	char utc[RFC3339_BUF], local[TZ_TIME_BUF];

	return arena_strdup(x->a,
		x->people ? tz_time(x->settings->tz, at, local) : rfc3339_format(at, utc));
}

void explain_section(struct explaining *x, const char *name)
{
	x->section = arena_strdup(x->a, name);
}

struct explain_row *explain_add(struct explaining *x, const char *label)
{
	struct explain_row *row;

	row = arena_append(x->a, x->rows, x->n_rows, x->cap);
	*row = (struct explain_row){
		.section = x->section, .label = arena_strdup(x->a, label)};
	return row;
}

struct explain_row *explain_say(
	struct explaining *x, const char *label, const char *fmt, ...)
{
	struct explain_row *row = explain_add(x, label);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	row->kind = EXPLAIN_TEXT;
	row->text = arena_strdup(x->a, b.s);
	return row;
}

void explain_fact(struct explaining *x, const char *label, const char *text)
{
	if (text && *text)
		explain_say(x, label, "%s", text);
}

struct explain_row *explain_nanos(
	struct explaining *x, const char *label, struct opt_i64 nanos, const char *unit)
{
	struct explain_row *row = explain_add(x, label);

	if (nanos.set) {
		row->kind = EXPLAIN_NANOS;
		row->nanos = nanos.v;
	}
	row->unit = arena_strdup(x->a, unit);
	return row;
}

struct explain_row *explain_count(
	struct explaining *x, const char *label, struct opt_i64 n, const char *unit)
{
	struct opt_i64 nanos = NONE;

	if (n.set && !__builtin_mul_overflow(n.v, NANOS, &nanos.v))
		nanos.set = true;
	if (n.set && !nanos.set) /* more than nano-units: as text, with every digit */
		return explain_say(x, label, "%lld %s", (long long)n.v, unit ? unit : "");
	return explain_nanos(x, label, nanos, unit);
}

void explain_more(struct explaining *x, size_t n, const char *see)
{
	if (n > EXPLAIN_SHOWN)
		explain_say(x, "more", "%zu more; run: %s", n - EXPLAIN_SHOWN, see);
}

/* ---- rows of a query --------------------------------------------------------------------------- */

/* `text` with a part: times in words, amounts as decimals. */
static const char *rows_join(
	struct explaining *x, const char *text, const char *name, const struct db_cell *c)
{
	char num[NANOS_BUF];
	const char *part = c->text;

	if (c->type == DB_INT)
		part = str_ends(name, " @") ? explain_time(x, c->v.v)
					    : nanos_format(c->v.v, num);
	return part ? arena_printf(x->a, "%s%s", text ? text : "", part) : text;
}

/* The row of a value; NULL: it is unknown, and not shown. */
static struct explain_row *rows_add(struct explaining *x, const char *label, char kind,
	bool optional, const struct db_cell *c, const char *unit)
{
	int64_t nanos;

	if (c->type == DB_TEXT && kind == '$' && !nanos_parse(c->text, &nanos, NULL))
		return explain_nanos(x, label, SOME(nanos), unit);
	if (c->type == DB_TEXT && *c->text) {
		struct explain_row *row = explain_say(x, label, "%s", c->text);

		row->kind = kind == '>' ? EXPLAIN_COMMAND : EXPLAIN_TEXT;
		return row;
	}
	if (c->type == DB_TEXT || !label || (optional && c->type == DB_NULL))
		return NULL;
	if (kind == '@') {
		explain_when(x, label, c->v);
		return &x->rows[x->n_rows - 1];
	}
	return kind == '$' ? explain_nanos(x, label, c->v, unit)
			   : explain_count(x, label, c->v, unit);
}

/* Completes the row of the column before; false: the column is none of those that do. */
static bool rows_complete(struct explaining *x, struct explain_row *row, const char *name,
	const struct db_cell *c)
{
	static const char *const names[] = {
		"unit", "formula", "formula @", "source", "+", "+ @", "read"};

	if (!str_in(name, names, ARRAY_LEN(names)))
		return false;
	if (row && *name == 'f')
		row->formula = rows_join(x, row->formula, name, c);
	else if (row && *name == '+')
		row->text = rows_join(x, row->text, name, c);
	else if (row && *name == 's')
		row->source = arena_strdup(x->a, c->text);
	else if (row && *name == 'r' && c->v.set)
		row->age = SOME(x->now - c->v.v);
	return true;
}

/* Adds the rows of one row of the result. */
static void rows_read(struct explaining *x, struct db_rows *rows)
{
	const char *name, *label = NULL, *next;
	struct explain_row *row = NULL;

	for (int i = 0; (name = db_rows_name(rows, i)); i++) {
		struct db_cell c = db_rows_cell(rows, i);
		size_t n = strcspn(name, "@$#>");
		char kind = name[n];
		bool optional = (kind != '$' && kind != '#') || str_ends(name, "?");

		if (!strcmp(name, "section")) {
			explain_section(x, c.text);
		} else if (!strcmp(name, "label")) {
			label = c.type == DB_INT ? explain_time(x, c.v.v)
						 : arena_strdup(x->a, c.text);
		} else if (!rows_complete(x, row, name, &c)) {
			next = db_rows_name(rows, i + 1);
			row = rows_add(x,
				*name == '=' ? label
					     : arena_strndup(x->a, name, n - (kind != 0)),
				kind, optional, &c,
				next && !strcmp(next, "unit")
					? db_rows_cell(rows, i + 1).text
					: NULL);
		}
	}
}

size_t explain_rows(
	struct explaining *x, const char *section, struct db_rows rows, const char *see)
{
	size_t n = 0;

	if (section)
		explain_section(x, section);
	while (db_rows_step(&rows))
		if (++n <= EXPLAIN_SHOWN || !see)
			rows_read(x, &rows);
	if (see)
		explain_more(x, n, see);
	return n;
}

void explain_when(struct explaining *x, const char *label, struct opt_i64 at)
{
	struct explain_row *row;

	if (!at.set)
		return;
	row = explain_add(x, label);
	row->kind = EXPLAIN_TIME;
	row->at = at.v;
}

struct explain_row *explain_rate(
	struct explaining *x, const char *label, struct opt_i64 nanos, const char *currency)
{
	char unit[16];

	snprintf(unit, sizeof(unit), "%.8s/h", currency ? currency : "");
	return explain_nanos(x, label, nanos, currency ? unit : NULL);
}

void explain_from_bill(struct explaining *x, struct explain_row *row)
{
	const struct q_explain_bill_read *q;

	row->source = "billing";
	q = q_explain_bill_read_row(x);
	if (q && q->at.set)
		row->age = SOME(x->now - q->at.v);
}

const char *explain_money(struct explaining *x, int64_t nanos, const char *currency)
{
	char num[NANOS_BUF];

	return arena_printf(x->a, "%s %s", nanos_format(nanos, num), currency);
}

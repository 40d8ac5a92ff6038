#include "rules/vocab/template.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "db/db.h"

#include <math.h>
#include <string.h>

static void add_part(
	struct template *t, struct arena *a, size_t *cap, struct template_part part)
{
	*arena_append(a, t->parts, t->n, *cap) = part;
}

static enum err_code add_column(const char *name, const struct view *v, struct arena *a,
	struct template *t, size_t *cap, struct err *e)
{
	const struct column *col = view_column(v, name);
	const char *near;

	if (col) {
		add_part(t, a, cap, (struct template_part){.col = col});
		return E_OK;
	}
	near = view_nearest_column(v, name);
	err_set(e, E_USAGE, "{%s}: %s has no such column", name, v->name);
	return near ? err_fix(e, "did you mean {%s}?", near)
		    : err_fix(e, "columns: tpucost views");
}

enum err_code template_parse(const char *text, const struct view *v, struct arena *a,
	struct template *out, struct err *e)
{
	struct template t = {0};
	const char *p = text;
	size_t cap = 0;

	if (strlen(text) > TEMPLATE_MAX)
		return err_set(e, E_USAGE, "longer than %d bytes", TEMPLATE_MAX);
	while (*p) {
		size_t n = strcspn(p, "{}");

		if (n)
			add_part(&t, a, &cap,
				(struct template_part){.text = arena_strndup(a, p, n)});
		p += n;
		if (!*p)
			break;
		if (p[1] == *p) {
			add_part(&t, a, &cap,
				(struct template_part){.text = *p == '{' ? "{" : "}"});
			p += 2;
			continue;
		}
		n = strcspn(p + 1, "{}");
		if (*p == '}' || p[1 + n] != '}') {
			err_set(e, E_USAGE, "a brace is not closed");
			return err_fix(e, "write {column}, or {{ and }} for braces");
		}
		if (add_column(arena_strndup(a, p + 1, n), v, a, &t, &cap, e))
			return e->code;
		p += n + 2;
	}
	*out = t;
	return E_OK;
}

/* Of the amounts of the row; "": none. */
static const char *row_currency(const struct db_cursor *row)
{
	for (int i = 0; i < db_cursor_columns(row); i++)
		if (str_eq(db_cursor_name(row, i), "currency") &&
			db_cursor_type(row, i) == DB_TEXT)
			return db_cursor_text(row, i);
	return "";
}

/* As reports have it. */
static void add_number(
	struct sbuf *b, const struct column *col, const struct db_cursor *row, double v)
{
	char buf[NANOS_BUF];

	if (col->type == COL_MONEY && fabs(v) < 9e9) {
		sbuf_adds(b,
			nanos_format_money((int64_t)llround(v * 1e9),
				money_digits(
					row_currency(row), str_ends(col->name, "per_hour")),
				buf));
	} else if (column_is_percent(col)) {
		sbuf_addf(b, "%.1f", v);
	} else {
		/* four digits are significant for small numbers, six for others */
		sbuf_addf(b, fabs(v) < 1000 ? "%.4g" : "%.6g", v);
	}
}

/* Omit the blank before an empty text. */
static void add_nothing(struct sbuf *b)
{
	if (b->len && b->s[b->len - 1] == ' ')
		sbuf_trunc(b, b->len - 1);
}

/* In the user's zone; UTC is named. */
static void add_moment(struct sbuf *b, const struct tz *tz, const char *text)
{
	char buf[TZ_TIME_BUF];
	ts_t t;

	if (!tz || rfc3339_parse(text, &t, NULL, NULL)) {
		sbuf_adds(b, text);
		return;
	}
	sbuf_adds(b, tz_time_utc(tz, t, buf));
}

static void add_value(struct sbuf *b, const struct tz *tz, const struct column *col,
	const struct db_cursor *row, int i)
{
	switch (db_cursor_type(row, i)) {
	case DB_NULL:
		/* "costs unknown an hour": without an amount there is no currency */
		if (str_ends(col->name, "currency"))
			add_nothing(b);
		else
			sbuf_adds(b, "unknown");
		break;
	case DB_INT:
		if (col->type == COL_MONEY || column_is_percent(col))
			add_number(b, col, row, (double)db_cursor_i64(row, i));
		else
			sbuf_addf(b, "%lld", (long long)db_cursor_i64(row, i));
		break;
	case DB_REAL:
		add_number(b, col, row, db_cursor_real(row, i));
		break;
	case DB_TEXT:
		if (!*db_cursor_text(row, i))
			add_nothing(b);
		if (col->type == COL_TIME)
			add_moment(b, tz, db_cursor_text(row, i));
		else
			sbuf_adds(b, db_cursor_text(row, i));
		break;
	}
}

/* A cut inside a character would make the text invalid. */
static void shorten(struct sbuf *b, size_t max)
{
	if (b->len <= max)
		return;
	max -= 3;
	while (max && ((unsigned char)b->s[max] & 0xc0) == 0x80)
		max--;
	sbuf_trunc(b, max);
	sbuf_adds(b, "...");
}

void template_render(
	const struct template *t, const struct db_cursor *row, int first, struct sbuf *out)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->parts[i].text)
			sbuf_adds(out, t->parts[i].text);
		else
			add_value(out, t->tz, t->parts[i].col, row, first++);
	}
	shorten(out, TEMPLATE_MAX);
}

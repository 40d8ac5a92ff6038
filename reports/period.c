#include "reports/period.h"
#include "db_sql.h"

#include "db/db.h"

#include "base/time/civil.h"
#include "base/money.h"

#include <string.h>

const char *change_text(struct arena *a, int64_t nanos, const char *currency)
{
	return arena_printf(
		a, "%s%s", nanos < 0 ? "" : "+", money_words(a, nanos, currency));
}

const char *date_text(struct arena *a, day_t day)
{
	char buf[DATE_BUF];

	return arena_strdup(a, date_format(day, buf));
}

const char *moment_text(const struct doc *d, ts_t at)
{
	struct sbuf b = SBUF_INIT;
	const char *out;

	doc_time_text(d, at, &b);
	out = arena_strdup(d->arena, b.s);
	sbuf_done(&b);
	return out;
}

const char *stale_text(const struct doc *d, const struct watched *w, ts_t to)
{
	if (watched_until(w, to))
		return NULL;
	return arena_printf(d->arena, "%s since %s",
		w->unread ? "DATA STALE" : "Not everything could be read",
		moment_text(d, w->until));
}

struct opt_i64 opt_add(struct opt_i64 a, struct opt_i64 b)
{
	int64_t v;

	return a.set && b.set && nanos_add(a.v, b.v, &v) ? SOME(v) : NONE;
}

struct opt_i64 opt_sub(struct opt_i64 a, struct opt_i64 b)
{
	int64_t v;

	return a.set && b.set && nanos_sub(a.v, b.v, &v) ? SOME(v) : NONE;
}

struct opt_i64 nano_hours(struct opt_i64 seconds)
{
	int64_t v;

	return seconds.set && nanos_muldiv(seconds.v, NANOS, HOUR_SECONDS, &v) ? SOME(v)
									       : NONE;
}

struct opt_i64 percent_of(int64_t part, int64_t whole)
{
	int64_t v;

	return whole > 0 && nanos_muldiv(part, 100 * NANOS, whole, &v) ? SOME(v) : NONE;
}

void hide_column(struct doc *d, const char *key)
{
	for (size_t i = 0; i < d->n; i++) {
		struct doc_section *s = d->sections[i];

		for (int k = 0; k < s->n_columns; k++) {
			size_t size = (size_t)s->n_columns * sizeof(struct doc_column);
			struct doc_column *own;

			if (!s->columns[k].title || strcmp(s->columns[k].key, key) != 0)
				continue;
			own = arena_alloc(d->arena, size);
			memcpy(own, s->columns, size);
			own[k].title = NULL;
			s->columns = own;
		}
	}
}

static const struct doc_column coupon_columns[] = {
	{"name", "coupon", DOC_TEXT, 0, 0},
	{"amount", "amount", DOC_MONEY, -1, 1},
	{"used", "used", DOC_MONEY, -1, 0},
	{"left", "left", DOC_MONEY, -1, 0},
	{"expires", "expires", DOC_TIME, 0, 1},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

enum err_code period_coupons(
	struct doc *d, struct db *db, struct doc_section **out, struct err *e)
{
	struct q_period_coupons q;
	struct db_rows rows;

	*out = doc_section(d, "credits", "Coupons, as of now", coupon_columns,
		ARRAY_LEN(coupon_columns));
	if (q_period_coupons_open(db, &rows, e))
		return e->code;
	while (q_period_coupons_next(&rows, &q)) {
		struct doc_cell *c = doc_row(d, *out)->cells;
		const char *currency = arena_strdup(d->arena, q.currency);

		c[0] = cell_text(arena_strdup(d->arena, q.name));
		c[1] = cell_money(SOME(q.amount), currency);
		c[2] = cell_money(q.used, currency);
		c[3] = cell_money(opt_sub(SOME(q.amount), q.used), currency);
		c[4] = cell_time(q.expires.set ? q.expires.v : TS_NONE);
		c[5] = cell_text(currency);
	}
	return db_rows_close(&rows, e);
}

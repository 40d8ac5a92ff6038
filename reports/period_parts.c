#include "reports/period_parts.h"

#include "base/civil.h"
#include "base/money.h"

#include <string.h>

const char *money_text(struct arena *a, int64_t nanos, const char *currency)
{
	char num[NANOS_BUF];

	nanos_format_fixed(nanos, currency_digits(currency), num);
	return arena_printf(a, "%s %s", num, currency);
}

const char *change_text(struct arena *a, int64_t nanos, const char *currency)
{
	return arena_printf(
		a, "%s%s", nanos < 0 ? "" : "+", money_text(a, nanos, currency));
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

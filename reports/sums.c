#include "reports/sums.h"

#include "base/money.h"

#include <string.h>

static struct sum *find(const struct sums *s, const char *currency)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].currency, currency))
			return &s->v[i];
	return NULL;
}

bool sums_add(struct sums *s, struct arena *a, const char *currency, int64_t nanos)
{
	struct sum *sum = find(s, currency);

	if (sum)
		return nanos_add(sum->nanos, nanos, &sum->nanos);
	s->v = arena_grow(a, s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct sum){currency, nanos};
	return true;
}

struct opt_i64 sums_of(const struct sums *s, const char *currency)
{
	const struct sum *sum = find(s, currency);

	return sum ? SOME(sum->nanos) : NONE;
}

void sums_words(const struct sums *s, const char *unit, struct sbuf *b)
{
	char num[NANOS_BUF];

	for (size_t i = 0; i < s->n; i++)
		sbuf_addf(b, "%s%s %s%s", i ? " + " : "",
			nanos_format_fixed(
				s->v[i].nanos, currency_digits(s->v[i].currency), num),
			s->v[i].currency, unit);
}

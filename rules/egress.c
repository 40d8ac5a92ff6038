#include "rules/egress.h"

#include "base/money.h"
#include "base/sbuf.h"
#include "base/time/civil.h"

#include <string.h>

#define LISTED 5 /* buckets listed by name; the others are counted */

/* Smaller or larger of two; unknown when one of them is, or when the currencies differ. */
static struct price egress_choose(
	const struct price *a, const struct price *b, bool greater)
{
	if (!a->known || !b->known || strcmp(a->cur, b->cur) != 0)
		return price_unknown;
	return (a->nanos > b->nanos) == greater ? *a : *b;
}

/* ---- surroundings --------------------------------------------------------------------- */

static const char *list_far(const char *region, const struct place_of_bucket *v, size_t n,
	size_t far, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t listed = 0;

	for (size_t i = 0; i < n && listed < LISTED; i++)
		if (!price_same_place(region, v[i].location))
			sbuf_addf(&b, "%s%s (%s)", listed++ ? ", " : "", v[i].name,
				v[i].location);
	if (far > listed)
		sbuf_addf(&b, " and %zu more", far - listed);
	return far ? arena_strdup(a, b.s) : NULL;
}

struct surroundings egress_look(const struct price_book *b, const char *region,
	const struct place_of_bucket *v, size_t n, struct arena *a)
{
	struct surroundings s = {
		.least = price_free, .most = price_free, .internet = price_unknown};
	size_t far = 0;

	if (!region) {
		s.nowhere = true;
		return s;
	}
	s.internet = price_internet(b, region, PRICE_GIB);
	for (size_t i = 0; i < n; i++) {
		struct price p;

		if (price_same_place(region, v[i].location))
			continue;
		p = price_transfer(b, region, v[i].location, PRICE_GIB);
		s.least = far ? egress_choose(&s.least, &p, false) : p;
		s.most = far ? egress_choose(&s.most, &p, true) : p;
		far++;
	}
	s.far_only = far && far == n;
	s.far_buckets = list_far(region, v, n, far, a);
	return s;
}

/* ---- estimates ------------------------------------------------------------------------ */

static bool egress_hourly(int64_t rate, int64_t *out)
{
	return rate >= 0 && !__builtin_mul_overflow(rate, HOUR_SECONDS, out);
}

static struct price price_bytes(const struct price *of_gib, int64_t bytes)
{
	struct price p = *of_gib;

	if (p.known && !nanos_muldiv(of_gib->nanos, bytes, PRICE_GIB, &p.nanos))
		return price_unknown;
	return p;
}

static struct price high_of(const struct surroundings *s, int64_t sent, int64_t received)
{
	struct price out = price_free, in = price_free;

	if (sent) {
		out = s->far_buckets ? egress_choose(&s->internet, &s->most, true)
				     : s->internet;
		out = price_bytes(&out, sent);
	}
	if (received)
		in = price_bytes(&s->most, received);
	return price_add(&out, &in);
}

struct egress egress_estimate(const struct surroundings *s, const struct traffic *t)
{
	struct egress x = {.low = price_unknown, .high = price_unknown};
	int64_t sent, received, both;

	if (s->nowhere || !egress_hourly(t->sent, &sent) ||
		!egress_hourly(t->received, &received) ||
		__builtin_add_overflow(sent, received, &both))
		return x;
	x.low = s->far_only && both ? price_bytes(&s->least, both) : price_free;
	x.high = high_of(s, sent, received);
	return x;
}

const char *egress_path(const struct surroundings *s)
{
	return s->far_only ? "inter-region" : "unknown";
}

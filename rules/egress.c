#include "rules/egress.h"

#include "base/sbuf.h"

#include <string.h>

#define LISTED 5 /* buckets by name; the rest is a number */
#define HOUR 3600

static struct price none(void)
{
	return (struct price){.known = true, .cur = "USD", .source = PRICE_BUILTIN};
}

static struct price not_known(void)
{
	return (struct price){.source = PRICE_UNKNOWN};
}

static bool hourly(int64_t rate, int64_t *out)
{
	return rate >= 0 && !__builtin_mul_overflow(rate, HOUR, out);
}

/* The lesser or the greater of two; not known when one is, or the currencies differ. */
static struct price choose(const struct price *a, const struct price *b, bool greater)
{
	if (!a->known || !b->known || strcmp(a->cur, b->cur) != 0)
		return not_known();
	return (a->nanos > b->nanos) == greater ? *a : *b;
}

/* ---- far buckets ---------------------------------------------------------------------- */

struct far {
	size_t n, near;
	struct price least, most; /* of what was asked, between here and them */
};

static struct far look(const struct price_book *b, const char *region,
	const struct place_of_bucket *v, size_t n, int64_t bytes)
{
	struct far out = {0};

	for (size_t i = 0; i < n; i++) {
		struct price p;

		if (price_same_place(region, v[i].location)) {
			out.near++;
			continue;
		}
		p = price_transfer(b, region, v[i].location, bytes);
		out.least = out.n ? choose(&out.least, &p, false) : p;
		out.most = out.n ? choose(&out.most, &p, true) : p;
		out.n++;
	}
	return out;
}

static const char *list_far(const char *region, const struct place_of_bucket *v, size_t n,
	size_t far, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char *text;
	size_t listed = 0;

	for (size_t i = 0; i < n && listed < LISTED; i++)
		if (!price_same_place(region, v[i].location))
			sbuf_addf(&b, "%s%s (%s)", listed++ ? ", " : "", v[i].name,
				v[i].location);
	if (far > listed)
		sbuf_addf(&b, " and %zu more", far - listed);
	text = far ? arena_strdup(a, b.s) : NULL;
	sbuf_done(&b);
	return text;
}

/* ---- estimates ------------------------------------------------------------------------ */

static struct price high_of(const struct price_book *b, const char *region,
	const struct far *to, const struct far *from, int64_t sent, int64_t received)
{
	struct price out = none(), in = none();

	if (sent) {
		out = price_internet(b, region, sent);
		if (to->n)
			out = choose(&out, &to->most, true);
	}
	if (received && from->n)
		in = from->most;
	return price_add(&out, &in);
}

struct egress egress_estimate(const struct price_book *b, const char *region,
	const struct place_of_bucket *buckets, size_t n_buckets, const struct traffic *t,
	struct arena *a)
{
	struct egress x = {.low = not_known(), .high = not_known()};
	int64_t sent, received, both;
	struct far all, to, from;

	if (!region || !hourly(t->sent, &sent) || !hourly(t->received, &received) ||
		__builtin_add_overflow(sent, received, &both))
		return x;
	all = look(b, region, buckets, n_buckets, both);
	to = look(b, region, buckets, n_buckets, sent);
	from = look(b, region, buckets, n_buckets, received);
	x.far_only = all.n && !all.near;
	x.far_buckets = list_far(region, buckets, n_buckets, all.n, a);
	x.low = x.far_only && both ? all.least : none();
	x.high = high_of(b, region, &to, &from, sent, received);
	return x;
}

const char *egress_path(const struct egress *x)
{
	return x->far_only ? "inter-region" : "unknown";
}

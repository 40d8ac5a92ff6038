#include "rules/egress.h"

#include "base/money.h"
#include "base/sbuf.h"
#include "base/time/civil.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PAIRS 100000 /* beyond, only those within a project */
#define LISTED 5         /* buckets listed by name; the others are counted */

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

bool egress_hourly(int64_t rate, int64_t *out)
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

int64_t egress_leaving(const struct flow_parts *l, int64_t whole, bool hour)
{
	int64_t within = 0, others = 0;

	for (size_t i = 0; i < l->n; i++) {
		int64_t *sum = l->v[i].within ? &within : &others;

		if (__builtin_add_overflow(*sum, hour ? l->v[i].hour : l->v[i].rate, sum))
			return whole;
	}
	whole = within < whole ? whole - within : 0;
	return others > whole ? others : whole;
}

/* Cost of the bytes of *sent whose destination has a price; leaves the others in it.
 *
 * Of 8 GiB that may leave the region 3 go to europe-west4 at 0.05 USD, 2 external: 0.15 USD, and 3 GiB are left. */
static struct price price_parts(const struct flow_parts *to, int64_t *sent)
{
	struct price sum = price_free;

	for (size_t i = 0; i < to->n; i++) {
		const struct flow_part *x = &to->v[i];
		int64_t hourly = 0;
		struct price p;

		if (x->within || !x->price.known || !egress_hourly(x->rate, &hourly))
			continue;
		if (hourly > *sent)
			hourly = *sent;
		*sent -= hourly;
		p = price_bytes(&x->price, hourly);
		sum = price_add(&sum, &p);
	}
	return sum;
}

struct egress egress_estimate(const struct surroundings *s, const struct traffic *t)
{
	struct egress x = {.low = price_unknown, .high = price_unknown};
	int64_t sent, received, both;
	struct price parts;

	if (s->nowhere || !egress_hourly(t->sent, &sent) ||
		!egress_hourly(t->received, &received))
		return x;
	parts = price_parts(&t->to, &sent);
	if (__builtin_add_overflow(sent, received, &both))
		return x;
	x.low = s->far_only && both ? price_bytes(&s->least, both) : price_free;
	x.low = price_add(&x.low, &parts);
	x.high = high_of(s, sent, received);
	x.high = price_add(&x.high, &parts);
	return x;
}

const char *egress_path(const struct surroundings *s)
{
	return s->far_only ? "inter-region" : "unknown";
}

/* ---- senders and receivers -------------------------------------------------------------- */

bool egress_mostly(int64_t part, int64_t whole)
{
	return part >= whole - whole / 10;
}

struct flow_pair {
	struct sender *from;
	struct receiver *to;
	int rank; /* 0 1: within a location; even: within a project */
	int64_t apart;
};

static int flow_order(const void *a, const void *b)
{
	const struct flow_pair *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->apart != y->apart)
		return x->apart < y->apart ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static size_t flow_pairs(struct sender *s, size_t n_senders, struct receiver *r,
	size_t n_receivers, int flow, struct flow_pair **out, struct arena *a)
{
	bool few = n_senders * n_receivers <= MAX_PAIRS;
	size_t n = 0, cap = 0;

	*out = NULL;
	for (size_t i = 0; i < n_senders; i++)
		for (size_t k = 0; k < n_receivers; k++) {
			bool own = !strcmp(s[i].project, r[k].project);
			int64_t sent = s[i].left[flow], received = r[k].left[flow];

			if (sent <= 0 || received <= 0 || (!own && !few))
				continue;
			*arena_append(a, *out, n, cap) = (struct flow_pair){.from = &s[i],
				.to = &r[k],
				.rank = 2 * !price_same_place(r[k].region, s[i].location) +
					!own,
				.apart = sent > received ? sent - received
							 : received - sent};
		}
	if (n)
		qsort(*out, n, sizeof(**out), flow_order);
	return n;
}

static void flow_take(const struct flow_pair *p, int flow, struct arena *a)
{
	struct sender *s = p->from;
	int64_t *open = &p->to->left[flow];
	int64_t took = s->open < *open ? s->open : *open;

	s->open -= took;
	*open -= took;
	if (p->rank < 2)
		s->left[flow] -= took;
	else if (took && flow == FLOW_RATE)
		*arena_append(a, s->far, s->n_far, s->cap) = (struct place_of_bucket){
			p->to->name, p->to->region};
}

void egress_match(struct sender *s, size_t n_senders, struct receiver *r,
	size_t n_receivers, struct arena *a)
{
	for (int flow = 0; flow < FLOWS; flow++) {
		struct flow_pair *pairs;
		size_t n = flow_pairs(s, n_senders, r, n_receivers, flow, &pairs, a);
		int64_t *sent = arena_alloc(a, (n_senders + 1) * sizeof(*sent));

		for (size_t i = 0; i < n_senders; i++)
			sent[i] = s[i].open = s[i].left[flow];
		for (size_t i = 0; i < n; i++)
			flow_take(&pairs[i], flow, a);
		for (size_t i = 0; i < n_senders; i++) {
			int64_t *left = &s[i].left[flow];

			if (egress_mostly(sent[i] - *left, sent[i]))
				*left = 0;
			if (flow == FLOW_RATE &&
				(!*left || !egress_mostly(*left - s[i].open, *left)))
				s[i].n_far = 0;
		}
	}
}

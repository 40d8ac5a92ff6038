/* Estimated costs of a machine's network traffic. Counters report how many bytes the machine sent
 * and received, but not the other end: every result is an estimate, a low and a high one, never an
 * exact figure.
 *
 * Bytes within a region are free; bytes to another region or the internet are charged to the
 * sender, bytes read from a bucket elsewhere to the bucket's project. A bucket is in another
 * location when it is in another region or in a multi-region. If all buckets of a project are in
 * other locations, received bytes count too: they are probably read from these buckets. */
#ifndef TPUCOST_RULES_EGRESS_H
#define TPUCOST_RULES_EGRESS_H

#include "base/mem.h"
#include "rules/price/price.h"

struct place_of_bucket {
	const char *name, *location;
};

/* Bytes per second; unknown values are 0. */
struct traffic {
	int64_t sent, received;
};

/* Surroundings of the machines of one project in one region. Prices are per GiB. */
struct surroundings {
	bool nowhere;             /* the region is unknown, and nothing can be estimated */
	bool far_only;            /* all known buckets are in other locations */
	const char *far_buckets;  /* "data (us), old (europe-west4)"; NULL: none is known */
	struct price least, most; /* to or from a bucket elsewhere; 0 without one */
	struct price internet;
};
/* `far_buckets` is allocated from the arena. */
struct surroundings egress_look(const struct price_book *b, const char *region,
	const struct place_of_bucket *buckets, size_t n_buckets, struct arena *a);

/* Costs per hour. */
struct egress {
	/* All bytes to or from the cheapest bucket in another location; 0 if they may stay within
	 * the region. */
	struct price low;
	/* Sent to the internet or the most expensive bucket in another location, received from that
	 * bucket. */
	struct price high;
};
struct egress egress_estimate(const struct surroundings *s, const struct traffic *t);

/* "inter-region": probably to or from a bucket in another location; "unknown": within the region,
 * or the internet. */
const char *egress_path(const struct surroundings *s);

#endif

/* What the network traffic of a machine may cost. Counters tell how many bytes it sent and
 * received, not where: everything here is an estimate, a low and a high one, never a figure.
 *
 * Bytes within a region are free; to another region or the internet they are charged to the
 * sender, those read from a bucket elsewhere to the bucket's project. A bucket is far when it
 * lies in another region or is a multi-region. Where a project has far buckets and no near one,
 * what a machine receives counts too: it is likely read from them. */
#ifndef TPUCOST_RULES_EGRESS_H
#define TPUCOST_RULES_EGRESS_H

#include "base/mem.h"
#include "rules/price/price.h"

struct place_of_bucket {
	const char *name, *location;
};

/* Bytes a second; what is not known is 0. */
struct traffic {
	int64_t sent, received;
};

/* What lies around the machines of one project in one region. Prices are of a GiB. */
struct surroundings {
	bool nowhere;             /* the region is not known, and nothing can be said */
	bool far_only;            /* there are far buckets, and no near one */
	const char *far_buckets;  /* "data (us), old (europe-west4)"; NULL: none is known */
	struct price least, most; /* to or from a far bucket; 0 without one */
	struct price internet;
};
/* `far_buckets` is in the arena. */
struct surroundings egress_look(const struct price_book *b, const char *region,
	const struct place_of_bucket *buckets, size_t n_buckets, struct arena *a);

/* Per hour. */
struct egress {
	struct price low; /* all of it to or from the cheapest far bucket; 0 where it can be
			    * within the region */
	struct price
		high; /* what is sent to the internet or the dearest far bucket, what is
			    * received from that one */
};
struct egress egress_estimate(const struct surroundings *s, const struct traffic *t);

/* "inter-region": likely to or from a far bucket; "unknown": within the region, or the internet. */
const char *egress_path(const struct surroundings *s);

#endif

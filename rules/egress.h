/* Estimated costs of a machine's network traffic. Counters report how many bytes the machine sent
 * and received, but not the other end: every result is an estimate, a low and a high one, never an
 * exact figure. Where VM flow counters report the region of the other end, that part has its price,
 * and only the rest has bounds.
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

/* Part of the sent or received bytes, by the region of the other end. */
struct flow_part {
	const char *place;  /* "europe-west4", "external", "unknown" */
	int64_t rate, hour; /* bytes per second, and in the last hour */
	struct price price; /* per GiB; unknown unless the place is a region */
	bool within;        /* the same region: free of charge */
};

struct flow_parts {
	struct flow_part *v;
	size_t n, cap;
};

/* Bytes per second that may leave the region; unknown values are 0. */
struct traffic {
	int64_t sent, received;
	struct flow_parts to; /* of the sent bytes, as far as it is known */
};

/* Of `whole` bytes those that may leave the region: all but the part within, and not fewer than the flows to other
 * places, since the two are not counted at the same moment. Rates, or bytes in the last hour. */
int64_t egress_leaving(const struct flow_parts *l, int64_t whole, bool hour);

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
/* A rate per second, per hour. False: it does not fit. */
bool egress_hourly(int64_t rate, int64_t *out) must_check;

/* ---- bytes of buckets, and their receivers ------------------------------------------------------ */

/* Bytes per second, and in the last hour. */
enum { FLOW_RATE, FLOW_HOUR, FLOWS };

/* A bucket. `left` is first what it sends, then the part that no machine in its location receives. */
struct sender {
	const char *project, *location;
	int64_t left[FLOWS];
	/* results: machines elsewhere that receive the rate, each region once; none unless they
	 * receive most of it */
	struct place_of_bucket *far;
	size_t n_far;
	size_t cap;   /* private */
	int64_t open; /* private: not received by any of them */
};

/* The machines of one project in one region. */
struct receiver {
	const char *project, *region;
	const char *name; /* of the one that receives most */
	int64_t left
		[FLOWS]; /* first what they receive, then what no bucket is known to send */
};

/* Matches what was sent and received at the same time: first within a location, within a project
 * before between projects, and similar amounts before others. Lists are allocated from the arena. */
void egress_match(struct sender *s, size_t n_senders, struct receiver *r,
	size_t n_receivers, struct arena *a);
/* The last tenth may be protocol, or a difference of time between two counters. */
bool egress_mostly(int64_t part, int64_t whole);

/* "inter-region": probably to or from a bucket in another location; "unknown": within the region,
 * or the internet. */
const char *egress_path(const struct surroundings *s);

#endif

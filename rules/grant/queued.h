/* Nodes of a queued resource: the queued resource itself costs nothing, and deleting it deletes
 * them. */
#ifndef TPUCOST_RULES_GRANT_QUEUED_H
#define TPUCOST_RULES_GRANT_QUEUED_H

#include "base/base.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/time/tz.h"

struct db;
struct target;

struct queued_node {
	const char *id, *name, *labels;
	ts_t held_until;           /* TS_NONE: not on hold */
	struct opt_i64 gross, net; /* nano-units an hour */
	const char *currency;      /* NULL: unknown */
};

struct queued_nodes {
	struct queued_node *v;
	size_t n, cap;
};

/* Nodes as of the last polls, by id; allocated from the arena. */
enum err_code queued_nodes_read(struct db *db, const struct target *t, struct arena *a,
	struct queued_nodes *out, struct err *e) must_check;

/* Sum of their costs. Unknown if one is unknown, or if they have several currencies. */
struct queued_cost {
	struct opt_i64 gross, net;
	const char *currency;
};
struct queued_cost queued_nodes_cost(const struct queued_nodes *n);

#endif

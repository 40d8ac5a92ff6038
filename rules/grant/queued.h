/* Nodes of a queued resource: the queued resource itself costs nothing, and deleting it deletes
 * them. */
#ifndef TPUCOST_RULES_GRANT_QUEUED_H
#define TPUCOST_RULES_GRANT_QUEUED_H

#include "base/mem.h"
#include "db_sql.h"

struct target;

struct queued_nodes {
	struct q_queued_nodes *v; /* by id */
	size_t n;
};

/* Nodes as of the last polls; allocated from the arena. */
enum err_code queued_nodes_read(struct db *db, const struct target *t, struct arena *a,
	struct queued_nodes *out, struct err *e) must_check;

/* Net cost of all of them an hour. Unknown if one is unknown, or if they have several currencies. */
struct opt_i64 queued_nodes_net(const struct queued_nodes *n, const char **currency);

#endif

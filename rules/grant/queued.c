#include "rules/grant/queued.h"

#include "base/money.h"
#include "base/str.h"
#include "rules/enforce/action.h"

enum err_code queued_nodes_read(struct db *db, const struct target *t, struct arena *a,
	struct queued_nodes *out, struct err *e)
{
	struct q_queued_nodes_in in = {
		.project = t->project, .location = t->location, .name = t->name};

	return q_queued_nodes_all(db, &in, a, &out->v, &out->n, e);
}

struct opt_i64 queued_nodes_net(const struct queued_nodes *n, const char **currency)
{
	int64_t sum = 0;

	*currency = NULL;
	for (size_t i = 0; i < n->n; i++)
		if (!str_eq(n->v[i].currency, n->v[0].currency))
			return NONE;
	*currency = n->n ? n->v[0].currency : NULL;
	for (size_t i = 0; i < n->n; i++)
		if (!n->v[i].net.set || !nanos_add(sum, n->v[i].net.v, &sum))
			return NONE;
	return n->n ? SOME(sum) : NONE;
}

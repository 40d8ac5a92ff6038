/* Storing what exists: the newest snapshot, and how each resource was over time. */
#ifndef TPUCOST_COLLECTOR_INVENTORY_H
#define TPUCOST_COLLECTOR_INVENTORY_H

#include "collector/source/source.h"
#include "db_sql.h"

struct inventory {
	struct q_resource_put_in *rows;
	size_t n, cap;
};

/* The rows of one whole snapshot that Google has answered (in p->arena), with the locations
 * that did not answer noted in p->gaps. */
typedef enum err_code (*inventory_rows)(
	struct poll *p, struct inventory *inv, struct err *e);

/* A row with project, source, name, location, id and moment filled in, the rest empty; rows
 * of a zone get zone and region. */
struct q_resource_put_in *inventory_add(struct poll *p, struct inventory *inv,
	const char *kind, const char *location, const char *name);

/* For `take` of a source: store the snapshot. A resource that is missing is believed gone only
 * when its location answered in two complete snapshots in succession without it: when the
 * first lacks something, a second is asked for at once. */
enum err_code inventory_take(struct poll *p, inventory_rows rows,
	enum err_code (*ask_again)(struct poll *, struct err *), struct err *e) must_check;

/* Google's words for states in ours; a word nobody knows is "unknown". */
struct state_word {
	const char *google, *ours;
};
const char *state_ours(const struct state_word *words, size_t n, const char *google);

/* An instant that may be TS_NONE. */
struct opt_i64 opt_time(ts_t ts);

/* Value of the label owner, creator or user in a JSON object of labels, else NULL. */
const char *owner_of_labels(struct arena *a, const char *labels);

#endif

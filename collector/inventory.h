/* Storing what exists: the newest snapshot, and how each resource was over time. */
#ifndef TPUCOST_COLLECTOR_INVENTORY_H
#define TPUCOST_COLLECTOR_INVENTORY_H

#include "collector/source.h"
#include "db_sql.h"

struct inventory {
	struct q_resource_put_in *rows;
	size_t n, cap;
};

/* Reads one whole snapshot from Google into `inv` (rows in p->arena) and notes the
 * locations that did not answer in p->gaps. */
typedef enum err_code (*inventory_read)(
	struct poll *p, struct inventory *inv, struct err *e);

/* A row with project, source, name, location, id and moment filled in, the rest empty; rows
 * of a zone get zone and region. */
struct q_resource_put_in *inventory_add(struct poll *p, struct inventory *inv,
	const char *kind, const char *location, const char *name);

/* Read and store. A resource that is missing is believed gone only when its location
 * answered in two complete snapshots in succession without it: when the first lacks
 * something, a second is read at once. */
enum err_code inventory_poll(struct poll *p, inventory_read read, struct err *e) must_check;

/* Google's words for states in ours; a word nobody knows is "unknown". */
struct state_word {
	const char *google, *ours;
};
const char *state_ours(const struct state_word *words, size_t n, const char *google);

/* An instant that may be TS_NONE. */
struct opt_i64 opt_time(ts_t ts);

/* Note a location that did not answer. */
void poll_gap(struct poll *p, const char *location);

/* "us-central1" of "us-central1-f"; arena. */
const char *region_of_zone(struct arena *a, const char *zone);

/* Value of the label owner, creator or user in a JSON object of labels, else NULL. */
const char *owner_of_labels(struct arena *a, const char *labels);

#endif

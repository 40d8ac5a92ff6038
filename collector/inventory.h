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
enum err_code inventory_store(
	struct poll *p, inventory_rows rows, struct err *e) must_check;

/* `ask` and `take` of a source whose snapshot is the list that it names, a struct gcp_items in
 * p->state. */
enum err_code inventory_ask(struct poll *p, struct err *e) must_check;
enum err_code inventory_take(struct poll *p, struct err *e) must_check;

/* Remember a resource as it was just stored, so that rules can be replayed. */
enum err_code past_resource(
	struct db *db, const struct q_resource_put_in *r, struct err *e) must_check;

/* An instant that may be TS_NONE. */
struct opt_i64 opt_time(ts_t ts);

/* What labels (a JSON object) and the time of creation say of a row: its owner is the value of
 * the label owner, creator or user. */
void inventory_describe(
	struct poll *p, struct q_resource_put_in *r, const char *labels, ts_t created);

#endif

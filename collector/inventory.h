/* Storage of the inventory: the newest snapshot, and the history of each resource. */
#ifndef TPUCOST_COLLECTOR_INVENTORY_H
#define TPUCOST_COLLECTOR_INVENTORY_H

#include "collector/source/source.h"
#include "db_sql.h"

struct inventory {
	struct q_resource_put_in *rows;
	size_t n, cap;
	const char **kept; /* ids of known resources that stay as they were */
	size_t n_kept, cap_kept;
};

/* Kind of a row that is not a resource of its own but a machine of a managed instance group, which
 * its `attached_to` names: source "slice" makes resources of them. */
#define INVENTORY_HOST "host"

/* Rows of one complete snapshot that Google has returned (in p->arena), with the unreachable
 * locations in p->gaps. */
typedef enum err_code (*inventory_rows)(
	struct poll *p, struct inventory *inv, struct err *e);

/* Returns a row with project, source, name, location, id and time set, the other fields empty; rows
 * of a zone get zone and region. */
struct q_resource_put_in *inventory_add(struct poll *p, struct inventory *inv,
	const char *kind, const char *location, const char *name);

/* The known resource with this id stays as it was, incomplete, unless a row has it. */
void inventory_keep(struct poll *p, struct inventory *inv, const char *id);

/* Is the place in this gap, or in one of this poll? A region includes its zones. */
bool inventory_gap_has(const char *gap, const char *location);
bool inventory_has_gap(const struct poll *p, const char *location);

/* For `take` of a source: stores the snapshot. A missing resource counts as deleted only if two
 * consecutive complete snapshots of its location do not have it: if the first lacks a resource, a
 * second is requested at once. */
enum err_code inventory_store(
	struct poll *p, inventory_rows rows, struct err *e) must_check;

/* `ask` and `take` of a source whose snapshot is a single list, a struct gcp_items in p->state, and
 * its rows. */
enum err_code inventory_ask(struct poll *p, struct err *e) must_check;
enum err_code inventory_take(struct poll *p, struct err *e) must_check;
enum err_code inventory_list_rows(
	struct poll *p, struct inventory *inv, struct err *e) must_check;

/* Records a resource that was just stored, so that rules can be replayed. */
enum err_code past_resource(
	struct db *db, const struct q_resource_put_in *r, struct err *e) must_check;

/* Value of the label owner, creator or user in a JSON object, allocated from the arena; NULL: no such
 * label, or not a JSON object. */
const char *labels_owner(struct arena *a, const char *labels);
/* Sets the fields that depend on labels (a JSON object), and the creation time. */
void inventory_describe(
	struct poll *p, struct q_resource_put_in *r, const char *labels, ts_t created);

#endif

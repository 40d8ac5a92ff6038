/* What changes the cloud: operations that run for a while and then have their effect. */
#ifndef TPUCOST_TESTS_SANDBOX_ACTIONS_H
#define TPUCOST_TESTS_SANDBOX_ACTIONS_H

#include "tests/sandbox/sandbox.h"

enum target { ON_INSTANCE, ON_NODE, ON_QUEUED, ON_GROUP };

/* A verb moves its target through `during` to `after`; what is removed has no state after.
 * A verb without `during` has its effect elsewhere. */
struct verb {
	const char *name;
	enum target target;
	const char *from; /* states it may start in, between blanks; NULL: any */
	const char *during, *after;
	bool removes;
};

struct operation {
	struct operation *next;
	const struct verb *verb;
	const char *name, *id;
	const char *project, *zone, *target, *target_id, *request_id;
	const char *before; /* state that a failure goes back to */
	const char *error;  /* code; NULL: none */
	ts_t inserted, ended;
	int64_t looks;
	bool done, idle; /* idle: there was nothing to do */
};

enum begun { BEGUN, NO_TARGET, NOT_FROM_HERE, BUSY };

const struct verb *verb_find(enum target target, const char *name);
/* Starts it: the state changes now. The operation that came with the same request id is
 * given again instead. */
enum begun operation_begin(struct world *w, const struct verb *v, const char *project,
	const char *zone, const char *target, const char *request_id, ts_t now,
	struct operation **out);
struct operation *operation_find(
	struct world *w, const char *project, const char *zone, const char *name);
/* Somebody looks: PENDING, RUNNING, then done. */
void operation_look(struct world *w, struct operation *op, ts_t now);
void operation_finish(struct world *w, struct operation *op, ts_t now);
/* Finishes those whose time is up. */
void operations_settle(struct world *w, ts_t now);

/* Ends what is to end by itself by now. */
void ends_settle(struct world *w, ts_t now);
/* 0: it does not end by itself. */
ts_t end_of_instance(const struct instance *x);
ts_t end_of_node(const struct world *w, const struct node *n);
/* Is it deleted then, and not stopped? */
bool end_deletes(const struct instance *x);

/* Of an instance, a node or a queued resource. */
#define CLASS_OF(x) \
	((x)->provisioning ? (x)->provisioning : (x)->spot ? "spot" : "on-demand")
#define class_is(x, class) (!strcmp(CLASS_OF(x), (class)))
/* Google's word for a class; one of tomorrow for "new". */
const char *model_of(const char *class);

struct instance *world_instance(
	struct world *w, const char *project, const char *zone, const char *name_or_id);
/* A managed instance group of a zone, or of a region. */
struct vm_group *world_group(
	struct world *w, const char *project, const char *place, const char *name);
/* Is it one of its machines? */
bool group_made(struct world *w, const struct vm_group *g, const struct instance *x);
struct node *world_node(
	struct world *w, const char *project, const char *zone, const char *name);
struct queued *world_queued(
	struct world *w, const char *project, const char *zone, const char *name);
/* Did the queued resource make the node? */
bool queued_made(const struct queued *q, const struct node *n);

#endif

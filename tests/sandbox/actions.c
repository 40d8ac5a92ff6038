/* Operations: states of instances, nodes and queued resources as they are stopped, started
 * and deleted. Knows nothing of HTTP. */
#include "tests/sandbox/actions.h"

#include "base/str.h"

#include <string.h>

/* States after the Compute REST reference (instances.status) and the Cloud TPU REST
 * reference v2 (Node.state, QueuedResourceState). */
static const struct verb verbs[] = {
	{"stop", ON_INSTANCE, "RUNNING PROVISIONING STAGING REPAIRING STOPPING", "STOPPING",
		"TERMINATED", false},
	{"start", ON_INSTANCE, "TERMINATED", "STAGING", "RUNNING", false},
	{"suspend", ON_INSTANCE, "RUNNING", "SUSPENDING", "SUSPENDED", false},
	{"resume", ON_INSTANCE, "SUSPENDED", "STAGING", "RUNNING", false},
	{"delete", ON_INSTANCE, NULL, "STOPPING", NULL, true},
	{"setLabels", ON_INSTANCE, NULL, NULL, NULL, false},
	{"stop", ON_NODE, "READY STOPPING", "STOPPING", "STOPPED", false},
	{"start", ON_NODE, "STOPPED", "STARTING", "READY", false},
	{"delete", ON_NODE, NULL, "DELETING", NULL, true},
	{"delete", ON_QUEUED, NULL, "DELETING", NULL, true},
	{"resize", ON_GROUP, "STABLE RESIZING", "RESIZING", NULL, true}, /* to 0 */
};

const struct verb *verb_find(enum target target, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (verbs[i].target == target && !strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* ---- targets ----------------------------------------------------------------------------------- */

static bool project_is(const struct world *w, const char *id, const char *name_or_number)
{
	const struct project *p = world_project(w, name_or_number);

	return p && !strcmp(p->id, id);
}

struct instance *world_instance(
	struct world *w, const char *project, const char *zone, const char *name_or_id)
{
	for (size_t i = 0; i < w->n_instances; i++) {
		struct instance *x = &w->instances[i];

		if (project_is(w, x->project, project) && !strcmp(x->zone, zone) &&
			(!strcmp(x->name, name_or_id) || !strcmp(x->id, name_or_id)))
			return x;
	}
	return NULL;
}

struct node *world_node(
	struct world *w, const char *project, const char *zone, const char *name)
{
	for (size_t i = 0; i < w->n_nodes; i++) {
		struct node *x = &w->nodes[i];

		if (project_is(w, x->project, project) && !strcmp(x->zone, zone) &&
			!strcmp(x->name, name))
			return x;
	}
	return NULL;
}

struct vm_group *world_group(
	struct world *w, const char *project, const char *place, const char *name)
{
	for (size_t i = 0; i < w->n_groups; i++) {
		struct vm_group *g = &w->groups[i];

		if (project_is(w, g->project, project) &&
			strstr(world_group_path(w, g),
				arena_printf(&w->arena, "/%s/instanceGroupManagers/%s",
					place, name)) &&
			!strcmp(g->name, name))
			return g;
	}
	return NULL;
}

bool group_made(struct world *w, const struct vm_group *g, const struct instance *x)
{
	return x->created_by && !strcmp(x->project, g->project) &&
		str_ends(x->created_by, world_group_path(w, g));
}

struct queued *world_queued(
	struct world *w, const char *project, const char *zone, const char *name)
{
	for (size_t i = 0; i < w->n_queued; i++) {
		struct queued *x = &w->queued[i];

		if (project_is(w, x->project, project) && !strcmp(x->zone, zone) &&
			!strcmp(x->name, name))
			return x;
	}
	return NULL;
}

/* The place of the target's state, and its id ("" where there is none); NULL: gone. */
static const char **state_of(struct world *w, enum target target, const char *project,
	const char *zone, const char *name, const char **id)
{
	struct vm_group *g;
	struct instance *x;
	struct queued *q;
	struct node *n;

	*id = "";
	switch (target) {
	case ON_INSTANCE:
		x = world_instance(w, project, zone, name);
		*id = x ? x->id : "";
		return x ? &x->status : NULL;
	case ON_NODE:
		n = world_node(w, project, zone, name);
		*id = n ? n->id : "";
		return n ? &n->state : NULL;
	case ON_QUEUED:
		q = world_queued(w, project, zone, name);
		return q ? &q->state : NULL;
	case ON_GROUP:
		g = world_group(w, project, zone, name);
		*id = g ? g->id : "";
		return g ? &g->state : NULL;
	}
	return NULL;
}

/* Remove element `at` of an array. */
#define REMOVE(array, n, at) \
	memmove(at, (at) + 1, (size_t)((array) + --(n) - (at)) * sizeof(*(at)))

static bool drop_user(struct texts *users, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < users->n; i++)
		if (strcmp(users->v[i], name) != 0)
			users->v[n++] = users->v[i];
	if (n == users->n)
		return false;
	users->n = n;
	return true;
}

/* Deleting a machine takes its boot disk along and sets its other disks and addresses free.
 */
static void remove_instance(struct world *w, struct instance *x)
{
	for (size_t i = w->n_disks; i-- > 0;) {
		struct disk *d = &w->disks[i];

		if (strcmp(d->project, x->project) || !d->zone ||
			strcmp(d->zone, x->zone) || !drop_user(&d->users, x->name))
			continue;
		if (!strcmp(d->name, x->name) && !d->keep)
			REMOVE(w->disks, w->n_disks, d);
	}
	for (size_t i = 0; i < w->n_addresses; i++) {
		struct address *a = &w->addresses[i];

		if (!strcmp(a->project, x->project) && str_starts(x->zone, a->region) &&
			drop_user(&a->users, x->name))
			a->status = "RESERVED";
	}
	REMOVE(w->instances, w->n_instances, x);
}

bool queued_made(const struct queued *q, const struct node *n)
{
	const char *by = n->queued;

	return !strcmp(n->project, q->project) && !strcmp(n->zone, q->zone) &&
		((by && !strcmp(by, q->name)) || (q->node && !strcmp(q->node, n->name)));
}

static void remove_queued(struct world *w, struct queued *q)
{
	for (size_t i = w->n_nodes; i-- > 0;) {
		struct node *n = &w->nodes[i];

		if (queued_made(q, n))
			REMOVE(w->nodes, w->n_nodes, n);
	}
	REMOVE(w->queued, w->n_queued, q);
}

static void remove_node(struct world *w, struct node *n)
{
	for (size_t i = 0; i < w->n_queued; i++)
		if (queued_made(&w->queued[i], n))
			w->queued[i].state = "SUSPENDED";
	REMOVE(w->nodes, w->n_nodes, n);
}

/* The group remains, without machines. */
static void empty_group(struct world *w, struct vm_group *g)
{
	for (size_t i = w->n_instances; i-- > 0;)
		if (group_made(w, g, &w->instances[i]))
			remove_instance(w, &w->instances[i]);
	g->state = "STABLE";
}

/* Its machines stop, or run again when the resize failed. */
static void set_group(struct world *w, struct vm_group *g, const char *status)
{
	g->target = 0;
	for (size_t i = 0; i < w->n_instances; i++)
		if (group_made(w, g, &w->instances[i])) {
			w->instances[i].status = status;
			g->target += !strcmp(status, "RUNNING");
		}
}

static void remove_target(struct world *w, const struct operation *op)
{
	struct instance *x = NULL;
	struct queued *q = NULL;
	struct node *n = NULL;

	if (op->verb->target == ON_INSTANCE)
		x = world_instance(w, op->project, op->zone, op->target);
	else if (op->verb->target == ON_NODE)
		n = world_node(w, op->project, op->zone, op->target);
	else if (op->verb->target == ON_QUEUED)
		q = world_queued(w, op->project, op->zone, op->target);
	else
		empty_group(w, world_group(w, op->project, op->zone, op->target));
	if (x)
		remove_instance(w, x);
	if (n)
		remove_node(w, n);
	if (q)
		remove_queued(w, q);
}

/* ---- operations -------------------------------------------------------------------------------- */

static bool word_in(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = words; (p = strstr(p, word)); p += len)
		if ((p == words || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static struct operation *running_on(
	struct world *w, enum target target, const char *target_id, const char *name)
{
	for (struct operation *op = w->ops; op; op = op->next)
		if (!op->done && !op->idle && op->verb->target == target &&
			op->verb->during && !strcmp(op->target, name) &&
			!strcmp(op->target_id, target_id))
			return op;
	return NULL;
}

static struct operation *same_request(
	struct world *w, const char *project, const char *request_id)
{
	for (struct operation *op = w->ops; request_id && op; op = op->next)
		if (op->request_id && !strcmp(op->request_id, request_id) &&
			project_is(w, op->project, project))
			return op;
	return NULL;
}

static struct operation *add_operation(struct world *w, const struct verb *v, ts_t now)
{
	struct operation *op = arena_new(&w->arena, struct operation);
	long long n = ++w->n_ops;

	op->verb = v;
	op->inserted = now;
	op->name = arena_printf(&w->arena, "operation-%lld000-%013llx-%08llx",
		(long long)now, n * 0x64a1b, n);
	op->id = arena_printf(&w->arena, "%lld", 7128461000000000000 + n);
	op->next = w->ops;
	w->ops = op;
	return op;
}

enum begun operation_begin(struct world *w, const struct verb *v, const char *project,
	const char *zone, const char *target, const char *request_id, ts_t now,
	struct operation **out)
{
	struct operation *op = same_request(w, project, request_id), *other;
	const char *id, **state;
	bool idle;

	if (op) {
		*out = op;
		return BEGUN;
	}
	state = state_of(w, v->target, project, zone, target, &id);
	if (!state)
		return NO_TARGET;
	other = v->during ? running_on(w, v->target, id, target) : NULL;
	if (other && other->verb != v)
		return BUSY;
	idle = v->after && !strcmp(*state, v->after);
	if (!idle && v->from && !word_in(v->from, *state))
		return NOT_FROM_HERE;
	op = add_operation(w, v, now);
	op->project = world_project(w, project)->id;
	op->zone = arena_strdup(&w->arena, zone);
	op->target = arena_strdup(&w->arena, target);
	op->target_id = id;
	op->request_id = arena_strdup(&w->arena, request_id);
	op->before = other ? other->before : *state;
	op->idle = idle;
	if (!idle && v->during)
		*state = v->during;
	if (v->target == ON_GROUP)
		set_group(w, world_group(w, project, zone, target), "STOPPING");
	*out = op;
	return BEGUN;
}

struct operation *operation_find(
	struct world *w, const char *project, const char *zone, const char *name)
{
	for (struct operation *op = w->ops; op; op = op->next)
		if (project_is(w, op->project, project) && !strcmp(op->zone, zone) &&
			(!strcmp(op->name, name) || !strcmp(op->id, name)))
			return op;
	return NULL;
}

/* When a machine was last started and stopped. */
static void note_time(struct world *w, const struct operation *op, ts_t now)
{
	struct instance *x = op->verb->target == ON_INSTANCE
		? world_instance(w, op->project, op->zone, op->target)
		: NULL;

	if (x && !strcmp(x->status, "RUNNING"))
		x->started = now;
	else if (x && !strcmp(x->status, "TERMINATED"))
		x->stopped = now;
}

void operation_finish(struct world *w, struct operation *op, ts_t now)
{
	const char *id, **state;

	if (op->done || w->op_script.stuck)
		return;
	op->done = true;
	op->ended = now;
	op->error = w->op_script.error;
	state = state_of(w, op->verb->target, op->project, op->zone, op->target, &id);
	/* another of the same name may have come meanwhile, or another state */
	if (!state || op->idle || !op->verb->during || strcmp(id, op->target_id) ||
		strcmp(*state, op->verb->during))
		return;
	if (op->error || w->op_script.no_effect) {
		*state = op->before;
		if (op->verb->target == ON_GROUP)
			set_group(w, world_group(w, op->project, op->zone, op->target),
				"RUNNING");
	} else if (op->verb->removes) {
		remove_target(w, op);
	} else {
		*state = op->verb->after;
		note_time(w, op, now);
	}
}

void operation_look(struct world *w, struct operation *op, ts_t now)
{
	if (++op->looks >= w->op_script.looks)
		operation_finish(w, op, now);
}

void operations_settle(struct world *w, ts_t now)
{
	for (struct operation *op = w->ops; op; op = op->next)
		if (!op->done && now - op->inserted >= w->op_script.seconds)
			operation_finish(w, op, now);
}

/* ---- ends -------------------------------------------------------------------------------------- */

const char *model_of(const char *class)
{
	static const char *const models[][2] = {{"on-demand", "STANDARD"}, {"spot", "SPOT"},
		{"flex-start", "FLEX_START"}, {"reserved", "RESERVATION_BOUND"}};

	for (size_t i = 0; i < ARRAY_LEN(models); i++)
		if (!strcmp(models[i][0], class))
			return models[i][1];
	return "OF_TOMORROW";
}

bool end_deletes(const struct instance *x)
{
	return x->at_end ? !strcmp(x->at_end, "delete") : class_is(x, "flex-start");
}

ts_t end_of_instance(const struct instance *x)
{
	return x->ends || !x->run_limit ? x->ends : x->started + x->run_limit;
}

ts_t end_of_node(const struct world *w, const struct node *n)
{
	for (size_t i = 0; i < w->n_queued; i++) {
		const struct queued *q = &w->queued[i];

		if (queued_made(q, n) && (q->ends || q->run_limit))
			return q->ends ? q->ends : n->created + q->run_limit;
	}
	return 0;
}

void ends_settle(struct world *w, ts_t now)
{
	for (size_t i = w->n_instances; i-- > 0;) {
		struct instance *x = &w->instances[i];
		ts_t end = end_of_instance(x);

		if (!end || end > now || strcmp(x->status, "RUNNING") != 0)
			continue;
		x->status = "TERMINATED";
		x->stopped = end;
		if (end_deletes(x))
			remove_instance(w, x);
	}
	for (size_t i = w->n_nodes; i-- > 0;) {
		ts_t end = end_of_node(w, &w->nodes[i]);

		if (end && end <= now)
			remove_node(w, &w->nodes[i]);
	}
}

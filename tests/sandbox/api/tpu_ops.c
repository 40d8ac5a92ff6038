/* Cloud TPU v2: what stops, starts and deletes, and the long-running operations it gives.
 * After the Cloud TPU REST reference (nodes.stop, queuedResources.delete, operations). What
 * Google refuses to stop: slices of several hosts, preemptible nodes, nodes of queued
 * resources. */
#include "tests/sandbox/api/tpu.h"

#include "base/str.h"

#include <string.h>

#define TYPE_URL "type.googleapis.com/"

static const char *const collections[] = {
	[ON_INSTANCE] = "instances", [ON_NODE] = "nodes", [ON_QUEUED] = "queuedResources"};

static const char *parent(const struct request *q, const struct operation *op)
{
	return arena_printf(q->a, "projects/%s/locations/%s", op->project, op->zone);
}

static void write_metadata(
	const struct request *q, struct jw *w, const struct operation *op)
{
	jw_key(w, "metadata");
	jw_begin(w, '{');
	jw_kstr(w, "@type", TYPE_URL "google.cloud.tpu.v2.OperationMetadata");
	add_utc(w, "createTime", op->inserted);
	if (op->done)
		add_utc(w, "endTime", op->ended);
	jw_kstr(w, "target",
		arena_printf(q->a, "%s/%s/%s", parent(q, op), collections[op->verb->target],
			op->target));
	jw_kstr(w, "verb", op->verb->name);
	jw_kstr(w, "apiVersion", "v2");
	jw_end(w, '}');
}

/* The error codes of operations are those of gRPC. */
static int64_t rpc_code(const char *code)
{
	if (strstr(code, "EXHAUSTED") || strstr(code, "QUOTA"))
		return 8;
	return strstr(code, "NOT_READY") ? 9 : 13;
}

static void write_result(const struct request *q, struct jw *w, const struct operation *op)
{
	const struct node *n = op->verb->target == ON_NODE && !op->verb->removes
		? world_node(q->w, op->project, op->zone, op->target)
		: NULL;
	struct sbuf node = SBUF_INIT;
	struct jw nw = {.b = &node};

	if (op->error) {
		jw_key(w, "error");
		jw_begin(w, '{');
		jw_ki64(w, "code", rpc_code(op->error));
		jw_kstr(w, "message",
			arena_printf(q->a, "The operation failed: %s", op->error));
		jw_end(w, '}');
		return;
	}
	jw_key(w, "response");
	if (n) {
		tpu_write_node(q, &nw, n);
		jw_raw(w,
			arena_printf(q->a, "{\"@type\":\"%s\",%s",
				TYPE_URL "google.cloud.tpu.v2.Node", node.s + 1));
	} else {
		jw_raw(w, "{\"@type\":\"" TYPE_URL "google.protobuf.Empty\"}");
	}
	sbuf_done(&node);
}

static void write_operation(
	const struct request *q, struct jw *w, const struct operation *op)
{
	jw_begin(w, '{');
	jw_kstr(w, "name", arena_printf(q->a, "%s/operations/%s", parent(q, op), op->name));
	write_metadata(q, w, op);
	jw_key(w, "done");
	jw_bool(w, op->done);
	if (op->done)
		write_result(q, w, op);
	jw_end(w, '}');
}

/* ---- operations -------------------------------------------------------------------------------- */

void serve_tpu_operation(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	struct operation *op;

	if (!tpu_path_fine(q, r))
		return;
	op = operation_find(q->w, q->seg[2], q->seg[4], q->seg[6]);
	if (!op || op->verb->target == ON_INSTANCE) {
		tpu_not_found(q, r, arena_printf(q->a, "operations/%s", q->seg[6]));
		return;
	}
	operation_look(q->w, op, q->now);
	write_operation(q, &w, op);
}

void serve_tpu_operations(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	bool any = false;

	if (!tpu_path_fine(q, r))
		return;
	jw_begin(&w, '{');
	for (const struct operation *op = q->w->ops; op; op = op->next) {
		if (op->verb->target == ON_INSTANCE || strcmp(op->zone, q->seg[4]) ||
			strcmp(op->project, world_project(q->w, q->seg[2])->id))
			continue;
		if (!any) {
			jw_key(&w, "operations");
			jw_begin(&w, '[');
			any = true;
		}
		write_operation(q, &w, op);
	}
	if (any)
		jw_end(&w, ']');
	jw_end(&w, '}');
}

/* ---- verbs ------------------------------------------------------------------------------------- */

static void refuse(const struct request *q, struct response *r, const char *why)
{
	respond_rpc(r, 400, "FAILED_PRECONDITION",
		arena_printf(q->a,
			"Cloud TPU received a bad request. %s [EID: 0x5a17db0c00000000]",
			why));
}

static struct operation *begin(
	const struct request *q, struct response *r, const struct verb *v, const char *name)
{
	const char *rest = arena_printf(q->a, "%s/%s", collections[v->target], name);
	struct jw w = {.b = &r->body};
	struct operation *op = NULL;

	switch (operation_begin(q->w, v, q->seg[2], q->seg[4], name,
		q->param(q, "requestId"), q->now, &op)) {
	case BEGUN:
		write_operation(q, &w, op);
		break;
	case NO_TARGET:
		tpu_not_found(q, r, rest);
		break;
	case NOT_FROM_HERE:
		refuse(q, r, arena_printf(q->a, "%s cannot %s now.", rest, v->name));
		break;
	case BUSY:
		refuse(q, r, arena_printf(q->a, "%s has another operation.", rest));
		break;
	}
	return op;
}

static const char *stop_problem(const struct node *n)
{
	if (n->hosts > 1)
		return "Only nodes of one host can be stopped.";
	if (n->queued)
		return "Nodes of queued resources cannot be stopped.";
	if (n->spot)
		return "Preemptible nodes cannot be stopped.";
	return NULL;
}

/* ".../nodes/NAME:stop" */
void serve_node_verb(const struct request *q, struct response *r)
{
	const char *colon = strrchr(q->seg[6], ':'), *name, *why = NULL;
	const struct verb *v = colon ? verb_find(ON_NODE, colon + 1) : NULL;
	const struct node *n;

	if (!tpu_path_fine(q, r))
		return;
	if (!v || v->removes) {
		respond_rpc(r, 404, "NOT_FOUND", "Method not found.");
		return;
	}
	name = arena_strndup(q->a, q->seg[6], (size_t)(colon - q->seg[6]));
	n = world_node(q->w, q->seg[2], q->seg[4], name);
	if (n && !strcmp(v->name, "stop"))
		why = stop_problem(n);
	if (why)
		refuse(q, r, why);
	else
		begin(q, r, v, name);
}

void serve_node_delete(const struct request *q, struct response *r)
{
	if (tpu_path_fine(q, r))
		begin(q, r, verb_find(ON_NODE, "delete"), q->seg[6]);
}

/* Without force only what holds no nodes can go. */
void serve_queued_delete(const struct request *q, struct response *r)
{
	static const char *const idle[] = {
		"ACCEPTED", "FAILED", "SUSPENDED", "WAITING_FOR_RESOURCES", "DELETING"};
	const char *force = q->param(q, "force");
	const struct queued *x;
	bool fine;

	if (!tpu_path_fine(q, r))
		return;
	x = world_queued(q->w, q->seg[2], q->seg[4], q->seg[6]);
	fine = !x || (force && !strcmp(force, "true"));
	for (size_t i = 0; !fine && i < ARRAY_LEN(idle); i++)
		fine = !strcmp(x->state, idle[i]);
	if (!fine)
		refuse(q, r, "A queued resource with nodes is deleted with force only.");
	else if (begin(q, r, verb_find(ON_QUEUED, "delete"), q->seg[6]))
		for (size_t i = 0; i < q->w->n_nodes; i++)
			if (x && queued_made(x, &q->w->nodes[i]))
				q->w->nodes[i].state = "DELETING";
}

/* Compute Engine v1: verbs on instances and the zone operations they give. After the Compute
 * REST reference: instances.stop and its like, zoneOperations. */
#include "tests/sandbox/actions.h"
#include "tests/sandbox/api/compute.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

static void write_error(struct jw *w, const char *code)
{
	jw_key(w, "error");
	jw_begin(w, '{');
	jw_key(w, "errors");
	jw_begin(w, '[');
	jw_begin(w, '{');
	jw_kstr(w, "code", code);
	jw_kstr(w, "message", "The operation failed, as the world wants it.");
	jw_end(w, '}');
	jw_end(w, ']');
	jw_end(w, '}');
	jw_ki64(w, "httpErrorStatusCode", 503);
	jw_kstr(w, "httpErrorMessage", "SERVICE UNAVAILABLE");
}

static void write_operation(
	const struct request *q, struct jw *w, const struct operation *op)
{
	const bool region = strchr(op->zone, '-') == strrchr(op->zone, '-');
	const char *zone = arena_printf(
		q->a, "%s/%s", region ? "regions" : "zones", op->zone);
	const char *kind = op->verb->target == ON_GROUP ? "instanceGroupManagers"
							: "instances";

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#operation");
	jw_kstr(w, "id", op->id);
	jw_kstr(w, "name", op->name);
	gce_url(w, q, region ? "region" : "zone", op->project, zone);
	jw_kstr(w, "operationType", op->verb->name);
	gce_url(w, q, "targetLink", op->project,
		arena_printf(q->a, "%s/%s/%s", zone, kind, op->target));
	jw_kstr(w, "targetId", op->target_id);
	jw_kstr(w, "status", op->done ? "DONE" : op->looks ? "RUNNING" : "PENDING");
	jw_kstr(w, "user",
		arena_printf(q->a, "tpucost@%s.iam.gserviceaccount.com", op->project));
	jw_ki64(w, "progress", op->done ? 100 : 0);
	if (op->request_id)
		jw_kstr(w, "clientOperationId", op->request_id);
	add_pacific(w, "insertTime", op->inserted);
	if (op->done || op->looks)
		add_pacific(w, "startTime", op->inserted);
	if (op->done)
		add_pacific(w, "endTime", op->ended);
	if (op->done && op->error)
		write_error(w, op->error);
	gce_url(w, q, "selfLink", op->project,
		arena_printf(q->a, "%s/operations/%s", zone, op->name));
	jw_end(w, '}');
}

/* ---- operations -------------------------------------------------------------------------------- */

static struct operation *named_operation(const struct request *q, struct response *r)
{
	struct operation *op;

	if (!gce_project(q, r))
		return NULL;
	op = operation_find(q->w, q->seg[3], q->seg[5], q->seg[7]);
	if (!op || (op->verb->target != ON_INSTANCE && op->verb->target != ON_GROUP)) {
		gce_not_found(q, r,
			arena_printf(q->a, "zones/%s/operations/%s", q->seg[5], q->seg[7]));
		return NULL;
	}
	return op;
}

void serve_operation(const struct request *q, struct response *r)
{
	struct operation *op = named_operation(q, r);
	struct jw w = {.b = &r->body};

	if (!op)
		return;
	operation_look(q->w, op, q->now);
	write_operation(q, &w, op);
}

/* Google waits up to two minutes; here nothing takes that long. */
void serve_operation_wait(const struct request *q, struct response *r)
{
	struct operation *op = named_operation(q, r);
	struct jw w = {.b = &r->body};

	if (!op)
		return;
	op->looks++;
	operation_finish(q->w, op, q->now);
	write_operation(q, &w, op);
}

void serve_operations(const struct request *q, struct response *r)
{
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};

	if (!p)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "compute#operationList");
	jw_key(&w, "items");
	jw_begin(&w, '[');
	for (const struct operation *op = q->w->ops; op; op = op->next)
		if (op->verb->target == ON_INSTANCE && !strcmp(op->project, p->id) &&
			!strcmp(op->zone, q->seg[5]))
			write_operation(q, &w, op);
	jw_end(&w, ']');
	jw_end(&w, '}');
}

/* ---- verbs ------------------------------------------------------------------------------------- */

/* RFC 4122, and not all zeros. */
static bool uuid_valid(const char *s)
{
	bool zero = true;

	for (size_t i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' : !isxdigit((unsigned char)s[i]))
			return false;
		if (!dash && s[i] != '0')
			zero = false;
	}
	return !s[36] && !zero;
}

static bool request_id_fine(const struct request *q, struct response *r)
{
	const char *id = q->param(q, "requestId");

	if (!id || uuid_valid(id))
		return true;
	respond_error(r, 400, "invalid",
		arena_printf(q->a, "Invalid value for field 'requestId': '%s'.", id));
	return false;
}

static void begin(const struct request *q, struct response *r, const struct verb *v)
{
	const char *target = arena_printf(q->a, "projects/%s/%s/%s/%s/%s", q->seg[3],
		q->seg[4], q->seg[5], q->seg[6], q->seg[7]);
	struct jw w = {.b = &r->body};
	struct operation *op;

	switch (operation_begin(q->w, v, q->seg[3], q->seg[5], q->seg[7],
		q->param(q, "requestId"), q->now, &op)) {
	case BEGUN:
		write_operation(q, &w, op);
		break;
	case NO_TARGET:
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "The resource '%s' was not found", target));
		break;
	case NOT_FROM_HERE:
		respond_error(r, 400, "invalidResourceUsage",
			arena_printf(q->a, "Invalid resource usage: '%s cannot %s now.'",
				target, v->name));
		break;
	case BUSY:
		respond_error(r, 400, "resourceNotReady",
			arena_printf(q->a, "The resource '%s' is not ready", target));
		break;
	}
}

static bool labels_to_json(const struct cJSON *labels, struct sbuf *out)
{
	struct jw w = {.b = out};

	if (!json_is_object(labels))
		return false;
	jw_begin(&w, '{');
	JSON_EACH (item, labels)
		jw_kstr(&w, json_key(item), json_text(item, ""));
	jw_end(&w, '}');
	return true;
}

/* All labels are replaced, if the fingerprint is that of those there are. */
static void set_labels(const struct request *q, struct response *r)
{
	struct instance *x = world_instance(q->w, q->seg[3], q->seg[5], q->seg[7]);
	struct sbuf labels = SBUF_INIT;
	struct cJSON *body = NULL;

	if (json_parse(q->body, q->body_len, &body, NULL) ||
		!labels_to_json(json_get(body, "labels"), &labels)) {
		respond_error(r, 400, "invalid", "Invalid value for field 'labels'.");
	} else if (x &&
		strcmp(json_text(json_get(body, "labelFingerprint"), ""),
			gce_fingerprint(q, x->labels))) {
		respond_error(r, 412, "conditionNotMet",
			"Labels fingerprint either invalid or resource labels have "
			"changed");
	} else {
		begin(q, r, verb_find(ON_INSTANCE, "setLabels"));
		if (x && r->status == 200)
			x->labels = arena_strdup(&q->w->arena, labels.s);
	}
	sbuf_done(&labels);
	json_free(body);
}

void serve_instance_verb(const struct request *q, struct response *r)
{
	const struct verb *v = verb_find(ON_INSTANCE, q->seg[8]);

	if (!gce_project(q, r) || !request_id_fine(q, r))
		return;
	if (!v || v->removes)
		respond_error(r, 404, "notFound", "There is no such method.");
	else if (!v->during)
		set_labels(q, r);
	else
		begin(q, r, v);
}

void serve_instance_delete(const struct request *q, struct response *r)
{
	const struct instance *x = world_instance(q->w, q->seg[3], q->seg[5], q->seg[7]);

	if (!gce_project(q, r) || !request_id_fine(q, r))
		return;
	if (x && x->deletion_protection)
		respond_error(r, 400, "invalidResourceUsage",
			"Invalid resource usage: 'Resource cannot be deleted if it's "
			"protected against deletion. Set deletionProtection to false to "
			"allow the resource to be deleted.'.");
	else
		begin(q, r, verb_find(ON_INSTANCE, "delete"));
}

/* Only to 0, which ends a slice. */
void serve_group_resize(const struct request *q, struct response *r)
{
	const char *size = q->param(q, "size");

	if (!gce_project(q, r) || !request_id_fine(q, r))
		return;
	if (!size || strcmp(size, "0") != 0)
		respond_error(r, 400, "invalid", "Invalid value for field 'size'.");
	else
		begin(q, r, verb_find(ON_GROUP, "resize"));
}

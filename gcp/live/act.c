#include "gcp/live/act.h"
#include "gcp/live/operation.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/auth/auth.h"
#include "gcp/call.h"
#include "gcp/access/iam.h"
#include "gcp/internal.h"

#include <string.h>

/* Requests to stop and delete each kind of machine. */
static const struct way {
	const char *method;     /* NULL: not possible */
	const char *tail;       /* after the URL of the machine */
	const char *what;       /* prefix of every message */
	const char *permission; /* IAM name of the required permission */
	bool request_id, force;
	bool to_zero;     /* resized to size 0 */
	const char *body; /* NULL: none */
} ways[5][2] = {
	[GCP_VM] =
		{
			[ACT_STOP] = {"POST", "/stop", "stop Compute Engine instance",
				"compute.instances.stop", true, false},
			[ACT_DELETE] = {"DELETE", "", "delete Compute Engine instance",
				"compute.instances.delete", true, false},
		},
	[GCP_NODE] =
		{
			[ACT_STOP] = {"POST", ":stop", "stop TPU node", "tpu.nodes.stop",
				false, false, .body = "{}"},
			[ACT_DELETE] = {"DELETE", "", "delete TPU node", "tpu.nodes.delete",
				false, false},
		},
	[GCP_QUEUED] =
		{
			[ACT_STOP] = {NULL, NULL, "stop queued resource", NULL, false,
				false},
			[ACT_DELETE] = {"DELETE", "", "delete queued resource",
				"tpu.nodes.delete", true, true},
		},
	[GCP_GROUP] =
		{
			[ACT_STOP] = {NULL, NULL, "stop managed instance group", NULL,
				false, false},
			[ACT_DELETE] = {"POST", "/resize", "resize managed instance group",
				"compute.instanceGroupManagers.update", true, false, true},
		},
	[GCP_POOL] =
		{
			[ACT_STOP] = {NULL, NULL, "stop node pool", NULL, false, false},
			[ACT_DELETE] = {"POST", ":setSize", "resize node pool",
				"container.clusters.update", false, false,
				.body = "{\"nodeCount\":0}"},
		},
};

/* A request without its id could be done twice, and one with an invalid id is refused: a bug of
 * tpucost, detected before sending. */
static bool uuid_valid(const char *s)
{
	bool any = false;

	if (!s || strlen(s) != 36)
		return false;
	for (size_t i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' : !strchr("0123456789abcdef", s[i]))
			return false;
		any = any || (!dash && s[i] != '0');
	}
	return any;
}

static enum err_code act_check(const struct act *act, const struct way *w, struct err *e)
{
	if (gcp_thing_check(&act->thing, e))
		return err_wrap(e, "%s", w->what);
	if (!w->method)
		return err_set(e, E_CONFIG, "%s: can only be deleted", w->what);
	if (!uuid_valid(act->request_id))
		return err_set(e, E_CONFIG, "%s: the request id is not a UUID", w->what);
	return E_OK;
}

/* In these cases Google is working on the machine: check again later. Compute Engine, Cloud TPU and
 * Kubernetes Engine return 400 for that. */
static bool is_busy(const char *reason)
{
	static const char *const busy[] = {"resourceNotReady", "RESOURCE_NOT_READY",
		"resourceInUseByAnotherResource", "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
		"CLUSTER_ALREADY_HAS_OPERATION"};

	return str_in(reason, busy, ARRAY_LEN(busy));
}

static enum err_code act_code_of(const struct gcp_call *c, enum err_code code)
{
	switch (code) {
	case E_OK:
	case E_NET:
	case E_RATE:
	case E_AUTH:
	case E_DENIED:
	case E_CONFIG:
	case E_NOTFOUND:
	case E_CONFLICT:
		return code;
	case E_DISABLED:
		return E_DENIED;
	case E_HTTP:
		/* No status: Google refused the token. */
		if (!c->status)
			return E_NET;
		return is_busy(c->reason) ? E_CONFLICT : E_HTTP;
	default:
		return E_UNCERTAIN;
	}
}

/* The request was done; its operation or its target may be unknown. */
static enum err_code act_read_answer(const struct gcp_call *c, const struct act *act,
	struct arena *a, const char **operation, struct err *e)
{
	const char *name = json_text(json_get(c->json, "name"), "");
	const char *target = json_text(json_get(c->json, "targetId"), "");

	if (!gcp_op_name_valid(&act->thing, name))
		return err_set(e, E_UNCERTAIN,
			"%s: the response does not name an operation", c->what);
	if (gcp_thing_compute(&act->thing) && *act->uid && *target &&
		!str_eq(act->uid, target))
		return err_set(e, E_UNCERTAIN,
			"%s: done to another machine of that name: number %.24s instead of "
			"%.24s",
			c->what, target, act->uid);
	*operation = arena_strdup(a, name);
	return E_OK;
}

/* The role in docs/iam.md that has the permission. */
static void act_fix_denied(
	const struct gcp *g, const struct act *act, const struct way *w, struct err *e)
{
	const char *member = g->auth->member, *project = act->thing.project;
	const char *role = iam_role_name(act->thing.kind == GCP_POOL ? IAM_SCALER
			: act->verb == ACT_DELETE                    ? IAM_DELETER
								     : IAM_STOPPER);

	if (member)
		err_fix(e,
			"run: gcloud projects add-iam-policy-binding %s --member=%s "
			"--role=projects/%s/roles/%s, or see docs/iam.md: it needs the "
			"permission %s",
			project, member, project, role, w->permission);
	else
		err_fix(e,
			"the account that acts needs the permission %s in project %s (role "
			"%s of docs/iam.md)",
			w->permission, project, role);
}

enum err_code act_send(struct gcp *g, const struct act *act, struct arena *a,
	const char **operation, struct err *e)
{
	const struct way *w = &ways[act->thing.kind][act->verb];
	struct err own = {0};
	struct gcp_call c;
	enum err_code rc;

	if (!e)
		e = &own;
	if (act_check(act, w, e))
		return e->code;
	gcp_call_init(&c, g, gcp_thing_api(&act->thing), act->thing.project, w->what);
	gcp_thing_url(g, &act->thing, &c.url);
	sbuf_adds(&c.url, w->tail);
	if (w->force)
		url_param(&c.url, "force", "true");
	if (w->to_zero)
		url_param(&c.url, "size", "0");
	if (w->request_id)
		url_param(&c.url, "requestId", act->request_id);
	c.method = w->method;
	c.body = w->body;
	c.write = true;
	c.max_attempts = 1;
	rc = gcp_call_do(&c, e);
	if (rc == E_OK)
		rc = act_read_answer(&c, act, a, operation, e);
	rc = e->code = act_code_of(&c, rc);
	if (rc == E_DENIED && c.status == 403)
		act_fix_denied(g, act, w, e);
	gcp_call_free(&c);
	return rc;
}

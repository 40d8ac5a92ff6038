/* Interface of enforcement to Google's APIs. */
#include "cli/net/wire.h"

#include "base/net/http.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "gcp/live/act.h"
#include "gcp/live/live.h"
#include "gcp/live/operation.h"
#include "gcp/compute/compute.h"

#include <stdlib.h>

/* A slow live check is out of date when it returns, and the lease continues. */
#define RETRY_MS 20000
#define TIMEOUT_MS 30000L
#define ATTEMPTS 3

struct hands_state {
	struct app *app;
	struct http *http;
	struct gcp *gcp; /* NULL until it is needed */
	struct hands hands;
};

/* A separate client: the credentials of the account that acts are never used to collect. */
static enum err_code hands_need(struct hands_state *h, struct err *e)
{
	const struct config *cfg = h->app->cfg;
	struct http_opts http = {.user_agent = "tpucost/" TPUCOST_VERSION " (gzip)",
		.clock = h->app->clock,
		.max_attempts = ATTEMPTS,
		.total_timeout_ms = TIMEOUT_MS,
		.retry_budget_ms = RETRY_MS};
	struct gcp_opts gcp = {.endpoint_all = cfg->endpoint_all,
		.credentials = cfg->enforcement.credentials ? cfg->enforcement.credentials
							    : cfg->credentials,
		.impersonate = cfg->enforcement.impersonate,
		.clock = h->app->clock};

	if (h->gcp)
		return E_OK;
	if (!h->http && http_new(&http, &h->http, e))
		return err_wrap(e, "enforcement");
	gcp.http = h->http;
	return gcp_new(&gcp, &h->gcp, e) ? err_wrap(e, "enforcement") : E_OK;
}

static struct gcp_thing hands_thing_of(const struct target *t, struct arena *a)
{
	struct gcp_thing pool;

	if (target_is_pool(t) && gcp_pool_of(t->project, t->group, a, &pool))
		return pool;
	return (struct gcp_thing){.kind = t->group    ? GCP_GROUP
			: str_eq(t->source, "vm")     ? GCP_VM
			: str_eq(t->source, "queued") ? GCP_QUEUED
						      : GCP_NODE,
		.regional = t->group && str_starts(t->group, "regions/"),
		.project = t->project,
		.location = t->location,
		.name = t->name};
}

/* ---- operations -------------------------------------------------------------------------------- */

static enum err_code hands_project(
	void *ctx, const char *project, struct arena *a, const char **number, struct err *e)
{
	struct hands_state *h = ctx;

	return hands_need(h, e) ? e->code
				: gce_project_number(h->gcp, project, a, number, e);
}

static enum err_code hands_look(void *ctx, const struct target *t, enum verb verb,
	struct arena *a, struct live *out, struct err *e)
{
	struct hands_state *h = ctx;
	const struct gcp_thing thing = hands_thing_of(t, a);
	struct gcp_live l;

	if (hands_need(h, e) || gcp_live_get(h->gcp, &thing, a, &l, e))
		return e->code;
	if (!l.found) {
		*out = (struct live){.created = TS_NONE, .started = TS_NONE};
		return E_OK;
	}
	*out = (struct live){.found = true,
		.uid = l.uid,
		.raw_state = l.raw_state,
		.state = l.state,
		.type = l.type,
		.created = l.created,
		.started = l.started,
		.labels = l.labels,
		.deletion_protection = l.deletion_protection,
		.local_ssd = l.local_ssd,
		.own_host = l.own_host,
		.managed_by = l.managed_by,
		.hosts = l.hosts,
		.queued = l.queued,
		.multislice = l.multislice,
		.spot = l.spot,
		.flex_start = l.flex_start,
		.record = l.record,
		.restart = verb == VERB_DELETE ? l.recreate : l.restart};
	return E_OK;
}

static enum err_code hands_act(void *ctx, const struct target *t, enum verb verb,
	const char *request_id, struct arena *a, const char **operation, struct err *e)
{
	struct hands_state *h = ctx;
	const struct act what = {.thing = hands_thing_of(t, a),
		.uid = t->uid ? t->uid : "",
		.verb = verb == VERB_DELETE ? ACT_DELETE : ACT_STOP,
		.request_id = request_id};

	return hands_need(h, e) ? e->code : act_send(h->gcp, &what, a, operation, e);
}

static enum err_code hands_operation(void *ctx, const struct target *t, const char *name,
	struct arena *a, struct op_state *out, struct err *e)
{
	static const enum op_outcome outcomes[] = {[GCP_OP_RUNNING] = OP_RUNNING,
		[GCP_OP_DONE] = OP_DONE,
		[GCP_OP_FAILED] = OP_FAILED,
		[GCP_OP_GONE] = OP_GONE};
	struct hands_state *h = ctx;
	const struct gcp_thing thing = hands_thing_of(t, a);
	struct gcp_op op;

	if (hands_need(h, e) || gcp_op_get(h->gcp, &thing, name, a, &op, e))
		return e->code;
	*out = (struct op_state){.outcome = outcomes[op.outcome], .error = op.error};
	return E_OK;
}

static enum err_code hands_clock_skew(void *ctx, int64_t *seconds)
{
	struct hands_state *h = ctx;

	return h->gcp ? gcp_clock_skew(h->gcp, seconds) : E_NOTFOUND;
}

/* ---- open and close ---------------------------------------------------------------------------- */

const struct hands *hands_open(struct app *app)
{
	struct hands_state *h = xcalloc(1, sizeof(*h));

	h->app = app;
	h->hands = (struct hands){.ctx = h,
		.project = hands_project,
		.look = hands_look,
		.act = hands_act,
		.operation = hands_operation,
		.clock_skew = hands_clock_skew};
	return &h->hands;
}

void hands_close_ptr(const struct hands **hands)
{
	struct hands_state *h = *hands ? (*hands)->ctx : NULL;

	if (!h)
		return;
	gcp_free(h->gcp);
	http_free(h->http);
	free(h);
}

#include "gcp/live/operation.h"

#include "base/str.h"
#include "gcp/call.h"
#include "gcp/internal.h"

#include <string.h>

#define SAID 300 /* bytes of Google's message of a failure */

/* "projects/P/locations/L/operations/NAME" -> NAME. Google may write the project as its number. */
static const char *op_tail_of(const struct gcp_thing *t, const char *name)
{
	const char *rest = str_starts(name, "projects/") ? strchr(name + 9, '/') : NULL;
	size_t len = strlen(t->location);

	if (!rest || !str_starts(rest, "/locations/"))
		return NULL;
	rest += strlen("/locations/");
	if (strncmp(rest, t->location, len) != 0 || !str_starts(rest + len, "/operations/"))
		return NULL;
	return rest + len + strlen("/operations/");
}

bool gcp_op_name_valid(const struct gcp_thing *t, const char *name)
{
	const char *tail = gcp_thing_api(t) == GCP_TPU ? op_tail_of(t, name) : name;

	return tail && gcp_name_valid(tail);
}

static const char *clean(struct arena *a, const char *text)
{
	char buf[SAID];

	text_clean(text, buf, sizeof(buf));
	return arena_strdup(a, buf);
}

/* The first of errors[], otherwise the equivalent HTTP status. NULL: no error. */
static const char *compute_error(const struct cJSON *j, struct arena *a)
{
	const struct cJSON *first = json_first(json_path(j, "error", "errors", NULL));
	const char *code = json_text(json_get(first, "code"), "");
	const char *message = json_text(json_get(first, "message"), "");
	int64_t status = 0;

	if (first)
		return clean(a,
			arena_printf(
				a, "%s%s%s", code, *code && *message ? ": " : "", message));
	/* A malformed status is not a success. */
	if (json_opt_i64(j, "httpErrorStatusCode", 0, &status, NULL))
		return "no reason given";
	if (status >= 400)
		return clean(a,
			arena_printf(a, "HTTP %lld %s", (long long)status,
				json_text(json_get(j, "httpErrorMessage"), "")));
	return json_get(j, "error") ? "no reason given" : NULL;
}

static enum err_code read_compute(
	const struct cJSON *j, struct arena *a, struct gcp_op *out, struct err *e)
{
	const char *status = json_text(json_get(j, "status"), "");

	if (str_eq(status, "PENDING") || str_eq(status, "RUNNING")) {
		out->outcome = GCP_OP_RUNNING;
		return E_OK;
	}
	if (!str_eq(status, "DONE"))
		return err_set(e, E_DATA, "unknown status '%.40s'", status);
	out->error = compute_error(j, a);
	out->outcome = out->error ? GCP_OP_FAILED : GCP_OP_DONE;
	return E_OK;
}

/* Members that are false are omitted. Codes are those of gRPC (google/rpc/code.proto). */
static enum err_code op_read_tpu(
	const struct cJSON *j, struct arena *a, struct gcp_op *out, struct err *e)
{
	const struct cJSON *error = json_get(j, "error");
	int64_t code = 0;

	(void)e;
	if (!json_true(json_get(j, "done"))) {
		out->outcome = GCP_OP_RUNNING;
		return E_OK;
	}
	out->outcome = error ? GCP_OP_FAILED : GCP_OP_DONE;
	if (error && json_opt_i64(error, "code", 0, &code, NULL) == E_OK)
		out->error = clean(a,
			arena_printf(a, "%s (code %lld)",
				json_text(json_get(error, "message"), "no reason given"),
				(long long)code));
	else if (error)
		out->error = "no reason given";
	return E_OK;
}

/* Kubernetes Engine API v1, projects.locations.operations: error is a google.rpc.Status; statusMessage is
 * its predecessor. ABORTING continues until it is DONE. */
static enum err_code op_read_pool(
	const struct cJSON *j, struct arena *a, struct gcp_op *out, struct err *e)
{
	static const char *const under_way[] = {"PENDING", "RUNNING", "ABORTING"};
	const char *status = json_text(json_get(j, "status"), "");
	const char *old = json_text(json_get(j, "statusMessage"), "");
	const struct cJSON *error = json_get(j, "error");

	if (str_in(status, under_way, ARRAY_LEN(under_way))) {
		out->outcome = GCP_OP_RUNNING;
		return E_OK;
	}
	if (!str_eq(status, "DONE"))
		return err_set(e, E_DATA, "unknown status '%.40s'", status);
	out->outcome = error || *old ? GCP_OP_FAILED : GCP_OP_DONE;
	if (out->outcome == GCP_OP_FAILED)
		out->error = clean(a,
			json_text(json_get(error, "message"),
				*old ? old : "no reason given"));
	return E_OK;
}

static void add_url(const struct gcp *g, const struct gcp_thing *t, const char *operation,
	struct sbuf *url)
{
	if (gcp_thing_compute(t))
		gcp_url(g, url, GCP_COMPUTE,
			t->regional ? "/projects/{}/regions/{}/operations/{}"
				    : "/projects/{}/zones/{}/operations/{}",
			t->project, gcp_thing_place(t, (char[GCP_PLACE_BUF]){0}), operation,
			NULL);
	else
		gcp_url(g, url, gcp_thing_api(t), "/projects/{}/locations/{}/operations/{}",
			t->project, t->location,
			t->kind == GCP_POOL ? operation : op_tail_of(t, operation), NULL);
}

enum err_code gcp_op_get(struct gcp *g, const struct gcp_thing *t, const char *operation,
	struct arena *a, struct gcp_op *out, struct err *e)
{
	cleanup(gcp_call_free) struct gcp_call c;
	struct gcp_op own = {.error = NULL};
	enum err_code rc;

	gcp_call_init(&c, g, gcp_thing_api(t), t->project, "get operation");
	if (gcp_thing_check(t, e))
		return e->code;
	if (!gcp_op_name_valid(t, operation))
		return err_set(e, E_CONFIG, "operation '%.80s': malformed name", operation);
	add_url(g, t, operation, &c.url);
	rc = gcp_call_do(&c, e);
	if (rc == E_NOTFOUND) {
		own.outcome = GCP_OP_GONE;
		err_clear(e);
	} else if (rc) {
		return rc;
	} else if ((gcp_thing_compute(t) ? read_compute
				   : t->kind == GCP_POOL
				   ? op_read_pool
				   : op_read_tpu)(c.json, a, &own, e)) {
		return err_wrap(e, "%s", c.what);
	}
	if (!own.error)
		own.error = "";
	*out = own;
	return E_OK;
}

#include "gcp/call.h"

#include "base/str.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- meaning of refusals ------------------------------------------------- */

static const char *const disabled_reasons[] = {"SERVICE_DISABLED", "accessNotConfigured"};
static const char *const billing_reasons[] = {"BILLING_DISABLED", "billingNotEnabled"};
/* Exhausted, and not only temporarily. */
static const char *const quota_reasons[] = {
	"quotaExceeded", "dailyLimitExceeded", "RESOURCE_QUOTA_EXCEEDED"};
/* Server errors that BigQuery reports as 400. */
static const char *const passing_reasons[] = {
	"backendError", "internalError", "jobBackendError", "jobInternalError"};

#define IS_ONE_OF(reason, list) str_in(reason, list, ARRAY_LEN(list))

static enum err_code call_code_of(const struct gcp_refusal *f)
{
	if (gcp_reason_is_rate(f->reason) || IS_ONE_OF(f->reason, quota_reasons))
		return E_RATE;
	if (IS_ONE_OF(f->reason, disabled_reasons))
		return E_DISABLED;
	switch (f->code) {
	case 401:
		return E_AUTH;
	case 403:
		return E_DENIED;
	case 404:
		return E_NOTFOUND;
	case 409:
	case 412:
		return E_CONFLICT;
	case 429:
		return E_RATE;
	default:
		return E_HTTP;
	}
}

/* The project in which an API must be enabled. A call without a project counts for the one in the
 * response, or for the quota project. */
static const char *project_of(const struct gcp_call *c, const struct gcp_refusal *f)
{
	if (c->project)
		return c->project;
	if (gcp_project_valid(f->consumer))
		return f->consumer;
	return c->g->quota_project ? c->g->quota_project : "PROJECT";
}

static void fix_disabled(
	const struct gcp_call *c, const struct gcp_refusal *f, struct err *e)
{
	const char *project = project_of(c, f);
	const char *service = str_ends(f->service, ".googleapis.com") ? f->service
								      : gcp_service(c->api);

	if (c->g->auth->kind == AUTH_USER && !c->g->quota_project)
		err_fix(e,
			"run: gcloud services enable %s --project %s; if it is already "
			"enabled: gcloud auth application-default set-quota-project %s",
			service, project, project);
	else
		err_fix(e, "run: gcloud services enable %s --project %s", service, project);
}

/* `group` is the gcloud group of the command: "projects". */
static void fix_role(const struct gcp_call *c, const char *group, const char *name,
	const char *role, struct err *e)
{
	const char *member = c->g->auth->member;

	if (!role || !name)
		return;
	if (member)
		err_fix(e, "run: gcloud %s add-iam-policy-binding %s --member=%s --role=%s",
			group, name, member, role);
	else if (str_eq(group, "projects"))
		err_fix(e, "grant %s on project %s to the account of the %s", role, name,
			c->g->auth->source);
	else
		err_fix(e,
			"grant %s to the account of the %s: gcloud %s "
			"add-iam-policy-binding %s",
			role, c->g->auth->source, group, name);
}

static void call_fix_denied(
	const struct gcp_call *c, const struct gcp_refusal *f, struct err *e)
{
	if (IS_ONE_OF(f->reason, billing_reasons))
		err_fix(e,
			"link a billing account: gcloud billing projects link %s "
			"--billing-account=ACCOUNT",
			project_of(c, f));
	else if (str_eq(f->reason, "USER_PROJECT_DENIED"))
		fix_role(c, "projects", project_of(c, f),
			"roles/serviceusage.serviceUsageConsumer", e);
	else if (str_eq(f->reason, "ACCESS_TOKEN_SCOPE_INSUFFICIENT"))
		err_fix(e,
			"the credentials lack the scope cloud-platform (of a VM: gcloud "
			"compute instances set-service-account)");
	else if (c->api == GCP_BIGQUERY && strstr(f->message, "Table"))
		fix_role(c, "projects", c->project, "roles/bigquery.dataViewer", e);
	else
		fix_role(c, c->grant_group ? c->grant_group : "projects",
			c->grant_group ? c->grant_name : c->project,
			c->role ? c->role : gcp_role(c->api), e);
}

static void call_explain(struct gcp_call *c, const struct gcp_refusal *f)
{
	struct err *e = &c->err;
	enum err_code code = call_code_of(f);

	memcpy(c->reason, f->reason, sizeof(c->reason));
	/* A write that failed at the server, or was accepted and then reported an error, may have
	 * been done. 499: aborted. */
	if (c->write &&
		(f->code >= 499 || c->status >= 499 || f->code == 408 || c->status < 300))
		code = E_UNCERTAIN;
	err_set(e, code, "%s: HTTP %d%s%s%s%s", c->what, f->code, f->reason[0] ? " " : "",
		f->reason, f->message[0] ? ": " : "", f->message);
	if (code == E_DISABLED)
		fix_disabled(c, f, e);
	else if (code == E_DENIED)
		call_fix_denied(c, f, e);
	else if (code == E_AUTH)
		err_fix(e,
			"Google refuses a new token of the %s: check whether its account "
			"is disabled",
			c->g->auth->source);
	else if (code == E_NOTFOUND && c->api == GCP_BIGQUERY)
		err_fix(e, "check the table name and `billing.location`");
	c->code = code;
}

/* ---- response ------------------------------------------------------------ */

static bool is_json_type(const char *type)
{
	size_t n = strcspn(type, "; ");
	char bare[128];

	if (n == 0)
		return true; /* unknown: the parser decides */
	if (n >= sizeof(bare))
		return false;
	memcpy(bare, type, n);
	bare[n] = '\0';
	return str_ieq(bare, "application/json") || str_ieq(bare, "text/json") ||
		str_ends(bare, "+json");
}

static void fail_data(struct gcp_call *c, const char *why, const char *more)
{
	/* The change was made; its name is unknown. */
	c->code = err_set(
		&c->err, c->write ? E_UNCERTAIN : E_DATA, "%s: %s%s", c->what, why, more);
}

static enum err_code call_parse(struct gcp_call *c)
{
	const struct sbuf *b = &c->req.resp;

	if (c->rows_key)
		return json_rows_open(
			b->s, b->len, c->rows_key, &c->rows, &c->json, &c->err);
	return json_parse(b->s, b->len, &c->json, &c->err);
}

static void read_success(struct gcp_call *c)
{
	struct http_req *r = &c->req;
	struct gcp_refusal f;
	char type[80];

	if (r->resp.len == 0) {
		if (!c->empty_ok && !c->download)
			fail_data(c, "the response is empty", "");
		return;
	}
	if (c->text)
		return;
	if (!is_json_type(r->content_type)) {
		text_clean(r->content_type, type, sizeof(type));
		fail_data(c, "the response is not JSON but ", type);
		return;
	}
	if (call_parse(c) != E_OK) {
		err_wrap(&c->err, "%s", c->what);
		c->code = c->err.code = c->write ? E_UNCERTAIN : E_DATA;
		return;
	}
	if (!json_is_object(c->json)) {
		fail_data(c, "the response is not a JSON object", "");
	} else if (json_get(c->json, "error") && !json_get(c->json, "status") &&
		!json_get(c->json, "name")) {
		gcp_refusal_of(c->json, r->status, &f);
		call_explain(c, &f);
	}
}

static void read_refusal(struct gcp_call *c)
{
	struct http_req *r = &c->req;
	struct gcp_refusal f;

	if (r->status < 400) {
		c->code = err_set(&c->err, E_HTTP,
			"%s: HTTP %ld: unexpected, redirects are not followed", c->what,
			r->status);
		return;
	}
	gcp_refusal_read(r->resp.s, r->resp.len, r->status, &f);
	call_explain(c, &f);
}

static void call_finish(struct gcp_call *c)
{
	if (c->code != E_OK) {
		json_free(c->json);
		c->json = NULL;
	}
	if (c->code != E_OK || (!c->rows_key && !c->text))
		sbuf_done(&c->req.resp);
	if (c->done)
		c->done(c);
}

/* ---- requests ------------------------------------------------------------ */

/* 403 can mean a rate limit, 429 can mean a permanent refusal: the reason decides. */
static enum http_class classify(struct http_req *r)
{
	enum http_class by_status = http_status_class(r->status);
	struct gcp_refusal f;

	if (r->status < 400)
		return HTTP_FINAL;
	gcp_refusal_read(r->resp.s, r->resp.len, r->status, &f);
	if (r->retry_after < 0)
		r->retry_after = f.retry_after;
	if (gcp_reason_is_rate(f.reason))
		return HTTP_RATE;
	if (IS_ONE_OF(f.reason, quota_reasons))
		return HTTP_FINAL;
	if (IS_ONE_OF(f.reason, passing_reasons))
		return HTTP_RETRY;
	return by_status;
}

static void call_on_answer(struct http_req *r);

static enum err_code call_send(struct gcp_call *c, struct err *e)
{
	const char *headers[6];
	cleanup(sbuf_done) struct sbuf user_project = SBUF_INIT;
	enum err_code rc;
	size_t n = 0;

	headers[n++] = gcp_auth_header(c->g->auth, &c->token);
	headers[n++] = "Accept: application/json";
	if (c->body)
		headers[n++] = c->body_type ? c->body_type
					    : "Content-Type: application/json";
	else if (c->upload)
		headers[n++] = "Content-Type: application/octet-stream";
	if (c->g->quota_project) {
		sbuf_addf(&user_project, "X-Goog-User-Project: %s", c->g->quota_project);
		headers[n++] = user_project.s;
	}
	headers[n] = NULL;
	c->req.method = c->method ? c->method : "GET";
	c->req.url = c->url.s;
	c->req.headers = headers;
	c->req.body = c->body;
	c->req.body_len = c->body ? strlen(c->body) : 0;
	c->req.upload = c->upload;
	c->req.upload_size = c->upload_size;
	c->req.download = c->download;
	c->req.max_download = c->max_download;
	c->req.max_body = c->max_body;
	c->req.total_timeout_ms = c->timeout_ms;
	c->req.max_attempts = c->max_attempts;
	c->req.idempotent = !c->write;
	c->req.classify = classify;
	c->req.done = call_on_answer;
	c->req.ctx = c;
	gcp_pace(c->g, c->api, &c->req);
	rc = http_submit(c->g->http, &c->req, e);
	c->req.headers = NULL;
	return rc;
}

static void call_on_token(struct auth_waiter *w, enum err_code code, const struct err *why)
{
	struct gcp_call *c = (struct gcp_call *)((char *)w -
		offsetof(struct gcp_call, waiter));

	if (code == E_OK) {
		c->code = call_send(c, &c->err);
		if (c->code == E_OK)
			return;
	} else {
		c->code = code;
		c->err = *why;
	}
	err_wrap(&c->err, "%s", c->what);
	call_finish(c);
}

static void call_on_answer(struct http_req *r)
{
	struct gcp_call *c = r->ctx;

	c->status = r->status;
	if (r->code == E_OK)
		gcp_note_date(c->g, c->api, c->url.s, r->date);
	if (r->code == E_OK && r->status == 401 &&
		gcp_auth_refused(c->g->auth, c->token, c->renewed)) {
		c->renewed = true;
		gcp_auth_wait(c->g->auth, &c->waiter);
		return;
	}
	if (r->code != E_OK) {
		c->code = r->code;
		c->err = r->err;
		err_wrap(&c->err, "%s", c->what);
	} else if (!c->write && gcp_check_clock(c->g, c->api, &c->err)) {
		c->code = err_wrap(&c->err, "%s", c->what);
	} else if (r->status >= 200 && r->status < 300) {
		read_success(c);
	} else {
		read_refusal(c);
	}
	call_finish(c);
}

void gcp_call_init(struct gcp_call *c, struct gcp *g, enum gcp_api api, const char *project,
	const char *what)
{
	*c = (struct gcp_call){.g = g, .api = api, .project = project, .what = what};
	c->url = SBUF_INIT;
	c->req.resp = SBUF_INIT;
}

enum err_code gcp_call_start(struct gcp_call *c, struct err *e)
{
	if (c->project && gcp_project_check(c->project, e) != E_OK)
		return err_wrap(e, "%s", c->what);
	if (!http_url_allowed(c->url.s, e))
		return err_wrap(e, "%s", c->what);
	json_free(c->json);
	c->json = NULL;
	c->code = E_OK;
	err_clear(&c->err);
	c->reason[0] = '\0';
	c->status = 0;
	c->renewed = false;
	c->waiter.ready = call_on_token;
	if (!strstr(c->url.s, "prettyPrint="))
		sbuf_adds(&c->url,
			strchr(c->url.s, '?') ? "&prettyPrint=false"
					      : "?prettyPrint=false");
	gcp_auth_wait(c->g->auth, &c->waiter);
	return E_OK;
}

enum err_code gcp_call_do(struct gcp_call *c, struct err *e)
{
	enum err_code rc;

	c->done = NULL;
	rc = gcp_call_start(c, e);
	if (rc == E_OK)
		rc = http_run(c->g->http, e);
	if (rc == E_OK && c->code != E_OK && e)
		*e = c->err;
	return rc != E_OK ? rc : c->code;
}

void gcp_call_free(struct gcp_call *c)
{
	gcp_auth_unwait(c->g->auth, &c->waiter);
	http_req_done(&c->req);
	json_free(c->json);
	c->json = NULL;
	sbuf_done(&c->url);
}

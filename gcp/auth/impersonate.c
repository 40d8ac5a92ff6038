/* Impersonation of a service account without its key: the token of the base credentials is
 * exchanged for one of the account (IAM Service Account Credentials API v1,
 * projects.serviceAccounts.generateAccessToken). Needs roles/iam.serviceAccountTokenCreator on the
 * account. */
#include "gcp/auth/auth.h"

#include "base/time/civil.h"
#include "base/mem.h"
#include "base/str.h"
#include "gcp/call.h"
#include "gcp/internal.h"

#include <string.h>

#define BODY                                                               \
	"{\"scope\":[\"https://www.googleapis.com/auth/cloud-platform\"]," \
	"\"lifetime\":\"3600s\"}"
#define MAX_ANSWER (64u << 10)

enum err_code gcp_auth_impersonate(struct gcp_auth **a, const char *email, struct err *e)
{
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;
	struct gcp_auth *own;

	if (!auth_email_valid(email)) {
		err_set(e, E_CONFIG, "impersonate: '%.100s' is not a service account",
			email);
		return err_fix(e, "expected NAME@PROJECT.iam.gserviceaccount.com");
	}
	own = xcalloc(1, sizeof(*own));
	own->g = (*a)->g;
	own->kind = AUTH_IMPERSONATED;
	own->base = *a;
	own->useless_until_ms = own->failed_until_ms = INT64_MIN;
	own->req.resp = SBUF_INIT;
	own->email = arena_strdup(&own->texts, email);
	own->member = arena_printf(&own->texts, "serviceAccount:%s", email);
	own->source = arena_printf(&own->texts, "service account %s", email);
	own->quota_project = (*a)->quota_project; /* lives as long */
	gcp_url(own->g, &url, GCP_IAMCREDENTIALS,
		"/projects/-/serviceAccounts/{}:generateAccessToken", email, NULL);
	own->token_url = arena_strdup(&own->texts, url.s);
	*a = own;
	return E_OK;
}

static enum err_code impersonate_send(struct gcp_auth *a, struct err *e)
{
	const char *headers[] = {gcp_auth_header(a->base, &a->base_token),
		"Content-Type: application/json", NULL};
	enum err_code rc;

	a->req.method = "POST";
	a->req.url = a->token_url;
	a->req.headers = headers;
	a->req.body = BODY;
	a->req.body_len = strlen(BODY);
	a->req.max_body = MAX_ANSWER;
	a->req.idempotent = true;
	a->req.done = auth_on_answer;
	a->req.ctx = a;
	rc = http_submit(a->g->http, &a->req, e);
	a->req.headers = NULL;
	return rc;
}

static void on_base(struct auth_waiter *w, enum err_code code, const struct err *why)
{
	struct gcp_auth *a = (struct gcp_auth *)((char *)w -
		offsetof(struct gcp_auth, base_waiter));
	struct err e = {0};

	if (code != E_OK) {
		e = *why;
		e.code = code;
	} else {
		code = impersonate_send(a, &e);
	}
	if (code == E_OK)
		return;
	err_wrap(&e, "%s", a->source);
	auth_tell_waiters(a, code, &e);
}

void auth_impersonated_ask(struct gcp_auth *a)
{
	a->base_waiter.ready = on_base;
	gcp_auth_wait(a->base, &a->base_waiter);
}

int64_t auth_impersonated_life(
	const struct gcp_auth *a, const struct cJSON *answer, int64_t unsaid)
{
	const char *text = json_text(json_get(answer, "expireTime"), "");
	ts_t end;

	if (!*text || rfc3339_parse(text, &end, NULL, NULL))
		return unsaid;
	return end - clock_now(a->g->clock);
}

enum err_code auth_impersonated_refused(
	const struct gcp_auth *a, const struct http_req *r, struct err *e)
{
	struct gcp_refusal f;
	enum err_code rc;

	gcp_refusal_read(r->resp.s, r->resp.len, r->status, &f);
	/* The next attempt gets a new token of the base. */
	if (r->status == 401)
		gcp_auth_refused(a->base, a->base_token, false);
	rc = r->status == 429 ? E_RATE : r->status >= 500 ? E_HTTP : E_AUTH;
	err_set(e, rc, "%s: token: HTTP %ld%s%s%s%s", a->source, r->status,
		f.reason[0] ? " " : "", f.reason, f.message[0] ? ": " : "", f.message);
	if (r->status == 403 && a->base->member)
		err_fix(e,
			"run: gcloud iam service-accounts add-iam-policy-binding %s "
			"--member=%s --role=roles/iam.serviceAccountTokenCreator",
			a->email, a->base->member);
	else if (r->status == 403)
		err_fix(e,
			"grant roles/iam.serviceAccountTokenCreator on %s to the account "
			"of the %s, and enable iamcredentials.googleapis.com",
			a->email, a->base->source);
	else if (r->status == 404)
		err_fix(e, "the service account %s does not exist", a->email);
	return rc;
}

/* Explains why Google refused a token, with a fix. */
#include "gcp/auth/auth.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

#define LOGIN "gcloud auth application-default login"
#define SKEW_WORTH_TELLING 60 /* seconds */

static enum err_code no_answer(
	const struct gcp_auth *a, const struct http_req *r, struct err *e)
{
	if (a->kind == AUTH_METADATA && !a->metadata_seen) {
		err_set(e, E_AUTH,
			"no Google credentials: GOOGLE_APPLICATION_CREDENTIALS is not set, "
			"gcloud has none, and no metadata server responds");
		err_fix(e, "run: " LOGIN ", or name a key file with `credentials:`");
		return E_AUTH;
	}
	if (e)
		*e = r->err;
	err_wrap(e, "%s: token", a->source);
	return r->code;
}

static enum err_code metadata_refused(
	const struct gcp_auth *a, const struct http_req *r, struct err *e)
{
	err_set(e, E_AUTH, "%s: token: HTTP %ld", a->source, r->status);
	if (r->status == 403)
		err_fix(e,
			"this VM lacks the scope cloud-platform: stop it and run "
			"`gcloud compute instances set-service-account VM "
			"--scopes=cloud-platform`");
	else if (r->status == 404)
		err_fix(e,
			"this VM has no service account: set one with `gcloud compute "
			"instances set-service-account`, or run " LOGIN);
	return E_AUTH;
}

/* Is the clock so wrong that Google refuses every assertion, whatever it says of this one? It was issued in the future,
 * or has expired. Also if Google's words are those for a wrong clock. */
static bool is_of_clock(const char *error, const char *description, int64_t off)
{
	return strstr(description, "iat") || strstr(description, "reasonable timeframe") ||
		(str_eq(error, "invalid_grant") && (off > 300 || off < -3600));
}

/* The cause is the clock, and not what Google says of its consequence. */
static void blame_clock(const struct gcp_auth *a, int64_t off, struct err *e)
{
	if (llabs(off) < SKEW_WORTH_TELLING) {
		err_fix(e,
			"the clock of this machine seems to be wrong: check it with "
			"`timedatectl`");
		return;
	}
	gcp_clock_err(off, e);
	err_wrap(e, "%s: token", a->source);
}

static void fix_grant(const struct gcp_auth *a, const struct http_req *r, const char *error,
	const char *description, struct err *e)
{
	int64_t off = r->date == TS_NONE ? 0 : clock_now(a->g->clock) - r->date;

	if (a->kind == AUTH_USER && str_starts(error, "invalid_"))
		err_fix(e, "the login has ended or was revoked; run: " LOGIN);
	else if (a->kind == AUTH_SERVICE_ACCOUNT && is_of_clock(error, description, off))
		blame_clock(a, off, e);
	else if (a->kind == AUTH_SERVICE_ACCOUNT &&
		strstr(description, "account not found"))
		err_fix(e, "the service account %s no longer exists", a->email);
	else if (a->kind == AUTH_SERVICE_ACCOUNT && str_eq(error, "invalid_grant"))
		err_fix(e,
			"the key was deleted or disabled; create a new one: gcloud iam "
			"service-accounts keys create FILE --iam-account=%s",
			a->email);
	else if (str_eq(error, "disabled_client") || str_eq(error, "deleted_client"))
		err_fix(e, "its account or OAuth client is disabled or deleted");
}

enum err_code auth_explain(
	const struct gcp_auth *a, const struct http_req *r, struct err *e)
{
	char error[64], description[300];
	cleanup(json_free_ptr) struct cJSON *body = NULL;
	enum err_code rc;

	if (r->code != E_OK)
		return no_answer(a, r, e);
	if (a->kind == AUTH_METADATA)
		return metadata_refused(a, r, e);
	if (a->kind == AUTH_IMPERSONATED)
		return auth_impersonated_refused(a, r, e);
	if (json_parse(r->resp.s, r->resp.len, &body, NULL) != E_OK)
		body = NULL;
	text_clean(json_text(json_get(body, "error"), ""), error, sizeof(error));
	text_clean(json_text(json_get(body, "error_description"), ""), description,
		sizeof(description));
	rc = r->status == 429 ? E_RATE : r->status >= 500 || !error[0] ? E_HTTP : E_AUTH;
	err_set(e, rc, "%s: token: HTTP %ld%s%s%s%s", a->source, r->status,
		error[0] ? ": " : "", error, description[0] ? ": " : "", description);
	fix_grant(a, r, error, description, e);
	return rc;
}

/* Service account of the Google Cloud VM on which tpucost runs ("About VM metadata", Compute Engine
 * documentation). The metadata server uses plain http on a link-local address. */
#include "gcp/auth/auth.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/url/url.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN_PATH "/computeMetadata/v1/instance/service-accounts/default/token"
#define TIMEOUT_MS 2000L
#define MAX_EMAIL 1024

/* Only hosts that can be a metadata server: any other host could return a false token, or learn of
 * the request. */
static bool host_allowed(const struct url *u)
{
	return url_is_loopback(u) || str_starts(u->host, "169.254.") ||
		str_eq(u->host, "metadata.google.internal") ||
		str_eq(u->host, "metadata.google.internal.") || str_eq(u->host, "metadata");
}

const char *auth_env(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

enum err_code gcp_metadata_url(struct gcp *g, const char *path, struct arena *a,
	struct sbuf *url, const char **host_allowed_plain, struct err *e)
{
	const char *host = auth_env("GCE_METADATA_IP");
	struct url u;

	if (!host)
		host = auth_env("GCE_METADATA_HOST");
	if (host)
		sbuf_addf(url, "%s%s", strstr(host, "://") ? "" : "http://", host);
	else if (g->metadata_base)
		sbuf_adds(url, g->metadata_base);
	else
		sbuf_adds(url, "http://169.254.169.254");
	while (url->len && url->s[url->len - 1] == '/')
		sbuf_trunc(url, url->len - 1);
	sbuf_adds(url, path);
	if (url_parse(url->s, &u, e) != E_OK || (!u.https && !host_allowed(&u)))
		return err_set(e, E_AUTH,
			"metadata server: GCE_METADATA_HOST is not a valid host");
	*host_allowed_plain = arena_strdup(a, u.host);
	return E_OK;
}

enum err_code auth_metadata_load(struct gcp_auth *a, struct err *e)
{
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;

	if (gcp_metadata_url(a->g, TOKEN_PATH, &a->texts, &url, &a->metadata_host, e))
		return E_AUTH;
	a->kind = AUTH_METADATA;
	a->source = "metadata server";
	url_param(&url, "scopes", "https://www.googleapis.com/auth/cloud-platform");
	a->token_url = arena_strdup(&a->texts, url.s);
	return E_OK;
}

enum err_code auth_metadata_email(struct gcp_auth *a, struct sbuf *out, struct err *e)
{
	static const char *const headers[] = {"Metadata-Flavor: Google", NULL};
	struct http_req r = {.method = "GET",
		.headers = headers,
		.max_body = MAX_EMAIL,
		.total_timeout_ms = TIMEOUT_MS,
		.idempotent = true,
		.plain_http_host = a->metadata_host};
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;
	enum err_code rc;

	sbuf_add(&url, a->token_url,
		(size_t)(strstr(a->token_url, "/token?") - a->token_url));
	sbuf_adds(&url, "/email");
	r.url = url.s;
	r.resp = SBUF_INIT;
	rc = http_do(a->g->http, &r, e);
	if (rc == E_OK && (r.status != 200 || !auth_email_valid(r.resp.s)))
		rc = err_set(
			e, E_AUTH, "%s: the account of the tokens is unknown", a->source);
	if (rc == E_OK)
		sbuf_adds(out, r.resp.s);
	http_req_done(&r);
	return rc;
}

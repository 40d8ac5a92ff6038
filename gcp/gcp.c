/* State shared by all calls: creation from options, running, and freeing. */
#include "gcp/gcp.h"

#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

/* A base URL of the configuration, without trailing slashes. */
static enum err_code take_base(const char *url, char **out, struct err *e)
{
	size_t n = strlen(url);

	if (!http_url_allowed(url, e)) {
		err_wrap(e, "endpoints");
		return E_CONFIG;
	}
	if (strchr(url, '?'))
		return err_set(
			e, E_CONFIG, "endpoints: URL '%s' must not have parameters", url);
	while (n && url[n - 1] == '/')
		n--;
	*out = xmalloc(n + 1);
	memcpy(*out, url, n);
	(*out)[n] = '\0';
	return E_OK;
}

static enum err_code take_bases(struct gcp *g, const struct gcp_opts *o, struct err *e)
{
	enum err_code rc = E_OK;

	if (o->endpoint_all)
		rc = take_base(o->endpoint_all, &g->metadata_base, e);
	for (size_t i = 0; i < GCP_N_APIS && rc == E_OK; i++) {
		const char *base = o->endpoints[i] ? o->endpoints[i] : o->endpoint_all;
		struct sbuf own = SBUF_INIT;

		if (base) {
			rc = take_base(base, &g->base[i], e);
		} else {
			sbuf_addf(&own, "https://%s", gcp_service((enum gcp_api)i));
			g->base[i] = sbuf_detach(&own);
		}
	}
	g->oauth_overridden = o->endpoint_all || o->endpoints[GCP_OAUTH];
	return rc;
}

static enum err_code take_quota_project(
	struct gcp *g, const struct gcp_opts *o, struct err *e)
{
	const char *env = getenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	const char *p = o->quota_project;

	if (!p && env && *env)
		p = env;
	if (!p)
		p = g->auth->quota_project;
	if (!p)
		return E_OK;
	if (gcp_project_check(p, e) != E_OK)
		return err_wrap(e, "quota project");
	g->quota_project = xstrdup(p);
	return E_OK;
}

enum err_code gcp_new(const struct gcp_opts *opts, struct gcp **out, struct err *e)
{
	struct gcp *g = xcalloc(1, sizeof(*g));
	enum err_code rc;

	g->http = opts->http;
	g->clock = opts->clock;
	rc = take_bases(g, opts, e);
	if (rc == E_OK)
		rc = gcp_auth_new(g, opts->credentials, &g->auth, e);
	if (rc == E_OK && opts->impersonate)
		rc = gcp_auth_impersonate(&g->auth, opts->impersonate, e);
	if (rc == E_OK)
		rc = take_quota_project(g, opts, e);
	if (rc == E_OK)
		*out = g;
	else
		gcp_free(g);
	return rc;
}

void gcp_free(struct gcp *g)
{
	if (!g)
		return;
	gcp_auth_free(g->auth);
	for (size_t i = 0; i < GCP_N_APIS; i++)
		free(g->base[i]);
	free(g->metadata_base);
	free(g->quota_project);
	free(g->own_id);
	free(g);
}

enum err_code gcp_run(struct gcp *g, struct err *e)
{
	return http_run(g->http, e);
}

enum err_code gcp_turn(struct gcp *g, struct err *e)
{
	return http_turn(g->http, e);
}

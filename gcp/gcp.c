/* State shared by all calls: creation from options, running, and freeing. */
#include "gcp/gcp.h"

#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

/* A base URL of the configuration, without trailing slashes. */
static enum err_code take_base(
	struct gcp *g, const char *url, const char **out, struct err *e)
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
	*out = arena_strndup(&g->texts, url, n);
	return E_OK;
}

static enum err_code take_bases(struct gcp *g, const struct gcp_opts *o, struct err *e)
{
	enum err_code rc = E_OK;

	if (o->endpoint_all)
		rc = take_base(g, o->endpoint_all, &g->metadata_base, e);
	for (size_t i = 0; i < GCP_N_APIS && rc == E_OK; i++) {
		const char *base = o->endpoints[i] ? o->endpoints[i] : o->endpoint_all;

		if (base)
			rc = take_base(g, base, &g->base[i], e);
		else
			g->base[i] = arena_printf(
				&g->texts, "https://%s", gcp_service((enum gcp_api)i));
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
	g->quota_project = arena_strdup(&g->texts, p);
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
	arena_done(&g->texts);
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

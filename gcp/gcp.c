#include "gcp/gcp.h"

#include "base/str.h"
#include "base/url.h"
#include "gcp/auth.h"
#include "gcp/priv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Hosts and version prefixes: the REST reference of each API. */
static const struct {
	const char *service, *prefix, *role;
} apis[GCP_N_APIS] = {
	[GCP_COMPUTE] = {"compute.googleapis.com", "/compute/v1", "roles/compute.viewer"},
	[GCP_TPU] = {"tpu.googleapis.com", "/v2", "roles/tpu.viewer"},
	[GCP_BIGQUERY] = {"bigquery.googleapis.com", "/bigquery/v2",
		"roles/bigquery.jobUser"},
	[GCP_OAUTH] = {"oauth2.googleapis.com", "/token", NULL},
	[GCP_CLOUDQUOTAS] = {"cloudquotas.googleapis.com", "/v1",
		"roles/cloudquotas.viewer"},
	[GCP_SERVICEUSAGE] = {"serviceusage.googleapis.com", "/v1beta1",
		"roles/serviceusage.serviceUsageConsumer"},
	[GCP_CLOUDBILLING] = {"cloudbilling.googleapis.com", "/v1", "roles/billing.viewer"},
	[GCP_BUDGETS] = {"billingbudgets.googleapis.com", "/v1", "roles/billing.viewer"},
	[GCP_MONITORING] = {"monitoring.googleapis.com", "/v3", "roles/monitoring.viewer"},
	[GCP_STORAGE] = {"storage.googleapis.com", "/storage/v1",
		"roles/storage.bucketViewer"},
	[GCP_ASSET] = {"cloudasset.googleapis.com", "/v1", "roles/cloudasset.viewer"},
	[GCP_RESOURCEMANAGER] = {"cloudresourcemanager.googleapis.com", "/v3",
		"roles/browser"},
	[GCP_IAMCREDENTIALS] = {"iamcredentials.googleapis.com", "/v1",
		"roles/iam.serviceAccountTokenCreator"},
};

const char *gcp_service(enum gcp_api api)
{
	return apis[api].service;
}

const char *gcp_role(enum gcp_api api)
{
	return apis[api].role;
}

/* A base URL of the configuration, without slashes at its end. */
static enum err_code take_base(const char *url, char **out, struct err *e)
{
	size_t n = strlen(url);

	if (!http_url_allowed(url, e)) {
		err_wrap(e, "endpoints");
		return E_CONFIG;
	}
	if (strchr(url, '?'))
		return err_set(e, E_CONFIG,
			"endpoints: URL \"%s\": parameters have no place in it", url);
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
			sbuf_addf(&own, "https://%s", apis[i].service);
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
		p = gcp_auth_quota_project(g->auth);
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

void gcp_note_date(struct gcp *g, enum gcp_api api, const char *url, ts_t date)
{
	struct url u;

	if (date == TS_NONE || url_parse(url, &u, NULL) || !u.https || url_is_loopback(&u))
		return;
	g->skew[api].told = true;
	g->skew[api].seconds = clock_now(g->clock) - date;
}

enum err_code gcp_clock_skew(const struct gcp *g, int64_t *seconds)
{
	enum err_code rc = E_NOTFOUND;
	int64_t most = 0;

	for (size_t i = 0; i < GCP_N_APIS; i++) {
		if (!g->skew[i].told)
			continue;
		rc = E_OK;
		if (llabs(g->skew[i].seconds) > llabs(most))
			most = g->skew[i].seconds;
	}
	if (rc == E_OK)
		*seconds = most;
	return rc;
}

enum err_code gcp_turn(struct gcp *g, struct err *e)
{
	return http_turn(g->http, e);
}

void gcp_url(const struct gcp *g, struct sbuf *out, enum gcp_api api, const char *tmpl, ...)
{
	va_list ap;

	sbuf_adds(out, g->base[api]);
	sbuf_adds(out, apis[api].prefix);
	va_start(ap, tmpl);
	for (; *tmpl; tmpl++) {
		if (tmpl[0] == '{' && tmpl[1] == '}') {
			sbuf_add_url(out, va_arg(ap, const char *));
			tmpl++;
		} else {
			sbuf_addc(out, *tmpl);
		}
	}
	va_end(ap);
}

/* ---- names --------------------------------------------------------------- */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 6 to 30 characters, a letter first, no hyphen last (Resource Manager: project ids).
 */
static bool id_valid(const char *s)
{
	size_t n = strlen(s);

	if (n < 6 || n > 30 || !is_lower(s[0]) || s[n - 1] == '-')
		return false;
	for (; *s; s++)
		if (!is_lower(*s) && !is_digit(*s) && *s != '-')
			return false;
	return true;
}

static bool domain_valid(const char *s, size_t n)
{
	if (n < 3 || n > 100 || s[0] == '.' || s[n - 1] == '.' || !memchr(s, '.', n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_lower(s[i]) && !is_digit(s[i]) && s[i] != '-' && s[i] != '.')
			return false;
	return true;
}

bool gcp_project_valid(const char *project)
{
	const char *colon = strchr(project, ':');
	size_t digits = strspn(project, "0123456789");

	if (digits > 0 && !project[digits])
		return digits <= 20;
	if (colon)
		return domain_valid(project, (size_t)(colon - project)) &&
			id_valid(colon + 1);
	return id_valid(project);
}

enum err_code gcp_project_check(const char *project, struct err *e)
{
	if (gcp_project_valid(project))
		return E_OK;
	err_set(e, E_CONFIG, "project \"%.60s\" is not a project id", project);
	err_fix(e, "list yours with: gcloud projects list");
	return E_CONFIG;
}

bool gcp_name_valid(const char *name)
{
	size_t n = strlen(name), dots = strspn(name, ".");

	if (n == 0 || n > 128 || dots == n)
		return false;
	for (; *name; name++)
		if (!is_lower(*name) && !is_digit(*name) &&
			!(*name >= 'A' && *name <= 'Z') && !strchr("-_.", *name))
			return false;
	return true;
}

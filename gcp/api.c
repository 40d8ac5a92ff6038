/* Endpoints of Google's APIs, and the offset of the local clock according to the dates of their
 * responses. */
#include "gcp/gcp.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Hosts and version prefixes: the REST reference of each API. Calls a minute: nine tenths of Google's quota where all
 * calls count for one project, that of the credentials (Cloud Billing, "Quotas and limits"; Cloud Quotas, "Quotas and
 * system limits"; Cloud Asset Inventory, "Quotas and limits"); 0: the project that is asked about, which is far more
 * than one poll of it needs. */
static const struct {
	const char *service, *prefix, *role;
	int per_minute;
} apis[GCP_N_APIS] = {
	[GCP_COMPUTE] = {"compute.googleapis.com", "/compute/v1", "roles/compute.viewer"},
	[GCP_TPU] = {"tpu.googleapis.com", "/v2", "roles/tpu.viewer"},
	[GCP_TPU_ALPHA] = {"tpu.googleapis.com", "/v2alpha1", "roles/tpu.viewer"},
	[GCP_BIGQUERY] = {"bigquery.googleapis.com", "/bigquery/v2",
		"roles/bigquery.jobUser"},
	[GCP_BIGQUERY_UPLOAD] = {"bigquery.googleapis.com", "/upload/bigquery/v2",
		"roles/bigquery.jobUser"},
	[GCP_OAUTH] = {"oauth2.googleapis.com", "/token", NULL},
	[GCP_CLOUDQUOTAS] = {"cloudquotas.googleapis.com", "/v1",
		"roles/cloudquotas.viewer", 1080},
	[GCP_SERVICEUSAGE] = {"serviceusage.googleapis.com", "/v1beta1",
		"roles/serviceusage.serviceUsageConsumer"},
	[GCP_CLOUDBILLING] = {"cloudbilling.googleapis.com", "/v1", "roles/billing.viewer",
		270},
	[GCP_CLOUDBILLING_BETA] = {"cloudbilling.googleapis.com", "/v1beta", NULL, 270},
	[GCP_BUDGETS] = {"billingbudgets.googleapis.com", "/v1", "roles/billing.viewer"},
	[GCP_MONITORING] = {"monitoring.googleapis.com", "/v3", "roles/monitoring.viewer"},
	[GCP_STORAGE] = {"storage.googleapis.com", "/storage/v1",
		"roles/storage.bucketViewer"},
	[GCP_STORAGE_UPLOAD] = {"storage.googleapis.com", "/upload/storage/v1",
		"roles/storage.objectUser"},
	[GCP_ASSET] = {"cloudasset.googleapis.com", "/v1", "roles/cloudasset.viewer", 360},
	[GCP_RESOURCEMANAGER] = {"cloudresourcemanager.googleapis.com", "/v3",
		"roles/browser"},
	[GCP_IAMCREDENTIALS] = {"iamcredentials.googleapis.com", "/v1",
		"roles/iam.serviceAccountTokenCreator"},
	[GCP_CONTAINER] = {"container.googleapis.com", "/v1", "roles/container.admin"},
};

const char *gcp_service(enum gcp_api api)
{
	return apis[api].service;
}

const char *gcp_role(enum gcp_api api)
{
	return apis[api].role;
}

void gcp_pace(const struct gcp *g, enum gcp_api api, struct http_req *r)
{
	size_t i = 0;

	/* Versions of a service share its quota; another server has none. */
	while (strcmp(apis[i].service, apis[api].service) != 0)
		i++;
	if (str_ends(g->base[api], apis[api].service)) {
		r->pace = (int)i + 1;
		r->per_minute = apis[api].per_minute;
	}
}

void gcp_url_v(const struct gcp *g, struct sbuf *out, enum gcp_api api, const char *tmpl,
	va_list ap)
{
	sbuf_adds(out, g->base[api]);
	sbuf_adds(out, apis[api].prefix);
	for (; *tmpl; tmpl++) {
		if (tmpl[0] == '{' && tmpl[1] == '}') {
			sbuf_add_url(out, va_arg(ap, const char *));
			tmpl++;
		} else {
			sbuf_addc(out, *tmpl);
		}
	}
}

void gcp_url(const struct gcp *g, struct sbuf *out, enum gcp_api api, const char *tmpl, ...)
{
	va_list ap;

	va_start(ap, tmpl);
	gcp_url_v(g, out, api, tmpl, ap);
	va_end(ap);
}

void gcp_note_date(struct gcp *g, enum gcp_api api, const char *url, ts_t date)
{
	struct url u;

	if (date == TS_NONE || url_parse(url, &u, NULL) || !u.https)
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

enum err_code gcp_clock_err(int64_t off, struct err *e)
{
	err_set(e, E_AUTH, CLOCK_IS " %s Google's", off > 0 ? "ahead of" : "behind");
	err_fix(e, "run: sudo timedatectl set-ntp true # it is %lld s %s",
		(long long)llabs(off), off > 0 ? "ahead" : "behind");
	return E_AUTH;
}

enum err_code gcp_check_clock(const struct gcp *g, enum gcp_api api, struct err *e)
{
	int64_t off = g->skew[api].seconds;

	return g->skew[api].told && llabs(off) > GCP_CLOCK_OFF ? gcp_clock_err(off, e)
							       : E_OK;
}

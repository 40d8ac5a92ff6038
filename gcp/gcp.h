/* State shared by all calls to Google: the endpoints of its APIs, and the credentials.
 *
 * One struct gcp serves all projects; every function has a project parameter. Lists have two forms:
 * X_start queues one, so that many run at the same time in gcp_run; X runs one. */
#ifndef TPUCOST_GCP_GCP_H
#define TPUCOST_GCP_GCP_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/net/http.h"
#include "base/mem.h"
#include "base/sbuf.h"

enum gcp_api {
	GCP_COMPUTE,
	GCP_TPU,
	GCP_TPU_ALPHA, /* v2alpha1 of the same service */
	GCP_BIGQUERY,
	GCP_BIGQUERY_UPLOAD, /* the same service, for requests with a file */
	GCP_OAUTH,
	GCP_CLOUDQUOTAS,
	GCP_SERVICEUSAGE,
	GCP_CLOUDBILLING,
	GCP_CLOUDBILLING_BETA, /* v1beta of the same service */
	GCP_BUDGETS,
	GCP_MONITORING,
	GCP_STORAGE,
	GCP_STORAGE_UPLOAD, /* uploads of the same service */
	GCP_ASSET,
	GCP_RESOURCEMANAGER,
	GCP_IAMCREDENTIALS,
	GCP_CONTAINER,
	GCP_N_APIS
};

struct gcp_opts {
	const char *endpoint_all;          /* base URL of every API; NULL = Google's */
	const char *endpoints[GCP_N_APIS]; /* base URL of one API; overrides the above */
	const char *credentials;   /* path of a key file; NULL or "adc" = default ones */
	const char *impersonate;   /* service account to impersonate; NULL = none */
	const char *quota_project; /* NULL = from the credentials, if they have one */
	struct http *http;         /* required, borrowed */
	struct clock *clock;       /* required, borrowed */
};

struct gcp; /* opaque */

/* Reads and checks the credentials (E_AUTH), without sending a request. Strings are copied. */
enum err_code gcp_new(
	const struct gcp_opts *opts, struct gcp **out, struct err *e) must_check;
void gcp_free(struct gcp *g);

/* Runs all calls that were started with X_start to their end. */
enum err_code gcp_run(struct gcp *g, struct err *e) must_check;
/* Lets pending calls proceed, without waiting. */
enum err_code gcp_turn(struct gcp *g, struct err *e) must_check;

/* Seconds between the clocks above which nothing that was read counts: see gcp_check_clock(). Google refuses the
 * token of a key whose clock is this far ahead. */
#define GCP_CLOCK_OFF 300
/* Seconds by which the local clock is ahead of Google's, according to the dates of the newest
 * responses of each API: the largest difference in either direction. Only dates of https count.
 * E_NOTFOUND: no response had a date. */
enum err_code gcp_clock_skew(const struct gcp *g, int64_t *seconds) must_check;

/* "compute.googleapis.com": the name for `gcloud services enable`. */
const char *gcp_service(enum gcp_api api);

/* Appends base URL and path of an API call. Each "{}" of the template is replaced by the next
 * string, percent-encoded: gcp_url(g, &u, GCP_TPU, "/projects/{}/locations/{}/nodes", p, z, NULL).
 * Parameters follow with url_param (base/url/url.h). */
void gcp_url(const struct gcp *g, struct sbuf *out, enum gcp_api api, const char *tmpl, ...)
	__attribute__((sentinel));

/* A project id ("my-project", "example.com:my-project") or number. */
bool gcp_project_valid(const char *project);
/* A zone, region or resource name according to Google's naming rules: letters, digits, '-', '_',
 * '.', at most 128, not only dots. */
bool gcp_name_valid(const char *name);
/* E_CONFIG if the project id is malformed. */
enum err_code gcp_project_check(const char *project, struct err *e) must_check;

/* Locations whose part of a list is missing: resources there are neither present nor gone. */
#define GCP_EVERYWHERE "somewhere" /* Google did not name the location: it may be any */
struct gcp_scopes {
	/* "us-east1-d", "europe-west4", "global", GCP_EVERYWHERE */
	const char **incomplete;
	size_t n;
};

/* Result of a list; the head of every list result. Everything is allocated from the arena. */
struct gcp_result {
	enum err_code code; /* E_OK: all pages read */
	struct err err;
	struct gcp_scopes scopes;
	long status; /* of the last response; 0: none */
	size_t pages;
	size_t repeated; /* items that were repeated; the latest was stored */
	void (*done)(struct gcp_result *r, void *ctx); /* set before X_start; may be NULL */
	void *ctx;
};

/* The result of a list with items of this type, see gcp/list.h. */
#define GCP_ITEMS(name, type)        \
	struct name {                \
		struct gcp_result r; \
		type *v;             \
		size_t n;            \
	}

/* A machine by its name, in its API: the target of a live check, an action or an operation. And the
 * mapping of Google's states. */

enum gcp_kind {
	GCP_VM,     /* instances of Compute Engine, including TPUs that are instances */
	GCP_NODE,   /* nodes of Cloud TPU */
	GCP_QUEUED, /* queued resources of Cloud TPU */
	GCP_GROUP,  /* managed instance groups of Compute Engine that are one TPU slice */
	GCP_POOL,   /* node pools of Kubernetes Engine that are one TPU slice */
};

struct gcp_thing {
	enum gcp_kind kind;
	const char *project, *location, *name;
	bool regional;       /* of a group: it is in the region of `location`, a zone */
	const char *cluster; /* of a node pool, in `location`, a zone or region */
};

/* "locations/L/clusters/C/nodePools/N" as a node pool of the project; false: it is another path. Texts are
 * allocated from the arena. */
bool gcp_pool_of(const char *project, const char *path, struct arena *a,
	struct gcp_thing *out) must_check;

/* E_CONFIG if the name is malformed. */
enum err_code gcp_thing_check(const struct gcp_thing *t, struct err *e) must_check;
enum gcp_api gcp_thing_api(const struct gcp_thing *t);
/* Of Compute Engine? Its operations are those of Compute then. */
bool gcp_thing_compute(const struct gcp_thing *t);
#define GCP_PLACE_BUF 64
/* Its zone, or its region if it is regional; in buf. */
const char *gcp_thing_place(const struct gcp_thing *t, char buf[GCP_PLACE_BUF]);
/* Appends its URL, without parameters. */
void gcp_thing_url(const struct gcp *g, const struct gcp_thing *t, struct sbuf *out);

/* "running", "starting", "stopping", "stopped", "suspended", "preempted", "failed", "deleting";
 * "unknown" for an unknown word. Compute REST reference, instances: status; Cloud TPU REST
 * reference, nodes: State, queuedResources: state. */
const char *gcp_state_ours(enum gcp_kind kind, const char *google);

/* Provisioning class of Google's provisioningModel: "on-demand", "spot", "flex-start", "reserved";
 * "unknown" for an unknown word, "" if it is absent or unspecified. */
const char *gcp_class_ours(const char *model);
/* End of a run of at most so many seconds; TS_NONE if the start is, or for 0 seconds: no limit. */
ts_t gcp_end_after(ts_t start, int64_t seconds);

#endif

/* Sources: polled data. Each has one struct and one row in collector/sources.c. */
#ifndef TPUCOST_COLLECTOR_SOURCE_SOURCE_H
#define TPUCOST_COLLECTOR_SOURCE_SOURCE_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"

#include <fnmatch.h>

struct db;
struct discovery;
struct gcp;
struct gcp_listing;
struct gcp_result;
struct index;
struct inventory;
struct snapshots;
struct tz;

/* Table of the Cloud Billing export. */
struct billing_export {
	const char *name;     /* project.dataset.table */
	const char *location; /* location of the dataset; NULL: detected */
	/* Usage days (UTC) to read: if an export was moved, the two tables must not both count the
	 * same days. */
	day_t from, until; /* first and last; DAY_NONE: no bound */
};
#define DAY_NONE INT32_MIN

/* Settings for polling. */
struct collect_settings {
	const char *const *projects;
	size_t n_projects;
	const struct billing_export *tables;
	size_t n_tables;
	int64_t max_bytes;    /* limit of billed bytes per query */
	bool by_day;          /* of the bill, only sums of days are kept */
	const struct tz *tz;  /* of the calendar days of costs */
	const char *currency; /* of list prices; NULL: USD */
	/* projects are discovered; NULL: they are listed */
	const struct discovery *discovery;
	bool only_files; /* there are no credentials: sources of the whole account are polled only if named */
};

/* One poll of one source in one project. */
struct poll {
	const struct source *source;
	const struct collect_settings *settings;
	const char *project;                /* "" for a source without a project */
	const struct billing_export *table; /* of a source that is polled per table */
	struct gcp *gcp;
	struct db *db;
	struct clock *clock;
	struct arena *arena; /* lives as long as this poll */
	ts_t now;            /* time of this poll */
	bool was_read;       /* it was read completely at least once */
	bool was_disabled;   /* the API was not enabled at the previous poll either */
	bool was_partial; /* some locations were unreachable at the previous poll as well */
	bool was_failed;
	const char *was_error, *was_fix; /* of the previous poll, or NULL */
	void *state;                     /* state of the source, allocated from the arena */
	/* results */
	size_t items;
	const char **gaps; /* unreachable locations */
	size_t n_gaps;
	const char *note;            /* a problem although everything was read, or NULL */
	bool changed;                /* facts have changed */
	struct snapshots *snapshots; /* private to inventory.c */
	struct index *index;         /* private to index.c */
	/* private to collect.c */
	size_t waiting; /* pending requests */
	size_t asked;   /* requests in total */
	void (*answered)(struct gcp_result *r, void *poll);
};

/* PER_DISCOVERY: before all others, if projects are discovered; PER_SCOPE: if they are those of an organization or
 * folder. */
enum source_scope { PER_PROJECT, PER_TABLE, PER_ACCOUNT, PER_DISCOVERY, PER_SCOPE };

/* Resources that the index of Cloud Asset Inventory knows, as bits. A project with machines is asked for all of them:
 * a rule about a machine may depend on other resources of its project. */
#define INDEX_MACHINES 1U
#define INDEX_SNAPSHOTS 2U
#define INDEX_BUCKETS 4U
#define INDEX_ALL (INDEX_MACHINES | INDEX_SNAPSHOTS | INDEX_BUCKETS)

/* Reads from Google first, then stores in one transaction. On failure the facts are unchanged.
 * Either `ask` and `take`, which allow many polls at the same time, or `poll`, which runs alone. */
#define SOURCE_AFTER 3
struct source {
	const char *name;  /* "tpu" */
	const char *group; /* key in `poll:`: instances, billing, ... */
	const char *doc;
	enum source_scope scope;
	/* Optional: if the API does not exist (404), it counts as not enabled. */
	bool optional;
	/* Roles that earlier versions made lack its permissions: refused before it was ever read, it counts as not
	 * enabled. */
	bool newer;
	/* Polls a minute that the quota of calls of the credentials' project allows; 0: as many as there are. `run` makes no
	 * more of them in a pass, so that it ends in time for the other sources, and takes as long for all projects as that
	 * needs. */
	int per_minute;
	/* Depends on the results of these sources, so it begins after they have ended for the project.
	 * They must precede it in `sources`; NULL: none. */
	const struct source *after[SOURCE_AFTER];
	/* A project that has none of these INDEX_... need not be asked; 0: it must be. */
	unsigned index;
	/* Queues requests, each announced by poll_await. */
	enum err_code (*ask)(struct poll *p, struct err *e);
	/* Called when all responses have arrived. May queue more requests: it is then called
	 * again. */
	enum err_code (*take)(struct poll *p, struct err *e);
	enum err_code (*poll)(struct poll *p, struct err *e);
	/* For a source with inventory_ask and inventory_take (collector/inventory.h): the list to
	 * request, and the conversion of an item into a row or no row. */
	const struct gcp_listing *list;
	void (*add)(struct poll *p, struct inventory *inv, const void *item);
	bool whole; /* if items are missing, their location is unknown: the whole list is ignored */
};

/* Call it before X_start(..., &r): the poll continues when this and all other requests have been
 * answered. If X_start fails, pass its error to poll_started. */
void poll_await(struct poll *p, struct gcp_result *r);
enum err_code poll_started(struct poll *p, enum err_code rc);
/* Both, for a list of a project; `where` as for gcp_listing_start. */
enum err_code poll_list(struct poll *p, const struct gcp_listing *l, const char *where,
	struct gcp_result *r, struct err *e) must_check;
/* Result of one list, with its gaps recorded. */
/* Did Google refuse this version of an API? Not a failure that may pass: the older version would then hide
 * what only the newer one has, now and then. */
bool poll_refused(const struct gcp_result *r);
enum err_code poll_result(
	struct poll *p, const struct gcp_result *r, struct err *e) must_check;
/* Records an unreachable location. */
void poll_gap(struct poll *p, const char *location);

extern const struct source *const sources[];
extern const size_t n_sources;

const struct source *source_find(const char *name);
bool source_group_exists(const char *group);

extern const struct source source_vm, source_disk, source_ip, source_tpu, source_queued,
	source_slice, source_resize, source_reservation, source_snapshot, source_bucket,
	source_machine_type, source_quota, source_tpu_quota, source_compute_tpu_quota,
	source_preemption, source_metric, source_billing, source_account, source_price,
	source_project, source_index, source_anomaly;

/* Discovery of projects: those that a billing account pays for, or those in an organization or
 * folder. */

struct discovery {
	const char *billing_account; /* "01AB23-CD45EF-678901", or */
	const char *scope;           /* "organizations/8", "folders/9" */
	/* Patterns as for file names (fnmatch): a project id must match one of the first, and none
	 * of the second. */
	const char *const *only, *const *except;
	size_t n_only, n_except;
};

/* Reports whether the patterns select this project. */
static inline bool discovery_matches(
	const char *const *patterns, size_t n, const char *project)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], project, 0))
			return true;
	return false;
}
static inline bool discovery_wants(const struct discovery *d, const char *project)
{
	return (!d->n_only || discovery_matches(d->only, d->n_only, project)) &&
		!discovery_matches(d->except, d->n_except, project);
}

/* For `poll` of a source: stores the projects that Google lists. Those that are no longer listed
 * are removed, and their resources are marked as not current. If Google is unreachable, the list is
 * unchanged. */
enum err_code discover(struct poll *p, struct err *e) must_check;

/* The projects that Google lists now and the settings select: nothing is stored. None is an error. Allocated from the
 * arena. */
enum err_code discoverable(struct gcp *g, const struct discovery *d, struct arena *a,
	const char *const **projects, size_t *n, struct err *e) must_check;

/* The discovered projects that the settings select, sorted; allocated from the arena. */
enum err_code discovered(struct db *db, const struct discovery *d, struct arena *a,
	const char *const **projects, size_t *n, struct err *e) must_check;

#endif

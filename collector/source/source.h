/* Sources: what is polled. One struct and one line in collector/collect.c each. */
#ifndef TPUCOST_COLLECTOR_SOURCE_SOURCE_H
#define TPUCOST_COLLECTOR_SOURCE_SOURCE_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"

struct db;
struct discovery;
struct gcp;
struct gcp_listing;
struct gcp_result;
struct inventory;
struct snapshots;
struct tz;

/* A table of the Cloud Billing export. */
struct billing_export {
	const char *name;     /* project.dataset.table */
	const char *location; /* of the dataset; NULL: looked up */
	/* Usage days (UTC) that are read of it: where an export was moved, the two tables
	 * must not both count the same days. */
	day_t from, until; /* first and last; DAY_NONE: no bound */
};
#define DAY_NONE INT32_MIN

/* What the configuration says about polling. */
struct collect_settings {
	const char *const *projects;
	size_t n_projects;
	const struct billing_export *tables;
	size_t n_tables;
	int64_t max_bytes;                 /* cap of what a query may be billed for */
	const struct tz *tz;               /* of the calendar days of costs */
	const char *currency;              /* of list prices; NULL: USD */
	const struct discovery *discovery; /* projects are found; NULL: they are listed */
};

/* One poll of one source in one project. */
struct poll {
	const struct source *source;
	const struct collect_settings *settings;
	const char *project;                /* "" for a source of no project */
	const struct billing_export *table; /* of a source that is polled per table */
	struct gcp *gcp;
	struct db *db;
	struct clock *clock;
	struct arena *arena; /* lives as long as this poll */
	ts_t now;            /* the moment of this poll */
	bool was_disabled;   /* the API was not enabled at the last poll either */
	bool was_partial;    /* some places did not answer at the last poll either */
	void *state;         /* of the source, in the arena */
	/* filled in */
	size_t items;
	const char **gaps; /* locations that did not answer */
	size_t n_gaps;
	const char *note; /* what is not as it should be although all was read, or NULL */
	bool changed;     /* facts are not what they were before */
	struct snapshots *snapshots; /* private to inventory.c */
	/* private to collect.c */
	size_t waiting; /* answers under way */
	size_t asked;   /* requests in all */
	void (*answered)(struct gcp_result *r, void *poll);
};

/* PER_DISCOVERY: before all others, when projects are to be found. */
enum source_scope { PER_PROJECT, PER_TABLE, PER_ACCOUNT, PER_DISCOVERY };

/* Read from Google first, then store in one transaction. A failure leaves the facts as they
 * were. Either `ask` and `take`, which lets many polls run at the same time, or `poll`, which
 * runs alone. */
struct source {
	const char *name;  /* "tpu" */
	const char *group; /* key of `poll:`: instances, billing, ... */
	const char *doc;
	enum source_scope scope;
	/* Good to have: where the API does not exist at all (404), it is as if it were not
	 * enabled. */
	bool optional;
	/* Asks about what this one finds, so it begins when that has ended for the project. One
	 * that stands before it in `sources`; NULL: none. */
	const struct source *after;
	/* Queue requests, each announced by poll_await. */
	enum err_code (*ask)(struct poll *p, struct err *e);
	/* All answers are there. May queue more: then it is called again. */
	enum err_code (*take)(struct poll *p, struct err *e);
	enum err_code (*poll)(struct poll *p, struct err *e);
	/* Of a source with inventory_ask and inventory_take (collector/inventory.h): the list
	 * that it asks for, and what one of its items is; each is a row or none. */
	const struct gcp_listing *list;
	void (*add)(struct poll *p, struct inventory *inv, const void *item);
	bool whole; /* where some are missing, nobody knows where they were: nothing counts */
};

/* Before X_start(..., &r): the poll goes on when this and all others have been answered.
 * When X_start fails, hand its error to poll_started. */
void poll_await(struct poll *p, struct gcp_result *r);
enum err_code poll_started(struct poll *p, enum err_code rc);
/* Both, of a list that is asked for by the project alone. */
enum err_code poll_list(struct poll *p, const struct gcp_listing *l, struct gcp_result *r,
	struct err *e) must_check;
/* The outcome of one list, with its gaps noted. */
enum err_code poll_result(
	struct poll *p, const struct gcp_result *r, struct err *e) must_check;
/* Note a location that did not answer. */
void poll_gap(struct poll *p, const char *location);

extern const struct source *const sources[];
extern const size_t n_sources;

const struct source *source_find(const char *name);
bool source_group_exists(const char *group);

extern const struct source source_vm, source_disk, source_ip, source_tpu, source_queued,
	source_snapshot, source_bucket, source_machine_type, source_quota, source_tpu_quota,
	source_metric, source_billing, source_account, source_price, source_project;

#endif

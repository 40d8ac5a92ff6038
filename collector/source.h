/* Sources: what is polled. One file and one line in collector/sources.c each. */
#ifndef TPUCOST_COLLECTOR_SOURCE_H
#define TPUCOST_COLLECTOR_SOURCE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

struct db;
struct gcp;
struct tz;

/* What the configuration says about polling. */
struct collect_settings {
	const char *const *projects;
	size_t n_projects;
	const char *billing_table;    /* NULL: no export configured */
	const char *billing_location; /* NULL: looked up */
	int64_t max_bytes;            /* cap of what a query may be billed for */
	const struct tz *tz;          /* of the calendar days of costs */
};

/* One poll of one source in one project. */
struct poll {
	const struct source *source;
	const struct collect_settings *settings;
	const char *project;
	struct gcp *gcp;
	struct db *db;
	struct clock *clock;
	struct arena *arena; /* lives as long as this poll */
	ts_t now;            /* the moment of this poll */
	bool was_disabled;   /* the API was not enabled at the last poll either */
	/* filled in */
	size_t items;
	const char **gaps; /* locations that did not answer */
	size_t n_gaps;
	bool changed; /* facts are not what they were before */
};

struct source {
	const char *name;  /* "tpu" */
	const char *group; /* key of `poll:`: instances, billing, ... */
	const char *doc;
	bool per_account; /* polled once, not once per project */
	/* Read from Google first, then store in one transaction. A failure leaves the
	 * facts as they were. */
	enum err_code (*poll)(struct poll *p, struct err *e);
};

extern const struct source *const sources[];
extern const size_t n_sources;

const struct source *source_find(const char *name);
bool source_group_exists(const char *group);

extern const struct source source_vm, source_disk, source_ip, source_tpu, source_queued,
	source_billing;

#endif

/* Lists for a user to choose from: projects that the credentials can access, datasets of a project,
 * tables of a dataset. Resource Manager REST reference v3, projects.search; BigQuery REST reference
 * v2, datasets.list and tables.list. A list is complete or an error, see gcp/compute/compute.h.
 *
 * Needs resourcemanager.projects.get on each project to be found, bigquery.datasets.get and
 * bigquery.tables.list. Only `tpucost init` calls this, with the permissions of its user. */
#ifndef TPUCOST_GCP_ACCESS_FIND_H
#define TPUCOST_GCP_ACCESS_FIND_H

#include "gcp/gcp.h"

struct found_project {
	const char *project_id;
	const char *number;
	const char *display_name; /* may be "" */
	bool active;              /* others are being deleted */
};

struct found_projects {
	struct gcp_result r;
	struct found_project *v;
	size_t n;
};

struct found_dataset {
	const char *id;
	const char *location; /* "EU"; "" if absent */
};

struct found_datasets {
	struct gcp_result r;
	struct found_dataset *v;
	size_t n;
};

struct found_table {
	const char *id;
	const char *type; /* TABLE, VIEW, ... */
};

struct found_tables {
	struct gcp_result r;
	struct found_table *v;
	size_t n;
};

/* Queues one; after gcp_run, out->r.code has the result. */
enum err_code find_projects_start(struct gcp *g, struct arena *a,
	struct found_projects *out, struct err *e) must_check;
enum err_code find_datasets_start(struct gcp *g, const char *project, struct arena *a,
	struct found_datasets *out, struct err *e) must_check;
enum err_code find_tables_start(struct gcp *g, const char *project, const char *dataset,
	struct arena *a, struct found_tables *out, struct err *e) must_check;

#endif

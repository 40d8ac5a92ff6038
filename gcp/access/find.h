/* Lists for a user to choose from: projects that the credentials can access, datasets of a project,
 * tables of a dataset. Resource Manager REST reference v3, projects.search; BigQuery REST reference
 * v2, datasets.list and tables.list. A list is complete or an error, see gcp/compute/compute.h.
 *
 * Needs resourcemanager.projects.get on each project to be found, bigquery.datasets.get and
 * bigquery.tables.list. Only `tpucost init` calls this, with the permissions of its user. */
#ifndef TPUCOST_GCP_ACCESS_FIND_H
#define TPUCOST_GCP_ACCESS_FIND_H

#include "gcp/list.h"

struct found_project {
	const char *project_id;
	const char *number;
	const char *display_name; /* may be "" */
	bool active;              /* others are being deleted */
};

GCP_ITEMS(found_projects, struct found_project);

struct found_dataset {
	const char *id;
	const char *location; /* "EU"; "" if absent */
};

GCP_ITEMS(found_datasets, struct found_dataset);

struct found_table {
	const char *id;
	const char *type; /* TABLE, VIEW, ... */
};

GCP_ITEMS(found_tables, struct found_table);

/* For gcp_listing_start. The tables are those of the dataset `where`. */
extern const struct gcp_listing find_project_listing, find_dataset_listing,
	find_table_listing;

#endif

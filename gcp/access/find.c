#include "gcp/access/find.h"

#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define MAX_PAGES 20 /* of a list that a user reads */

/* Letters, digits, underscores and hyphens ("Naming datasets", "Name a table"); they are written
 * into a configuration. Tables with other names are not export tables. */
static bool bq_id_valid(const char *s)
{
	size_t n = strlen(s);

	return n >= 1 && n <= 1024 &&
		strspn(s,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
			"-") == n;
}

/* ---- projects ------------------------------------------------------------------------------ */

static void find_read_project(struct dec *d, void *item)
{
	struct found_project *out = item;

	out->project_id = d->key = dec_need(d, "projectId");
	out->number = dec_tail(d, "name");
	out->display_name = dec_text(d, "displayName");
	out->active = str_eq(dec_text(d, "state"), "ACTIVE");
	if (!gcp_project_valid(out->project_id))
		dec_fail(d, "projectId", "not a valid project id");
	if (!*out->number || strspn(out->number, "0123456789") != strlen(out->number))
		dec_fail(d, "name", "not projects/NUMBER");
}

const struct gcp_listing find_project_listing = {
	.api = GCP_RESOURCEMANAGER,
	.what = "search projects",
	.path = "/projects:search",
	.max_pages = MAX_PAGES,
	.items = "projects",
	.size = sizeof(struct found_project),
	.read = find_read_project,
};

/* ---- datasets ------------------------------------------------------------------------------ */

/* The name under `inner` of `outer`: {"datasetReference": {"datasetId": "billing"}}. An item with
 * an invalid name is skipped. */
static const char *find_read_id(struct dec *d, const char *outer, const char *inner)
{
	struct dec in = dec_enter(d, outer);
	const char *id;

	if (!in.obj)
		dec_fail(d, outer, "missing");
	in.code = d->code;
	id = dec_need(&in, inner);
	dec_leave(d, &in);
	d->key = bq_id_valid(id) ? id : NULL;
	return id;
}

static void find_read_dataset(struct dec *d, void *item)
{
	struct found_dataset *out = item;

	out->id = find_read_id(d, "datasetReference", "datasetId");
	out->location = dec_text(d, "location");
	if (d->key && *out->location && !gcp_name_valid(out->location))
		dec_fail(d, "location", "not a valid location");
}

const struct gcp_listing find_dataset_listing = {
	.api = GCP_BIGQUERY,
	.what = "list datasets",
	.path = "/projects/{}/datasets",
	.size_param = "maxResults",
	.max_pages = MAX_PAGES,
	.role = "roles/bigquery.metadataViewer",
	.items = "datasets", /* absent if a project has none */
	.page_is = "list of datasets",
	.size = sizeof(struct found_dataset),
	.read = find_read_dataset,
};

/* ---- tables -------------------------------------------------------------------------------- */

static void find_read_table(struct dec *d, void *item)
{
	struct found_table *out = item;

	out->id = find_read_id(d, "tableReference", "tableId");
	out->type = dec_text(d, "type");
}

const struct gcp_listing find_table_listing = {
	.api = GCP_BIGQUERY,
	.what = "list tables",
	.path = "/projects/{}/datasets/{}/tables",
	.size_param = "maxResults",
	.max_pages = MAX_PAGES,
	.role = "roles/bigquery.metadataViewer",
	.items = "tables",
	.page_is = "list of tables",
	.size = sizeof(struct found_table),
	.read = find_read_table,
};

#include "gcp/access/find.h"

#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define MAX_PAGES 20 /* of a list that a person is to look at */

static bool is_number(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

/* Letters, digits, underscores and hyphens ("Naming datasets", "Name a table"); they become parts
 * of a configuration. Tables may have other names: those are none of the export's. */
static bool bq_id_valid(const char *s)
{
	size_t n = strlen(s);

	return n >= 1 && n <= 1024 &&
		strspn(s,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
			"-") == n;
}

/* ---- projects ------------------------------------------------------------------------------ */

static enum err_code put_project(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct found_project p = {.project_id = dec_need(&d, "projectId")};

	p.number = dec_tail(&d, "name");
	p.display_name = dec_text(&d, "displayName");
	p.active = str_eq(dec_text(&d, "state"), "ACTIVE");
	if (d.code == E_OK && !gcp_project_valid(p.project_id))
		dec_fail(&d, "projectId", "it is no project id");
	if (d.code == E_OK && !is_number(p.number))
		dec_fail(&d, "name", "it is not projects/NUMBER");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, p.project_id), &p, sizeof(p));
	return d.code;
}

static enum err_code on_projects(
	struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "projects", NULL, put_project, e);
}

static GCP_DELIVER(deliver_projects, struct found_projects);

enum err_code find_projects_start(
	struct gcp *g, struct arena *a, struct found_projects *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_RESOURCEMANAGER, NULL, "search projects",
		a, &out->r, sizeof(struct found_project));

	gcp_url(g, &t->list.call.url, GCP_RESOURCEMANAGER, "/projects:search", NULL);
	t->list.max_pages = MAX_PAGES;
	t->list.on_page = on_projects;
	t->deliver = deliver_projects;
	return gcp_typed_start(t, e);
}

/* ---- datasets ------------------------------------------------------------------------------ */

/* The one under `inner` of `outer`: {"datasetReference": {"datasetId": "billing"}}. */
static const char *reference(struct dec *d, const char *outer, const char *inner)
{
	const struct cJSON *ref = dec_object(d, outer);
	struct dec in = dec_begin(ref, d->a, d->e);
	const char *id;

	if (d->code != E_OK || !ref) {
		dec_fail(d, outer, "it is missing");
		return "";
	}
	id = dec_need(&in, inner);
	d->code = in.code;
	return id;
}

static enum err_code put_dataset(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct found_dataset x = {0};

	x.id = reference(&d, "datasetReference", "datasetId");
	x.location = dec_text(&d, "location");
	if (d.code == E_OK && !bq_id_valid(x.id))
		return E_OK;
	if (d.code == E_OK && *x.location && !gcp_name_valid(x.location))
		dec_fail(&d, "location", "it is no location");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, x.id), &x, sizeof(x));
	return d.code;
}

/* A project without datasets: the list has no "datasets". */
static enum err_code on_datasets(
	struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "datasets", "list of datasets", put_dataset, e);
}

static GCP_DELIVER(deliver_datasets, struct found_datasets);

enum err_code find_datasets_start(struct gcp *g, const char *project, struct arena *a,
	struct found_datasets *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_BIGQUERY, project, "list datasets", a,
		&out->r, sizeof(struct found_dataset));

	gcp_url(g, &t->list.call.url, GCP_BIGQUERY, "/projects/{}/datasets", project, NULL);
	t->list.call.role = "roles/bigquery.metadataViewer";
	t->list.size_param = "maxResults";
	t->list.max_pages = MAX_PAGES;
	t->list.on_page = on_datasets;
	t->deliver = deliver_datasets;
	return gcp_typed_start(t, e);
}

/* ---- tables -------------------------------------------------------------------------------- */

static enum err_code put_table(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct found_table x = {0};

	x.id = reference(&d, "tableReference", "tableId");
	x.type = dec_text(&d, "type");
	if (d.code == E_OK && !bq_id_valid(x.id))
		return E_OK;
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, x.id), &x, sizeof(x));
	return d.code;
}

static enum err_code on_tables(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "tables", "list of tables", put_table, e);
}

static GCP_DELIVER(deliver_tables, struct found_tables);

enum err_code find_tables_start(struct gcp *g, const char *project, const char *dataset,
	struct arena *a, struct found_tables *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_BIGQUERY, project, "list tables", a,
		&out->r, sizeof(struct found_table));

	gcp_url(g, &t->list.call.url, GCP_BIGQUERY, "/projects/{}/datasets/{}/tables",
		project, dataset, NULL);
	t->list.call.role = "roles/bigquery.metadataViewer";
	t->list.size_param = "maxResults";
	t->list.max_pages = MAX_PAGES;
	t->list.on_page = on_tables;
	t->deliver = deliver_tables;
	return gcp_typed_start(t, e);
}

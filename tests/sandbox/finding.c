/* What somebody new is shown: projects (Resource Manager v3, projects.search), datasets and tables
 * (BigQuery v2, datasets.list, datasets.get, tables.list). After their REST references. */
#include "tests/sandbox/sandbox.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define SEARCH_PAGE 500
#define LIST_PAGE 1000 /* of BigQuery */
#define MONTH INT64_C(2592000)

/* ---- projects ------------------------------------------------------------------------------ */

static void write_project(struct jw *w, const struct request *q, const struct project *p)
{
	jw_begin(w, '{');
	jw_kstr(w, "name", arena_printf(q->a, "projects/%s", p->number));
	jw_kstr(w, "parent", "organizations/8");
	jw_kstr(w, "projectId", p->id);
	jw_kstr(w, "state", p->state);
	jw_kstr(w, "displayName", p->id);
	jw_end(w, '}');
}

void serve_search_projects(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	size_t from, to, i;

	if (q->param(q, "query")) {
		respond_rpc(r, 400, "INVALID_ARGUMENT", "The sandbox has no query.");
		return;
	}
	if (!page_read(q, r, &from, &to))
		return;
	if (to > from + SEARCH_PAGE)
		to = from + SEARCH_PAGE;
	jw_begin(&w, '{');
	jw_key(&w, "projects");
	jw_begin(&w, '[');
	for (i = from; i < to && i < q->w->n_projects; i++)
		if (iam_may(q, q->w->projects[i].id, "resourcemanager.projects.get"))
			write_project(&w, q, &q->w->projects[i]);
	jw_end(&w, ']');
	if (i < q->w->n_projects)
		jw_kstr(&w, "nextPageToken", page_token(q, i));
	jw_end(&w, '}');
}

/* ---- datasets and tables ------------------------------------------------------------------- */

/* The tables of the world: that of the export, and others. NULL behind the last one. */
static const char *table_at(const struct request *q, size_t i)
{
	if (!q->w->table)
		return NULL;
	return !i                           ? q->w->table
		: i <= q->w->other_tables.n ? q->w->other_tables.v[i - 1]
					    : NULL;
}

int64_t table_age(const struct request *q, const char *name)
{
	for (size_t i = 0; table_at(q, i); i++)
		if (str_eq(table_at(q, i), name))
			return (int64_t)i * MONTH;
	return -1;
}

/* What comes behind "beginning." in the name of table `i` up to the next dot; NULL: it does not
 * begin so. Arena. */
static const char *part_behind(const struct request *q, size_t i, const char *beginning)
{
	const char *name = table_at(q, i);
	size_t len = strlen(beginning);

	if (strncmp(name, beginning, len) != 0 || name[len] != '.')
		return NULL;
	name += len + 1;
	return arena_strndup(q->a, name, strcspn(name, "."));
}

static bool came_before(const struct request *q, size_t i, const char *beginning)
{
	for (size_t k = 0; k < i; k++) {
		const char *earlier = part_behind(q, k, beginning);

		if (earlier && str_eq(earlier, part_behind(q, i, beginning)))
			return true;
	}
	return false;
}

void dataset_reference(
	struct jw *w, const char *project, const char *dataset, const char *table)
{
	jw_begin(w, '{');
	jw_kstr(w, "projectId", project);
	jw_kstr(w, "datasetId", dataset);
	if (table)
		jw_kstr(w, "tableId", table);
	jw_end(w, '}');
}

static void write_dataset(struct jw *w, const struct request *q, const char *dataset)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", "bigquery#dataset");
	jw_kstr(w, "id", arena_printf(q->a, "%s:%s", q->seg[3], dataset));
	jw_key(w, "datasetReference");
	dataset_reference(w, q->seg[3], dataset, NULL);
	jw_kstr(w, "location", q->w->location);
	jw_kstr(w, "type", "DEFAULT");
	jw_end(w, '}');
}

/* The page that maxResults and pageToken ask for; BigQuery's lists say "maxResults". */
static bool list_page(const struct request *q, struct response *r, size_t *from, size_t *to)
{
	const char *size = q->param(q, "maxResults");
	size_t n = size ? (size_t)strtoull(size, NULL, 10) : 50;

	if (!page_read(q, r, from, to))
		return false;
	*to = *from + (n && n < LIST_PAGE ? n : LIST_PAGE);
	return true;
}

/* Those that the account may not see are not in it. */
void serve_datasets(const struct request *q, struct response *r)
{
	bool may = iam_may(q, q->seg[3], "bigquery.datasets.get"), any = false;
	struct jw w = {.b = &r->body};
	size_t from, to, seen = 0;

	if (!list_page(q, r, &from, &to))
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#datasetList");
	jw_kstr(&w, "etag", "sandbox");
	for (size_t i = 0; may && table_at(q, i); i++) {
		const char *dataset = part_behind(q, i, q->seg[3]);

		if (!dataset || came_before(q, i, q->seg[3]) || seen++ < from || seen > to)
			continue;
		if (!any) {
			jw_key(&w, "datasets");
			jw_begin(&w, '[');
		}
		any = true;
		write_dataset(&w, q, dataset);
	}
	if (any)
		jw_end(&w, ']');
	if (seen > to)
		jw_kstr(&w, "nextPageToken", page_token(q, to));
	jw_end(&w, '}');
}

static size_t tables_of(const struct request *q, const char *dataset)
{
	size_t n = 0;

	for (size_t i = 0; table_at(q, i); i++)
		n += part_behind(q, i, dataset) != NULL;
	return n;
}

static bool dataset_found(const struct request *q, struct response *r, const char *dataset)
{
	if (tables_of(q, dataset))
		return true;
	respond_error(r, 404, "notFound",
		arena_printf(q->a, "Not found: Dataset %s:%s", q->seg[3], q->seg[5]));
	return false;
}

void serve_dataset(const struct request *q, struct response *r)
{
	const char *dataset = arena_printf(q->a, "%s.%s", q->seg[3], q->seg[5]);
	struct jw w = {.b = &r->body};

	if (!load_serve_dataset(q, r) && dataset_found(q, r, dataset))
		write_dataset(&w, q, q->seg[5]);
}

static void write_table(struct jw *w, const struct request *q, const char *name)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", "bigquery#table");
	jw_kstr(w, "id", arena_printf(q->a, "%s:%s.%s", q->seg[3], q->seg[5], name));
	jw_key(w, "tableReference");
	dataset_reference(w, q->seg[3], q->seg[5], name);
	jw_kstr(w, "type", "TABLE");
	jw_key(w, "timePartitioning");
	jw_raw(w, "{\"type\":\"DAY\"}");
	jw_end(w, '}');
}

void serve_tables(const struct request *q, struct response *r)
{
	const char *dataset = arena_printf(q->a, "%s.%s", q->seg[3], q->seg[5]);
	struct jw w = {.b = &r->body};
	size_t from, to, seen = 0, all = tables_of(q, dataset);

	if (!dataset_found(q, r, dataset) || !list_page(q, r, &from, &to))
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#tableList");
	jw_key(&w, "tables");
	jw_begin(&w, '[');
	for (size_t i = 0; table_at(q, i); i++) {
		const char *name = part_behind(q, i, dataset);

		if (name && seen++ >= from && seen <= to)
			write_table(&w, q, name);
	}
	jw_end(&w, ']');
	if (all > to)
		jw_kstr(&w, "nextPageToken", page_token(q, to));
	jw_ki64(&w, "totalItems", (int64_t)all);
	jw_end(&w, '}');
}

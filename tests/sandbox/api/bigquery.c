/* BigQuery v2: the billing export as a table, and the queries that tpucost sends.
 * Queries are known by their marker comment and computed here over the world's rows; any
 * other SQL is refused. Shapes after the BigQuery REST reference. */
#include "tests/sandbox/sandbox.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "base/str.h"
#include "tests/sandbox/api/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BYTES INT64_C(10485760)
#define MAX_JOBS 64
/* Rows of the table on a page, whatever is asked: Google cuts pages by their size. */
#define MAX_PAGE 1000

/* A finished query: its rows as JSON texts, kept for paging. */
struct job {
	char id[40];
	const char *fields; /* JSON */
	struct export_result result;
	struct arena arena;
	bool ready; /* the first look at a slow job finds it running */
};

static struct job jobs[MAX_JOBS];
static size_t n_jobs;

/* ---- the table --------------------------------------------------------------------------------- */

/* Is the table of the path one there is? If not, says so. */
static bool table_found(const struct request *q, struct response *r)
{
	const char *name = arena_printf(q->a, "%s.%s.%s", q->seg[3], q->seg[5], q->seg[7]);

	if (table_age(q, name) >= 0)
		return true;
	respond_error(r, 404, "notFound",
		arena_printf(q->a, "Not found: Table %s:%s.%s", q->seg[3], q->seg[5],
			q->seg[7]));
	return false;
}

void serve_table(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	int64_t rows, modified;

	if (load_serve_table(q, r) || !table_found(q, r))
		return;
	export_extent(q->w, q->now, &rows, &modified);
	modified -= table_age(
		q, arena_printf(q->a, "%s.%s.%s", q->seg[3], q->seg[5], q->seg[7]));
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#table");
	jw_kstr(&w, "id", arena_printf(q->a, "%s:%s.%s", q->seg[3], q->seg[5], q->seg[7]));
	jw_key(&w, "tableReference");
	dataset_reference(&w, q->seg[3], q->seg[5], q->seg[7]);
	jw_key(&w, "schema");
	jw_begin(&w, '{');
	jw_key(&w, "fields");
	export_schema(&w, q->w);
	jw_end(&w, '}');
	jw_key(&w, "timePartitioning");
	jw_raw(&w, "{\"type\":\"DAY\"}");
	jw_kstr(&w, "numRows", arena_printf(q->a, "%lld", (long long)rows));
	jw_kstr(&w, "numBytes", arena_printf(q->a, "%lld", (long long)rows * 1000));
	jw_kstr(&w, "lastModifiedTime",
		arena_printf(q->a, "%lld", (long long)modified * 1000));
	jw_kstr(&w, "type", "TABLE");
	jw_kstr(&w, "location", q->w->location);
	jw_end(&w, '}');
}

static size_t page_start(const struct request *q)
{
	const char *token = q->param(q, "pageToken");

	return token && str_starts(token, "BFLV") ? (size_t)strtoull(token + 4, NULL, 10)
						  : 0;
}

static size_t page_size(const struct request *q)
{
	const char *size = q->param(q, "maxResults");

	return size ? (size_t)strtoull(size, NULL, 10) : 100000;
}

static bool is_true(const char *param)
{
	return param && !strcmp(param, "true");
}

void serve_rows(const struct request *q, struct response *r)
{
	struct export_ask ask = {.w = q->w,
		.now = q->now,
		.int64_time = is_true(q->param(q, "formatOptions.useInt64Timestamp"))};
	size_t from = page_start(q), size = page_size(q), n;
	struct jw w = {.b = &r->body};

	if (size > MAX_PAGE)
		size = MAX_PAGE;
	if (load_serve_rows(q, r) || !table_found(q, r))
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#tableDataList");
	jw_kstr(&w, "etag", "sandbox");
	jw_key(&w, "rows");
	n = export_rows(&w, &ask, from, size);
	jw_kstr(&w, "totalRows", arena_printf(q->a, "%zu", n));
	if (from + size < n)
		jw_kstr(&w, "pageToken", arena_printf(q->a, "BFLV%zu", from + size));
	jw_end(&w, '}');
}

/* ---- queries ----------------------------------------------------------------------------------- */

/* Value of a scalar parameter, or element i of an array one; NULL beyond. */
static const char *parameter(const struct cJSON *body, const char *name, size_t i)
{
	JSON_EACH (p, json_get(body, "queryParameters")) {
		const struct cJSON *v = json_get(p, "parameterValue");
		const struct cJSON *list = json_get(v, "arrayValues");

		if (strcmp(json_text(json_get(p, "name"), ""), name) != 0)
			continue;
		if (!list)
			return i ? NULL : json_text(json_get(v, "value"), NULL);
		JSON_EACH (item, list) {
			if (!i--)
				return json_text(json_get(item, "value"), NULL);
		}
	}
	return NULL;
}

static bool read_days(const struct cJSON *body, struct export_ask *ask)
{
	const char *text;

	ask->n_units = 0;
	for (size_t i = 0; (text = parameter(body, "units", i)); i++) {
		if (ask->n_units == ARRAY_LEN(ask->units) ||
			date_parse(text, &ask->units[ask->n_units], NULL))
			return false;
		ask->n_units++;
	}
	text = parameter(body, "usage_from", 0);
	ask->cut = text != NULL;
	if (ask->cut &&
		(date_parse(text, &ask->usage_from, NULL) ||
			!(text = parameter(body, "usage_until", 0)) ||
			date_parse(text, &ask->usage_until, NULL)))
		return false;
	text = parameter(body, "since", 0);
	return !text || !date_parse(text, &ask->since, NULL);
}

/* None in the list is all. */
static bool name_asked(const struct export_ask *ask, const char *list, const char *name)
{
	const char *one;

	if (!parameter(ask->body, list, 0))
		return true;
	for (size_t i = 0; (one = parameter(ask->body, list, i)); i++)
		if (name && !strcmp(one, name))
			return true;
	return false;
}

static bool project_asked(const struct export_ask *ask, const char *project)
{
	return name_asked(ask, "projects", project);
}

static bool label_asked(const struct export_ask *ask, const char *key)
{
	return name_asked(ask, "keys", key);
}

static bool read_question(const struct cJSON *body, struct export_ask *ask)
{
	ask->body = body;
	ask->of_project = project_asked;
	ask->of_label = label_asked;
	ask->month = parameter(body, "month", 0);
	return !ask->month ||
		(!rfc3339_parse(parameter(body, "from", 0), &ask->from, NULL, NULL) &&
			!rfc3339_parse(
				parameter(body, "until", 0), &ask->until, NULL, NULL) &&
			!rfc3339_parse(parameter(body, "exported", 0), &ask->exported, NULL,
				NULL));
}

static bool query_refused(const struct request *q, const struct cJSON *body,
	const char *sql, struct response *r)
{
	const char *location = json_text(json_get(body, "location"), q->w->location);
	const struct cJSON *legacy = json_get(body, "useLegacySql");
	int64_t max = 0;

	if (!legacy || json_true(legacy)) {
		respond_error(
			r, 400, "invalidQuery", "Legacy SQL is the default and not served");
	} else if (!q->w->table || !strstr(sql, q->w->table) ||
		!str_ieq(location, q->w->location)) {
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "Not found: Table was not found in location %s",
				location));
	} else if (json_opt_i64(body, "maximumBytesBilled", 0, &max, NULL) ||
		(max && max < MIN_BYTES)) {
		respond_error(r, 400, "bytesBilledLimitExceeded",
			arena_printf(q->a,
				"Query exceeded limit for bytes billed: %lld. 10485760 "
				"or higher required.",
				(long long)max));
	} else {
		return false;
	}
	return true;
}

static void write_job(const struct request *q, struct response *r, const struct job *j,
	size_t from, size_t size, const char *kind)
{
	struct jw w = {.b = &r->body};
	size_t most = q->w->page_rows ? (size_t)q->w->page_rows : size;
	size_t rows = size < most ? size : most;
	size_t to = from + rows < j->result.n ? from + rows : j->result.n;

	jw_begin(&w, '{');
	jw_kstr(&w, "kind", kind);
	jw_key(&w, "jobReference");
	jw_begin(&w, '{');
	jw_kstr(&w, "projectId", q->seg[3]);
	jw_kstr(&w, "jobId", j->id);
	jw_kstr(&w, "location", q->w->location);
	jw_end(&w, '}');
	jw_key(&w, "jobComplete");
	jw_bool(&w, j->ready);
	if (j->ready) {
		jw_key(&w, "schema");
		jw_begin(&w, '{');
		jw_key(&w, "fields");
		jw_raw(&w, j->fields);
		jw_end(&w, '}');
		jw_kstr(&w, "totalRows", arena_printf(q->a, "%zu", j->result.n));
		jw_key(&w, "rows");
		jw_begin(&w, '[');
		for (size_t i = from; i < to; i++)
			jw_raw(&w, j->result.rows[i]);
		jw_end(&w, ']');
		if (to < j->result.n)
			jw_kstr(&w, "pageToken", arena_printf(q->a, "BFLV%zu", to));
		jw_kstr(&w, "totalBytesProcessed", "1048576");
		jw_kstr(&w, "totalBytesBilled", "10485760");
		jw_key(&w, "cacheHit");
		jw_bool(&w, false);
	}
	jw_end(&w, '}');
}

/* What it would read, and the columns: nothing is run and nothing is kept. */
static void write_dry_run(struct response *r, const char *fields)
{
	struct jw w = {.b = &r->body};

	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#queryResponse");
	jw_key(&w, "jobComplete");
	jw_bool(&w, true);
	jw_key(&w, "schema");
	jw_begin(&w, '{');
	jw_key(&w, "fields");
	jw_raw(&w, fields);
	jw_end(&w, '}');
	jw_kstr(&w, "totalBytesProcessed", "1048576");
	jw_key(&w, "cacheHit");
	jw_bool(&w, false);
	jw_end(&w, '}');
}

static struct job *run_job(
	const struct request *q, const char *sql, const struct export_ask *ask)
{
	struct job *j = &jobs[n_jobs % MAX_JOBS];

	arena_done(&j->arena);
	memset(j, 0, sizeof(*j));
	snprintf(j->id, sizeof(j->id), "job_%zu", ++n_jobs);
	j->fields = export_run(sql, ask, &j->arena, &j->result);
	j->ready = !q->w->slow_jobs;
	return j;
}

void serve_query(const struct request *q, struct response *r)
{
	struct cJSON *body = NULL;
	struct export_ask ask = {.w = q->w, .now = q->now};
	struct export_result unused = {0};
	cleanup(tz_free_ptr) struct tz *zone = NULL, *pacific = NULL;
	const struct cJSON *options;
	int64_t size = 100000;
	const char *sql;

	if (json_parse(q->body, q->body_len, &body, NULL)) {
		respond_error(r, 400, "parseError", "Parse Error");
		return;
	}
	sql = json_text(json_get(body, "query"), "");
	options = json_get(body, "formatOptions");
	ask.int64_time = json_true(json_get(options, "useInt64Timestamp"));
	if (query_refused(q, body, sql, r)) {
		json_free(body);
		return;
	}
	if (parameter(body, "zone", 0) &&
		(tz_open(parameter(body, "zone", 0), &zone, NULL) ||
			tz_open("America/Los_Angeles", &pacific, NULL))) {
		respond_error(r, 400, "invalidQuery",
			arena_printf(
				q->a, "Invalid time zone: %s", parameter(body, "zone", 0)));
		json_free(body);
		return;
	}
	ask.zone = zone;
	ask.pacific = pacific;
	if (!read_days(body, &ask) || !read_question(body, &ask) ||
		json_opt_i64(body, "maxResults", size, &size, NULL) ||
		!export_query_known(sql)) {
		respond_error(r, 400, "invalidQuery", "sandbox: unknown query");
		json_free(body);
		return;
	}
	if (json_true(json_get(body, "dryRun")))
		write_dry_run(r, export_run(sql, &ask, q->a, &unused));
	else
		write_job(q, r, run_job(q, sql, &ask), 0, (size_t)size,
			"bigquery#queryResponse");
	json_free(body);
}

/* Jobs live where their data is; only for US and EU Google finds that out by itself. */
static bool job_is_here(const struct request *q)
{
	const char *given = q->param(q, "location"), *here = q->w->location;

	return given ? str_ieq(given, here) : str_ieq(here, "US") || str_ieq(here, "EU");
}

void serve_results(const struct request *q, struct response *r)
{
	for (size_t i = 0; i < MAX_JOBS; i++) {
		if (strcmp(jobs[i].id, q->seg[5]) != 0 || !job_is_here(q))
			continue;
		write_job(q, r, &jobs[i], page_start(q), page_size(q),
			"bigquery#getQueryResultsResponse");
		jobs[i].ready = true; /* the next look finds it done */
		return;
	}
	respond_error(
		r, 404, "notFound", arena_printf(q->a, "Not found: Job %s", q->seg[5]));
}
